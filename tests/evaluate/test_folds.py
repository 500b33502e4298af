"""One fold: who sees which samples, which candidate is chosen, and what is recorded."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cliquepool.evaluate import (
    EpochReport,
    FoldFailed,
    RunWatcher,
    Unit,
    evaluate,
)
from cliquepool.evaluate.choices import is_better
from cliquepool.evaluate.costs import FitCost
from cliquepool.evaluate.estimators import FittedFold
from cliquepool.evaluate.splits import outer_folds
from tests.helpers.fold_records import without_times
from tests.helpers.small_model import SmallModel, rings_and_stars, told

if TYPE_CHECKING:
    from pathlib import Path

DATA = rings_and_stars()


def test_under_fair_the_test_fold_is_read_once_and_never_trained_nor_chosen_by(tmp_path: Path) -> None:
    log = tmp_path / "log"
    models = [SmallModel(rate=rate, log=str(log)) for rate in (0.1, 2.0)]
    evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=5, seeds=2, jobs=1)
    everything = set(range(len(DATA)))
    events = told(log)
    chosen_and_tested = ["train", "validation", "train", "validation", "test"]
    assert [what for what, _ in events] == 5 * chosen_and_tested + 5 * ["train", "validation", "test"]
    tested = []
    for start in [*range(0, 25, 5), *range(25, 40, 3)]:
        (_, train), (_, validation) = events[start : start + 2]
        if start < 25:
            assert events[start + 2 : start + 4] == events[start : start + 2]
        _, test = events[start + 4 if start < 25 else start + 2]
        assert not test & (train | validation)
        assert not train & validation
        assert train | validation | test == everything
        tested.append(test)
    parts = [set(part.tolist()) for part in outer_folds(DATA.targets, 5, 0)]
    assert tested == parts + parts


def test_under_paper_the_watched_fold_is_not_trained_on_and_nothing_is_tested(tmp_path: Path) -> None:
    log = tmp_path / "log"
    evaluate(SmallModel(log=str(log)), DATA, "paper", tmp_path / "r.jsonl", folds=5, jobs=1)
    events = told(log)
    assert [what for what, _ in events] == 5 * ["train", "validation"]
    parts = [set(part.tolist()) for part in outer_folds(DATA.targets, 5, 0)]
    assert [ids for what, ids in events if what == "validation"] == parts
    for (_, train), (_, validation) in zip(events[::2], events[1::2], strict=True):
        assert train == set(range(len(DATA))) - validation


def test_the_best_of_several_settings_is_chosen_by_validation_accuracy(tmp_path: Path) -> None:
    models = [SmallModel(epochs=3, rate=0.0), SmallModel(epochs=60, rate=5.0)]
    records = evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=5, seeds=1, jobs=1)
    for record in records:
        assert record.candidates == [model.describe()[1] for model in models]
        best = int(np.argmax(record.candidate_accuracies))
        assert record.settings == record.candidates[best]
        assert record.validation_accuracy == max(record.candidate_accuracies)
        assert len(record.curves["loss"]) == record.settings["epochs"]
    assert {record.settings["rate"] for record in records} >= {5.0}


def test_all_seeds_of_a_fold_train_the_candidate_that_was_chosen_once(tmp_path: Path) -> None:
    models = [SmallModel(epochs=3, rate=0.0), SmallModel(epochs=60, rate=5.0)]
    records = evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=5, seeds=3, jobs=1)
    first = records[:5]
    assert {record.selection for record in records} == {"per fold"}
    for later in (records[5:10], records[10:]):
        assert [record.settings for record in later] == [record.settings for record in first]
        assert [record.candidate_accuracies for record in later] == [
            record.candidate_accuracies for record in first
        ]
        assert [record.split_sha256 for record in later] != [record.split_sha256 for record in first]
    assert not (tmp_path / "r.jsonl.checkpoints").exists()


def test_a_later_seed_chooses_alike_with_the_choice_on_record_or_gone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    models = [SmallModel(rate=rate, log=str(log)) for rate in (0.1, 2.0)]
    together = evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=4, seeds=2, jobs=1)
    path = tmp_path / "s.jsonl"
    evaluate(models, DATA, "fair", path, folds=4, seeds=1, jobs=1)
    log.unlink()
    alone = evaluate(models, DATA, "fair", tmp_path / "t.jsonl", folds=4, seeds=[1], jobs=1)
    assert [what for what, _ in told(log)] == 4 * [*(3 * ["train", "validation"]), "test"]
    log.unlink()
    resumed = evaluate(models, DATA, "fair", path, folds=4, seeds=2, jobs=1)
    assert [what for what, _ in told(log)] == 4 * ["train", "validation", "test"]
    assert without_times(resumed) == without_times(together)
    assert without_times(alone) == without_times(together[4:])


class StopsAt(RunWatcher):
    """Interrupts a run when an epoch of this number, counted over all candidates, has ended."""

    def __init__(self, epoch: int) -> None:
        self.stop = epoch

    def epoch(self, unit: Unit, epoch: EpochReport) -> None:
        del unit
        if epoch.epoch == self.stop:
            raise KeyboardInterrupt


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("stop", [3, 8, 12])
def test_a_choice_that_was_interrupted_resumes_with_the_training_it_was_at(
    tmp_path: Path, seed: int, stop: int
) -> None:
    path, log = tmp_path / "r.jsonl", tmp_path / "log"
    models = [SmallModel(rate=rate, log=str(log)) for rate in (0.1, 2.0)]  # 5 epochs each
    ways = {"folds": 4, "seeds": [seed], "jobs": 1}
    whole = evaluate(models, DATA, "fair", tmp_path / "whole.jsonl", **ways)  # type: ignore[arg-type]
    log.unlink()
    if stop <= (10 if seed == 0 else 15):
        with pytest.raises(KeyboardInterrupt):
            evaluate(models, DATA, "fair", path, watcher=StopsAt(stop), **ways)  # type: ignore[arg-type]
        log.unlink()
    records = evaluate(models, DATA, "fair", path, **ways)  # type: ignore[arg-type]
    resumed = [ids for what, ids in told(log) if what == "resumed"]
    expected = {
        (0, 3): [{3}],
        (0, 8): [{5}, {3}],
        (0, 12): [],
        (1, 3): [{3}],
        (1, 8): [{5}, {3}],
        (1, 12): [{2}],
    }
    assert resumed == expected[seed, stop]
    assert without_times(records) == without_times(whole)
    assert not (tmp_path / "r.jsonl.checkpoints").exists()


def test_equal_accuracies_are_decided_by_validation_loss() -> None:
    def fitted(accuracy: float, loss: float | None) -> FittedFold:
        losses = {} if loss is None else {"validation_loss": [9.0, loss]}
        return FittedFold(None, {"validation_accuracy": [0.0, accuracy], **losses}, 2, FitCost())

    assert is_better(fitted(0.5, 2.0), fitted(0.25, 1.0))
    assert is_better(fitted(0.5, 1.0), fitted(0.5, 2.0))
    assert not is_better(fitted(0.5, 2.0), fitted(0.5, 2.0))
    assert not is_better(fitted(0.5, 1.0), fitted(0.5, None))


def test_predictions_of_the_test_samples_are_on_record(tmp_path: Path) -> None:
    (record, *_) = evaluate(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", folds=4, seeds=1, jobs=1)
    assert record.predictions is not None
    ids = record.predictions.ids
    assert ids == outer_folds(DATA.targets, 4, 0)[0].tolist()
    right = np.mean(np.array(record.predictions.classes) == DATA.classes[DATA.targets[ids]])
    assert right == record.test_accuracy


def test_a_fold_that_diverges_fails(tmp_path: Path) -> None:
    with pytest.raises(FoldFailed, match=r"fold 1, seed 0 failed: .*a finite loss, got nan in epoch 2"):
        evaluate(SmallModel(diverges=True), DATA, "paper", tmp_path / "r.jsonl", folds=4, jobs=1)


def test_curves_are_rounded_and_versions_recorded(tmp_path: Path) -> None:
    (record, *_) = evaluate(SmallModel(), DATA, "paper", tmp_path / "r.jsonl", folds=4, jobs=1)
    assert record.curves["loss"] == [round(value, 5) for value in record.curves["loss"]]
    assert {"cliquepool", "python", "torch", "numpy", "processor"} <= set(record.versions)
    assert platform.node() not in record.versions.values()
    assert record.test_accuracy is None
    assert record.finished_at.endswith("+00:00")
