"""Folds on the workers of a cluster: the same results as in processes, and the same failures."""

from __future__ import annotations

import time
import traceback
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from cliquepool.errors import ClusterError
from cliquepool.evaluate.errors import EvaluationError, FoldFailed
from cliquepool.evaluate.workers import Limits, error_in_words, out_of_time, single_thread
from cliquepool.scale.connection import Task
from cliquepool.scale.tasks import Origin, send_event
from cliquepool.training.report import EpochReport

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from cliquepool.evaluate.plans import Unit
    from cliquepool.evaluate.workers import Job, JobMaker
    from cliquepool.scale.cluster import Cluster

__all__ = ["ClusterWorkers", "UnitTask", "run_unit"]


class UnitTask(NamedTuple):
    """Run the unit at a position of the client's list."""

    origin: Origin
    make_job: JobMaker
    unit: Unit
    position: int


class _Failure(NamedTuple):
    reason: str
    trace: str = ""


_jobs: dict[str, Job] = {}  # of the last run that this worker had: jobs hold prepared data sets


def run_unit(task: UnitTask) -> Any:
    """Run a unit in a worker; return its result, or why it failed."""
    task.origin.expect_same_version()
    run = task.origin.run
    if not task.unit.checkpoints.is_dir():
        return _Failure(f"its worker does not see {task.unit.checkpoints}: expected a folder that all share")

    def send(report: EpochReport) -> None:
        send_event(run, {"position": task.position, "report": asdict(report)})

    try:
        if run not in _jobs:
            _jobs.clear()
            _jobs[run] = task.make_job()
        with single_thread():
            return _jobs[run](task.unit, send)
    except ClusterError:
        raise
    except Exception as error:  # noqa: BLE001 (the client raises FoldFailed)
        return _Failure(error_in_words(error), traceback.format_exc())


class ClusterWorkers:
    """Run units as `Processes` does, on a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._connection = cluster._connection
        self.folder: Path | None = cluster.folder

    def are_others(self, count: int, _limits: Limits | None) -> bool:
        """Tell whether other processes than this one run `count` units."""
        return count > 0

    def run_units(
        self,
        make_job: JobMaker,
        units: Sequence[Unit],
        on_progress: Callable[[Any, Any], None],
        limits: Limits | None = None,
    ) -> Generator[tuple[Any, Any], None, None]:
        """Run units; yield each with its result as soon as it is finished.

        A worker that ends is replaced, and its unit goes on from its checkpoint.
        """
        limits = limits or Limits()
        if limits.max_bytes is not None:
            raise EvaluationError("max_bytes: expected none on a cluster: its workers have their own limits")
        deadline = None if limits.max_seconds is None else time.monotonic() + limits.max_seconds
        origin = self._connection.origin()
        tasks = []
        for position, unit in enumerate(units):
            # Workers have other working folders.
            sent = replace(unit, checkpoints=unit.checkpoints.absolute())
            task = UnitTask(origin, make_job, sent, position)
            tasks.append(Task(f"fold {unit.fold}, seed {unit.seed}", run_unit, task))
        left = dict(enumerate(units))

        def hear(event: dict[str, Any]) -> None:
            on_progress(units[event["position"]], EpochReport(**event["report"]))

        try:
            for position, result in self._connection.run(tasks, origin, on_event=hear, deadline=deadline):
                unit = left.pop(position)
                if isinstance(result, _Failure):
                    raise FoldFailed(unit.fold, unit.seed, result.reason, result.trace)
                yield unit, result
        except TimeoutError:
            raise out_of_time(next(iter(left.values())), limits) from None
        except ClusterError as error:
            if error.task is None:
                raise
            failed = units[error.task]
            reason = str(error).partition(": ")[2]
            raise FoldFailed(failed.fold, failed.seed, reason) from error
