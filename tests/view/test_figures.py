"""Drawing into axes that are there already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
from matplotlib.figure import Figure

import cliquepool as cp
from cliquepool.evaluate import evaluate, summarise
from cliquepool.view import draw_hierarchy
from cliquepool.view.curves import draw_curves
from tests.helpers.small_model import SmallModel, rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path

KARATE = cp.clique_hierarchy(cp.Graph.from_networkx(nx.karate_club_graph()))


def test_a_hierarchy_is_drawn_into_the_axes_that_are_given(tmp_path: Path) -> None:
    figure = Figure(figsize=(8, 6))
    upper, lower = figure.subplots(2, 1)
    assert draw_hierarchy(KARATE, tmp_path / "both.png", ax=upper) is figure
    assert figure.axes == [upper, lower]
    assert {"level 0", "34 nodes → 21 pools", "level 4"} <= {text.get_text() for text in upper.texts}
    assert not lower.has_data()
    assert len(lower.texts) == 0
    assert not upper.axison
    assert lower.axison
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")


def test_letters_and_lines_fit_the_axes() -> None:
    figure = Figure(figsize=(12, 4))
    wide, narrow = figure.subplots(1, 2, width_ratios=[3, 1])
    for axes in (wide, narrow):
        draw_hierarchy(KARATE, ax=axes)
    large, small = (min(text.get_fontsize() for text in axes.texts) for axes in (wide, narrow))
    assert small < 0.6 * large


def test_a_figure_within_a_figure_is_drawn_into() -> None:
    figure = Figure(figsize=(8, 4))
    left, _ = figure.subfigures(1, 2)
    assert draw_hierarchy(KARATE, ax=left.subplots()) is figure


def test_without_axes_a_figure_is_as_large_as_the_levels_need() -> None:
    one = draw_hierarchy(KARATE, levels=1)
    all_levels = draw_hierarchy(KARATE)
    assert all_levels.get_size_inches()[0] > one.get_size_inches()[0]


def test_labels_are_no_formulas() -> None:
    graph = cp.Graph.from_edges([(0, 1)])
    figure = draw_hierarchy(cp.clique_hierarchy(graph), labels=["$\\frac{", "$x$"], title="$\\")
    assert {"$\\frac{", "$x$", "$\\"} <= {text.get_text() for text in figure.axes[0].texts}
    figure.canvas.draw()


def test_curves_are_drawn_into_the_axes_that_are_given(tmp_path: Path) -> None:
    records = evaluate(
        [SmallModel()], rings_and_stars(), "fair", tmp_path / "runs.jsonl", folds=2, seeds=1, jobs=1
    )
    figure = Figure(figsize=(8, 6))
    above, below = figure.subplots(2, 1)
    assert draw_curves(summarise(records)[0], ax=(above, below)) is figure
    assert (above.get_title(loc="left"), below.get_title(loc="left")) == ("loss", "accuracy, %")
    assert figure.get_suptitle() == ""
