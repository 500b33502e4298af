"""Confidence intervals of figures: corrected for overlapping training sets, and only of whole runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cliquepool.evaluate import Interval, figure_interval, summarise
from cliquepool.evaluate.intervals import fold_accuracies
from cliquepool.evaluate.pairs import corrected_t_test
from tests.helpers.fold_records import enzymes_paper_run, enzymes_run, record


def test_the_interval_excludes_what_the_corrected_t_test_rejects() -> None:
    (summary,) = summarise(enzymes_run(10))
    interval = figure_interval(summary)
    assert interval is not None
    accuracies = np.array(fold_accuracies(summary))
    for end in (interval.low, interval.high):
        assert corrected_t_test(accuracies - end) == pytest.approx(0.05)


def test_the_interval_is_wider_than_that_of_independent_folds() -> None:
    (summary,) = summarise(enzymes_run(10))
    interval, accuracies = figure_interval(summary), np.array(fold_accuracies(summary))
    assert interval is not None
    usual = stats.t.ppf(0.975, 9) * accuracies.std(ddof=1) / np.sqrt(10)
    assert (interval.high - interval.low) / 2 / usual == pytest.approx(np.sqrt(1 + 10 / (9 * 0.9)))


def test_seeds_of_the_same_folds_do_not_narrow_it() -> None:
    once = enzymes_run(5)
    (alone,) = summarise(once)
    (repeated,) = summarise([*once, *enzymes_run(5, seed=1), *enzymes_run(5, seed=2)])
    assert fold_accuracies(repeated) == pytest.approx(fold_accuracies(alone))
    assert str(figure_interval(repeated)) == str(figure_interval(alone))


def test_under_paper_the_accuracies_are_those_of_the_epoch_of_the_figure() -> None:
    (summary,) = summarise(enzymes_paper_run(4))
    assert summary.epoch == 2
    assert fold_accuracies(summary) == (50.0,) * 4
    assert figure_interval(summary) is None  # no spread


def test_an_incomplete_run_has_none_and_ends_stay_within_0_and_100() -> None:
    (summary,) = summarise(enzymes_run(4)[:3])
    assert figure_interval(summary) is None
    assert fold_accuracies(summary) == ()
    (wide,) = summarise([record(1, folds=2, test_accuracy=0.0), record(2, folds=2, test_accuracy=1.0)])
    assert figure_interval(wide) == Interval(0.0, 100.0)
