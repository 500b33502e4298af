"""The connection to a cluster of dask.distributed: start or connect, run tasks, close."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cliquepool._extras import require
from cliquepool._signals import interrupts_blocked
from cliquepool.errors import BudgetExceeded, ClusterError, InputError
from cliquepool.scale.tasks import Origin, cancel, here
from cliquepool.threads import thread_count

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    _Ready = queue.SimpleQueue[tuple[int, Any] | dict[str, Any]]

__all__ = ["Connection", "Task"]

_SECONDS_BETWEEN_CHECKS: Final = 0.2
_SECONDS_TO_CLOSE: Final = 10.0
_SECONDS_TO_TELL: Final = 2.0
_MOST_LOSSES: Final = 2  # of a result that is computed again
_LOGGERS: Final = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
# Workers hold no results for dask: they neither spill nor pause, but end at their limit and start again. Some
# time after a worker was lost, dask gives it up if it is not there at that moment, even if it had come back
# in between and is only starting for the second time: workers that end often would be lost one by one.
_LOCAL_CONFIG: Final = {
    "distributed.deploy.lost-worker-timeout": "365 days",
    "distributed.scheduler.allowed-failures": _MOST_LOSSES,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
    "distributed.worker.profile.enabled": False,
}


@dataclass(frozen=True, slots=True)
class Task:
    """A call on a worker: ``function(argument)``, both picklable.

    `label` names it in errors. `worker` is the address of the one that should run it; others may.
    """

    label: str
    function: Callable[[Any], Any]
    argument: Any
    worker: str | None = None


class _Orphaned(Exception):
    """The worker with the result of a task has ended; the task was submitted again."""


class _SchedulerLost(ClusterError):
    """The connection to the scheduler was lost."""


class _Batch:
    """Tasks that run at the same time.

    dask never runs a task again whose preferred worker was the last one and has ended. Such tasks are
    submitted again, for any worker.
    """

    def __init__(self, client: Any, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self.futures: list[Any] = []
        self.ready: _Ready = queue.SimpleQueue()  # the indices and futures of finished tasks, and events
        self._client = client
        self._workers = [task.worker for task in tasks]

    def start(self) -> None:
        """Submit all tasks."""
        for index in range(len(self.tasks)):
            self.futures.append(self._submit(index))

    def is_current(self, index: int, future: Any) -> bool:
        """Tell whether this is the last future of a task."""
        return self.futures[index] is future

    def is_orphan(self, index: int, workers: Container[str]) -> bool:
        """Tell whether a task prefers a worker that has ended."""
        return self._workers[index] is not None and self._workers[index] not in workers

    def submit_again(self, index: int) -> None:
        """Submit a task for any worker."""
        old = self.futures[index]
        self._workers[index] = None
        self.futures[index] = self._submit(index)
        old.cancel(force=True)

    def release(self) -> None:
        """Forget all tasks and their results."""
        for future in self.futures:
            future.release()

    def _submit(self, index: int) -> Any:
        task, worker = self.tasks[index], self._workers[index]
        where = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        key = f"{task.function.__name__}-{uuid.uuid4().hex}"
        future = self._client.submit(task.function, task.argument, key=key, pure=False, **where)
        future.add_done_callback(lambda done: self.ready.put((index, done)))
        return future


class Connection:
    """A client of a scheduler and, where no address is given, the local cluster that it starts.

    `timeout` is how many seconds there may be no worker before a call fails.
    """

    def __init__(
        self, address: str | None, *, workers: int | None, memory: int | None, timeout: float
    ) -> None:
        require("cluster", "cliquepool.scale.Cluster")
        self._timeout = timeout
        self._closing = contextlib.ExitStack()
        with contextlib.ExitStack() as stack:
            stack.enter_context(_quiet())
            self._local = address is None
            if address is None:
                self._cluster: Any = stack.enter_context(_local_cluster(thread_count(workers), memory))
                address = str(self._cluster.scheduler_address)
            self.address = address
            self.client: Any = stack.enter_context(_client(address, timeout))
            self._expect_workers()
            self._closing = stack.pop_all()

    def close(self) -> None:
        """Close the connection and what it has started; may be called again."""
        self._closing.close()

    @property
    def is_local(self) -> bool:
        """Whether the workers were started here, and end with the connection."""
        return self._local

    def origin(self) -> Origin:
        """Return the origin of the tasks of a new run."""
        return here(uuid.uuid4().hex)

    def workers(self) -> dict[str, int]:
        """Return the number of threads of each worker by its address, sorted."""
        try:
            found = self.client.scheduler_info(n_workers=-1)["workers"]
        except Exception as error:  # dask raises many kinds
            raise self._lost() from error
        return {address: int(found[address]["nthreads"]) for address in sorted(found)}

    def tell(self, function: Callable[[str], None], run: str) -> None:
        """Call a function in all workers, beside their tasks; workers that do not answer are left alone."""
        if self.client.status == "running":
            call = threading.Thread(target=self._call_all, args=(function, run), daemon=True)
            call.start()
            call.join(_SECONDS_TO_TELL)

    def _call_all(self, function: Callable[[str], None], run: str) -> None:
        with contextlib.suppress(Exception):
            self.client.run(function, run, on_error="ignore")

    def run(
        self,
        tasks: Sequence[Task],
        origin: Origin,
        *,
        on_event: Callable[[dict[str, Any]], None] | None = None,
        deadline: float | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Run tasks; yield the index and the result of each as soon as it is finished.

        The first failure cancels the others and is raised: an InputError, OSError or BudgetExceeded of the
        task, with its label, or else a ClusterError. So does leaving the iterator, or Ctrl-C.

        `on_event` gets what tasks send by `send_event`, in this thread. After `deadline`, by
        `time.monotonic`, TimeoutError is raised.
        """
        batch = _Batch(self.client, tasks)
        done = 0
        with self._events(origin, batch.ready) if on_event is not None else contextlib.nullcontext():
            try:
                self._start(batch)
                while done < len(tasks):
                    found = self._next(batch, deadline)
                    if isinstance(found, dict):
                        assert on_event is not None
                        on_event(found)
                    elif batch.is_current(*found):
                        with contextlib.suppress(_Orphaned):
                            yield found[0], self._result(batch, found[0])
                            done += 1
            finally:
                if done < len(tasks):
                    self._cancel(batch.futures, origin)
                batch.release()

    def _start(self, batch: _Batch) -> None:
        try:
            batch.start()
        except Exception as error:  # dask raises many kinds
            raise self._lost() from error

    @contextlib.contextmanager
    def _events(self, origin: Origin, ready: _Ready) -> Iterator[None]:
        """Put what tasks send into the queue."""
        self.client.subscribe_topic(origin.run, lambda event: ready.put(event[1]))
        try:
            yield
        finally:
            with contextlib.suppress(Exception):
                self.client.unsubscribe_topic(origin.run)

    def _next(self, batch: _Batch, deadline: float | None) -> tuple[int, Any] | dict[str, Any]:
        """Wait for the next finished task or event, while there is a scheduler and a worker."""
        without_since: float | None = None
        while True:
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError
            with contextlib.suppress(queue.Empty):
                return batch.ready.get(timeout=_SECONDS_BETWEEN_CHECKS)
            if self.client.status != "running":
                raise self._lost()
            if workers := self.workers():
                without_since = None
                for index in range(len(batch.futures)):
                    if batch.is_orphan(index, workers):
                        batch.submit_again(index)
                continue
            now = time.monotonic()
            without_since = now if without_since is None else without_since
            if now - without_since > self._timeout:
                raise ClusterError(f"expected workers at {self.address}, got none for {self._timeout:g} s")

    def _lost(self) -> ClusterError:
        return _SchedulerLost(f"{self.address}: the connection to the scheduler was lost")

    def _result(self, batch: _Batch, index: int) -> Any:
        from distributed import KilledWorker  # noqa: PLC0415 (an optional dependency)

        label = batch.tasks[index].label
        # A result is "lost" while it is computed again, because its worker has ended; that is no failure.
        if batch.futures[index].status == "cancelled" or self.client.status != "running":
            raise self._lost()
        try:
            return self._fetched(batch, index)
        except KilledWorker as error:
            times = error.allowed_failures + 1
            raise ClusterError(
                f"{label}: the workers that ran it ended, {times} times: killed, or out of memory", index
            ) from None
        except BudgetExceeded:
            raise
        except _SchedulerLost:
            raise
        except ClusterError as error:
            if error.task is not None:  # raised here
                raise
            raise ClusterError(f"{label}: {error}", index) from error
        except InputError as error:
            raise type(error)(f"{label}: {error}") from error
        except FileNotFoundError as error:
            advice = "workers and client need a folder that all see (folder=..., --work)"
            raise ClusterError(f"{label}: {error}; {advice}", index) from error
        except OSError as error:
            if error.errno is None:
                raise ClusterError(f"{label}: {error}", index) from error
            raise type(error)(error.errno, f"{label}: {error.strerror}", error.filename) from error
        except MemoryError as error:
            raise ClusterError(f"{label}: its worker is out of memory", index) from error

    def _fetched(self, batch: _Batch, index: int) -> Any:
        """Fetch the result of a finished task; raise ClusterError if workers with it end again and again.

        The result of a worker that ends before it is here is computed again.
        """
        future = batch.futures[index]
        call = asyncio.run_coroutine_threadsafe(
            self.client.gather(future, asynchronous=True), self.client.loop.asyncio_loop
        )
        losses, was_there = 0, True
        while True:
            try:
                return call.result(_SECONDS_BETWEEN_CHECKS)
            except TimeoutError:
                if call.done():
                    raise
            if self.client.status != "running":
                raise self._lost()
            if batch.is_orphan(index, self.workers()):
                call.cancel()
                batch.submit_again(index)
                raise _Orphaned
            is_there = future.status == "finished"
            losses += was_there and not is_there
            was_there = is_there
            if losses > _MOST_LOSSES:
                call.cancel()
                raise ClusterError(
                    f"{batch.tasks[index].label}: the workers with its result ended, {losses} times: "
                    "killed, or out of memory",
                    index,
                )

    def _cancel(self, futures: Sequence[Any], origin: Origin) -> None:
        """Cancel tasks that wait, and end those that run."""
        with contextlib.suppress(Exception):
            self.client.cancel(list(futures), force=True)
        self.tell(cancel, origin.run)

    def _expect_workers(self) -> None:
        """Wait for a worker, and raise ClusterError unless all of them have the versions of this process."""
        try:
            self.client.wait_for_workers(1, timeout=self._timeout)
        except TimeoutError:
            raise ClusterError(
                f"expected workers at {self.address}, got none for {self._timeout:g} s"
            ) from None
        found = self.client.run(here, on_error="return")
        for address, versions in sorted(found.items()):
            if isinstance(versions, BaseException):
                raise ClusterError(f"{address}: expected a worker with cliquepool, got {versions!r}")
            own = here()
            if tuple(versions) != tuple(own):
                raise ClusterError(f"{address}: {own.other_than(versions)}")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the messages of dask away: what matters is raised."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextlib.contextmanager
def _local_cluster(workers: int, memory: int | None) -> Iterator[Any]:
    import dask  # noqa: PLC0415 (an optional dependency)
    from distributed import LocalCluster  # noqa: PLC0415

    with dask.config.set(_LOCAL_CONFIG):
        with interrupts_blocked():
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                memory_limit="auto" if memory is None else memory,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",  # any port: others may run a cluster too
                silence_logs=logging.CRITICAL + 1,
            )
        try:
            yield cluster
        finally:
            cluster.close(timeout=_SECONDS_TO_CLOSE)


@contextlib.contextmanager
def _client(address: str, timeout: float) -> Iterator[Any]:
    from distributed import Client  # noqa: PLC0415 (an optional dependency)

    try:
        with interrupts_blocked():
            client = Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(
            f"{address}: expected a scheduler of dask.distributed, got none ({error})"
        ) from None
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=_SECONDS_TO_CLOSE)
