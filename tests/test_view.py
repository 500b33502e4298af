"""Pictures: what is drawn where, and that the same graph gives the same picture."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.path import Path as Outline

import cliquepool as cp
from cliquepool.view import draw_hierarchy
from cliquepool.view.colours import choose_colours
from cliquepool.view.layout import lay_out, place_pools, push_apart
from cliquepool.view.outlines import outline

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

KARATE = cp.Graph.from_networkx(nx.karate_club_graph())


def closest(points: np.ndarray) -> float:
    return min(float(np.hypot(*(a - b))) for a, b in combinations(points, 2))


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


# ---- layout ----


def test_the_same_graph_is_laid_out_the_same() -> None:
    assert np.array_equal(lay_out(KARATE), lay_out(KARATE))


def test_a_path_is_laid_out_straight() -> None:
    points = lay_out(cp.Graph.from_edges([(i, i + 1) for i in range(9)]))
    steps = np.hypot(*np.diff(points, axis=0).T)
    assert np.allclose(steps, 1, atol=0.05)
    assert np.hypot(*(points[-1] - points[0])) > 8.5


def test_twins_are_drawn_apart() -> None:
    assert closest(lay_out(cp.Graph.from_edges(list(combinations(range(8), 2))))) > 0.3


def test_components_do_not_overlap() -> None:
    graph = cp.Graph.from_networkx(nx.disjoint_union_all([nx.complete_graph(4)] * 5))
    points = lay_out(graph)
    boxes = [(points[4 * i : 4 * i + 4].min(0), points[4 * i : 4 * i + 4].max(0)) for i in range(5)]
    for (low, high), (other_low, other_high) in combinations(boxes, 2):
        assert (low > other_high).any() or (other_low > high).any()


@pytest.mark.parametrize("number", [1, 2, 30])
def test_points_are_pushed_apart_even_from_one_heap(number: int) -> None:
    points = push_apart(np.zeros((number, 2)), 1.0)
    assert number == 1 or closest(points) > 0.9


def test_points_that_are_far_enough_stay() -> None:
    points = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])
    assert np.allclose(push_apart(points, 1.0), points, atol=0.01)


def test_pools_stay_near_their_members() -> None:
    pooling = cp.clique_pool(KARATE)
    points = lay_out(KARATE, pooling.pools)
    placed = place_pools(points, pooling.pools, pooling.coarse, 0.2)
    centres = np.array([points[pool].mean(0) for pool in pooling.pools])
    spread = np.ptp(points, axis=0).max()
    assert np.hypot(*(placed - placed.mean(0) - centres + centres.mean(0)).T).max() < 0.4 * spread


# ---- outlines and colours ----


def test_an_outline_holds_its_members_and_nobody_else() -> None:
    members = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]])
    others = np.array([[2.0, 1.2], [2.0, -3.0], [4.3, 1.5]])
    shape = outline(members, others, 0.6, 0.3)
    assert shape.contains_points(members).all()
    assert not shape.contains_points(others[1:]).any()
    # Inside the hull: a hole is cut, which counts by the even-odd rule.
    assert sum(part.contains_point(others[0]) for part in parts(shape)) % 2 == 0


def parts(shape: Outline) -> list[Outline]:
    assert shape.codes is not None
    starts = np.flatnonzero(shape.codes == Outline.MOVETO)
    return [Outline(points) for points in np.split(shape.vertices, starts[1:])]


def test_an_outline_of_two_or_of_nodes_in_a_line() -> None:
    for members in (np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])):
        assert outline(members, np.zeros((0, 2)), 0.3, 0.1).contains_points(members).all()


def test_few_pools_have_different_colours() -> None:
    places = np.random.default_rng(1).random((8, 2))
    assert len(set(choose_colours(places, {}))) == 8
    assert len(choose_colours(np.repeat(places, 10, axis=0), {})) == 80
    assert choose_colours(places, {3: "#123456"})[3] == "#123456"


# ---- whole figures ----


def test_every_level_is_captioned_and_every_pool_outlined() -> None:
    hierarchy = cp.clique_hierarchy(KARATE)
    figure = draw_hierarchy(hierarchy, title="Karate")
    assert {"level 0", "34 nodes → 21 pools", "level 4", "1 node", "Karate"} <= set(words(figure))
    drawn = [shapes for shapes in figure.axes[0].collections if isinstance(shapes, PathCollection)]
    outlined = [len(shapes.get_paths()) for shapes in drawn]
    assert outlined == [int((pooling.pools.sizes > 1).sum()) for pooling in hierarchy]


def test_labels_are_those_of_the_graph_or_as_given() -> None:
    graph = cp.Graph.from_edges([(7, 8), (8, 9), (7, 9)], compact=True)
    hierarchy = cp.clique_hierarchy(graph)
    assert {"7", "8", "9"} <= set(words(draw_hierarchy(hierarchy)))
    assert {"x", "y", "z", "xyz"} <= set(words(draw_hierarchy(hierarchy, labels=list("xyz"))))
    assert "7" not in words(draw_hierarchy(hierarchy, labels=False))
    with pytest.raises(cp.GraphError, match="labels"):
        draw_hierarchy(hierarchy, labels=["x"])


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
        draw_hierarchy(cp.clique_hierarchy(KARATE), max_nodes=20)
    with pytest.raises(cp.GraphError, match="got one of 0"):
        draw_hierarchy(cp.clique_hierarchy(cp.Graph.from_edges([])))


def test_levels_limits_what_is_shown() -> None:
    figure = draw_hierarchy(cp.clique_hierarchy(KARATE), levels=1)
    assert "level 1" in words(figure)
    assert "level 2" not in words(figure)


def test_drawing_leaves_pyplot_alone() -> None:
    check = (
        "import sys, cliquepool as cp; from cliquepool.view import draw_hierarchy; "
        "draw_hierarchy(cp.clique_hierarchy(cp.Graph.from_edges([(0, 1)]))); "
        "assert 'matplotlib.pyplot' not in sys.modules and 'networkx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
