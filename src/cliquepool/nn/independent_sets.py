"""Maximal k-independent sets and their clusters, as in Bacciu, Conte and Landolfi (2023)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from cliquepool.nn.matching import Clusters, neighbour_minimum

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["clusters_around", "k_hop_sums", "maximal_independent_set"]


def k_hop_sums(values: Tensor, edge_index: Tensor, k: int) -> Tensor:
    """Return ``(A + I)^k values``: for each node, the sum over all walks of k steps that may also stay.

    >>> k_hop_sums(torch.ones(3), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 1).tolist()
    [2.0, 3.0, 2.0]
    """
    for _ in range(k):
        values = values.index_add(0, edge_index[1], values[edge_index[0]])
    return values


def maximal_independent_set(edge_index: Tensor, rank: Tensor, k: int) -> Tensor:
    """Return which nodes a greedy loop in the order of `rank` chooses; any two are over k steps apart.

    The set is maximal: every node is at most k steps from a chosen one. In each round all nodes are chosen
    that rank before every other live node within k steps. Edges are given in both directions.

    >>> path = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    >>> maximal_independent_set(path, torch.arange(4), 1).tolist()
    [True, False, True, False]
    """
    never = torch.iinfo(rank.dtype).max
    is_chosen = torch.zeros(len(rank), dtype=torch.bool, device=rank.device)
    live = rank
    while bool((live != never).any()):
        lowest = live
        for _ in range(k):
            lowest = neighbour_minimum(lowest, edge_index)
        is_chosen = is_chosen | ((lowest == rank) & (live != never))
        uncovered = (~is_chosen).long()
        for _ in range(k):
            uncovered = neighbour_minimum(uncovered, edge_index)
        live = rank.masked_fill(uncovered == 0, never)
    return is_chosen


def clusters_around(is_chosen: Tensor, edge_index: Tensor, rank: Tensor, k: int) -> Clusters:
    """Return a cluster for each chosen node; every node joins that of lowest rank within k steps."""
    never = torch.iinfo(rank.dtype).max
    lowest = rank.masked_fill(~is_chosen, never)
    for _ in range(k):
        lowest = neighbour_minimum(lowest, edge_index)
    return Clusters.of_leaders(torch.argsort(rank)[lowest])
