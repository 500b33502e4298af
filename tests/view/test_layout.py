"""Layouts: deterministic, with nodes, components and pools apart."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import cliquepool as cp
from cliquepool.view.layout import lay_out, place_pools, push_apart

KARATE = cp.Graph.from_networkx(nx.karate_club_graph())


def closest(points: np.ndarray) -> float:
    return min(float(np.hypot(*(a - b))) for a, b in combinations(points, 2))


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
