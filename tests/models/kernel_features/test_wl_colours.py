"""Colours of the Weisfeiler–Leman algorithm against a definition with dictionaries."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.models.kernel_features import wl_colours
from cliquepool.models.kernel_features.counts import PRODUCTS
from cliquepool.models.kernel_features.keys import label_kind
from cliquepool.models.kernel_features.wl_colours import colour_counts
from tests.helpers.graph_datasets import datasets
from tests.helpers.labelled_graphs import labels_of, molecules, permuted

if TYPE_CHECKING:
    import pytest


def naive_colours(dataset: GraphDataset, iterations: int) -> list[list[Counter[Any]]]:
    """Return for each iteration the colours of each graph, as nested tuples."""
    found = []
    for i in range(len(dataset)):
        graph = dataset.graph(i)
        colours: list[Any] = labels_of(dataset, i)
        if dataset.node_labels is None:
            colours = np.diff(graph.indptr).tolist()
        of_graph = [Counter(colours)]
        for _ in range(iterations):
            around = [graph.indices[a:b] for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)]
            colours = [(colours[v], tuple(sorted(colours[u] for u in near))) for v, near in enumerate(around)]
            of_graph.append(Counter(colours))
        found.append(of_graph)
    return [[of_graph[i] for of_graph in found] for i in range(iterations + 1)]


@given(datasets(least=1))
def test_colours_are_equal_where_their_definitions_are(dataset: GraphDataset) -> None:
    kind = label_kind(dataset, "auto", "degree")
    for found, expected in zip(colour_counts(dataset, 2, kind), naive_colours(dataset, 2), strict=True):
        inner = [[sum(a[colour] * b[colour] for colour in a) for b in expected] for a in expected]
        np.testing.assert_array_equal(PRODUCTS.matrix(found, found), np.array(inner))


def test_a_path_of_three_nodes_has_these_colours() -> None:
    path = GraphDataset.from_graphs([cp.Graph.from_edges([(0, 1), (1, 2)])])
    ends_and_middle, again = colour_counts(path, 1, "degree")
    assert sorted(ends_and_middle.counts.tolist()) == sorted(again.counts.tolist()) == [1, 2]
    same, degrees = colour_counts(path, 1, "none")
    assert same.counts.tolist() == [3]
    assert sorted(degrees.counts.tolist()) == [1, 2]


def test_colours_do_not_depend_on_the_order_of_nodes_or_on_other_graphs() -> None:
    dataset = molecules(20, seed=1)
    whole = colour_counts(dataset, 3, "numbers")[-1]
    moved = colour_counts(permuted(dataset, seed=2), 3, "numbers")[-1]
    assert whole.keys.tolist() == moved.keys.tolist()
    assert whole.counts.tolist() == moved.counts.tolist()
    alone = colour_counts(dataset[7], 3, "numbers")[-1]
    assert alone.keys.tolist() == whole.take(np.array([7])).keys.tolist()


def test_a_six_cycle_and_two_triangles_have_the_same_colours() -> None:
    cycle = cp.Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
    triangles = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    found = colour_counts(GraphDataset.from_graphs([cycle, triangles]), 4, "degree")[-1]
    assert found.keys[0] == found.keys[1]


def test_blocks_of_neighbours_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = molecules(10, seed=3)
    expected = [counts.keys.tolist() for counts in colour_counts(dataset, 2, "numbers")]
    monkeypatch.setattr(wl_colours, "_BLOCK", 3)
    assert [counts.keys.tolist() for counts in colour_counts(dataset, 2, "numbers")] == expected
