"""One level of clique pooling: the pools of a graph, and the graph between them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cliquepool import _core
from cliquepool._input import array_of
from cliquepool._upward import from_above
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import GraphError, InputError
from cliquepool.graph import Graph
from cliquepool.graph_like import GraphLike, as_graph
from cliquepool.quotients import pools_by_nodes
from cliquepool.ragged import Ragged
from cliquepool.threads import OnProgress, thread_count

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Pooling", "clique_pool"]

Reduction = Literal["mean", "max", "sum"]


def clique_pool(
    graph: GraphLike,
    *,
    threads: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> Pooling:
    """Pool the nodes of `graph` by its cliques, largest first.

    Every node joins the largest clique that is left when its turn comes; nodes of equally large
    cliques join them all. The result depends on the graph alone.

    Exact, and without listing the maximal cliques: for k = ω, ω−1, …, 1, all k-cliques of the remaining
    graph become pools and their nodes are removed. The search is branch and bound over a degeneracy order, on
    twin classes where there are any; exponential in the worst case, near-linear on most real graphs.

    `graph` is a Graph, a networkx or igraph graph, a SciPy sparse matrix or PyG Data; ``p.graph`` is the
    Graph that it was converted to, with the names of its nodes in `labels`.

    A graph with many edges and few triangles has more pools than nodes: 200,000 nodes with a million random
    edges have 994,252. Directions and weights of edges are ignored; heterogeneous graphs are refused.

    Raises BudgetExceeded, with nothing half-done, when the pools outgrow `budget`.

    References
    ----------
    E. Luzhnica, B. Day, P. Liò, *Clique pooling for graph classification*, 2019.

    Examples
    --------
    >>> clique_pool(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])).pools.tolist()
    [[0, 1, 2], [3]]
    >>> import networkx
    >>> p = clique_pool(networkx.Graph(["ab", "bc", "ca", "cd"]))
    >>> [p.graph.labels[pool].tolist() for pool in p.pools]
    [['a', 'b', 'c'], ['d']]
    """
    graph = as_graph(graph)
    twins = graph._find_twins(threads)
    options = (budget._limits(), progress)
    if pools_by_nodes(twins):
        rows = graph._expanded()
        lists = _core.pool_by_nodes(*rows, twins.classes, thread_count(threads), *options)
    else:
        _, sizes, indptr, indices = twins._factors()
        lists = _core.pool(indptr, indices, sizes, thread_count(threads), False, *options)
    return Pooling(graph, *lists, budget=budget)


class Pooling:
    """The pools of a graph, in canonical order: largest first, then by ascending members.

    Made by `clique_pool`, or by indexing a `Hierarchy`.

    Attributes
    ----------
    graph : Graph
        The graph that was pooled.
    seconds : float or None
        The time it took to compute, where it is a level of a hierarchy.
    """

    def __init__(
        self,
        graph: Graph,
        class_offsets: npt.NDArray[np.int64],
        class_members: npt.NDArray[np.int32],
        *,
        coarse: Graph | None = None,
        budget: Budget = DEFAULT_BUDGET,
        seconds: float | None = None,
    ) -> None:
        self.graph = graph
        self.seconds = seconds
        self._by_class = Ragged(class_offsets, class_members)
        self._budget = budget
        if coarse is not None:
            self.__dict__["coarse"] = coarse

    def __len__(self) -> int:
        return len(self._by_class)

    @property
    def num_pools(self) -> int:
        """The number of pools, which is the number of nodes of the coarse graph."""
        return len(self._by_class)

    @property
    def largest(self) -> int:
        """The number of nodes in the largest pool; 0 when there is none."""
        if not len(self):
            return 0
        sizes = self.graph.twins.sizes
        return int(sizes[self._by_class[0]].sum())

    @cached_property
    def pools(self) -> Ragged:
        """The nodes of each pool, ascending."""
        classes, sizes = self.graph.twins.classes, self.graph.twins.sizes
        if len(sizes) == self.graph.num_nodes:
            return self._by_class
        lists = self._by_class
        return Ragged(
            *_core.expand_lists(lists.offsets, lists.members, classes, sizes, self._budget._limits())
        )

    @cached_property
    def coarse(self) -> Graph:
        """The graph between the pools: joined when a node of one is adjacent to a node of the other.

        Stored by its twin classes: `num_nodes` and `num_edges` need no expansion.
        """
        _, _, indptr, indices = self.graph._factors()
        lists = self._by_class
        return Graph._from_twins(
            *_core.coarsen(indptr, indices, lists.offsets, lists.members, self._budget._limits(), None)
        )

    @cached_property
    def memberships(self) -> Ragged:
        """The pools of each node, ascending; never empty."""
        return self.pools.transpose(self.graph.num_nodes)

    def assignment(self) -> Any:
        """Return the 0/1 membership matrix S, nodes by pools, as a SciPy CSR array."""
        from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import, seldom needed)

        memberships = self.memberships
        ones = np.ones(len(memberships.members), dtype=np.int64)
        shape = (self.graph.num_nodes, self.num_pools)
        return csr_array((ones, memberships.members, memberships.offsets), shape=shape)

    def coarse_weights(self, *, budget: Budget | None = None) -> npt.NDArray[np.int64]:
        """Count the edges of the graph behind each edge of the coarse one.

        These are the entries of ``offdiag(Sᵀ A S)``, aligned with ``coarse.indices``. The coarse graph is
        expanded for this, within the budget.

        >>> p = clique_pool(Graph.from_edges([(0, 1), (1, 2), (0, 2), (1, 3), (2, 3), (3, 4)]))
        >>> p.pools.tolist(), p.coarse.edges().tolist()
        ([[0, 1, 2], [1, 2, 3], [4]], [[0, 1], [1, 2]])
        >>> p.coarse_weights().tolist()
        [6, 6, 1, 1]
        """
        budget = self._budget if budget is None else budget
        _, sizes, indptr, indices = self.graph._factors()
        lists = self._by_class
        coarse = self.coarse.expand(budget=budget)
        weights: npt.NDArray[np.int64] = _core.inherited_edges(
            indptr,
            indices,
            sizes,
            lists.offsets,
            lists.members,
            coarse.indptr,
            coarse.indices,
            budget._limits(),
        )
        return weights

    def reduce(self, x: npt.ArrayLike, reduction: Reduction = "mean") -> npt.NDArray[Any]:
        """Turn node features into pool features: the mean, max or sum over each pool's members.

        `x` has one row for each node; the result has one for each pool. A NaN in a row makes the features of
        its pools NaN. Raises GraphError on masked arrays, and on other objects than arrays of numbers.

        >>> p = clique_pool(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)]))
        >>> p.reduce([1.0, 2.0, 6.0, 5.0])
        array([3., 5.])
        """
        features = _rows(x, self.graph.num_nodes, "node")
        ufunc = {"mean": np.add, "sum": np.add, "max": np.maximum}.get(reduction)
        if ufunc is None:
            raise InputError(f'reduction: expected "mean", "max" or "sum", got {reduction!r}')
        dtype = np.result_type(features.dtype, np.float16) if reduction == "mean" else None
        return _reduce(features, self.pools, ufunc, mean_dtype=dtype)

    def lift(self, y: npt.ArrayLike) -> npt.NDArray[Any]:
        """Turn pool features into node features: each node gets the mean over its pools.

        >>> p = clique_pool(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
        >>> p.pools.tolist(), p.lift([1.0, 3.0, 5.0])
        ([[0, 1], [1, 2], [2, 3]], array([1., 2., 4., 5.]))
        """
        features = _rows(y, self.num_pools, "pool")
        dtype = np.result_type(features.dtype, np.float16)
        return _reduce(features, self.memberships, np.add, mean_dtype=dtype)

    def __repr__(self) -> str:
        return f"Pooling({self.graph.num_nodes:,} nodes -> {len(self):,} pools, largest of {self.largest:,})"

    def _repr_html_(self) -> str:
        return str(from_above("view.notebook", "pooling_html")(self))


def _rows(values: npt.ArrayLike, expected: int, what: str) -> npt.NDArray[Any]:
    """Convert features to an array with one row for each node or pool; NaN is allowed."""
    if hasattr(values, "tocsr"):
        raise GraphError(f"features: expected an array, got the sparse matrix {type(values).__name__}")
    rows = array_of(values, "features", "an array of numbers")
    if rows.ndim == 0 or len(rows) != expected:
        got = f"{len(rows):,} rows" if rows.ndim else "a single value"
        raise GraphError(f"expected one row for each {what} ({expected:,}), got {got}")
    if rows.dtype.kind not in "biufc":
        raise GraphError(f"expected numbers, got an array of {rows.dtype}")
    return rows


def _reduce(
    rows: npt.NDArray[Any], lists: Ragged, ufunc: np.ufunc, *, mean_dtype: np.dtype[Any] | None
) -> npt.NDArray[Any]:
    """Reduce the rows of each list, none of which is empty, to one row."""
    if rows.dtype == np.bool_ and ufunc is np.add:
        rows = rows.astype(np.int64)
    if not len(lists):
        return np.zeros((0, *rows.shape[1:]), dtype=rows.dtype if mean_dtype is None else mean_dtype)
    if mean_dtype is not None:
        rows = rows.astype(mean_dtype, copy=False)
    reduced: npt.NDArray[Any] = ufunc.reduceat(rows[lists.members], lists.offsets[:-1], axis=0)
    if mean_dtype is not None:
        reduced /= lists.sizes.astype(mean_dtype).reshape(-1, *[1] * (rows.ndim - 1))
    return reduced
