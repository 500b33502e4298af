"""Folds in parallel processes, with progress; all end when one fails or when the parent ends."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from cliquepool._signals import interrupts_blocked
from cliquepool.evaluate.errors import FoldFailed
from cliquepool.threads import thread_count

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from multiprocessing.process import BaseProcess
    from pathlib import Path

__all__ = [
    "Job",
    "JobMaker",
    "Limits",
    "Processes",
    "SendProgress",
    "Work",
    "error_in_words",
    "out_of_time",
    "run_units",
    "single_thread",
]

_SECONDS_TO_END: Final = 5.0
_THREAD_VARIABLES: Final = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Work(Protocol):
    """One unit of work: a fold under one seed."""

    @property
    def fold(self) -> int:
        """The fold, from 1."""

    @property
    def seed(self) -> int:
        """The seed."""


SendProgress: TypeAlias = Callable[[Any], None]
Job: TypeAlias = Callable[[Any, SendProgress], Any]
JobMaker: TypeAlias = Callable[[], Job]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use; with limits, all of it runs in other processes, which can be ended.

    Attributes
    ----------
    max_seconds : float, optional
        The time of the whole run, from its start.
    max_bytes : int, optional
        The memory of each process: data that it allocates, on Linux. Other systems do not limit it.
    """

    max_seconds: float | None = None
    max_bytes: int | None = None


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    unit: Work | None = None


@dataclass(frozen=True, slots=True)
class _Message:
    """A message of a worker: progress, a result, or the reason of a failure."""

    kind: str
    content: Any = None
    trace: str = field(default="", repr=False)


class Processes:
    """Workers that are processes of this machine, by default one for each core."""

    folder: Path | None = None  # of the data set that they share; None: that of temporary files

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = thread_count(jobs)

    def are_others(self, count: int, limits: Limits | None) -> bool:
        """Tell whether other processes than this one run `count` units."""
        return count > 0 and (min(self._jobs, count) > 1 or limits is not None)

    def run_units(
        self,
        make_job: JobMaker,
        units: Sequence[Work],
        on_progress: Callable[[Any, Any], None],
        limits: Limits | None = None,
    ) -> Generator[tuple[Any, Any], None, None]:
        """Run units; see the function of this name."""
        return run_units(make_job, units, min(self._jobs, len(units)), on_progress, limits)


def run_units(
    make_job: JobMaker,
    units: Sequence[Work],
    jobs: int,
    on_progress: Callable[[Any, Any], None],
    limits: Limits | None = None,
) -> Generator[tuple[Any, Any], None, None]:
    """Run `units` in `jobs` processes; yield each with its result as soon as it is finished.

    `make_job` is called once in each process, and the job it returns with every unit and with a function
    that sends progress to `on_progress` in this process. With one job and no limits, everything runs in this
    process. The first failure ends the other processes and raises FoldFailed; so does reaching a limit.
    """
    if not units or (limits is None and (jobs <= 1 or len(units) <= 1)):
        yield from _in_this_process(make_job, units, on_progress)
        return
    limits = limits or Limits()
    deadline = None if limits.max_seconds is None else time.monotonic() + limits.max_seconds
    waiting = list(reversed(units))
    _expect_sendable(make_job, units[0])
    workers = _start(make_job, min(max(jobs, 1), len(units)), limits.max_bytes)
    try:
        for worker in workers:
            _send_next(worker, waiting)
        while busy := [worker for worker in workers if worker.unit is not None]:
            failure: FoldFailed | None = None
            for worker in _ready(busy, deadline):
                unit, message = worker.unit, _receive(worker, limits)
                assert unit is not None
                if message.kind == "progress":
                    on_progress(unit, message.content)
                elif message.kind == "result":
                    yield unit, message.content
                    _send_next(worker, waiting)
                else:
                    worker.unit = None
                    failure = failure or FoldFailed(unit.fold, unit.seed, message.content, message.trace)
            if failure is not None:
                raise failure
            if deadline is not None and time.monotonic() >= deadline:
                _expect_all_done(workers, limits)
    finally:
        _end(workers)


def _in_this_process(
    make_job: JobMaker,
    units: Sequence[Work],
    on_progress: Callable[[Any, Any], None],
) -> Generator[tuple[Any, Any], None, None]:
    if not units:
        return
    with single_thread():
        job = make_job()
        for unit in units:
            try:
                result = job(unit, functools.partial(on_progress, unit))
            except Exception as error:
                raise FoldFailed(
                    unit.fold, unit.seed, error_in_words(error), traceback.format_exc()
                ) from error
            yield unit, result


def _expect_all_done(workers: Sequence[_Worker], limits: Limits) -> None:
    for worker in workers:
        if worker.unit is not None:
            raise out_of_time(worker.unit, limits)


def out_of_time(unit: Work, limits: Limits) -> FoldFailed:
    """Return the error for a unit that is not finished when the time is over."""
    hours = (limits.max_seconds or 0) / 3600
    reason = f"out of time: the run was not finished within {hours:.3g} hours"
    return FoldFailed(unit.fold, unit.seed, reason)


def _start(make_job: JobMaker, number: int, max_bytes: int | None) -> list[_Worker]:
    context = multiprocessing.get_context("spawn")
    workers = []
    with interrupts_blocked(), _environment(dict.fromkeys(_THREAD_VARIABLES, "1")):
        for _ in range(number):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, make_job, max_bytes), daemon=True)
            process.start()
            theirs.close()
            workers.append(_Worker(process, ours))
    return workers


def _send_next(worker: _Worker, waiting: list[Work]) -> None:
    worker.unit = waiting.pop() if waiting else None
    # If the worker has died, `_receive` reports it.
    with contextlib.suppress(BrokenPipeError):
        worker.connection.send(worker.unit)


def _ready(workers: Sequence[_Worker], deadline: float | None) -> list[_Worker]:
    """Return the workers that have sent something, as soon as one has; none when the deadline has passed."""
    seconds = None if deadline is None else max(0.0, deadline - time.monotonic())
    ready = set(wait([worker.connection for worker in workers], seconds))
    return [worker for worker in workers if worker.connection in ready]


def _expect_sendable(make_job: JobMaker, unit: Work) -> None:
    try:
        pickle.dumps(make_job)
    except Exception as error:
        reason = f"expected a model that other processes can be sent, got {error_in_words(error)}"
        raise FoldFailed(unit.fold, unit.seed, reason, traceback.format_exc()) from error


def _receive(worker: _Worker, limits: Limits) -> _Message:
    try:
        message: _Message = worker.connection.recv()
    except (EOFError, ConnectionResetError):
        worker.process.join(_SECONDS_TO_END)
        reason = _end_in_words(worker.process.exitcode)
        if limits.max_bytes is not None:
            reason += f" (memory allowed: {limits.max_bytes / 2**30:.3g} GiB)"
        return _Message("failure", reason)
    return message


def _end_in_words(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        return f"its process was ended by {name}{' (out of memory?)' if name == 'SIGKILL' else ''}"
    return f"its process ended with code {code}"


def _end(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        if worker.unit is not None:
            worker.process.terminate()
        worker.connection.close()
    for worker in workers:
        worker.process.join(_SECONDS_TO_END)
        if worker.process.exitcode is None:
            worker.process.kill()
            worker.process.join()


def _work(connection: Connection, make_job: JobMaker, max_bytes: int | None = None) -> None:
    """Run units that the parent sends, until it sends None or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _limit_memory(max_bytes)
    try:
        # The parent has closed its end: nothing is left to do.
        with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
            _run_units(connection, make_job)
    finally:
        connection.close()


def _run_units(connection: Connection, make_job: JobMaker) -> None:
    job = None
    while (unit := connection.recv()) is not None:
        try:
            job = job or make_job()
            result = job(unit, lambda progress: connection.send(_Message("progress", progress)))
        except (BrokenPipeError, ConnectionResetError):
            raise
        except Exception as error:  # noqa: BLE001 (the parent raises FoldFailed)
            connection.send(_Message("failure", error_in_words(error), traceback.format_exc()))
            return
        connection.send(_Message("result", result))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _limit_memory(max_bytes: int | None) -> None:
    """Limit the data of this process: allocating more raises MemoryError, or torch's error for that."""
    if max_bytes is None or not sys.platform.startswith("linux"):
        return
    import resource  # noqa: PLC0415 (not on Windows)

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = max_bytes if hard == resource.RLIM_INFINITY else min(max_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))


def error_in_words(error: BaseException) -> str:
    """Return the class and message of an error, and whether memory was the reason."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    words = ("allocate memory", "failed to map segment")
    is_memory = isinstance(error, MemoryError) or any(word in str(error) for word in words)
    return f"out of memory{_of_limit()}: {said}" if is_memory else said


def _of_limit() -> str:
    """Return the limit of this process's memory in words; empty where there is none."""
    if not sys.platform.startswith("linux"):
        return ""
    import resource  # noqa: PLC0415 (not on Windows)

    soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return "" if soft == resource.RLIM_INFINITY else f" (allowed: {soft / 2**30:.3g} GiB)"


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def single_thread() -> Iterator[None]:
    """Limit torch to one thread, as in workers: rounding of sums depends on the number of threads."""
    import torch  # noqa: PLC0415 (slow to import)

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
