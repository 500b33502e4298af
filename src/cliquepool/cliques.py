"""Listing and counting of the maximal and maximum cliques of a graph.

Everywhere `graph` is a Graph, a networkx or igraph graph, a SciPy sparse matrix or PyG Data: see `as_graph`.
"""

from __future__ import annotations

import operator

from cliquepool import _core
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import InputError
from cliquepool.graph import Graph  # noqa: F401 (doctests use it)
from cliquepool.graph_like import GraphLike, as_graph
from cliquepool.ragged import Ragged
from cliquepool.threads import OnProgress, thread_count

__all__ = [
    "clique_number",
    "count_maximal_cliques",
    "count_maximal_cliques_by_size",
    "maximal_cliques",
    "maximum_cliques",
]


def maximal_cliques(
    graph: GraphLike,
    min_size: int = 1,
    *,
    threads: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> Ragged:
    """List the maximal cliques of `graph` with at least `min_size` nodes.

    A clique is a set of nodes that are all adjacent; it is maximal when no other node is adjacent to all
    of them. An isolated node is a maximal clique. Members ascend; the order of the cliques depends on the
    graph alone, not on the threads.

    Bron–Kerbosch with pivots over a degeneracy order: O(d·n·3^(d/3)) time for degeneracy d. Pooling
    does not need this list: see `clique_pool`.

    Raises BudgetExceeded when the list exceeds `budget`.

    References
    ----------
    D. Eppstein, M. Löffler, D. Strash, *Listing all maximal cliques in sparse graphs in near-optimal time*,
    ISAAC 2010.

    Examples
    --------
    >>> sorted(maximal_cliques(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])).tolist())
    [[0, 1, 2], [2, 3]]
    """
    graph = as_graph(graph)
    return Ragged(
        *_core.maximal_cliques(
            graph.indptr,
            graph.indices,
            _at_least_one(min_size),
            thread_count(threads),
            budget._limits(),
            progress,
        )
    )


def count_maximal_cliques(
    graph: GraphLike,
    min_size: int = 1,
    *,
    threads: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> int:
    """Count the maximal cliques of `graph` with at least `min_size` nodes without storing them.

    >>> count_maximal_cliques(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)]))
    2
    """
    counts = count_maximal_cliques_by_size(graph, min_size, threads=threads, budget=budget, progress=progress)
    return sum(counts.values())


def count_maximal_cliques_by_size(
    graph: GraphLike,
    min_size: int = 1,
    *,
    threads: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> dict[int, int]:
    """Count the maximal cliques of each size that occurs without storing them.

    >>> count_maximal_cliques_by_size(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)]))
    {2: 1, 3: 1}
    """
    graph = as_graph(graph)
    counts = _core.count_by_size(
        graph.indptr,
        graph.indices,
        _at_least_one(min_size),
        thread_count(threads),
        budget._limits(),
        progress,
    )
    return {size: count for size, count in enumerate(counts) if count}


def maximum_cliques(
    graph: GraphLike,
    *,
    threads: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> Ragged:
    """List all cliques of the largest size, by ascending members.

    This is the first round of clique pooling and as fast: branch and bound by colouring over a degeneracy
    order, without listing smaller cliques.

    >>> maximum_cliques(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 1)])).tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    graph = as_graph(graph)
    classes, sizes, indptr, indices = graph._factors(threads)
    offsets, members = _core.pool(
        indptr, indices, sizes, thread_count(threads), True, budget._limits(), progress
    )
    if len(sizes) == graph.num_nodes:
        return Ragged(offsets, members)
    return Ragged(*_core.expand_lists(offsets, members, classes, sizes, budget._limits()))


def clique_number(
    graph: GraphLike,
    *,
    threads: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> int:
    """Return the number of nodes in a largest clique; 0 for a graph without nodes.

    >>> clique_number(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)]))
    3
    """
    cliques = maximum_cliques(graph, threads=threads, budget=budget, progress=progress)
    return len(cliques[0]) if len(cliques) else 0


def _at_least_one(min_size: int) -> int:
    size = operator.index(min_size)
    if size < 1:
        raise InputError(f"min_size: expected an integer of at least 1, got {min_size!r}")
    return min(size, 2**31 - 1)
