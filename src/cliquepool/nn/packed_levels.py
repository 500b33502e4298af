"""The levels of a graph packed into one tensor, and those of a batch of such graphs unpacked for the layers.

Packed graphs are batched by concatenating one tensor of each, however many levels there are.
``cpp/nn/packed_levels.hpp`` has the format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from cliquepool import _core
from cliquepool._input import MAX_NODES
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import GraphError
from cliquepool.nn.batch import Level, Lists
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
    """Pack the neighbours of each node of every level, and the members of each pool of all but the last."""
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
    """Unpack the levels of all graphs whose packed tensors stand end to end in `packed`.

    `edge_values` have a row for each edge of every level, graph by graph; they come back level by level.
    This runs on the host; the results are on the devices of what was given. GraphError where the numbers
    are not those that `pack_levels` makes.
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
    by_level = [_level_by_level(rows, edge_start, unpacked.num_graphs) for rows in edge_values]
    return unpacked if packed.is_cpu else unpacked.to(packed.device), by_level


def _level_by_level(rows: Tensor, start: npt.NDArray[np.int64], num_graphs: int) -> Tensor:
    if rows.shape[0] != start[-1]:
        raise GraphError(f"expected a value for each of {start[-1]} edges of all levels, got {rows.shape[0]}")
    if num_graphs == 1 or not rows.numel():
        return rows
    order = np.ascontiguousarray(np.arange(len(start) - 1).reshape(num_graphs, -1).T).reshape(-1)
    host = rows.detach().cpu().contiguous()
    regrouped = torch.empty_like(host)
    _core.cut_rows(start, _bytes_of(host), order, _bytes_of(regrouped))
    return regrouped.to(rows.device)


def _bytes_of(rows: Tensor) -> npt.NDArray[np.uint8]:
    return rows.view(rows.shape[0], -1).view(torch.uint8).numpy()


@dataclass
class UnpackedLevels(Movable):
    """The levels of a batch: a few tensors that move together, and their sizes as plain integers.

    Sizes are known to Python, so that levels are made on any device without asking it for a number.
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
        sizes: list[int] = []
        for nodes, entries in zip(self.num_nodes, self.num_entries, strict=True):
            sizes += [self.num_graphs + 1, nodes + 1, 2 * entries]
        for level, memberships in enumerate(self.num_memberships, start=1):
            sizes += [self.num_nodes[level] + 1, 2 * memberships, self.num_nodes[level - 1] + 1]
        return torch.split_with_sizes(self.wide, sizes)

    @once
    def _narrow_parts(self) -> tuple[Tensor, ...]:
        twice = [size for size in self.num_memberships for _ in range(2)]
        return torch.split_with_sizes(self.narrow, [*self.num_entries, *twice])

    def node_start(self, level: int) -> Tensor:
        """Where each graph's nodes begin, and the last one's end."""
        return self._wide_parts[3 * level]

    def edge_index(self, level: int) -> Tensor:
        """The edges of the simple graph at a level, both directions, ordered by target."""
        return self._wide_parts[3 * level + 2].view(2, self.num_entries[level])

    def membership(self, level: int) -> Tensor:
        """The nodes of the level below above the pools, the nodes of this level, that they are in."""
        return self._membership_parts(level)[1].view(2, self.num_memberships[level - 1])

    def edge_rows(self, rows: Tensor, level: int) -> Tensor:
        """The rows of a level's edges, of rows for the edges of all levels, level by level."""
        return rows.narrow(0, sum(self.num_entries[:level]), self.num_entries[level])

    def level(self, level: int, edge_attr: Tensor | None = None) -> Level:
        """The graphs at a level as layers take them: views of what is here, on the same device."""
        nodes, node_start, edge_index = self.num_nodes[level], self.node_start(level), self.edge_index(level)
        neighbours = Lists(self._wide_parts[3 * level + 1], self._narrow_parts[level], nodes)
        neighbours.remember(index=edge_index[0], list_of_member=edge_index[1])
        pools: tuple[Lists, ...] = ()
        membership = None
        if level < self.pooled:
            pool_offsets, _, node_offsets = self._membership_parts(level + 1)
            by_pool, by_node = self._narrow_parts[self.pooled + 1 + 2 * level :][:2]
            membership = self.membership(level + 1)
            back = Lists(node_offsets, by_node, self.num_nodes[level + 1])
            pools = (Lists(pool_offsets, by_pool, nodes, back),)
            pools[0].remember(index=membership[0], list_of_member=membership[1])
        made = Level(
            node_start=node_start,
            degrees=neighbours.sizes,
            neighbours=neighbours,
            class_of_node=None,
            quotient=None,
            pools=pools,
            pool_sizes=pools[0].sizes if pools else None,
            edge_attr=edge_attr,
        )
        made.remember(edge_index=edge_index)
        if membership is not None:
            made.remember(membership=membership)
        return made

    def _membership_parts(self, level: int) -> tuple[Tensor, ...]:
        first = 3 * (self.pooled + 1) + 3 * (level - 1)
        return self._wide_parts[first : first + 3]
