from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.report.plots import (
    MOST_FOLDS_DRAWN,
    MOST_LINES,
    _thinned,
    _ticks,
    plot_accuracies,
    plot_curves,
    plot_figures,
)
from cliquepool.report.runs import reported_runs
from tests.helpers.fold_records import enzymes_paper_run, enzymes_run, record
from tests.helpers.reported_runs import HOSTILE, run_of

CURVES = {"validation_accuracy": "accuracy"}
finite = st.floats(-1e6, 1e6)


def circles(svg: str) -> list[tuple[float, float]]:
    return [(float(one.get("cx", 0)), float(one.get("cy", 0))) for one in ET.fromstring(svg).iter("circle")]


@given(finite, finite)
def test_ticks_are_few_round_ascending_and_enclose_the_range(one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    ticks = _ticks(low, high)
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    assert 2 <= len(ticks) <= 8
    assert ticks == sorted(set(ticks))
    assert ticks[0] <= low + slack
    assert ticks[-1] >= high - slack


@given(st.lists(finite, min_size=1, max_size=1000))
def test_a_thinned_curve_keeps_its_ends_and_its_extremes(values: list[float]) -> None:
    curve = np.array(values)
    kept = _thinned(curve)
    assert len(kept) <= 160
    assert kept.tolist() == sorted(set(kept.tolist()))
    assert {0, len(curve) - 1} <= set(kept.tolist())
    assert (curve[kept].min(), curve[kept].max()) == (curve.min(), curve.max())


def test_curves_have_a_line_for_each_fold_their_mean_and_the_kept_epochs() -> None:
    svg = plot_curves(run_of(enzymes_run(4)), CURVES, "accuracy", scale=100)
    paths = {one.get("class"): one.get("d", "") for one in ET.fromstring(svg).iter("path")}
    assert paths["fold accuracy"].count("M") == 4
    assert paths["mean accuracy"].count("M") == 1
    assert len(circles(svg)) == 4
    assert "fold 2, seed 0: epoch 2" in svg


def test_under_paper_one_dot_marks_the_epoch_of_the_figure() -> None:
    svg = plot_curves(run_of(enzymes_paper_run(4)), CURVES, "accuracy", scale=100)
    assert len(circles(svg)) == 1
    assert not circles(plot_curves(run_of(enzymes_paper_run(4)[:2]), CURVES, "accuracy", scale=100))


def test_of_many_folds_some_are_drawn_and_accuracies_are_not() -> None:
    folds = 3 * MOST_LINES
    run = run_of([record(fold, folds=folds) for fold in range(1, folds + 1)])
    svg = plot_curves(run, CURVES, "accuracy", scale=100)
    assert len(re.findall("M", svg.split('class="fold accuracy"')[1].split("/>")[0])) == MOST_LINES
    assert run.summary.run.folds > MOST_FOLDS_DRAWN
    assert plot_accuracies(run) == ""


def test_curves_that_records_lack_are_left_out() -> None:
    assert plot_curves(run_of(enzymes_run()), {"loss": "training"}, "loss") == ""


def test_accuracies_are_higher_up_the_higher_they_are() -> None:
    heights = [y for _, y in circles(plot_accuracies(run_of(enzymes_run(4))))]
    assert heights == sorted(heights, reverse=True)
    assert 'class="interval"' in plot_accuracies(run_of(enzymes_run(4)))
    assert 'class="interval"' not in plot_accuracies(run_of(enzymes_run(4)[:2]))


def test_figures_of_several_runs_stand_below_each_other() -> None:
    runs = reported_runs([*enzymes_run(), *enzymes_paper_run(), *enzymes_run(model="x")[:2]])
    assert len(circles(plot_figures(runs))) == 2  # the third has no figure
    assert plot_figures(runs[:1]) == ""


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_curves_without_a_spread_and_names_with_tags_are_drawn(value: float) -> None:
    one = record(
        1,
        folds=2,
        model=HOSTILE,
        curves={"validation_accuracy": [value]},
        best_epoch=1,
        validation_accuracy=value,
        candidate_accuracies=[value],
    )
    svg = plot_curves(run_of([one]), CURVES, HOSTILE, scale=100) + plot_accuracies(run_of([one]))
    assert "<img" not in svg
    assert "nan" not in svg
