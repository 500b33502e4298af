"""Matchings: greedy by rank, maximal, the same alone and in a batch; coarse edges and weights."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from cliquepool.nn.matching import Clusters, coarse_edges, greedy_matching, heavy_edge_matching
from tests.helpers.random_edges import directed_both_ways, random_edges


def one_by_one(edges: list[tuple[int, int]], rank: list[int]) -> list[int]:
    used: set[int] = set()
    chosen = []
    for index in sorted(range(len(edges)), key=rank.__getitem__):
        ends = set(edges[index])
        if len(ends) == 2 and not ends & used:
            used |= ends
            chosen.append(index)
    return sorted(chosen)


@given(random_edges(max_nodes=9), st.randoms(use_true_random=False))
def test_rounds_choose_the_edges_of_the_loop(
    graph: tuple[int, list[tuple[int, int]]], random: object
) -> None:
    num_nodes, edges = graph
    rank = list(range(len(edges)))
    random.shuffle(rank)  # type: ignore[attr-defined]
    edge_index = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t()
    chosen = greedy_matching(edge_index, torch.tensor(rank, dtype=torch.long), num_nodes)
    assert chosen.tolist() == one_by_one(edges, rank)


def test_loops_are_never_chosen() -> None:
    assert greedy_matching(torch.tensor([[0, 1], [0, 1]]), torch.arange(2), 2).tolist() == []


def matched(edge_index: Tensor, num_nodes: int) -> list[int]:
    weight = torch.ones(edge_index.shape[1])
    return heavy_edge_matching(edge_index, weight, torch.zeros(num_nodes, dtype=torch.long)).of_node.tolist()


@given(random_edges(max_nodes=9))
def test_heavy_edge_matchings_are_maximal_and_have_pairs_of_neighbours(
    graph: tuple[int, list[tuple[int, int]]],
) -> None:
    num_nodes, edges = graph
    clusters = matched(directed_both_ways(edges), num_nodes)
    members: dict[int, list[int]] = {}
    for node, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(node)
    assert sorted(members) == list(range(len(members)))
    assert all(len(nodes) == 1 or tuple(nodes) in edges for nodes in members.values())
    alone = {nodes[0] for nodes in members.values() if len(nodes) == 1}
    assert not any({i, j} <= alone for i, j in edges)


@given(random_edges(max_nodes=7), random_edges(max_nodes=7))
def test_a_graph_is_matched_the_same_alone_and_in_a_batch(
    first: tuple[int, list[tuple[int, int]]], second: tuple[int, list[tuple[int, int]]]
) -> None:
    parts = [matched(directed_both_ways(edges), count) for count, edges in (first, second)]
    edge_index = torch.cat([directed_both_ways(first[1]), directed_both_ways(second[1]) + first[0]], dim=1)
    batch = torch.tensor([0] * first[0] + [1] * second[0], dtype=torch.long)
    both = heavy_edge_matching(edge_index, torch.ones(edge_index.shape[1]), batch)
    offset = max(parts[0]) + 1
    assert both.of_node.tolist() == parts[0] + [cluster + offset for cluster in parts[1]]


def test_heavier_edges_are_matched_first() -> None:
    # A path 0-1-2-3 with a heavy edge in the middle: 9 (1/10 + 1/10) beats 1 (1 + 1/10).
    edge_index = directed_both_ways([(0, 1), (1, 2), (2, 3)])
    weight = torch.tensor([1.0, 9.0, 1.0]).repeat(2)
    clusters = heavy_edge_matching(edge_index, weight, torch.zeros(4, dtype=torch.long))
    assert clusters.of_node.tolist() == [0, 1, 1, 2]


def test_coarse_edges_are_the_product_with_the_assignments() -> None:
    torch.manual_seed(0)
    adjacency = torch.triu(torch.randint(0, 3, (8, 8)).float(), 1)
    adjacency = adjacency + adjacency.t()
    clusters = Clusters(torch.tensor([0, 1, 0, 2, 1, 1, 2, 0]), 3)
    s = torch.nn.functional.one_hot(clusters.of_node, 3).float()
    edge_index = adjacency.nonzero().t()
    for loops in (True, False):
        edges, weight = coarse_edges(edge_index, adjacency[tuple(edge_index)], clusters, loops=loops)
        dense = torch.zeros(3, 3)
        dense[tuple(edges)] = weight
        expected = s.t() @ adjacency @ s
        assert torch.equal(dense, expected if loops else expected * (1 - torch.eye(3)))


def test_clusters_reduce_rows_and_combine() -> None:
    clusters = Clusters.of_leaders(torch.tensor([2, 1, 2, 1, 4]))
    assert clusters.of_node.tolist() == [0, 1, 0, 1, 2]
    x = torch.tensor([[1.0], [2.0], [3.0], [4.0], [5.0]])
    assert clusters.sum(x).tolist() == [[4.0], [6.0], [5.0]]
    assert clusters.mean(x).tolist() == [[2.0], [3.0], [5.0]]
    assert clusters.of_graphs(torch.tensor([0, 0, 0, 0, 1])).tolist() == [0, 0, 1]
    assert clusters.then(Clusters(torch.tensor([0, 0, 1]), 2)).of_node.tolist() == [0, 0, 0, 0, 1]
