"""Callbacks on a run: all are called, in order, also at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.evaluate import FoldFailed, RunWatcher, evaluate
from tests.helpers.small_model import SmallModel, rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path

DATA = rings_and_stars()


class Diary(RunWatcher):
    def __init__(self) -> None:
        self.said: list[Any] = []

    def planned(self, plan: Any) -> None:
        self.said.append(("planned", len(plan.left)))

    def epoch(self, unit: Any, epoch: Any) -> None:
        self.said.append(("epoch", unit.fold, epoch.epoch))

    def finished(self, record: Any) -> None:
        self.said.append(("finished", record.fold))

    def ended(self, records: Any) -> None:
        self.said.append(("ended", None if records is None else len(records)))


def test_several_watchers_are_told_the_same(tmp_path: Path) -> None:
    first, second = Diary(), Diary()
    model = SmallModel(epochs=2)
    evaluate(model, DATA, "fair", tmp_path / "r.jsonl", folds=2, seeds=1, jobs=1, watcher=[first, second])
    assert (
        first.said
        == second.said
        == [
            ("planned", 2),
            *[("epoch", 1, 1), ("epoch", 1, 2), ("finished", 1)],
            *[("epoch", 2, 1), ("epoch", 2, 2), ("finished", 2)],
            ("ended", 2),
        ]
    )


def test_a_run_that_fails_ends_without_records(tmp_path: Path) -> None:
    diary = Diary()
    with pytest.raises(FoldFailed):
        evaluate(SmallModel(fails_on=()), DATA, "fair", tmp_path / "r.jsonl", folds=2, jobs=1, watcher=diary)
    assert diary.said == [("planned", 6), ("ended", None)]
