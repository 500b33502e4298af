"""Records that contradict themselves are neither read nor written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.evaluate import (
    EvaluationError,
    RecordFile,
)
from tests.helpers.fold_records import record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = RecordFile.read(tmp_path / "deep" / "toy.jsonl")
    for fold in (1, 2, 3):
        file.append(record(fold))
    return file.path


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"folds": 10**30}, "folds: "),
        ({"fold": 10**30}, "fold: "),
        ({"fold": 11}, "fold 11 of 10"),
        ({"seed": -1}, "seed: "),
        ({"seed": 10**30}, "seed: "),
        ({"split_seed": 10**30}, "split_seed: "),
        ({"best_epoch": 3}, "best_epoch 3 where the curve validation_accuracy has 2 epochs"),
        ({"best_epoch": 10**30}, "best_epoch"),
        ({"best_epoch": 1}, "validation_accuracy 0.5 where its curve has 0.25 in best_epoch 1"),
        ({"curves": {}}, "best_epoch 2 where the curve validation_accuracy has 0 epochs"),
        ({"curves": {"validation_accuracy": [0.25, 0.5], "loss": [1.0]}}, "curves of different lengths"),
        ({"curves": {"validation_accuracy": [1.25, 0.5]}}, "leaves the range from 0 to 1"),
        ({"validation_accuracy": 0.75}, "validation_accuracy 0.75 where its curve has 0.5"),
        ({"candidate_accuracies": [0.5, 0.25]}, "2 candidate_accuracies of 1 candidates"),
        ({"candidate_accuracies": [0.75]}, "where the best of candidate_accuracies is 0.75"),
        ({"settings": {"rate": 0.75}}, "settings that are not those of the best candidate"),
        ({"predictions": {"ids": [1, 2], "classes": [0]}}, "predictions of 1 classes for 2 samples"),
        ({"selection": "per fold"}, "a selection per fold from a single candidate"),
        ({"test_accuracy": None}, "no test accuracy under the fair protocol"),
        ({"protocol": "paper"}, "a test accuracy under the paper protocol"),
        ({"test_accuracy": 1.5}, "test_accuracy: "),
    ],
)
def test_a_record_that_contradicts_itself_is_refused_with_its_line(
    path: Path, changes: dict[str, Any], reason: str
) -> None:
    lines = path.read_text().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | changes)
    path.write_text("\n".join(lines) + "\n")
    before = path.read_bytes()
    with pytest.raises(EvaluationError) as caught:
        RecordFile.read(path)
    assert str(caught.value).startswith(f"{path}, line 2: expected the record of a fold")
    assert reason in str(caught.value)
    assert path.read_bytes() == before


def test_a_record_that_contradicts_itself_is_not_written(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(EvaluationError, match="best_epoch 1"):
        RecordFile.read(path).append(record(4, best_epoch=1))
    assert path.read_bytes() == before


def test_equal_rounded_accuracies_of_candidates_are_no_contradiction(path: Path) -> None:
    two = [{"rate": 0.25}, {"rate": 0.5}]
    RecordFile.read(path).append(record(4, candidates=two, candidate_accuracies=[0.5, 0.5]))
    assert len(RecordFile.read(path).records) == 4


def test_a_seed_that_did_not_choose_may_have_another_accuracy_but_no_other_candidate(path: Path) -> None:
    two = [{"rate": 0.25}, {"rate": 0.5}]
    again = {"candidates": two, "candidate_accuracies": [0.25, 0.75], "selection": "per fold"}
    RecordFile.read(path).append(record(4, seed=1, **again))
    assert len(RecordFile.read(path).records) == 4
    with pytest.raises(EvaluationError, match=r"the best of candidate_accuracies is 0.75"):
        RecordFile.read(path).append(record(4, **again))
    with pytest.raises(EvaluationError, match="settings that are not those of the best candidate"):
        RecordFile.read(path).append(record(5, seed=1, **again | {"candidate_accuracies": [0.75, 0.25]}))
