"""One level of all graphs of a pooled data set: twin classes, the quotient graph, pools, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cliquepool import _core
from cliquepool.data.ragged_by_graph import RaggedByGraph
from cliquepool.ragged import Ragged, offsets_from_lengths

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.budget import Budget

__all__ = ["PooledLevel", "levels_from_core"]


@dataclass(frozen=True)
class PooledLevel:
    """One level of all graphs: nodes by twin class, the quotient graph, and the pools to the next level.

    With C, Q and T of the specification: `classes` is C, `quotient` is Q without its diagonal, and
    `pools_by_class` is T; it is None on the last level, which is not pooled.
    """

    node_start: npt.NDArray[np.int64]
    class_of_node: npt.NDArray[np.int32]
    class_start: npt.NDArray[np.int64]
    class_sizes: npt.NDArray[np.int32]
    quotient: RaggedByGraph
    pools_by_class: RaggedByGraph | None
    limits: tuple[int, float, int]

    @property
    def num_nodes(self) -> int:
        """The number of nodes of all graphs together."""
        return int(self.node_start[-1])

    @property
    def has_twins(self) -> bool:
        """Whether any class has more than one node."""
        return len(self.class_sizes) < self.num_nodes

    @cached_property
    def nodes_of_class(self) -> RaggedByGraph:
        """The nodes of each twin class."""
        return self.classes.transposed

    @cached_property
    def classes(self) -> RaggedByGraph:
        """The one class of each node, as a list."""
        offsets = np.arange(self.num_nodes + 1, dtype=np.int64)
        return RaggedByGraph(self.node_start, Ragged(offsets, self.class_of_node), self.class_start)

    def by_nodes(self, neighbours: RaggedByGraph | None = None) -> PooledLevel:
        """Return the same level with every node as a class of its own; only lists of nodes are kept.

        `neighbours` are those of each node, where the caller has them.
        """
        ones = np.broadcast_to(np.int32(1), self.num_nodes)
        own_class = np.arange(self.num_nodes, dtype=np.int32)
        own_class -= np.repeat(self.node_start[:-1].astype(np.int32), np.diff(self.node_start))
        lists = self.neighbours if neighbours is None else neighbours
        return PooledLevel(self.node_start, own_class, self.node_start, ones, lists, self.pools, self.limits)

    @property
    def degrees(self) -> npt.NDArray[np.int32]:
        """The number of neighbours of each node."""
        if not self.has_twins:
            return self.quotient.local.sizes.astype(np.int32)
        around = self.quotient.global_lists.sum_over(self.class_sizes)
        degrees = around + self.class_sizes - 1
        return degrees.astype(np.int32)[self._global_classes]

    @cached_property
    def float_degrees(self) -> npt.NDArray[np.float32]:
        """The degrees as floating-point numbers, by which layers scale."""
        return self.degrees.astype(np.float32)

    @cached_property
    def float_pool_sizes(self) -> npt.NDArray[np.float32]:
        """The pool sizes as floating-point numbers, by which layers scale."""
        return self.pool_sizes.astype(np.float32)

    @cached_property
    def edge_count(self) -> int:
        """The number of edges of all graphs together, each counted in both directions."""
        return int(self.degrees.sum(dtype=np.int64))

    @cached_property
    def edge_start(self) -> npt.NDArray[np.int64]:
        """Where the edges of each graph begin among those of all graphs; each counts in both directions."""
        return offsets_from_lengths(self.degrees)[self.node_start]

    @cached_property
    def worth_factoring(self) -> bool:
        """Whether a sum over neighbours takes fewer additions by twin classes than edge by edge."""
        through_classes = 2 * self.num_nodes + len(self.quotient.local.members) + len(self.class_sizes)
        return through_classes < self.edge_count

    @cached_property
    def neighbours(self) -> RaggedByGraph:
        """The neighbours of each node, expanded from the twin classes."""
        if not self.has_twins:
            return self.quotient
        quotient = self.quotient.global_lists
        expanded = _core.expand_graph(
            self._global_classes, self.class_sizes, quotient.offsets, quotient.members, self.limits
        )
        return RaggedByGraph.from_global(self.node_start, Ragged(*expanded), self.node_start)

    @cached_property
    def pools(self) -> RaggedByGraph | None:
        """The nodes of each pool, expanded from the twin classes."""
        by_class = self.pools_by_class
        if by_class is None or not self.has_twins:
            return by_class
        lists = by_class.global_lists
        expanded = _core.expand_lists(
            lists.offsets, lists.members, self._global_classes, self.class_sizes, self.limits
        )
        return RaggedByGraph.from_global(by_class.list_start, Ragged(*expanded), self.node_start)

    @property
    def pool_sizes(self) -> npt.NDArray[np.int64]:
        """The number of nodes in each pool."""
        if self.pools_by_class is None:
            return np.zeros(0, dtype=np.int64)
        return self.pools_by_class.global_lists.sum_over(self.class_sizes)

    @property
    def _global_classes(self) -> npt.NDArray[np.int32]:
        first = np.repeat(self.class_start[:-1].astype(np.int32), np.diff(self.node_start))
        return np.add(self.class_of_node, first, out=first)


def levels_from_core(
    node_start: npt.NDArray[np.int64],
    bottom: _core._FlatTwins,
    above: list[tuple[_core._Offsets, _core._Ragged, _core._FlatTwins]],
    budget: Budget,
) -> list[PooledLevel]:
    """Return the levels of all graphs, as the core returns them."""
    starts = [node_start, *(pool_start for pool_start, _, _ in above)]
    twins = [bottom, *(coarse for _, _, coarse in above)]
    pools = [*(pools for _, pools, _ in above), None]
    levels = []
    for index, (classes, class_start, sizes, offsets, neighbours) in enumerate(twins):
        lists = pools[index]
        by_class = None if lists is None else RaggedByGraph(starts[index + 1], Ragged(*lists), class_start)
        between = RaggedByGraph(class_start, Ragged(offsets, neighbours), class_start)
        levels.append(
            PooledLevel(starts[index], classes, class_start, sizes, between, by_class, budget._limits())
        )
    return levels
