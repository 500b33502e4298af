"""Mini-batches: some graphs of a pooled data set as one, with torch tensors for every level."""

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
from cliquepool.nn.expansion import members_of_pools, neighbours_of_nodes, offsets_of_sorted
from cliquepool.nn.movable import Movable, once
from cliquepool.ragged import Ragged, offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt


__all__ = ["Batch", "Level", "Lists", "NodeInput"]


@dataclass(repr=False)
class Lists(Movable):
    """Lists of rows: list i is ``members[offsets[i]:offsets[i + 1]]``, indices of `num_targets` rows.

    `back` has for each row the lists that it is in, which is what gradients flow along; None where the
    lists are their own transpose, as the neighbours of an undirected graph are.
    """

    offsets: Tensor
    members: Tensor
    num_targets: int
    back: Lists | None = None

    @classmethod
    def from_pairs(cls, lists: Tensor, members: Tensor, num_lists: int, num_targets: int) -> Lists:
        """The lists that pairs of a list and a member make, members ascending, with the way back.

        GraphError where an id is out of range or a pair is there twice.

        >>> Lists.from_pairs(torch.tensor([1, 0, 1]), torch.tensor([2, 0, 0]), 2, 3).members.tolist()
        [0, 0, 2]
        """
        of, what = integers(lists, "lists"), integers(members, "members")
        if of.ndim != 1 or of.shape != what.shape:
            raise GraphError(f"expected a member for each list, got shapes {what.shape} and {of.shape}")
        for name, ids, number in (("lists", of, num_lists), ("members", what, num_targets)):
            if ids.size and not 0 <= ids.min() <= ids.max() < number:
                raise GraphError(
                    f"{name}: expected ids from 0 to {number - 1}, got {ids.min()} to {ids.max()}"
                )
        order = np.argsort(of * num_targets + what, kind="stable")
        of, what = of[order], what[order]
        if np.any((np.diff(of) == 0) & (np.diff(what) == 0)):
            raise GraphError("expected each member once in a list, got one twice")
        order = np.argsort(what, kind="stable")
        back = cls(_offsets_of(what, num_targets), torch.from_numpy(of[order].astype(np.int32)), num_lists)
        ascending = torch.from_numpy(what.astype(np.int32))
        return cls(_offsets_of(of, num_lists), ascending, num_targets, back).to(members.device)

    def __len__(self) -> int:
        return self.offsets.numel() - 1

    def __repr__(self) -> str:
        return f"Lists({len(self)} lists, {self.members.numel()} members of {self.num_targets})"

    @property
    def transposed(self) -> Lists:
        """For each target the lists that it is in."""
        if self.back is None:
            return self
        return Lists(self.back.offsets, self.back.members, len(self), self)

    @once
    def list_of_member(self) -> Tensor:
        """The list that each member is in."""
        lists = torch.arange(len(self), device=self.offsets.device)
        return torch.repeat_interleave(lists, self.offsets.diff(), output_size=self.members.numel())

    @once
    def index(self) -> Tensor:
        """The members as torch indexes with them, in 64 bits."""
        return self.members.long()

    @once
    def sizes(self) -> Tensor:
        """The number of members of each list, as floating-point numbers."""
        return self.offsets.diff().to(torch.get_default_dtype())

    @once
    def arrays(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Offsets and members as NumPy arrays over the same memory."""
        return self.offsets.numpy(), self.members.numpy()


class WrittenSizes(NamedTuple):
    """How much a level that is kept by classes has when it is written out."""

    class_pairs: int
    entries: int
    memberships: int


@dataclass(repr=False)
class Level(Movable):
    """One level of a batch: the graphs' nodes end to end, their edges, and their pools.

    The edges are kept as `neighbours`, or through twin classes, where that is fewer: `class_of_node`
    and `quotient`, with ``A + I = C (Q + I) Cᵀ``. Pools are a chain of lists to be summed over one
    after the other: from nodes to pools, or from nodes to classes and from classes to pools.
    """

    node_start: Tensor
    degrees: Tensor
    neighbours: Lists | None
    class_of_node: Lists | None
    quotient: Lists | None
    pools: tuple[Lists, ...]
    pool_sizes: Tensor | None
    edge_attr: Tensor | None = None
    written_sizes: WrittenSizes | None = None

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
        """A level of tensors as PyG has them, checked and put in order on the host.

        `edge_index` is taken as an undirected simple graph: its loops are dropped, its edges merged and
        turned both ways; `edge_attr` goes along, `edge_reduce` says how where edges are parallel. The
        nodes of graph g are those from ``node_start[g]`` to ``node_start[g + 1]``. `membership` has
        nodes above pools; without it the level is a last one.

        GraphError where an id is out of range, or a node or pool has no membership.
        """
        starts = integers(node_start, "node_start")
        if starts.ndim != 1 or not len(starts) or starts[0] != 0 or np.any(np.diff(starts) < 0):
            raise GraphError(f"node_start: expected ascending numbers from 0, got {starts.tolist()!r:.60}")
        num_nodes = int(starts[-1])
        device = edge_index.device
        graph = Graph.from_edge_index(edge_index, num_nodes)
        neighbours = Lists(
            torch.from_numpy(graph.indptr.copy()), torch.from_numpy(graph.indices.copy()), num_nodes
        ).to(device)
        attributes = None
        if edge_attr is not None:
            ends = integers(edge_index, "edge_index")
            rows = Ragged(graph.indptr, graph.indices)
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
        """One over the root of each node's degree in A + I."""
        return (self.degrees + 1).rsqrt_()

    @once
    def mean_scale(self) -> Tensor:
        """One over each node's degree; for a node without neighbours one, of a sum that is zero."""
        return self.degrees.clamp(min=1).reciprocal_()

    @once
    def pool_scale(self) -> Tensor:
        """One over the size of each pool."""
        if self.pool_sizes is None:
            raise ValueError("expected a level that is pooled, got the last one")
        return self.pool_sizes.reciprocal()

    def apply(self, function: Callable[[Tensor], Tensor]) -> Level:
        """The same with this function applied to every tensor; sizes are read while they are on the CPU."""
        if self.neighbours is None and self.written_sizes is None:
            self.written_sizes = self._sizes
        return super().apply(function)

    @property
    def _sizes(self) -> WrittenSizes:
        if self.written_sizes is not None:
            return self.written_sizes
        assert self.class_of_node is not None
        assert self.quotient is not None
        pairs = int(self.quotient.offsets.diff()[self.class_of_node.index].sum())
        members = 0 if self.pool_sizes is None else int(self.pool_sizes.sum(dtype=torch.float64))
        return WrittenSizes(pairs, int(self.degrees.sum(dtype=torch.float64)), members)

    @once
    def neighbour_lists(self) -> Lists:
        """The neighbours of each node, written out where they are kept by classes."""
        if self.neighbours is not None:
            return self.neighbours
        assert self.class_of_node is not None
        assert self.quotient is not None
        if not self.node_start.is_cpu:
            targets, sources = neighbours_of_nodes(self.class_of_node, self.quotient, *self._sizes[:2])
            neighbours = Lists(offsets_of_sorted(targets, self.num_nodes), sources.int(), self.num_nodes)
            neighbours.remember(index=sources, list_of_member=targets)
            return neighbours
        classes = self.class_of_node.members.numpy()
        sizes = np.bincount(classes, minlength=len(self.quotient)).astype(np.int32)
        written = _core.expand_graph(classes, sizes, *self.quotient.arrays, DEFAULT_BUDGET._limits())
        offsets, members = (torch.from_numpy(array) for array in written)
        return Lists(offsets, members, self.num_nodes)

    @once
    def edge_index(self) -> Tensor:
        """The edges as PyG has them: two rows, sources and targets, both directions."""
        lists = self.neighbour_lists
        return torch.stack([lists.index, lists.list_of_member])

    @once
    def pool_lists(self) -> Lists:
        """The nodes of each pool, written out where they are kept by classes."""
        if len(self.pools) == 1:
            return self.pools[0]
        if not self.pools:
            raise ValueError("expected a level that is pooled, got the last one")
        by_class = self.pools[1]
        assert self.class_of_node is not None
        if not self.node_start.is_cpu:
            pools, nodes = members_of_pools(self.class_of_node, by_class, self._sizes.memberships)
            return _with_back(pools, nodes, len(by_class), self.num_nodes)
        classes = self.class_of_node.members.numpy()
        sizes = np.bincount(classes, minlength=by_class.num_targets).astype(np.int32)
        written = _core.expand_lists(*by_class.arrays, classes, sizes, DEFAULT_BUDGET._limits())
        offsets, members = (torch.from_numpy(array) for array in written)
        pools = torch.repeat_interleave(offsets.diff(), output_size=members.numel())
        return _with_back(pools, members.long(), len(by_class), self.num_nodes)

    @once
    def membership(self) -> Tensor:
        """Which node is in which pool: two rows, nodes and pools, a column for each membership."""
        return torch.stack([self.pool_lists.index, self.pool_lists.list_of_member])


@dataclass(repr=False)
class NodeInput(Movable):
    """The features of a batch's nodes, as `NodeFeatures` has those of all."""

    codes: Tensor | None
    num_codes: int
    dense: Tensor | None
    ahead: Tensor | None = None
    ahead_of: str = ""

    def __repr__(self) -> str:
        return f"NodeInput({self.num_features} features)"

    @property
    def num_features(self) -> int:
        """The number of features of a node."""
        coded = 0 if self.codes is None else self.num_codes
        return coded + (0 if self.dense is None else self.dense.shape[1])

    @once
    def x(self) -> Tensor:
        """All features written out."""
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
    """Some graphs as one: the features of their nodes, their classes, and all their levels."""

    nodes: NodeInput
    y: Tensor
    levels: list[Level]

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
    """A tensor as NumPy has it; what NumPy has no type for in 32 bits."""
    tensor = tensor.detach().cpu()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def _offsets_of(lists: npt.NDArray[np.int64], num_lists: int) -> Tensor:
    """Where each list begins when pairs are ordered by these."""
    return torch.from_numpy(offsets_from_lengths(np.bincount(lists, minlength=num_lists)))


def _pools_of(membership: Tensor, num_pools: int, num_nodes: int) -> Lists:
    """The nodes of each pool; every node and every pool must have one."""
    if membership.dim() != 2 or membership.shape[0] != 2:
        raise GraphError(
            f"membership: expected two rows, nodes and pools, got shape {tuple(membership.shape)}"
        )
    pools = Lists.from_pairs(membership[1], membership[0], num_pools, num_nodes)
    for what, lists in (("pool", pools), ("node", pools.transposed)):
        empty = torch.nonzero(lists.offsets.diff() == 0)
        if len(empty):
            raise GraphError(f"membership: expected every {what} in it, got none of {what} {int(empty[0])}")
    return pools


def _with_back(lists: Tensor, members: Tensor, num_lists: int, num_targets: int) -> Lists:
    """Lists of pairs that are ordered by list, with their transpose worked out."""
    order = torch.argsort(members, stable=True)
    back = Lists(offsets_of_sorted(members[order], num_targets), lists[order].int(), num_lists)
    return Lists(offsets_of_sorted(lists, num_lists), members.int(), num_targets, back)
