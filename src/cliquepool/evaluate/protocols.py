"""`evaluate`: judge a model on every fold of a data set under one of two protocols, and record each fold."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.folds import FoldJobMaker, shared_data_set
from cliquepool.evaluate.locks import alone
from cliquepool.evaluate.plans import plan_run
from cliquepool.evaluate.workers import run_units
from cliquepool.threads import thread_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from pathlib import Path

    from cliquepool.evaluate.estimators import Dataset, Estimator
    from cliquepool.evaluate.plans import Plan, Unit
    from cliquepool.evaluate.records import FoldRecord, Protocol
    from cliquepool.training.report import EpochReport

__all__ = ["RunWatcher", "evaluate", "run_plan"]


class RunWatcher:
    """Callbacks on the progress of a run; subclasses override those they need."""

    def planned(self, plan: Plan) -> None:
        """Called before the first fold, in a resumed run too."""

    def epoch(self, unit: Unit, epoch: EpochReport) -> None:
        """Called after every epoch of every fold."""

    def finished(self, record: FoldRecord) -> None:
        """Called when a fold is on record."""


def evaluate(
    model: Estimator | Sequence[Estimator],
    dataset: Dataset,
    protocol: Protocol,
    records: str | PathLike[str],
    *,
    folds: int = 10,
    seeds: int | Sequence[int] | None = None,
    split_seed: int = 0,
    jobs: int | None = None,
    watcher: RunWatcher | None = None,
) -> list[FoldRecord]:
    """Judge a model on a data set, fold by fold, and keep a record of every fold.

    Under `paper`, the data set is split into stratified folds; the model trains on all but one, and its
    accuracy on that one is recorded in every epoch; there is no test set. Under `fair`, a tenth of each
    fold's training part chooses the epoch, and among several models the best one; then the fold itself is
    predicted, once.

    Returns the records of the run, in the order of seeds and folds. A fold that fails raises FoldFailed;
    finished folds stay on record.

    Parameters
    ----------
    model : Estimator or several
        An estimator with `fit` and `predict`; see `Estimator` for what else it may have. Several, under
        `fair` only, are one model with different settings to choose from.
    dataset : GraphDataset, ImageDataset or another Dataset
        The samples and their classes.
    protocol : {"paper", "fair"}
        See above; no figure is ever of both.
    records : path
        The file that a line is appended to for every finished fold. Folds of this run that it already has are
        not run again, so an interrupted run resumes where it stopped. During the run, a folder of
        checkpoints is next to it.
    folds : int
        The number of folds.
    seeds : int or sequence of int, optional
        The number of repetitions (seeds 0, 1, …), or their seeds. They change initialisation, shuffling and
        the validation samples, never the outer folds. By default 3 under `fair` and 1 under `paper`.
    split_seed : int
        The seed of the outer folds.
    jobs : int, optional
        The number of parallel processes, by default that of the cores.
    watcher : RunWatcher, optional
        Called after every epoch and every finished fold.
    """
    plan = plan_run(model, dataset, protocol, records, folds=folds, seeds=seeds, split_seed=split_seed)
    return run_plan(plan, dataset, jobs=jobs, watcher=watcher)


def run_plan(
    plan: Plan, dataset: Dataset, *, jobs: int | None = None, watcher: RunWatcher | None = None
) -> list[FoldRecord]:
    """Run what is left of a plan; see `evaluate`.

    Folds that other processes have recorded since the plan was made are not run again.
    """
    watcher = watcher or RunWatcher()
    plan = plan.read_again()
    with _checkpoint_folder(plan):
        plan = plan.read_again()  # the lock keeps others from adding to this run from here on
        _remove_finished(plan)
        watcher.planned(plan)
        found = {record.identity: record for record in plan.finished}
        processes = min(thread_count(jobs), len(plan.left))
        with shared_data_set(dataset, processes) as source:
            make_job = FoldJobMaker(source, plan.models, plan.run)
            results = run_units(make_job, plan.left, processes, watcher.epoch)
            with contextlib.closing(results):
                for unit, record in results:
                    plan.file.append(record)
                    found[record.identity] = record
                    unit.remove_checkpoints()
                    watcher.finished(record)
    return [found[unit.identity] for unit in plan.units]


@contextlib.contextmanager
def _checkpoint_folder(plan: Plan) -> Iterator[None]:
    """Keep the folder of this run's checkpoints while there are any, locked against other processes.

    Where nothing is left to run, a lock that another process holds does not matter.
    """
    folder = plan.units[0].checkpoints
    with contextlib.ExitStack() as stack:
        if plan.left or folder.exists():
            lock = alone(folder / "lock", f"another process is at work on this run of {plan.file.path}")
            # Checkpoints of this run, to resume from, and of other runs may be left in it.
            stack.callback(_remove_empty, folder)
            with contextlib.nullcontext() if plan.left else contextlib.suppress(EvaluationError):
                stack.enter_context(lock)
        yield


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
        folder.parent.rmdir()


def _remove_finished(plan: Plan) -> None:
    """Remove the checkpoints of a process that was killed after recording a fold."""
    left = {unit.identity for unit in plan.left}
    for unit in plan.units:
        if unit.identity not in left:
            unit.remove_checkpoints()
