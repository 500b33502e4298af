"""Numbers of graphlets against all subsets of nodes."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.models.kernel_features import bit_rows, graphlets
from cliquepool.models.kernel_features.graphlets import CONNECTED, GRAPHLETS, graphlet_counts
from tests.helpers.graph_datasets import datasets
from tests.helpers.labelled_graphs import edges_of, molecules, permuted
from tests.helpers.shape_graphs import clique, star

# The sorted degrees of each graphlet tell it from all others of its size.
DEGREES = {
    3: [(0, 0, 0), (0, 1, 1), (1, 1, 2), (2, 2, 2)],
    4: [
        (0, 0, 0, 0),
        (0, 0, 1, 1),
        (0, 1, 1, 2),
        (1, 1, 1, 1),
        (0, 2, 2, 2),
        (1, 1, 1, 3),
        (1, 1, 2, 2),
        (2, 2, 2, 2),
        (1, 2, 2, 3),
        (2, 2, 3, 3),
        (3, 3, 3, 3),
    ],
}


def naive_counts(dataset: GraphDataset, size: int) -> list[list[int]]:
    found = []
    for i in range(len(dataset)):
        edges = {frozenset(edge) for edge in edges_of(dataset, i).tolist()}
        counts = dict.fromkeys(DEGREES[size], 0)
        for nodes in combinations(range(dataset.graph(i).num_nodes), size):
            degrees = sorted(sum(frozenset((u, v)) in edges for v in nodes) for u in nodes)
            counts[tuple(degrees)] += 1
        found.append(list(counts.values()))
    return found


@pytest.mark.parametrize("size", [3, 4])
@given(dataset=datasets(least=1))
def test_counts_are_those_of_all_subsets(size: int, dataset: GraphDataset) -> None:
    assert graphlet_counts(dataset, size).tolist() == naive_counts(dataset, size)


@pytest.mark.parametrize("size", [3, 4])
def test_counts_of_larger_and_denser_graphs(size: int) -> None:
    random = np.random.default_rng(0)
    graphs = [
        cp.Graph.from_edges(random.integers(0, nodes, size=(edges, 2)), nodes)
        for nodes, edges in ((12, 40), (20, 15), (22, 120), (3, 1), (24, 300))
    ]
    dataset = GraphDataset.from_graphs(graphs)
    assert graphlet_counts(dataset, size).tolist() == naive_counts(dataset, size)


def test_cliques_and_stars_of_more_than_a_word_of_nodes() -> None:
    three = graphlet_counts(GraphDataset.from_graphs([clique(70), star(99)]), 3)
    assert three.tolist() == [[0, 0, 0, comb(70, 3)], [comb(99, 3), 0, comb(99, 2), 0]]
    four = graphlet_counts(GraphDataset.from_graphs([clique(70), star(99)]), 4)
    assert four[0].tolist() == [0] * 10 + [comb(70, 4)]
    assert four[1].tolist() == [comb(99, 4), 0, 0, 0, 0, comb(99, 3), 0, 0, 0, 0, 0]


def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = molecules(15, seed=7, most_nodes=90)
    expected = graphlet_counts(dataset, 4).tolist()
    for module in (bit_rows, graphlets):
        monkeypatch.setattr(module, "BLOCK_WORDS", 5)
    monkeypatch.setattr(graphlets, "_MOST_PATHS", 5)
    assert graphlet_counts(dataset, 4).tolist() == expected


@pytest.mark.parametrize("size", [3, 4])
def test_counts_do_not_depend_on_the_order_of_nodes(size: int) -> None:
    dataset = molecules(10, seed=8)
    assert (
        graphlet_counts(permuted(dataset, seed=9), size).tolist() == graphlet_counts(dataset, size).tolist()
    )


def test_connected_graphlets_are_named() -> None:
    assert [GRAPHLETS[3][i] for i in CONNECTED[3]] == ["path", "triangle"]
    assert all("+" not in GRAPHLETS[4][i] for i in CONNECTED[4])


def test_graphs_whose_numbers_may_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphlets, "MAX_NODES", 5)
    with pytest.raises(cp.GraphError, match="expected graphs of up to 5 nodes to count graphlets, got 6"):
        graphlet_counts(GraphDataset.from_graphs([clique(6)]), 3)
