"""Where the tasks of a run are computed: in this process, in other processes, or on a cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import operator
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import torch

from cliquepool.errors import InputError
from cliquepool.scale.cluster import Cluster
from cliquepool.scale.connection import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cliquepool.scale.connection import Connection
    from cliquepool.scale.stage_tasks import StageTask
    from cliquepool.scale.tasks import Origin

    MapParts = Callable[[Callable[[StageTask], Any], Sequence[StageTask]], list[Any]]

__all__ = ["Submits", "mapping_parts"]


@runtime_checkable
class Submits(Protocol):
    """An executor: of ``concurrent.futures``, or a client of dask."""

    def submit(self, function: Any, argument: Any, /) -> Any:
        """Return a future of ``function(argument)``, with a method ``result()``."""


@contextlib.contextmanager
def mapping_parts(executor: Cluster | Submits | int | None) -> Iterator[MapParts]:
    """Yield a function that computes one task for each part and returns the results in their order."""
    if executor is None:
        yield lambda function, tasks: [function(task) for task in tasks]
    elif isinstance(executor, Cluster):
        yield lambda function, tasks: _on_cluster(executor._connection, function, tasks)
    elif isinstance(executor, Submits):
        yield lambda function, tasks: _results(executor, function, tasks)
    else:
        with _processes(executor) as pool:
            yield lambda function, tasks: _results(pool, function, tasks)


def _on_cluster(
    connection: Connection, function: Callable[[StageTask], Any], tasks: Sequence[StageTask]
) -> list[Any]:
    """Return the results of all tasks on the workers of a cluster; errors name the part."""
    origin = connection.origin()
    calls = [Task(f"part {task.part}", _run_on_worker, (origin, function, task)) for task in tasks]
    results = dict(connection.run(calls, origin))
    return [results[index] for index in range(len(tasks))]


def _run_on_worker(call: tuple[Origin, Callable[[StageTask], Any], StageTask]) -> Any:
    origin, function, task = call
    origin.expect_same_version()
    return function(task)


def _processes(count: Any) -> ProcessPoolExecutor:
    try:
        number = operator.index(count)
    except TypeError:
        number = 0
    if number < 1:
        raise InputError(
            f"executor: expected an object with submit, a number of processes or None, got {count!r:.60}"
        )
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of torch in any state
    return ProcessPoolExecutor(number, context, torch.set_num_threads, (1,))


def _results(executor: Submits, function: Callable[[Any], Any], tasks: Sequence[StageTask]) -> list[Any]:
    """Return the results of all tasks; an error names the part, and the other tasks are cancelled."""
    futures = [executor.submit(function, task) for task in tasks]
    results = []
    try:
        for task, future in zip(tasks, futures, strict=True):
            try:
                results.append(future.result())
            except Exception as error:
                error.add_note(f"in part {task.part} of {task.exchange.index.num_parts}, stage {task.number}")
                raise
    finally:
        for future in futures:
            future.cancel()
    return results
