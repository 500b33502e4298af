"""Maximal k-independent sets: independent, maximal, greedy by rank; clusters around their nodes."""

from __future__ import annotations

import networkx as nx
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.nn.independent_sets import clusters_around, k_hop_sums, maximal_independent_set
from tests.helpers.random_edges import directed_both_ways, random_edges


@given(random_edges(max_nodes=10), st.integers(1, 3), st.randoms(use_true_random=False))
def test_the_set_is_that_of_the_greedy_loop_and_its_clusters_are_near(
    graph: tuple[int, list[tuple[int, int]]], k: int, random: object
) -> None:
    num_nodes, edges = graph
    rank = list(range(num_nodes))
    random.shuffle(rank)  # type: ignore[attr-defined]
    known = nx.Graph(edges)
    known.add_nodes_from(range(num_nodes))
    near = {node: set(nx.single_source_shortest_path_length(known, node, cutoff=k)) for node in known}
    greedy: list[int] = []
    for node in sorted(range(num_nodes), key=rank.__getitem__):
        if not near[node] & set(greedy):
            greedy.append(node)
    edge_index, order = directed_both_ways(edges), torch.tensor(rank)
    is_chosen = maximal_independent_set(edge_index, order, k)
    assert torch.nonzero(is_chosen).view(-1).tolist() == sorted(greedy)
    assert all(near[node] & set(greedy) for node in range(num_nodes))
    clusters = clusters_around(is_chosen, edge_index, order, k)
    assert clusters.count == len(greedy)
    for node in range(num_nodes):
        centre = min(near[node] & set(greedy), key=rank.__getitem__)
        assert clusters.of_node[node] == clusters.of_node[centre]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_k_hop_sums_are_powers_of_the_adjacency_with_loops(k: int) -> None:
    edge_index = directed_both_ways([(0, 1), (1, 2), (2, 3), (1, 3)])
    dense = torch.eye(5)
    dense[tuple(edge_index)] = 1
    values = torch.arange(5.0)
    assert torch.equal(k_hop_sums(values, edge_index, k), torch.linalg.matrix_power(dense, k) @ values)
