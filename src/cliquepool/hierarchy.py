"""Clique hierarchies: pool a graph, then the coarse graph, and so on."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from cliquepool import _core
from cliquepool._upward import from_above
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import GraphError, InputError
from cliquepool.graph import Graph
from cliquepool.graph_like import GraphLike, as_graph
from cliquepool.implied import coarse_graph, factors_from_core, known_factors
from cliquepool.pooling import Pooling
from cliquepool.ragged import Ragged
from cliquepool.threads import OnProgress, thread_count
from cliquepool.twins import TwinFactors, same_arrays

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.scale.dependencies import Dependencies
    from cliquepool.storage import StoredHierarchy

__all__ = ["Hierarchy", "clique_hierarchy"]

_UNTIL_CONVERGED = -1
_MOST_STORED = 2**63 - 1  # entries of a quotient that is stored if the budget allows; tests lower it


def clique_hierarchy(
    graph: GraphLike,
    levels: int | None = None,
    *,
    threads: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> Hierarchy:
    """Pool `graph`, then the graph between its pools, and so on.

    This is done `levels` times or, by default, until every connected component is one node, which always
    happens. The number of nodes may grow first: a triangle-free graph has as many pools as edges. A sparse
    random graph of 200,000 nodes and a million edges becomes 994,252 nodes, and two levels exceed the default
    budget: compute one, or check ``len(clique_pool(graph))`` first.

    `graph` may be of another library, as in `clique_pool`.

    Raises BudgetExceeded, with nothing half-done, when a level outgrows what is left of `budget`.

    >>> from cliquepool import Graph
    >>> clique_hierarchy(Graph.from_edges([(i, i + 1) for i in range(15)])).sizes
    (16, 15, 13, 9, 1)
    """
    graph = as_graph(graph)
    factors = graph._factors(threads)
    built = _core.hierarchy(
        factors.indptr,
        factors.indices,
        factors.sizes,
        _level_count(levels),
        thread_count(threads),
        _MOST_STORED,
        budget._limits(),
        progress,
    )
    poolings: list[Pooling] = []
    below = graph
    for (offsets, members), arrays, closed_weights, seconds in built:
        coarse_factors = factors_from_core(*arrays, closed_weights)
        coarse = coarse_graph(below, Ragged(offsets, members), coarse_factors, budget)
        poolings.append(Pooling(below, offsets, members, coarse=coarse, budget=budget, seconds=seconds))
        below = coarse
    return Hierarchy(graph, poolings)


class Hierarchy(Sequence[Pooling]):
    """The levels above a graph: ``h[0]`` pools the graph itself, ``h[1]`` the graph between those pools.

    >>> from cliquepool import Graph
    >>> h = clique_hierarchy(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    >>> h
    Hierarchy(4 -> 3 -> 1)
    >>> h[0].pools.tolist(), h[1].pools.tolist()
    ([[0, 1], [1, 2], [2, 3]], [[0, 1, 2]])
    """

    __slots__ = ("_graph", "_poolings")

    def __init__(self, graph: Graph, poolings: Iterable[Pooling]) -> None:
        self._graph = graph
        self._poolings = tuple(poolings)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of nodes at every level, from the graph itself up."""
        return (self._graph.num_nodes, *(pooling.num_pools for pooling in self._poolings))

    def graph(self, level: int) -> Graph:
        """Return the graph at a level: 0 is the one pooled first, ``len(h)`` the last coarse one."""
        index = range(len(self._poolings) + 1)[level]
        return self._graph if index == 0 else self._poolings[index - 1].coarse

    def receptive_field(self, level: int, node: int) -> npt.NDArray[np.int32]:
        """List the nodes of the input graph below one node of a level, ascending.

        >>> from cliquepool import Graph
        >>> h = clique_hierarchy(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)]))
        >>> h.receptive_field(2, 0)
        array([0, 1, 2, 3], dtype=int32)
        """
        if not 0 <= level <= len(self):
            raise GraphError(f"expected a level from 0 to {len(self)}, got {level}")
        node = operator.index(node)
        if not 0 <= node < self.sizes[level]:
            raise GraphError(
                f"expected a node of level {level}, from 0 to {self.sizes[level] - 1}, got {node}"
            )
        nodes = np.array([node], dtype=np.int32)
        for pooling in reversed(self._poolings[:level]):
            pools = pooling.pools
            nodes = np.unique(np.concatenate([pools[pool] for pool in nodes.tolist()]))
        return nodes

    def dependencies(self, level: int, hops: int | Sequence[int] = 1) -> Dependencies:
        """Return the dependency diagram of a level: which nodes of every lower level its nodes need.

        `hops` is the number of convolutions before each pooling: the same at every level, or one number for
        each level from 0 to `level`. ``h.dependencies(level).of(nodes)`` answers for some nodes.

        >>> from cliquepool import Graph
        >>> h = clique_hierarchy(Graph.from_edges([(i, i + 1) for i in range(9)]), levels=1)
        >>> diagram = h.dependencies(1, hops=1).of(0)
        >>> diagram
        DependencyDiagram(5 of 10 <- 3 of 9)
        >>> diagram[1].tolist(), diagram[0].tolist()
        ([0, 1, 2], [0, 1, 2, 3, 4])
        """
        return from_above("scale.dependencies", "Dependencies")(self, level, hops)  # type: ignore[no-any-return]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the hierarchy to a safetensors file atomically.

        >>> from cliquepool import Graph
        >>> h = clique_hierarchy(Graph.from_edges([(0, 1), (1, 2)]))
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     h.save(os.path.join(folder, "h.safetensors"))
        ...     Hierarchy.load(os.path.join(folder, "h.safetensors"))
        Hierarchy(3 -> 2 -> 1)
        """
        from cliquepool.storage import StoredHierarchy, write_hierarchy  # noqa: PLC0415 (seldom needed)

        stored = StoredHierarchy(
            graphs=[known_factors(self.graph(level)) for level in range(len(self) + 1)],
            pools=[pooling._by_class for pooling in self],
            seconds=[pooling.seconds for pooling in self],
            labels=self._graph.labels,
        )
        write_hierarchy(path, stored)

    @staticmethod
    def load(path: str | PathLike[str]) -> Hierarchy:
        """Read a hierarchy that `save` wrote. Raises GraphError for any other file, and for a damaged one.

        Pools are not computed again: `check` verifies that they are those of the graph.
        """
        from cliquepool.storage import read_hierarchy  # noqa: PLC0415 (seldom needed)

        return Hierarchy._from_stored(read_hierarchy(path))

    @staticmethod
    def open(folder: str | PathLike[str], *, validate: bool | None = None) -> Hierarchy:
        """Open a hierarchy in a folder that `cliquepool.scale.pool_out_of_core` wrote, without copying it.

        All arrays stay in their files, mapped into memory. Checksums and content are verified as by
        `Graph.open`. Raises GraphError that names the file that is truncated, damaged or of another version.
        """
        from cliquepool.hierarchy_folders import map_hierarchy  # noqa: PLC0415 (seldom needed)

        return Hierarchy._from_stored(map_hierarchy(folder, validate=validate))

    @staticmethod
    def _from_stored(stored: StoredHierarchy) -> Hierarchy:
        lowest = stored.graphs[0]
        assert isinstance(lowest, TwinFactors), "there are no pools below the lowest graph to imply its rows"
        bottom = Graph._from_twins(*lowest, stored.labels)
        poolings: list[Pooling] = []
        below = bottom
        for level, (pools, seconds) in enumerate(zip(stored.pools, stored.seconds, strict=True), start=1):
            is_stored = level < len(stored.graphs)
            coarse = coarse_graph(below, pools, stored.graphs[level]) if is_stored else None
            poolings.append(Pooling(below, pools.offsets, pools.members, coarse=coarse, seconds=seconds))
            below = poolings[-1].coarse if level < len(stored.pools) else below
        return Hierarchy(bottom, poolings)

    def check(
        self, graph: GraphLike | None = None, *, threads: int | None = None, budget: Budget = DEFAULT_BUDGET
    ) -> None:
        """Raise GraphError unless these are the levels above `graph`, or else above the lowest graph.

        Pools the graph again, which takes as long as `clique_hierarchy`. The error names the level and the
        first pool that differs. Labels are compared where both graphs have them.

        >>> from cliquepool import Graph
        >>> path = Graph.from_edges([(0, 1), (1, 2)])
        >>> clique_hierarchy(path).check(path)
        >>> clique_hierarchy(path).check(Graph.from_edges([(0, 1), (0, 2)]))
        Traceback (most recent call last):
        cliquepool.errors.GraphError: level 0: expected the graph given, Graph(3 nodes, 2 edges), got another
        """
        given = self._graph if graph is None else as_graph(graph)
        if given is not self._graph and not _same_graphs(given, self._graph):
            raise GraphError(f"level 0: expected the graph given, {given!r}, got another")
        expected = clique_hierarchy(self._graph, len(self), threads=threads, budget=budget)
        for level, (right, found) in enumerate(zip(expected, self, strict=True), start=1):
            _expect_pools(level, right, found)
            if not _same_coarse_graphs(right.coarse, found.coarse):
                raise GraphError(
                    f"level {level}: expected {right.coarse!r} between the pools, "
                    f"got another, {found.coarse!r}"
                )

    def __len__(self) -> int:
        return len(self._poolings)

    @overload
    def __getitem__(self, index: int) -> Pooling: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Pooling, ...]: ...
    def __getitem__(self, index: int | slice) -> Pooling | tuple[Pooling, ...]:
        return self._poolings[index]

    def __repr__(self) -> str:
        return f"Hierarchy({' -> '.join(f'{size:,}' for size in self.sizes)})"

    def _repr_html_(self) -> str:
        return str(from_above("view.notebook", "hierarchy_html")(self))


def _same_graphs(graph: Graph, other: Graph) -> bool:
    labelled = graph.labels is not None and other.labels is not None
    if labelled and not np.array_equal(graph.labels, other.labels):  # type: ignore[arg-type]
        return False
    return graph.twins._coarsest_factors().equals(other.twins._coarsest_factors())


def _same_coarse_graphs(graph: Graph, other: Graph) -> bool:
    """Tell whether two graphs between the same pools have the same twin classes and, if stored, rows."""
    factors, others = known_factors(graph), known_factors(other)
    if isinstance(factors, TwinFactors) == isinstance(others, TwinFactors):
        return same_arrays(factors, others)
    return same_arrays(factors[:2], others[:2]) and np.array_equal(graph.degrees, other.degrees)


def _expect_pools(level: int, right: Pooling, found: Pooling) -> None:
    """Raise GraphError that names the first pool of a level that differs from the right one."""
    if right._by_class == found._by_class:
        return
    pairs = zip(right._by_class, found._by_class, strict=False)
    for pool, pair in enumerate(pairs):
        if not np.array_equal(*pair):
            expected, got = (_in_words(pooling.pools[pool]) for pooling in (right, found))
            raise GraphError(f"level {level}, pool {pool}: expected the nodes {expected}, got {got}")
    raise GraphError(f"level {level}: expected {right.num_pools:,} pools, got {found.num_pools:,}")


def _in_words(nodes: npt.NDArray[np.int32]) -> str:
    listed = ", ".join(map(str, nodes[:10].tolist()))
    return f"{listed}, … ({len(nodes):,})" if len(nodes) > 10 else listed


def _level_count(levels: int | None) -> int:
    if levels is None:
        return _UNTIL_CONVERGED
    count = operator.index(levels)
    if not 0 <= count < 2**31:
        raise InputError(f"levels: expected an integer of at least 0 or None, got {levels!r}")
    return count
