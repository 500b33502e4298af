"""Plans: what can be run, and what is left of it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.evaluate import (
    EvaluationError,
    RecordFile,
    plan_run,
    run_plan,
)
from tests.helpers.fold_records import without_times
from tests.helpers.small_model import SmallModel, rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path

DATA = rings_and_stars()


def test_paper_refuses_to_choose_among_settings(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="expected one model under the paper protocol, got 2"):
        plan_run([SmallModel(), SmallModel(rate=1.0)], DATA, "paper", tmp_path / "r.jsonl")


@pytest.mark.parametrize("seeds", [0, [], [1, 1], [-1]])
def test_seeds_have_to_be_seeds(tmp_path: Path, seeds: Any) -> None:
    with pytest.raises(EvaluationError, match="expected one seed or more"):
        plan_run(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", seeds=seeds)


def test_a_plan_is_compared_with_the_records_again_when_it_is_run(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    first, second = (plan_run(SmallModel(), DATA, "paper", path, folds=4) for _ in range(2))
    records = run_plan(first, DATA, jobs=1)
    log = tmp_path / "log"
    second = dataclasses.replace(second, models=(SmallModel(log=str(log)),))
    assert without_times(run_plan(second, DATA, jobs=1)) == without_times(records)
    assert not log.exists()  # nothing was trained again
    assert len(RecordFile.read(path).records) == 4
