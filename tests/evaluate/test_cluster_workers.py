"""Folds on a cluster: the records of processes, also in a resumed run, and failures that name the fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cliquepool.evaluate import (
    EvaluationError,
    FoldFailed,
    FoldRecord,
    Limits,
    RecordFile,
    RunWatcher,
    Unit,
    evaluate,
    plan_run,
    run_plan,
)
from cliquepool.evaluate.splits import outer_folds
from tests.helpers.fold_records import without_times
from tests.helpers.small_model import SmallModel, rings_and_stars, told

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.evaluate import EpochReport
    from cliquepool.scale import Cluster

DATA = rings_and_stars()


class Ear(RunWatcher):
    def __init__(self) -> None:
        self.epochs: list[tuple[int, int]] = []
        self.done: list[int] = []

    def epoch(self, unit: Unit, epoch: EpochReport) -> None:
        self.epochs.append((unit.fold, epoch.epoch))

    def finished(self, record: FoldRecord) -> None:
        self.done.append(record.fold)


def test_a_cluster_gives_what_processes_give_and_tells_its_progress(
    two_workers: Cluster, tmp_path: Path
) -> None:
    ear = Ear()
    model = SmallModel(epochs=3)
    ours = evaluate(
        model, DATA, "fair", tmp_path / "a.jsonl", folds=3, seeds=2, cluster=two_workers, watcher=ear
    )
    theirs = evaluate(model, DATA, "fair", tmp_path / "b.jsonl", folds=3, seeds=2, jobs=1)
    assert without_times(ours) == without_times(theirs)
    assert sorted(ear.done) == [1, 1, 2, 2, 3, 3]
    assert set(ear.epochs) <= {(fold, epoch) for fold in (1, 2, 3) for epoch in (1, 2, 3)}
    assert ear.epochs
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"]


def test_a_failed_fold_is_named_and_a_resumed_run_does_the_rest(two_workers: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    third = tuple(outer_folds(DATA.targets, 5, 0)[2].tolist())
    with pytest.raises(
        FoldFailed, match="fold 3, seed 0 failed: ArithmeticError: the weights are not finite"
    ):
        evaluate(SmallModel(fails_on=third), DATA, "paper", path, folds=5, cluster=two_workers)
    before = len(RecordFile.read(path).records)
    log = tmp_path / "log"
    records = evaluate(SmallModel(log=str(log)), DATA, "paper", path, folds=5, cluster=two_workers)
    assert len(records) == 5
    assert sum(what == "train" for what, _ in told(log)) == 5 - before


def test_limits_hold_on_a_cluster(two_workers: Cluster, tmp_path: Path) -> None:
    plan = plan_run(SmallModel(), DATA, "paper", tmp_path / "r.jsonl", folds=3)
    with pytest.raises(FoldFailed, match="out of time: the run was not finished within 0 hours"):
        run_plan(plan, DATA, cluster=two_workers, limits=Limits(max_seconds=0))
    with pytest.raises(EvaluationError, match="max_bytes: expected none on a cluster"):
        run_plan(plan, DATA, cluster=two_workers, limits=Limits(max_bytes=1))


@pytest.mark.slow
def test_a_fold_whose_workers_die_fails_the_run(two_workers: Cluster, tmp_path: Path) -> None:
    second = tuple(outer_folds(DATA.targets, 5, 0)[1].tolist())
    model = SmallModel(fails_on=second, dies=True)
    told_as = "fold 2, seed 0 failed: the workers that ran it ended, 3 times"
    with type(two_workers)(workers=1) as one, pytest.raises(FoldFailed, match=told_as):
        evaluate(model, DATA, "paper", tmp_path / "r.jsonl", folds=5, cluster=one)
