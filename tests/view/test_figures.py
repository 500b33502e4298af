"""Figures of hierarchies: whole, in given axes, and what cannot be drawn."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure

import cliquepool as cp
from cliquepool.view import draw_hierarchy

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


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_positions_are_checked() -> None:
    hierarchy = cp.clique_hierarchy(cp.Graph.from_edges([(0, 1)]))
    draw_hierarchy(hierarchy, positions=[(0, 0), (1, 0)])
    with pytest.raises(cp.GraphError, match="positions"):
        draw_hierarchy(hierarchy, positions=[(0, 0)])
    with pytest.raises(cp.GraphError, match="positions"):
        draw_hierarchy(hierarchy, positions=[(0, 0), (np.nan, 0)])


@pytest.mark.parametrize(
    "graph",
    [
        nx.empty_graph(1),
        nx.empty_graph(5),
        nx.complete_graph(6),
        nx.petersen_graph(),
        nx.star_graph(30),
        nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(3)),
    ],
    ids=["one", "isolated", "complete", "petersen", "star", "two"],
)
def test_graphs_of_all_kinds_can_be_drawn(graph: nx.Graph, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    draw_hierarchy(cp.clique_hierarchy(cp.Graph.from_networkx(graph)), path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_level_of_too_many_nodes_is_refused() -> None:
    with pytest.raises(cp.GraphError, match=r"1 to 20 nodes to draw, got one of 34"):
        draw_hierarchy(KARATE, max_nodes=20)
    with pytest.raises(cp.GraphError, match="got one of 0"):
        draw_hierarchy(cp.clique_hierarchy(cp.Graph.from_edges([])))


def test_levels_limits_what_is_shown() -> None:
    figure = draw_hierarchy(KARATE, levels=1)
    assert "level 1" in words(figure)
    assert "level 2" not in words(figure)


def test_drawing_leaves_pyplot_alone() -> None:
    check = (
        "import sys, cliquepool as cp; from cliquepool.view import draw_hierarchy; "
        "draw_hierarchy(cp.clique_hierarchy(cp.Graph.from_edges([(0, 1)]))); "
        "assert 'matplotlib.pyplot' not in sys.modules and 'networkx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
