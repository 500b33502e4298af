"""Bundles: nodes with the same open or closed neighbourhood, at any level, without loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import cliquepool as cp
from cliquepool.view.bundles import Bundles, bundle

if TYPE_CHECKING:
    from pathlib import Path


@st.composite
def graphs(draw: st.DrawFn) -> cp.Graph:
    count = draw(st.integers(0, 9))
    pairs = [(u, v) for v in range(count) for u in range(v)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return cp.Graph.from_edges(np.array(edges, dtype=np.int64).reshape(-1, 2), num_nodes=count)


def matrix(graph: cp.Graph) -> np.ndarray:
    return graph.to_scipy().toarray().astype(bool)


def of_node(graph: cp.Graph, bundles: Bundles) -> np.ndarray:
    return bundles.of_class[graph._factors().classes]


@given(graphs())
def test_two_nodes_are_bundled_if_their_open_or_closed_neighbourhoods_are_equal(graph: cp.Graph) -> None:
    group = of_node(graph, bundle(graph))
    adjacent = matrix(graph)
    closed = adjacent | np.eye(graph.num_nodes, dtype=bool)
    for u in range(graph.num_nodes):
        for v in range(u):
            equal = bool((adjacent[u] == adjacent[v]).all() or (closed[u] == closed[v]).all())
            assert (group[u] == group[v]) == equal


@given(graphs())
def test_bundles_of_every_level_sum_to_its_nodes_and_give_the_graph_again(graph: cp.Graph) -> None:
    hierarchy = cp.clique_hierarchy(graph)
    for level in range(len(hierarchy) + 1):
        one = hierarchy.graph(level)
        bundles = bundle(one)
        group = of_node(one, bundles)
        assert bundles.sizes.sum() == one.num_nodes
        assert np.bincount(group, minlength=len(bundles)).tolist() == bundles.sizes.tolist()
        joined = np.zeros((len(bundles), len(bundles)), dtype=bool)
        joined[bundles.graph.list_of_member, bundles.graph.members] = True
        joined[np.diag_indices(len(bundles))] = bundles.joined
        expected = joined[group][:, group] & ~np.eye(one.num_nodes, dtype=bool)
        assert (matrix(one) == expected).all()


def test_bundles_are_numbered_by_their_first_class() -> None:
    bundles = bundle(cp.Graph.from_edges([(0, 1), (0, 2), (3, 4), (0, 5)]))
    group = bundles.of_class[cp.Graph.from_edges([(0, 1), (0, 2), (3, 4), (0, 5)])._factors().classes]
    assert group.tolist() == [0, 1, 1, 2, 2, 1]
    assert bundles.sizes.tolist() == [1, 3, 2]
    assert bundles.joined.tolist() == [False, False, True]
    assert bundles.num_edges == 1


@pytest.mark.data
def test_email_enron_is_bundled_as_documented(shared_data: Path) -> None:
    hierarchy = cp.clique_hierarchy(cp.read_graph(shared_data / "graphs" / "email-Enron.txt.gz"))
    items = [len(bundle(hierarchy.graph(level))) for level in range(len(hierarchy) + 1)]
    assert items == [21_888, 10_761, 5_085, 2_303, 988, 343, 86, 18, 4, 3, 2, 1]
