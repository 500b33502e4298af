"""Folds in processes: the same results, progress, and failures that end the run."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

import pytest

from cliquepool.evaluate import (
    FoldFailed,
    FoldRecord,
    RecordFile,
    RunWatcher,
    Unit,
    evaluate,
)
from cliquepool.evaluate.splits import outer_folds
from tests.helpers.fold_records import without_times
from tests.helpers.small_model import SmallModel, rings_and_stars, told

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.evaluate import EpochReport

DATA = rings_and_stars()


def processes_left() -> list[object]:
    """Return the processes that this one started, without the workers of a cluster of other tests."""
    return [child for child in multiprocessing.active_children() if "Dask" not in child.name]


def test_processes_give_what_one_process_gives(tmp_path: Path) -> None:
    one = evaluate(SmallModel(), DATA, "fair", tmp_path / "one.jsonl", folds=3, seeds=2, jobs=1)
    two = evaluate(SmallModel(), DATA, "fair", tmp_path / "two.jsonl", folds=3, seeds=2, jobs=2)
    assert without_times(one) == without_times(two)
    assert not processes_left()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one.jsonl", "two.jsonl"]


def test_a_watcher_hears_every_epoch_of_every_fold(tmp_path: Path) -> None:
    class Ear(RunWatcher):
        def __init__(self) -> None:
            self.epochs: list[tuple[int, int]] = []
            self.done: list[int] = []

        def epoch(self, unit: Unit, epoch: EpochReport) -> None:
            self.epochs.append((unit.fold, epoch.epoch))

        def finished(self, record: FoldRecord) -> None:
            self.done.append(record.fold)

    ear = Ear()
    evaluate(SmallModel(epochs=3), DATA, "paper", tmp_path / "r.jsonl", folds=4, jobs=2, watcher=ear)
    assert sorted(ear.epochs) == [(fold, epoch) for fold in (1, 2, 3, 4) for epoch in (1, 2, 3)]
    assert sorted(ear.done) == [1, 2, 3, 4]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failed_fold_fails_the_run_and_is_named(tmp_path: Path, jobs: int) -> None:
    path = tmp_path / "r.jsonl"
    third = tuple(outer_folds(DATA.targets, 5, 0)[2].tolist())
    with pytest.raises(
        FoldFailed, match=r"fold 3, seed 0 failed: ArithmeticError: the weights are not finite"
    ):
        evaluate(SmallModel(fails_on=third), DATA, "paper", path, folds=5, jobs=jobs)
    assert not processes_left()
    before = RecordFile.read(path).records
    assert before
    assert 3 not in {record.fold for record in before}
    # Once it works, only what is missing is done.
    log = tmp_path / "log"
    records = evaluate(SmallModel(log=str(log)), DATA, "paper", path, folds=5, jobs=1)
    assert len(records) == 5
    assert sum(what == "train" for what, _ in told(log)) == 5 - len(before)


def test_a_process_that_dies_fails_the_run(tmp_path: Path) -> None:
    second = tuple(outer_folds(DATA.targets, 5, 0)[1].tolist())
    model = SmallModel(fails_on=second, dies=True)
    with pytest.raises(FoldFailed, match=r"fold 2, seed 0 failed: its process ended with code 7"):
        evaluate(model, DATA, "paper", tmp_path / "r.jsonl", folds=5, jobs=2)
    assert not processes_left()
