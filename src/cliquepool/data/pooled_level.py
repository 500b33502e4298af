"""One level of all graphs of a pooled data set: twin classes, the quotient graph, pools, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool.data.ragged_by_graph import RaggedByGraph
from cliquepool.ragged import Ragged, offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from cliquepool.budget import Budget

__all__ = ["PooledLevel", "levels_from_core"]

_ENTRIES_AT_ONCE: Final = 2**15


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
        start, lists, pools = self.node_start, neighbours, self.pools_by_class
        if lists is None:
            parts = (part.neighbours for part in self._parts())
            lists = _joined(parts, start, self.degrees, start) if self.has_twins else self.quotient
        if pools is not None and self.has_twins:
            of_parts = (part.pools for part in self._parts())
            pools = _joined(of_parts, pools.list_start, self.pool_sizes, start)
        own_class = np.arange(self.num_nodes, dtype=np.int32)
        own_class -= np.repeat(start[:-1].astype(np.int32), np.diff(start))
        ones = np.broadcast_to(np.int32(1), self.num_nodes)
        return PooledLevel(start, own_class, start, ones, lists, pools, self.limits)

    def _parts(self) -> Iterator[PooledLevel]:
        """Yield the level of some consecutive graphs after the other; expanding one takes little memory."""
        entries = self.quotient.local.offsets[self.class_start]
        begin, num_graphs = 0, len(self.node_start) - 1
        while begin < num_graphs:
            end = np.searchsorted(entries, entries[begin] + _ENTRIES_AT_ONCE, side="right") - 1
            end = min(max(int(end), begin + 1), num_graphs)
            yield self._of_graphs(begin, end)
            begin = end

    def _of_graphs(self, begin: int, end: int) -> PooledLevel:
        """Return the level of the graphs from `begin` up to `end`."""
        nodes, classes = (start[begin : end + 1] for start in (self.node_start, self.class_start))
        return PooledLevel(
            nodes - nodes[0],
            self.class_of_node[nodes[0] : nodes[-1]],
            classes - classes[0],
            self.class_sizes[classes[0] : classes[-1]],
            self.quotient.of_graphs(begin, end),
            None if self.pools_by_class is None else self.pools_by_class.of_graphs(begin, end),
            self.limits,
        )

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


def _joined(
    parts: Iterable[RaggedByGraph | None],
    list_start: npt.NDArray[np.int64],
    sizes: npt.NDArray[Any],
    target_start: npt.NDArray[np.int64],
) -> RaggedByGraph:
    """Return the lists of consecutive graphs end to end; all of them together have these sizes."""
    offsets = offsets_from_lengths(sizes)
    members = np.empty(offsets[-1], dtype=np.int32)
    begin = 0
    for part in parts:
        assert part is not None
        end = begin + len(part.local.members)
        members[begin:end] = part.local.members
        begin = end
    return RaggedByGraph(list_start, Ragged(offsets, members), target_start)


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
