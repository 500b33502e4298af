"""`evaluate`: judge a model on every fold of a data set under one of two protocols, and record each fold."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from cliquepool.evaluate.cluster_workers import ClusterWorkers
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.folds import FoldJobMaker, shared_data_set
from cliquepool.evaluate.locks import alone
from cliquepool.evaluate.plans import plan_run
from cliquepool.evaluate.watchers import one_watcher
from cliquepool.evaluate.workers import Processes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    from cliquepool.evaluate.estimators import Dataset, Estimator
    from cliquepool.evaluate.plans import Plan, Unit
    from cliquepool.evaluate.records import FoldRecord, Protocol
    from cliquepool.evaluate.split_files import FixedSplits
    from cliquepool.evaluate.watchers import RunWatcher
    from cliquepool.evaluate.workers import Limits
    from cliquepool.scale.cluster import Cluster

__all__ = ["evaluate", "run_plan"]


def evaluate(
    model: Estimator | Sequence[Estimator],
    dataset: Dataset,
    protocol: Protocol,
    records: str | PathLike[str],
    *,
    folds: int | None = None,
    seeds: int | Sequence[int] | None = None,
    split_seed: int = 0,
    splits: FixedSplits | str | PathLike[str] | None = None,
    jobs: int | None = None,
    cluster: Cluster | None = None,
    watcher: RunWatcher | Sequence[RunWatcher] | None = None,
) -> list[FoldRecord]:
    """Judge a model on a data set, fold by fold, and keep a record of every fold.

    Under `paper`, the data set is split into stratified folds; the model trains on all but one, and its
    accuracy on that one is recorded in every epoch; there is no test set. Under `fair`, a tenth of each
    fold's training part chooses the epoch; then the fold itself is predicted, once. Of several models the one
    with the highest validation accuracy is chosen, once for each fold, and it is trained again for every seed
    but the one that chose, which is 0.

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
    folds : int, optional
        The number of folds, by default 10, or as many as `splits` has.
    seeds : int or sequence of int, optional
        The number of repetitions (seeds 0, 1, …), or their seeds. They change initialisation, shuffling and
        the validation samples, never the outer folds. By default 3 under `fair` and 1 under `paper`.
    split_seed : int
        The seed of the outer folds.
    splits : {"own", "errica"} or path or FixedSplits, optional
        Instead of folds drawn from `split_seed`: the folds of Errica et al. 2020, which are in the folder
        ``splits`` of ``$CLIQUEPOOL_DATA``, or those of a file; see `FixedSplits`. Their validation samples
        are the same for all seeds.
    jobs : int, optional
        The number of parallel processes, by default that of the cores.
    cluster : cliquepool.scale.Cluster, optional
        Run the folds on its workers instead. They must see the folder of `records`, where their checkpoints
        are; records are written by this process alone.
    watcher : RunWatcher or several, optional
        Called after every epoch and every finished fold: a display, or a log such as `TensorBoardLogger` and
        `MLflowLogger`.
    """
    plan = plan_run(
        model,
        dataset,
        protocol,
        records,
        folds=folds,
        seeds=seeds,
        split_seed=split_seed,
        splits=splits,
    )
    return run_plan(plan, dataset, jobs=jobs, cluster=cluster, watcher=watcher)


def run_plan(
    plan: Plan,
    dataset: Dataset,
    *,
    jobs: int | None = None,
    cluster: Cluster | None = None,
    watcher: RunWatcher | Sequence[RunWatcher] | None = None,
    limits: Limits | None = None,
) -> list[FoldRecord]:
    """Run what is left of a plan; see `evaluate`.

    Folds that other processes have recorded since the plan was made are not run again. With `limits`, all
    folds run in other processes, also with one job; a fold that reaches a limit raises FoldFailed.
    """
    called = one_watcher(watcher)
    workers = Processes(jobs) if cluster is None else ClusterWorkers(cluster)
    try:
        records = _run_left(plan, dataset, workers, called, limits)
    except BaseException:
        called.ended(None)
        raise
    called.ended(records)
    return records


def _run_left(
    plan: Plan,
    dataset: Dataset,
    workers: Processes | ClusterWorkers,
    watcher: RunWatcher,
    limits: Limits | None,
) -> list[FoldRecord]:
    plan = plan.read_again()
    with _checkpoint_folder(plan):
        plan = plan.read_again()  # the lock keeps others from adding to this run from here on
        _remove_finished(plan)
        _write_choices(plan)
        watcher.planned(plan)
        found = {record.identity: record for record in plan.finished}
        by_others = workers.are_others(len(plan.left), limits)
        with shared_data_set(dataset, by_others=by_others, folder=workers.folder) as source:
            make_job = FoldJobMaker(source, plan.models, plan.run, plan.splits)
            results = workers.run_units(make_job, plan.left, watcher.epoch, limits)
            with contextlib.closing(results):
                for unit, record in results:
                    plan.file.append(record)
                    found[record.identity] = record
                    unit.remove_checkpoints()
                    _remove_choice(plan, unit, found)
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
    done = {record.identity: record for record in plan.finished}
    for unit in plan.units:
        if unit.identity in done:
            unit.remove_checkpoints()
            _remove_choice(plan, unit, done)


def _write_choices(plan: Plan) -> None:
    """Write the choices among candidates that are on record, for the seeds that are left of their folds."""
    choices = plan.recorded_choices()
    for unit in plan.left:
        if unit.fold in choices:
            choices[unit.fold].write(unit.choice_file)


def _remove_choice(plan: Plan, unit: Unit, done: Mapping[str, FoldRecord]) -> None:
    """Remove the choice of a fold when no seed of it is left to run."""
    if all(other.identity in done for other in plan.units if other.fold == unit.fold):
        unit.choice_file.unlink(missing_ok=True)
