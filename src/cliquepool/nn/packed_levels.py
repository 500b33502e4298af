"""All levels of a graph packed into one tensor, and the levels of a batch of such graphs unpacked for layers.

Packed graphs are batched by concatenating one tensor of each, whatever the number of levels.
``cpp/nn/packed_levels.hpp`` documents the format.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from cliquepool import _core
from cliquepool._input import MAX_NODES
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import GraphError
from cliquepool.nn.batch import Level
from cliquepool.nn.incidence import Incidence
from cliquepool.nn.movable import Movable, once
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from cliquepool.hierarchy import Hierarchy

__all__ = ["UnpackedLevels", "pack_levels", "pack_lists", "unpack_levels"]


def pack_levels(hierarchy: Hierarchy, *, budget: Budget = DEFAULT_BUDGET) -> Tensor:
    """Pack all levels of a hierarchy, from the graph itself to the last coarse graph.

    >>> from cliquepool import Graph, clique_hierarchy
    >>> h = clique_hierarchy(Graph.from_edges([(0, 1), (1, 2)]), levels=1)
    >>> levels, _ = unpack_levels(pack_levels(h))
    >>> levels.membership(1)
    tensor([[0, 1, 1, 2],
            [0, 0, 1, 1]])
    """
    graphs = [hierarchy[0].graph, *(pooling.coarse.expand(budget=budget) for pooling in hierarchy)]
    adjacency = [Ragged(graph.indptr, graph.indices) for graph in graphs]
    return pack_lists(adjacency, [pooling.pools for pooling in hierarchy])


def pack_lists(adjacency: Sequence[Ragged], pools: Sequence[Ragged]) -> Tensor:
    """Pack the neighbours of the nodes of every level, and the members of the pools of all but the last."""
    counts = [*map(len, adjacency), *(len(lists.members) for lists in (*adjacency, *pools))]
    parts: list[npt.NDArray[np.int32]] = []
    for lists in (*adjacency, *pools):
        parts += [lists.members, lists.list_of_member]
    length = 2 + len(counts) + sum(map(len, parts))
    if length > MAX_NODES:
        raise GraphError(f"expected levels of at most {MAX_NODES} edges and memberships, got about {length}")
    header = np.array([length, len(pools), *counts], dtype=np.int32)
    return torch.from_numpy(np.concatenate([header, *parts]))


def unpack_levels(packed: Tensor, edge_values: Sequence[Tensor] = ()) -> tuple[UnpackedLevels, list[Tensor]]:
    """Unpack the levels of all graphs whose packed tensors are concatenated in `packed`.

    `edge_values` have a row for each edge of every level, ordered by graph; they are returned ordered by
    level. This runs on the host; the results are on the devices of the arguments. Raises GraphError for
    numbers that `pack_levels` cannot have made.
    """
    if packed.is_meta:
        raise GraphError(
            'expected packed levels with values, got some on "meta"; batch the data before moving'
        )
    if packed.dtype != torch.int32 or packed.dim() != 1:
        raise GraphError(
            f"expected packed levels in a row of int32, got {packed.dtype} of shape {tuple(packed.shape)}"
        )
    host = packed.detach().cpu().contiguous()
    graphs, nodes, entries, memberships, wide, narrow, edge_start = _core.unpack_levels(host.numpy())
    tensors = torch.from_numpy(wide), torch.from_numpy(narrow)
    unpacked = UnpackedLevels(graphs, nodes, entries, memberships, *tensors)
    by_level = [_ordered_by_level(rows, edge_start, unpacked.num_graphs) for rows in edge_values]
    return unpacked if packed.is_cpu else unpacked.to(packed.device), by_level


def _ordered_by_level(rows: Tensor, start: npt.NDArray[np.int64], num_graphs: int) -> Tensor:
    if rows.shape[0] != start[-1]:
        raise GraphError(f"expected a value for each of {start[-1]} edges of all levels, got {rows.shape[0]}")
    if num_graphs == 1 or not rows.numel():
        return rows
    order = np.ascontiguousarray(np.arange(len(start) - 1).reshape(num_graphs, -1).T).reshape(-1)
    host = rows.detach().cpu().contiguous()
    regrouped = torch.empty_like(host)
    _core.gather_rows(start, _bytes_of(host), order, _bytes_of(regrouped))
    return regrouped.to(rows.device)


def _bytes_of(rows: Tensor) -> npt.NDArray[np.uint8]:
    return rows.view(rows.shape[0], -1).view(torch.uint8).numpy()


class _LevelParts(NamedTuple):
    """The parts of one level, in the order of the core: wide ones are of int64, narrow ones of int32."""

    node_start: Tensor  # wide
    neighbour_offsets: Tensor  # wide
    edge_index: Tensor  # wide, of two rows
    neighbours: Tensor  # narrow


class _PoolParts(NamedTuple):
    """The parts of the pools of one level, in the order of the core."""

    pool_offsets: Tensor  # wide
    membership: Tensor  # wide, of two rows
    node_offsets: Tensor  # wide
    members: Tensor  # narrow
    pools_of_node: Tensor  # narrow


_WIDE: Final = 3  # wide parts of a level, and of its pools
_NARROW_OF_POOLS: Final = 2


@dataclass
class UnpackedLevels(Movable):
    """The levels of a batch: a few tensors that move together, and their sizes as plain integers.

    Because the sizes are Python integers, levels are made on any device without reading a value from it.
    """

    num_graphs: int
    num_nodes: tuple[int, ...]
    num_entries: tuple[int, ...]
    num_memberships: tuple[int, ...]
    wide: Tensor
    narrow: Tensor

    @property
    def pooled(self) -> int:
        """The number of coarse levels."""
        return len(self.num_memberships)

    @once
    def _wide_parts(self) -> tuple[Tensor, ...]:
        lengths: list[int] = []
        for nodes, entries in zip(self.num_nodes, self.num_entries, strict=True):
            lengths += [self.num_graphs + 1, nodes + 1, 2 * entries]
        for memberships, (nodes, pools) in zip(self.num_memberships, pairwise(self.num_nodes), strict=True):
            lengths += [pools + 1, 2 * memberships, nodes + 1]
        return torch.split_with_sizes(self.wide, lengths)

    @once
    def _narrow_parts(self) -> tuple[Tensor, ...]:
        of_pools = [memberships for memberships in self.num_memberships for _ in range(_NARROW_OF_POOLS)]
        return torch.split_with_sizes(self.narrow, [*self.num_entries, *of_pools])

    def _level_parts(self, level: int) -> _LevelParts:
        first = _WIDE * level
        node_start, offsets, edge_index = self._wide_parts[first : first + _WIDE]
        return _LevelParts(node_start, offsets, edge_index, self._narrow_parts[level])

    def _pool_parts(self, level: int) -> _PoolParts:
        """Return the parts of the pools of `level`, which are the nodes of the next level."""
        num_levels = len(self.num_nodes)
        wide = _WIDE * (num_levels + level)
        narrow = num_levels + _NARROW_OF_POOLS * level
        return _PoolParts(
            *self._wide_parts[wide : wide + _WIDE], *self._narrow_parts[narrow : narrow + _NARROW_OF_POOLS]
        )

    def node_start(self, level: int) -> Tensor:
        """Return where the nodes of each graph begin, and where those of the last end."""
        return self._level_parts(level).node_start

    def edge_index(self, level: int) -> Tensor:
        """Return the edges of the simple graph at a level, both directions, ordered by target."""
        return self._level_parts(level).edge_index.view(2, self.num_entries[level])

    def membership(self, level: int) -> Tensor:
        """Return the nodes of the level below (first row) and their pools, nodes of this level (second)."""
        return self._pool_parts(level - 1).membership.view(2, self.num_memberships[level - 1])

    def edge_rows(self, rows: Tensor, level: int) -> Tensor:
        """Return the rows of one level's edges out of rows for the edges of all levels, ordered by level."""
        return rows.narrow(0, sum(self.num_entries[:level]), self.num_entries[level])

    def level(self, level: int, edge_attr: Tensor | None = None) -> Level:
        """Return a level as layers take it: views of the tensors here, on the same device."""
        nodes, edge_index, parts = self.num_nodes[level], self.edge_index(level), self._level_parts(level)
        neighbours = Incidence(parts.neighbour_offsets, parts.neighbours, nodes)
        neighbours.remember(index=edge_index[0], list_of_member=edge_index[1])
        pools = self._pools(level) if level < self.pooled else None
        made = Level(
            node_start=parts.node_start,
            degrees=neighbours.sizes,
            neighbours=neighbours,
            class_of_node=None,
            quotient=None,
            pools=() if pools is None else (pools,),
            pool_sizes=None if pools is None else pools.sizes,
            edge_attr=edge_attr,
        )
        made.remember(edge_index=edge_index)
        if pools is not None:
            made.remember(membership=self.membership(level + 1))
        return made

    def _pools(self, level: int) -> Incidence:
        parts, membership = self._pool_parts(level), self.membership(level + 1)
        by_node = Incidence(parts.node_offsets, parts.pools_of_node, self.num_nodes[level + 1])
        pools = Incidence(parts.pool_offsets, parts.members, self.num_nodes[level], by_node)
        pools.remember(index=membership[0], list_of_member=membership[1])
        return pools


UnpackedLevels.__module__ = "cliquepool.data.packed"  # as pickles of earlier versions name it
