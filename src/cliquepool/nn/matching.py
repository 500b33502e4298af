"""Matchings of graphs, clusters made of them, and the coarse graphs between clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from cliquepool.nn.ranking import ranks

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Clusters", "coarse_edges", "greedy_matching", "heavy_edge_matching", "neighbour_minimum"]


@dataclass(frozen=True)
class Clusters:
    """The cluster of each node, and the number of clusters, which are ordered by their smallest nodes."""

    of_node: Tensor
    count: int

    @classmethod
    def of_leaders(cls, leader: Tensor) -> Clusters:
        """Return the clusters of nodes with the same leader, which is one of them.

        >>> Clusters.of_leaders(torch.tensor([0, 3, 0, 3, 4])).of_node.tolist()
        [0, 1, 0, 1, 2]
        """
        nodes = torch.arange(len(leader), device=leader.device)
        smallest = torch.full_like(leader, len(leader)).scatter_reduce_(0, leader, nodes, "amin")[leader]
        is_first = smallest == nodes
        return cls((is_first.cumsum(0) - 1)[smallest], int(is_first.sum()))

    @property
    def sizes(self) -> Tensor:
        """The number of nodes of each cluster."""
        return torch.bincount(self.of_node, minlength=self.count)

    def sum(self, x: Tensor) -> Tensor:
        """Return the sum of the rows of each cluster."""
        return x.new_zeros(self.count, *x.shape[1:]).index_add(0, self.of_node, x)

    def mean(self, x: Tensor) -> Tensor:
        """Return the mean of the rows of each cluster."""
        return self.sum(x) / self.sizes[:, None].to(x.dtype)

    def of_graphs(self, batch: Tensor) -> Tensor:
        """Return the graph of each cluster, given that of each node."""
        return batch.new_empty(self.count).scatter_(0, self.of_node, batch)

    def then(self, further: Clusters) -> Clusters:
        """Return the clusters of nodes, given clusters of these clusters."""
        return Clusters(further.of_node[self.of_node], further.count)


def neighbour_minimum(values: Tensor, edge_index: Tensor) -> Tensor:
    """Return the minimum over each node and its neighbours; edges are given in both directions."""
    return values.scatter_reduce(0, edge_index[1], values[edge_index[0]], "amin")


def greedy_matching(edge_index: Tensor, rank: Tensor, num_nodes: int) -> Tensor:
    """Return the edges, by index, that one by one in the order of `rank` meet no edge chosen before.

    Loops are never chosen. In each round all edges are chosen that rank before every edge they meet: the
    result is that of the loop over edges, in about as many rounds as the logarithm of their number.

    >>> path = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]])
    >>> greedy_matching(path, torch.tensor([1, 0, 2, 3]), 5).tolist()
    [1, 3]
    """
    live = torch.nonzero(edge_index[0] != edge_index[1]).view(-1)
    is_free = torch.ones(num_nodes, dtype=torch.bool, device=edge_index.device)
    chosen = [live[:0]]
    while len(live):
        (sources, targets), order = edge_index[:, live], rank[live]
        first = rank.new_full((num_nodes,), torch.iinfo(rank.dtype).max)
        first.scatter_reduce_(0, sources, order, "amin").scatter_reduce_(0, targets, order, "amin")
        is_chosen = (order == first[sources]) & (order == first[targets])
        chosen.append(live[is_chosen])
        is_free[edge_index[:, live[is_chosen]]] = False
        live = live[is_free[sources] & is_free[targets]]
    return torch.cat(chosen).sort().values


def heavy_edge_matching(edge_index: Tensor, weight: Tensor, batch: Tensor) -> Clusters:
    """Return clusters of one or two nodes: a maximal matching that takes the heaviest edges first.

    The weight of an edge is divided as in the normalised cut: ``w(i, j) (1 / d(i) + 1 / d(j))``, d being the
    sum of a node's weights. Edges are given in both directions, with equal weights; loops are left aside.
    Equal edges are taken in a fixed order of their positions in the graph, so that the clusters of a graph
    are always the same, alone and in every batch.

    >>> path = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    >>> heavy_edge_matching(path, torch.ones(6), torch.zeros(4, dtype=torch.long)).of_node.tolist()
    [0, 0, 1, 1]
    """
    once = edge_index[0] < edge_index[1]
    degree = weight.new_zeros(len(batch)).index_add_(0, edge_index[0], weight)
    ends, weight = edge_index[:, once], weight[once]
    per_degree = degree.clamp(min=torch.finfo(degree.dtype).tiny).reciprocal()
    cut = weight * (per_degree[ends[0]] + per_degree[ends[1]])
    rank = ranks(cut, batch[ends[0]], scramble=True)
    sources, targets = ends[:, greedy_matching(ends, rank, len(batch))]
    leader = torch.arange(len(batch), device=batch.device)
    leader[targets] = sources
    return Clusters.of_leaders(leader)


def coarse_edges(
    edge_index: Tensor, weight: Tensor, clusters: Clusters, *, loops: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the edges between clusters and their weights, ``Sᵀ A S`` with S the 0/1 assignments.

    Without `loops`, the diagonal is left out.

    >>> edges, sums = coarse_edges(
    ...     torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.ones(4), Clusters(torch.tensor([0, 0, 1]), 2)
    ... )
    >>> edges.tolist(), sums.tolist()
    ([[0, 1], [1, 0]], [1.0, 1.0])
    """
    ends = clusters.of_node[edge_index]
    if not loops:
        differ = ends[0] != ends[1]
        ends, weight = ends[:, differ], weight[differ]
    keys, key_of_edge = torch.unique(ends[0] * clusters.count + ends[1], return_inverse=True)
    sums = weight.new_zeros(len(keys)).index_add(0, key_of_edge, weight)
    return torch.stack([keys // max(clusters.count, 1), keys % max(clusters.count, 1)]), sums
