"""The connection to a cluster of dask.distributed: start or connect, run tasks, close."""

from __future__ import annotations

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
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Connection", "Task"]

_SECONDS_BETWEEN_CHECKS: Final = 0.2
_SECONDS_TO_CLOSE: Final = 10.0
_SECONDS_TO_TELL: Final = 2.0
_LOGGERS: Final = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
# Workers hold no results for dask: they neither spill nor pause, but end at their limit and start again.
_LOCAL_CONFIG: Final = {
    "distributed.scheduler.allowed-failures": 2,
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
        found = self.client.scheduler_info(n_workers=-1)["workers"]
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

    def run(self, tasks: Sequence[Task], origin: Origin) -> Iterator[tuple[int, Any]]:
        """Run tasks; yield the index and the result of each as soon as it is finished.

        The first failure cancels the others and is raised: an InputError, OSError or BudgetExceeded of the
        task, with its label, or else a ClusterError. So does leaving the iterator, or Ctrl-C.
        """
        ready: queue.SimpleQueue[int] = queue.SimpleQueue()
        futures = []
        done = 0
        try:
            for index, task in enumerate(tasks):
                futures.append(self._submit(task))
                futures[-1].add_done_callback(lambda _, index=index: ready.put(index))
            while done < len(tasks):
                index = self._next(ready)
                yield index, self._result(futures[index], tasks[index].label)
                done += 1
        finally:
            if done < len(tasks):
                self._cancel(futures, origin)
            for future in futures:
                future.release()

    def _submit(self, task: Task) -> Any:
        where = {} if task.worker is None else {"workers": [task.worker], "allow_other_workers": True}
        key = f"{task.function.__name__}-{uuid.uuid4().hex}"
        try:
            return self.client.submit(task.function, task.argument, key=key, pure=False, **where)
        except Exception as error:  # dask raises many kinds
            raise self._lost() from error

    def _next(self, ready: queue.SimpleQueue[int]) -> int:
        """Wait for the next finished task, while there is a scheduler and a worker."""
        without_since: float | None = None
        while True:
            try:
                return ready.get(timeout=_SECONDS_BETWEEN_CHECKS)
            except queue.Empty:
                pass
            if self.client.status != "running":
                raise self._lost()
            if self.workers():
                without_since = None
                continue
            now = time.monotonic()
            without_since = now if without_since is None else without_since
            if now - without_since > self._timeout:
                raise ClusterError(f"expected workers at {self.address}, got none for {self._timeout:g} s")

    def _lost(self) -> ClusterError:
        return ClusterError(f"{self.address}: the connection to the scheduler was lost")

    def _result(self, future: Any, label: str) -> Any:
        from distributed import KilledWorker  # noqa: PLC0415 (an optional dependency)

        if future.status in ("cancelled", "lost"):
            raise self._lost()
        try:
            return future.result()
        except KilledWorker as error:
            times = error.allowed_failures + 1
            raise ClusterError(
                f"{label}: the workers that ran it ended, {times} times: killed, or out of memory"
            ) from None
        except BudgetExceeded:
            raise
        except (InputError, ClusterError) as error:
            raise type(error)(f"{label}: {error}") from error
        except OSError as error:
            if error.errno is None:
                raise ClusterError(f"{label}: {error}") from error
            raise type(error)(error.errno, f"{label}: {error.strerror}", error.filename) from error
        except MemoryError as error:
            raise ClusterError(f"{label}: its worker is out of memory") from error

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
                dashboard_address=None,
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
