"""Figures of runs: whole runs only, averaged as each protocol says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from cliquepool.evaluate import (
    EvaluationError,
    RecordFile,
    evaluate,
    summarise,
)
from tests.helpers.fold_records import enzymes_paper_run, enzymes_run, record
from tests.helpers.small_model import SmallModel, rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path

DATA = rings_and_stars()


def test_the_paper_figure_is_the_highest_point_of_the_mean_curve(tmp_path: Path) -> None:
    records = evaluate(SmallModel(epochs=9), DATA, "paper", tmp_path / "r.jsonl", folds=4, seeds=2, jobs=1)
    curves = np.array([record.curves["validation_accuracy"] for record in records])
    mean = curves.mean(axis=0)
    (summary,) = summarise(records)
    assert summary.figure is not None
    assert summary.figure.mean == pytest.approx(100 * mean.max())
    best = int(np.flatnonzero(mean > mean.max() - 1e-5)[0])
    assert summary.epoch == best + 1
    by_fold = (curves[:4] + curves[4:])[:, best] / 2
    assert summary.figure.std == pytest.approx(100 * by_fold.std())
    assert summary.figure.mean <= 100 * curves.max(axis=1).mean()


def test_of_epochs_that_are_equal_but_for_rounding_the_first_has_the_paper_figure() -> None:
    records = enzymes_paper_run()
    curves = [[0.33333, 0.66667], [0.33333, 0.0], *([[0.5, 0.5]] * (len(records) - 2))]
    rounded = [
        record.model_copy(update={"curves": {"validation_accuracy": curve}})
        for record, curve in zip(records, curves, strict=True)
    ]
    (summary,) = summarise(rounded)
    assert summary.epoch == 1
    assert summary.figure is not None
    assert summary.figure.std == pytest.approx(100 * np.std([0.33333, 0.33333, *[0.5] * (len(records) - 2)]))


def test_the_fair_figure_averages_seeds_then_folds(tmp_path: Path) -> None:
    records = evaluate(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", folds=4, jobs=1)
    assert len(records) == 12
    accuracies = np.array([record.test_accuracy for record in records]).reshape(3, 4)
    (summary,) = summarise(records)
    assert summary.figure is not None
    assert summary.figure.mean == pytest.approx(100 * accuracies.mean())
    assert summary.figure.std == pytest.approx(100 * accuracies.mean(axis=0).std())
    assert summary.extent == "4 folds × 3 seeds"


def test_a_run_with_a_fold_missing_has_no_figure(tmp_path: Path) -> None:
    records = evaluate(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", folds=5, seeds=1, jobs=1)
    (summary,) = summarise(records[:3] + records[4:])
    assert summary.figure is None
    assert summary.missing == ((4, 0),)
    assert summary.extent == "4 of 5 folds × 1 seed"


def test_records_of_other_settings_or_data_are_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    evaluate(SmallModel(), DATA, "paper", path, folds=4, jobs=1)
    evaluate(SmallModel(rate=2.0), DATA, "paper", path, folds=4, jobs=1)
    evaluate(SmallModel(), DATA, "paper", path, folds=4, split_seed=1, jobs=1)
    evaluate(SmallModel(), rings_and_stars(60), "paper", path, folds=4, jobs=1)
    summaries = summarise(RecordFile.read(path).records)
    assert [len(summary.records) for summary in summaries] == [4, 4, 4, 4]
    assert len({summary.run for summary in summaries}) == 4


def test_many_folds_of_many_seeds_are_refused_before_they_are_listed() -> None:
    records = [record(1, folds=100_000, seed=seed) for seed in range(100)]
    with pytest.raises(EvaluationError, match="expected up to 1,000,000 folds"):
        summarise(records)


def test_two_records_of_one_fold_are_refused() -> None:
    with pytest.raises(EvaluationError, match="got two of fold 2, seed 0 of CliquePool on ENZYMES"):
        summarise([*enzymes_run(), enzymes_run()[1]])


def test_curves_of_different_lengths_have_no_highest_mean() -> None:
    records = enzymes_paper_run()
    records[0] = records[0].model_copy(update={"curves": {"validation_accuracy": [0.5]}})
    with pytest.raises(
        EvaluationError, match=r"expected curves of as many epochs in every fold, got \[1, 2\]"
    ):
        summarise(records)
