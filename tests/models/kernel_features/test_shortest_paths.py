"""Counts of shortest paths against breadth-first search in plain Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.models.kernel_features import bit_rows, shortest_paths
from cliquepool.models.kernel_features.counts import PRODUCTS
from cliquepool.models.kernel_features.keys import label_kind
from cliquepool.models.kernel_features.shortest_paths import path_counts
from tests.helpers.graph_datasets import datasets
from tests.helpers.labelled_graphs import labels_of, molecules, permuted


def naive_paths(dataset: GraphDataset, i: int, *, labelled: bool) -> Counter[Any]:
    """Count (label, label, distance) over the ordered pairs of connected nodes."""
    graph, labels = dataset.graph(i), labels_of(dataset, i)
    found: Counter[Any] = Counter()
    for source in range(graph.num_nodes):
        distance, queue = {source: 0}, [source]
        for node in queue:
            for other in graph.indices[graph.indptr[node] : graph.indptr[node + 1]].tolist():
                if other not in distance:
                    distance[other] = distance[node] + 1
                    queue.append(other)
        for node, length in distance.items():
            if length:
                found[(labels[source], labels[node], length) if labelled else length] += 1
    return found


def assert_equals_definition(dataset: GraphDataset) -> None:
    kind = label_kind(dataset, "auto", "none")
    expected = [naive_paths(dataset, i, labelled=kind != "none") for i in range(len(dataset))]
    found = path_counts(dataset, kind)
    assert [sorted(found.take(np.array([i])).counts.tolist()) for i in range(len(dataset))] == [
        sorted(counts.values()) for counts in expected
    ]
    inner = [[sum(a[triple] * b[triple] for triple in a) for b in expected] for a in expected]
    np.testing.assert_array_equal(PRODUCTS.matrix(found, found), np.array(inner))


@given(datasets(least=1))
def test_paths_are_those_of_breadth_first_search(dataset: GraphDataset) -> None:
    assert_equals_definition(dataset)


def test_a_labelled_path_has_these_triples() -> None:
    path = GraphDataset.from_graphs([cp.Graph.from_edges([(0, 1), (1, 2)])], node_labels=[["a", "b", "a"]])
    # (a, b, 1) and (b, a, 1) twice, (a, a, 2) from each end.
    assert sorted(path_counts(path, "text").counts.tolist()) == [2, 2, 2]
    assert sorted(path_counts(path, "none").counts.tolist()) == [2, 4]


def test_graphs_of_more_than_a_word_of_nodes() -> None:
    graphs = [
        cp.Graph.from_edges([(i, i + 1) for i in range(n - 1)] + [(0, n - 1)] * (n % 2), n)
        for n in (3, 64, 65, 70, 129, 200)
    ]
    names = [[i % 3 for i in range(graph.num_nodes)] for graph in graphs]
    assert_equals_definition(GraphDataset.from_graphs(graphs, node_labels=names))
    assert_equals_definition(GraphDataset.from_graphs(graphs))


@pytest.mark.parametrize("words", [1, 300])
def test_parts_of_rows_and_blocks_of_graphs_change_nothing(
    words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = molecules(12, seed=4, most_nodes=150)
    expected = path_counts(dataset, "numbers")
    monkeypatch.setattr(bit_rows, "BLOCK_WORDS", words)
    monkeypatch.setattr(shortest_paths, "BLOCK_WORDS", words)
    found = path_counts(dataset, "numbers")
    assert found.keys.tolist() == expected.keys.tolist()
    assert found.counts.tolist() == expected.counts.tolist()


def test_paths_do_not_depend_on_the_order_of_nodes() -> None:
    dataset = molecules(10, seed=5, most_nodes=80)
    found, moved = path_counts(dataset, "numbers"), path_counts(permuted(dataset, seed=6), "numbers")
    assert found.keys.tolist() == moved.keys.tolist()
    assert found.counts.tolist() == moved.counts.tolist()
