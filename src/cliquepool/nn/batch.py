"""Mini-batches: several graphs as one, with torch tensors for the features and for every level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from cliquepool import _core
from cliquepool._input import integers
from cliquepool.budget import DEFAULT_BUDGET
from cliquepool.data.edge_aggregation import values_by_entry
from cliquepool.errors import GraphError
from cliquepool.graph import Graph
from cliquepool.nn.expansion import members_of_pools, neighbours_of_nodes
from cliquepool.nn.incidence import Incidence, offsets_of_sorted
from cliquepool.nn.movable import Movable, once
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt


__all__ = ["Batch", "Level", "NodeInput", "numbers_of"]


class ExpandedSizes(NamedTuple):
    """The sizes that a level kept by twin classes has once it is expanded to nodes."""

    class_pairs: int
    entries: int
    memberships: int


@dataclass(repr=False)
class Level(Movable):
    """One level of a batch: the graphs' nodes end to end, their edges, and their pools.

    The edges are `neighbours`, or twin classes where these have fewer entries: `class_of_node` and
    `quotient`, with ``A + I = C (Q + I) Cᵀ``. Pools are a chain of lists to sum over one after the other:
    from nodes to pools, or from nodes to classes and from classes to pools; empty on the last level.

    Where a level is one part of a larger graph, `own` are the nodes that a convolution returns rows for; the
    others are read only.
    """

    node_start: Tensor
    degrees: Tensor
    neighbours: Incidence | None
    class_of_node: Incidence | None
    quotient: Incidence | None
    pools: tuple[Incidence, ...]
    pool_sizes: Tensor | None
    edge_attr: Tensor | None = None
    expanded_sizes: ExpandedSizes | None = None
    own: Tensor | None = None

    @classmethod
    def from_edge_index(
        cls,
        edge_index: Tensor,
        node_start: Tensor,
        *,
        membership: Tensor | None = None,
        num_pools: int = 0,
        edge_attr: Tensor | None = None,
        edge_reduce: str = "sum",
    ) -> Level:
        """Make a level of tensors as PyG has them; they are validated and sorted on the host.

        `edge_index` is made an undirected simple graph: loops are dropped, directions and parallel edges
        merged; `edge_reduce` is the reduction of the `edge_attr` of parallel edges. The nodes of graph g are
        those from ``node_start[g]`` up to ``node_start[g + 1]``. `membership` has nodes in its first row,
        their pools in the second; without it the level is a last one.

        Raises GraphError where an id is out of range, or a node or pool has no membership.
        """
        starts = integers(node_start, "node_start")
        if starts.ndim != 1 or not len(starts) or starts[0] != 0 or np.any(np.diff(starts) < 0):
            raise GraphError(f"node_start: expected ascending numbers from 0, got {starts.tolist()!r:.60}")
        num_nodes = int(starts[-1])
        device = edge_index.device
        graph = Graph.from_edge_index(edge_index, num_nodes)
        rows = Ragged(graph.indptr, graph.indices)
        neighbours = Incidence.from_ragged(rows, num_nodes, symmetric=True).to(device)
        attributes = None
        if edge_attr is not None:
            ends = integers(edge_index, "edge_index")
            carried = values_by_entry(ends, rows, numbers_of(edge_attr), edge_reduce)
            attributes = torch.from_numpy(carried).to(device)
            if edge_attr.is_floating_point():
                attributes = attributes.to(edge_attr.dtype)
        pools = None if membership is None else _pools_of(membership, num_pools, num_nodes).to(device)
        return cls(
            node_start=torch.from_numpy(starts.copy()).to(device),
            degrees=neighbours.sizes,
            neighbours=neighbours,
            class_of_node=None,
            quotient=None,
            pools=() if pools is None else (pools,),
            pool_sizes=None if pools is None else pools.sizes,
            edge_attr=attributes,
        )

    def __repr__(self) -> str:
        if self.neighbours is not None:
            edges = f"{self.neighbours.members.numel() // 2} edges"
        else:
            assert self.quotient is not None
            edges = f"edges by {len(self.quotient)} twin classes"
        pools = f"{len(self.pools[-1])} pools" if self.pools else "not pooled"
        return f"Level({self.num_graphs} graphs, {self.num_nodes} nodes, {edges}, {pools})"

    @property
    def num_graphs(self) -> int:
        """The number of graphs in the batch."""
        return self.node_start.numel() - 1

    @property
    def num_nodes(self) -> int:
        """The number of nodes of all graphs together."""
        return self.degrees.numel()

    @once
    def batch(self) -> Tensor:
        """The graph that each node belongs to."""
        graphs = torch.arange(self.num_graphs, device=self.node_start.device)
        return torch.repeat_interleave(graphs, self.node_start.diff(), output_size=self.num_nodes)

    @once
    def gcn_scale(self) -> Tensor:
        """One over the square root of each node's degree in A + I."""
        return (self.degrees + 1).rsqrt_()

    @once
    def mean_scale(self) -> Tensor:
        """One over each node's degree; 1 for a node without neighbours, whose sum is zero."""
        return self.degrees.clamp(min=1).reciprocal_()

    @once
    def pool_scale(self) -> Tensor:
        """One over the size of each pool."""
        if self.pool_sizes is None:
            raise ValueError("expected a level that is pooled, got the last one")
        return self.pool_sizes.reciprocal()

    @once
    def share_scale(self) -> Tensor:
        """One over the number of pools that each node is in."""
        if not self.pools:
            raise ValueError("expected a level that is pooled, got the last one")
        scale = self.pools[-1].transposed.sizes.reciprocal()
        if len(self.pools) == 1:
            return scale
        assert self.class_of_node is not None
        return scale[self.class_of_node.index]  # a node is in the pools of its class

    def apply(self, function: Callable[[Tensor], Tensor]) -> Level:
        """Return a copy with this function applied to every tensor; sizes are read on the CPU before."""
        if self.neighbours is None and self.expanded_sizes is None:
            self.expanded_sizes = self._sizes
        return super().apply(function)

    @property
    def _sizes(self) -> ExpandedSizes:
        if self.expanded_sizes is not None:
            return self.expanded_sizes
        assert self.class_of_node is not None
        assert self.quotient is not None
        pairs = int(self.quotient.offsets.diff()[self.class_of_node.index].sum())
        members = 0 if self.pool_sizes is None else int(self.pool_sizes.sum(dtype=torch.float64))
        return ExpandedSizes(pairs, int(self.degrees.sum(dtype=torch.float64)), members)

    @once
    def neighbour_lists(self) -> Incidence:
        """The neighbours of each node, expanded where the level is kept by twin classes."""
        if self.neighbours is not None:
            return self.neighbours
        assert self.class_of_node is not None
        assert self.quotient is not None
        if not self.node_start.is_cpu:
            targets, sources = neighbours_of_nodes(self.class_of_node, self.quotient, *self._sizes[:2])
            neighbours = Incidence(offsets_of_sorted(targets, self.num_nodes), sources.int(), self.num_nodes)
            neighbours.remember(index=sources, list_of_member=targets)
            return neighbours
        classes = self.class_of_node.members.numpy()
        sizes = np.bincount(classes, minlength=len(self.quotient)).astype(np.int32)
        expanded = _core.expand_graph(classes, sizes, *self.quotient.arrays, DEFAULT_BUDGET._limits())
        offsets, members = (torch.from_numpy(array) for array in expanded)
        return Incidence(offsets, members, self.num_nodes)

    @once
    def edge_index(self) -> Tensor:
        """The edges as PyG has them: two rows, sources and targets, both directions."""
        lists = self.neighbour_lists
        return torch.stack([lists.index, lists.list_of_member])

    @once
    def pool_lists(self) -> Incidence:
        """The nodes of each pool, expanded where the level is kept by twin classes."""
        if len(self.pools) == 1:
            return self.pools[0]
        if not self.pools:
            raise ValueError("expected a level that is pooled, got the last one")
        by_class = self.pools[1]
        assert self.class_of_node is not None
        if not self.node_start.is_cpu:
            pools, nodes = members_of_pools(self.class_of_node, by_class, self._sizes.memberships)
            return Incidence.from_sorted_pairs(pools, nodes, len(by_class), self.num_nodes)
        classes = self.class_of_node.members.numpy()
        sizes = np.bincount(classes, minlength=by_class.num_targets).astype(np.int32)
        expanded = _core.expand_lists(*by_class.arrays, classes, sizes, DEFAULT_BUDGET._limits())
        offsets, members = (torch.from_numpy(array) for array in expanded)
        pools = torch.repeat_interleave(offsets.diff(), output_size=members.numel())
        return Incidence.from_sorted_pairs(pools, members.long(), len(by_class), self.num_nodes)

    @once
    def membership(self) -> Tensor:
        """The memberships of nodes in pools: two rows, nodes and pools, a column for each membership."""
        return torch.stack([self.pool_lists.index, self.pool_lists.list_of_member])


@dataclass(repr=False)
class NodeInput(Movable):
    """The features of the nodes of a batch; `NodeFeatures` has the same for a whole data set."""

    codes: Tensor | None
    num_codes: int
    dense: Tensor | None
    precomputed: Tensor | None = None
    precomputed_for: str = ""

    def __repr__(self) -> str:
        return f"NodeInput({self.num_features} features)"

    @property
    def num_features(self) -> int:
        """The number of features of a node."""
        coded = 0 if self.codes is None else self.num_codes
        return coded + (0 if self.dense is None else self.dense.shape[1])

    @once
    def x(self) -> Tensor:
        """All features as one dense matrix."""
        if self.codes is None:
            if self.dense is None:
                raise ValueError("expected codes or a dense part, got neither")
            return self.dense
        index = self.codes[:, None].long()
        if self.dense is None:
            x = torch.zeros(len(index), self.num_codes, device=index.device)
            return x.scatter_(1, index, 1.0)
        x = self.dense.new_zeros(len(index), self.num_codes + self.dense.shape[1])
        x.scatter_(1, index, 1.0)
        x[:, self.num_codes :] = self.dense
        return x


@dataclass(repr=False)
class Batch(Movable):
    """Several graphs as one: the features of their nodes, their classes, and all their levels.

    `composition` has a row for each graph, where the network reads their size and composition.
    """

    nodes: NodeInput
    y: Tensor
    levels: list[Level]
    composition: Tensor | None = None

    @property
    def x(self) -> Tensor:
        """The features of the nodes of the first level."""
        return self.nodes.x

    @property
    def num_graphs(self) -> int:
        """The number of graphs."""
        return self.y.numel()

    def __repr__(self) -> str:
        nodes = " -> ".join(str(level.num_nodes) for level in self.levels)
        return f"Batch({self.num_graphs} graphs, nodes {nodes}, {self.nodes.num_features} features)"


def numbers_of(tensor: Tensor) -> npt.NDArray[Any]:
    """Return a tensor as a NumPy array; bfloat16, which NumPy does not have, in 32 bits."""
    tensor = tensor.detach().cpu()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def _pools_of(membership: Tensor, num_pools: int, num_nodes: int) -> Incidence:
    """Return the nodes of each pool; raise GraphError where a node or a pool has no membership."""
    if membership.dim() != 2 or membership.shape[0] != 2:
        raise GraphError(
            f"membership: expected two rows, nodes and pools, got shape {tuple(membership.shape)}"
        )
    pools = Incidence.from_pairs(membership[1], membership[0], num_pools, num_nodes)
    for what, lists in (("pool", pools), ("node", pools.transposed)):
        empty = torch.nonzero(lists.offsets.diff() == 0)
        if len(empty):
            raise GraphError(f"membership: expected every {what} in it, got none of {what} {int(empty[0])}")
    return pools
