"""Graphs of a batch as linear operators: the same network code for sparse, weighted and dense adjacency.

The nodes of `SparseGraphs` are those of a level, end to end; features have a row for each. `WeightedGraphs`
are the same with a weight for each edge. `DenseGraphs` all have the same number of nodes; features have the
shape (graphs, nodes, features).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import torch

from cliquepool.nn.functional import mean_and_max, sum_neighbours
from cliquepool.nn.matching import Clusters, coarse_edges, heavy_edge_matching

if TYPE_CHECKING:
    from torch import Tensor

    from cliquepool.nn.batch import Level

__all__ = ["DenseGraphs", "GraphOperator", "SparseGraphs", "WeightedGraphs"]


class GraphOperator(ABC):
    """The adjacency A of the graphs of a batch, as what networks compute with it."""

    @property
    @abstractmethod
    def degrees(self) -> Tensor:
        """The sum of each row of A."""

    @property
    @abstractmethod
    def squared_norms(self) -> Tensor:
        """The sum of all squared entries of each graph's A."""

    @property
    @abstractmethod
    def sizes(self) -> Tensor:
        """The number of nodes of each graph."""

    @abstractmethod
    def multiply(self, x: Tensor) -> Tensor:
        """Return ``A x``: for each node, the weighted sum over its neighbours."""

    @abstractmethod
    def project(self, s: Tensor, x: Tensor) -> Tensor:
        """Return ``Sᵀ X`` of each graph, of shape (graphs, columns of s, columns of x)."""

    @abstractmethod
    def sum(self, values: Tensor) -> Tensor:
        """Return the sum over the nodes of each graph, given a number for each node."""

    @abstractmethod
    def mean_and_max(self, x: Tensor) -> Tensor:
        """Return the mean and the maximum over the nodes of each graph, side by side."""

    def mean_of_neighbours(self, x: Tensor) -> Tensor:
        """Return ``A x`` divided by the degrees where these are above 1, as GraphSAGE does."""
        return self.multiply(x) / self.degrees.clamp(min=1).unsqueeze(-1)

    def normalised_multiply(self, x: Tensor) -> Tensor:
        """Return ``D^(-1/2) A D^(-1/2) x``; zero for nodes without neighbours."""
        degrees = self.degrees.unsqueeze(-1)
        scale = torch.where(degrees > 0, degrees.clamp(min=1e-12).rsqrt(), 0)
        return scale * self.multiply(scale * x)


class _EndToEnd(GraphOperator):
    """Graphs whose nodes are rows, end to end."""

    node_start: Tensor
    batch: Tensor

    @property
    def sizes(self) -> Tensor:
        """The number of nodes of each graph."""
        return self.node_start.diff()

    def project(self, s: Tensor, x: Tensor) -> Tensor:
        """Return ``Sᵀ X`` of each graph."""
        # Graphs are multiplied one by one: padded to the largest, a batch could need many times the memory.
        sizes = self.sizes.tolist()
        pairs = zip(torch.split(s, sizes), torch.split(x, sizes), strict=True)
        return torch.stack([s_of_one.t() @ x_of_one for s_of_one, x_of_one in pairs])

    def sum(self, values: Tensor) -> Tensor:
        """Return the sum over the nodes of each graph."""
        return values.new_zeros(len(self.node_start) - 1).index_add(0, self.batch, values)

    def mean_and_max(self, x: Tensor) -> Tensor:
        """Return the mean and the maximum over the nodes of each graph."""
        return mean_and_max(self.node_start, x)


class SparseGraphs(_EndToEnd):
    """The graphs of a level of a batch, without weights."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.node_start = level.node_start
        self.batch = level.batch

    @property
    def degrees(self) -> Tensor:
        """The sum of each row of A."""
        return self.level.degrees

    @property
    def squared_norms(self) -> Tensor:
        """The sum of all squared entries of each graph's A."""
        return self.sum(self.degrees)

    def multiply(self, x: Tensor) -> Tensor:
        """Return ``A x``."""
        return sum_neighbours(self.level, x)


class WeightedGraphs(_EndToEnd):
    """Graphs with a weight for each edge; edges are given in both directions."""

    def __init__(self, edge_index: Tensor, weight: Tensor, batch: Tensor, num_graphs: int) -> None:
        self.edge_index = edge_index
        self.weight = weight
        self.batch = batch
        counts = torch.bincount(batch, minlength=num_graphs)
        self.node_start = torch.cat([counts.new_zeros(1), counts.cumsum(0)])

    @classmethod
    def of(cls, level: Level) -> WeightedGraphs:
        """Return the graphs of a level, with weights of 1."""
        edges = level.edge_index
        weight = torch.ones(edges.shape[1], device=edges.device)
        return cls(edges, weight, level.batch, level.num_graphs)

    @property
    def degrees(self) -> Tensor:
        """The sum of each row of A."""
        return self.weight.new_zeros(len(self.batch)).index_add(0, self.edge_index[1], self.weight)

    @property
    def squared_norms(self) -> Tensor:
        """The sum of all squared entries of each graph's A."""
        of_edges = self.weight.new_zeros(len(self.node_start) - 1)
        return of_edges.index_add(0, self.batch[self.edge_index[0]], self.weight.square())

    def multiply(self, x: Tensor) -> Tensor:
        """Return ``A x``."""
        sources, targets = self.edge_index
        return torch.zeros_like(x).index_add(0, targets, x[sources] * self.weight[:, None].to(x.dtype))

    def matched(self) -> Clusters:
        """Return the clusters of one heavy-edge matching."""
        return heavy_edge_matching(self.edge_index, self.weight, self.batch)

    def coarsened(self, clusters: Clusters, *, loops: bool = False) -> WeightedGraphs:
        """Return the graphs between clusters; with `loops`, the weights within a cluster become a loop."""
        edges, weight = coarse_edges(self.edge_index, self.weight, clusters, loops=loops)
        return WeightedGraphs(edges, weight, clusters.of_graphs(self.batch), len(self.node_start) - 1)


class DenseGraphs(GraphOperator):
    """Graphs of the same number of nodes, with dense adjacency of shape (graphs, nodes, nodes)."""

    def __init__(self, adjacency: Tensor) -> None:
        self.adjacency = adjacency

    @property
    def degrees(self) -> Tensor:
        """The sum of each row of A."""
        return self.adjacency.sum(dim=-1)

    @property
    def squared_norms(self) -> Tensor:
        """The sum of all squared entries of each graph's A."""
        return self.adjacency.square().sum(dim=(-1, -2))

    @property
    def sizes(self) -> Tensor:
        """The number of nodes of each graph."""
        graphs, nodes, _ = self.adjacency.shape
        return torch.full((graphs,), nodes, device=self.adjacency.device)

    def multiply(self, x: Tensor) -> Tensor:
        """Return ``A x``."""
        return self.adjacency @ x

    def project(self, s: Tensor, x: Tensor) -> Tensor:
        """Return ``Sᵀ X`` of each graph."""
        return s.transpose(1, 2) @ x

    def sum(self, values: Tensor) -> Tensor:
        """Return the sum over the nodes of each graph."""
        return values.sum(dim=1)

    def mean_and_max(self, x: Tensor) -> Tensor:
        """Return the mean and the maximum over the nodes of each graph."""
        return torch.cat([x.mean(dim=1), x.amax(dim=1)], dim=1)
