"""Folds in parallel processes that say how far they are, and that end when one fails or nobody waits."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from cliquepool.evaluate.errors import FoldFailed

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from multiprocessing.process import BaseProcess

__all__ = ["Job", "JobMaker", "Tell", "Work", "run_units"]

_SECONDS_TO_END: Final = 5.0
_THREAD_VARIABLES: Final = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Work(Protocol):
    """A piece of work: one fold under one seed, and what is needed to do it."""

    @property
    def fold(self) -> int:
        """Which fold, from 1."""

    @property
    def seed(self) -> int:
        """Under which seed."""


Tell: TypeAlias = Callable[[Any], None]
Job: TypeAlias = Callable[[Any, Tell], Any]
JobMaker: TypeAlias = Callable[[], Job]


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    unit: Work | None = None


@dataclass(frozen=True, slots=True)
class _Told:
    """What a worker sends: progress, a result, or why it has none."""

    kind: str
    content: Any = None
    trace: str = field(default="", repr=False)


def run_units(
    make_job: JobMaker,
    units: Sequence[Work],
    jobs: int,
    on_progress: Callable[[Any, Any], None],
) -> Generator[tuple[Any, Any], None, None]:
    """Do `units` in `jobs` processes; give each with its result as soon as it is done.

    `make_job` is called once in each process, and what it gives with every unit and a function that sends
    progress to `on_progress`, here. One job is done in this process. The first failure ends the others
    and raises FoldFailed.
    """
    if jobs <= 1 or len(units) <= 1:
        yield from _in_this_process(make_job, units, on_progress)
        return
    waiting = list(reversed(units))
    workers = _start(make_job, min(jobs, len(units)))
    try:
        for worker in workers:
            _give(worker, waiting)
        while busy := [worker for worker in workers if worker.unit is not None]:
            failure: FoldFailed | None = None
            for worker in _ready(busy):
                unit, told = worker.unit, _hear(worker)
                assert unit is not None
                if told.kind == "progress":
                    on_progress(unit, told.content)
                elif told.kind == "result":
                    yield unit, told.content
                    _give(worker, waiting)
                else:
                    worker.unit = None
                    failure = failure or FoldFailed(unit.fold, unit.seed, told.content, told.trace)
            if failure is not None:
                raise failure
    finally:
        _end(workers)


def _in_this_process(
    make_job: JobMaker,
    units: Sequence[Work],
    on_progress: Callable[[Any, Any], None],
) -> Generator[tuple[Any, Any], None, None]:
    if not units:
        return
    with _one_thread():
        job = make_job()
        for unit in units:
            try:
                result = job(unit, functools.partial(on_progress, unit))
            except Exception as error:
                raise FoldFailed(unit.fold, unit.seed, _in_words(error), traceback.format_exc()) from error
            yield unit, result


def _start(make_job: JobMaker, number: int) -> list[_Worker]:
    context = multiprocessing.get_context("spawn")
    workers = []
    with _interrupts_blocked(), _environment(dict.fromkeys(_THREAD_VARIABLES, "1")):
        for _ in range(number):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, make_job), daemon=True)
            process.start()
            theirs.close()
            workers.append(_Worker(process, ours))
    return workers


def _give(worker: _Worker, waiting: list[Work]) -> None:
    worker.unit = waiting.pop() if waiting else None
    # Where the worker has died meanwhile, hearing of it says so.
    with contextlib.suppress(BrokenPipeError):
        worker.connection.send(worker.unit)


def _ready(workers: Sequence[_Worker]) -> list[_Worker]:
    ready = set(wait([worker.connection for worker in workers]))
    return [worker for worker in workers if worker.connection in ready]


def _hear(worker: _Worker) -> _Told:
    try:
        told: _Told = worker.connection.recv()
    except (EOFError, ConnectionResetError):
        worker.process.join(_SECONDS_TO_END)
        return _Told("failure", _end_in_words(worker.process.exitcode))
    return told


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


def _work(connection: Connection, make_job: JobMaker) -> None:
    """The life of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        # Nothing is left to do when the parent has closed its end.
        with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
            _do_units(connection, make_job)
    finally:
        connection.close()


def _do_units(connection: Connection, make_job: JobMaker) -> None:
    job = None
    while (unit := connection.recv()) is not None:
        try:
            job = job or make_job()
            result = job(unit, lambda progress: connection.send(_Told("progress", progress)))
        except (BrokenPipeError, ConnectionResetError):
            raise
        except Exception as error:  # noqa: BLE001 (all of them fail the run, in the parent)
            connection.send(_Told("failure", _in_words(error), traceback.format_exc()))
            return
        connection.send(_Told("result", result))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


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
def _interrupts_blocked() -> Iterator[None]:
    """Hold Ctrl-C back, also from processes started meanwhile: they inherit that until `_work` ignores it."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    # It starts with the first process, and would let Ctrl-C through again when it has.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Keep torch to one thread, as workers do by their environment: sums depend on the number of threads."""
    import torch  # noqa: PLC0415 (slow to import)

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
