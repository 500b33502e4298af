"""Clique hierarchies of many graphs in one call, stored end to end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from cliquepool import _core
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.graph import Graph
from cliquepool.graph_like import GraphLike, as_graph, expect_many
from cliquepool.hierarchy import Hierarchy, _level_count
from cliquepool.pooling import Pooling
from cliquepool.ragged import Ragged
from cliquepool.threads import OnProgress, thread_count

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Hierarchies", "clique_hierarchies"]


def clique_hierarchies(
    graphs: Iterable[GraphLike],
    levels: int | None = None,
    *,
    threads: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> Hierarchies:
    """Build the hierarchies of many graphs in one call, in parallel over the graphs.

    Equal to ``[clique_hierarchy(g, levels) for g in graphs]``, without the cost of a call for each.
    `budget` limits all of them together. With a fixed number of levels, the coarse graph of the last is
    computed on first use.

    >>> from cliquepool import Graph
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> [h.sizes for h in clique_hierarchies([triangle, Graph.from_edges([(0, 1), (1, 2)])])]
    [(3, 1), (3, 2, 1)]
    """
    expect_many(graphs)
    taken = [
        graph if isinstance(graph, Graph) else as_graph(graph, f"graph {index}")
        for index, graph in enumerate(graphs)
    ]
    rows = [graph._csr or graph._expanded() for graph in taken]
    node_start, depth, flat_levels = _core.hierarchies_of_rows(
        rows, _level_count(levels), thread_count(threads), budget._limits(), progress
    )
    return Hierarchies(
        taken, node_start, depth, [_FlatLevel.from_core(*level) for level in flat_levels], budget
    )


class _FlatTwins(NamedTuple):
    """The twin classes of many graphs, end to end; classes and neighbours are numbered within each graph."""

    class_of_node: npt.NDArray[np.int32]
    class_start: npt.NDArray[np.int64]
    class_sizes: npt.NDArray[np.int32]
    quotient: Ragged

    def graph(self, index: int, first_node: int, end_node: int) -> Graph:
        """Return one of the graphs; its nodes are those from `first_node` up to `end_node`."""
        begin, end = self.class_start[index], self.class_start[index + 1]
        classes = self.class_of_node[first_node:end_node]
        return Graph._from_twins(classes, self.class_sizes[begin:end], *self.quotient.part(begin, end))


class _FlatLevel(NamedTuple):
    """One level of many graphs, end to end: their pools, and the coarse graphs between these."""

    pool_start: npt.NDArray[np.int64]
    pools: Ragged
    coarse: _FlatTwins | None  # None where only the pools were computed

    @classmethod
    def from_core(
        cls,
        pool_start: npt.NDArray[np.int64],
        pools: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]],
        coarse: _core._FlatTwins | None,
    ) -> _FlatLevel:
        """Name the arrays that the core returns for a level."""
        twins = None if coarse is None else _FlatTwins(*coarse[:3], Ragged(*coarse[3:]))
        return cls(pool_start, Ragged(*pools), twins)

    def pooling(self, index: int, below: Graph, budget: Budget) -> Pooling:
        """Return the pooling of one of the graphs, which is `below`."""
        begin, end = self.pool_start[index], self.pool_start[index + 1]
        coarse = None if self.coarse is None else self.coarse.graph(index, begin, end)
        return Pooling(below, *self.pools.part(begin, end), coarse=coarse, budget=budget)


class Hierarchies(Sequence[Hierarchy]):
    """The hierarchies of many graphs, stored end to end; indexing makes a `Hierarchy` of one."""

    __slots__ = ("_budget", "_depth", "_graphs", "_levels", "_node_start")

    def __init__(
        self,
        graphs: list[Graph],
        node_start: npt.NDArray[np.int64],
        depth: npt.NDArray[np.int32],
        levels: list[_FlatLevel],
        budget: Budget,
    ) -> None:
        self._graphs = graphs
        self._node_start = node_start  # the first node of each graph, numbered through all graphs
        self._depth = depth
        self._levels = levels
        self._budget = budget

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of nodes of each graph (rows) at each level (columns); 0 above a graph's last level."""
        starts = [self._node_start, *(level.pool_start for level in self._levels)]
        return np.stack([np.diff(start) for start in starts], axis=1)

    def __len__(self) -> int:
        return len(self._graphs)

    @overload
    def __getitem__(self, index: int) -> Hierarchy: ...
    @overload
    def __getitem__(self, index: slice) -> list[Hierarchy]: ...
    def __getitem__(self, index: int | slice) -> Hierarchy | list[Hierarchy]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        bottom = self._graph(position)
        below: Graph | None = bottom
        poolings = []
        for level in self._levels[: int(self._depth[position])]:
            assert below is not None, "only the last level has no coarse graph"
            pooling = level.pooling(position, below, self._budget)
            poolings.append(pooling)
            below = None if level.coarse is None else pooling.coarse
        return Hierarchy(bottom, poolings)

    def _graph(self, index: int) -> Graph:
        """Return a graph of the input without its known twin classes, which may not hold all twins.

        Pools refer to the classes that the core found, and these do.
        """
        graph = self._graphs[index]
        return graph if graph._twins is None else Graph._make(graph._expanded(), None, graph.labels)

    def __repr__(self) -> str:
        deepest = int(self._depth.max(initial=0))
        return f"Hierarchies({len(self):,} graphs, up to {deepest} levels)"
