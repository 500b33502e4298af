"""An undirected simple graph that never changes."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from cliquepool import _core, convert
from cliquepool._input import checked_labels
from cliquepool._upward import from_above
from cliquepool._words import counted
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import GraphError
from cliquepool.graph_folders import map_graph
from cliquepool.threads import thread_count
from cliquepool.twins import TwinFactors, Twins, checked_factors, same_arrays

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

    NodeArray = npt.NDArray[np.int32]
    OffsetArray = npt.NDArray[np.int64]
    Rows = tuple[OffsetArray, NodeArray]

__all__ = ["Graph"]

_ENTRIES_OF_LARGE_GRAPHS = 1 << 18  # in rows: from here on, a quotient is built when it is first needed


class Graph:
    """An undirected simple graph on the nodes 0 … n−1, immutable.

    Made by `from_edges`, `from_edge_index`, `from_pandas`, `from_networkx`, `from_scipy`, `from_pyg`,
    `from_csr`, `open` or `cliquepool.read_graph`. Self-loops are dropped, parallel and reversed edges are
    merged.

    A graph is stored as compressed rows or, like the coarse graphs of a pooling, by its twin classes alone;
    `indptr` and `indices` are then expanded on first use.

    >>> g = Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 2), (3, 3)])
    >>> g
    Graph(4 nodes, 4 edges)
    >>> g.neighbours(2)
    array([0, 1, 3], dtype=int32)
    """

    # It has many methods, all of them thin: `convert` does the work of the ways in and out.
    __slots__ = ("__weakref__", "_csr", "_labels", "_num_edges", "_twins")

    _csr: Rows | None
    _twins: Twins | None
    _num_edges: int | None
    _labels: npt.NDArray[Any] | None

    def __init__(self) -> None:
        raise TypeError("a Graph is made by Graph.from_edges, one of the other Graph.from_..., or read_graph")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Graph never changes: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Graph never changes: cannot delete {name!r}")

    # ---- from other formats ----

    @classmethod
    def from_edges(cls, edges: Any, num_nodes: int | None = None, *, compact: bool = False) -> Graph:
        """Make a graph from pairs of node ids, integers or text.

        Raises GraphError on anything but pairs of integers in range or pairs of text.

        Parameters
        ----------
        edges : array of shape (m, 2), an iterable of pairs, or a data frame
            Integers of any type, or text. Loops are dropped; parallel and reversed edges count once. For a
            data frame see `from_pandas`.
        num_nodes : int, optional
            Nodes are 0 … num_nodes−1. By default up to the largest id.
        compact : bool
            Make a node of each id that occurs, in ascending order; `labels` keeps the ids. Ids that are text
            are always compacted.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2)], num_nodes=5)
        Graph(5 nodes, 2 edges)
        >>> Graph.from_edges([(10, 7), (7, 500)], compact=True).labels
        array([  7,  10, 500])
        >>> Graph.from_edges([("bob", "carol"), ("alice", "bob")]).labels.tolist()
        ['alice', 'bob', 'carol']
        """
        return cls._from_csr_trusted(*convert.rows_of_edges(edges, num_nodes, compact))

    @classmethod
    def from_edge_index(
        cls, edge_index: Any, num_nodes: int | None = None, *, compact: bool = False
    ) -> Graph:
        """Make a graph from an array of shape (2, e), NumPy's or torch's: sources above targets.

        Edges may be there in one direction or both. See `from_edges` for the rest.

        >>> Graph.from_edge_index([[0, 1, 1, 2], [1, 0, 2, 1]])
        Graph(3 nodes, 2 edges)
        """
        return cls._from_csr_trusted(*convert.rows_of_edge_index(edge_index, num_nodes, compact))

    @classmethod
    def from_pandas(
        cls,
        frame: Any,
        source: Any = None,
        target: Any = None,
        *,
        num_nodes: int | None = None,
        compact: bool = False,
    ) -> Graph:
        """Make a graph from two columns of a data frame, pandas' or polars': an edge in each row.

        Raises GraphError on a missing value, with its row, and on columns that do not hold ids.

        Parameters
        ----------
        frame : DataFrame
            Other columns are ignored: a Graph has no weights.
        source, target : column names, optional
            By default the columns ``"source"`` and ``"target"``, or the only two columns.
        num_nodes, compact
            As in `from_edges`. Columns of text become nodes in ascending order, and `labels` keeps the text.

        Examples
        --------
        >>> import pandas
        >>> frame = pandas.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "weight": [0.5, 1.0]})
        >>> g = Graph.from_pandas(frame, source="a", target="b")
        >>> g, g.labels.tolist()
        (Graph(3 nodes, 2 edges), ['x', 'y', 'z'])
        """
        return cls._from_csr_trusted(
            *convert.rows_of_frame(frame, source, target, num_nodes=num_nodes, compact=compact)
        )

    @classmethod
    def from_networkx(cls, graph: Any) -> Graph:
        """Make a graph from a networkx graph of any kind.

        Nodes keep their order; where they are not 0 … n−1 already, `labels` has their names. Directions,
        the keys of a multigraph and all attributes are dropped; `GraphDataset.from_networkx` keeps
        attributes.

        >>> import networkx
        >>> g = Graph.from_networkx(networkx.Graph([("a", "b"), ("b", "c")]))
        >>> g.labels.tolist(), g.edges().tolist()
        (['a', 'b', 'c'], [[0, 1], [1, 2]])
        """
        return cls._from_csr_trusted(*convert.rows_of_networkx(graph))

    @classmethod
    def from_scipy(cls, matrix: Any) -> Graph:
        """Make a graph from a square sparse matrix: u and v are joined where (u, v) or (v, u) is not zero.

        The matrix or sparse array may be of any format; its index arrays are checked first.

        >>> import scipy.sparse
        >>> Graph.from_scipy(scipy.sparse.coo_array(([0.5, -2.0], ([0, 1], [1, 2])), shape=(3, 3)))
        Graph(3 nodes, 2 edges)
        """
        return cls._from_csr_trusted(*convert.rows_of_scipy(matrix))

    @classmethod
    def from_pyg(cls, data: Any) -> Graph:
        """Make a graph from a `torch_geometric.data.Data`, or any object with `edge_index` and `num_nodes`.

        A `Batch` becomes one graph of many components. `HeteroData` and data with `adj_t` instead of
        `edge_index` are refused with an error that names the alternative.

        >>> from types import SimpleNamespace
        >>> Graph.from_pyg(SimpleNamespace(edge_index=[[0, 1], [1, 0]], num_nodes=3))
        Graph(3 nodes, 1 edge)
        """
        return cls._from_csr_trusted(*convert.rows_of_pyg(data))

    @classmethod
    def from_csr(cls, indptr: Any, indices: Any) -> Graph:
        """Make a graph from compressed rows: node v's neighbours are ``indices[indptr[v]:indptr[v+1]]``.

        Both directions must be there, neighbours ascending and distinct, without loops. The arrays are
        copied. Raises GraphError on arrays that break these rules.

        >>> Graph.from_csr([0, 1, 3, 4], [1, 0, 2, 1])
        Graph(3 nodes, 2 edges)
        """
        return cls._from_csr_trusted(*convert.checked_rows(indptr, indices))

    @classmethod
    def open(cls, folder: str | PathLike[str], *, validate: bool | None = None) -> Graph:
        r"""Open a graph in a folder that `scale.convert_graph` or ``cliquepool convert`` wrote.

        Nothing is copied: offsets, neighbours and integer labels stay in their files, mapped into memory.
        Labels that are text are decoded.

        Sizes of files and the format version are always checked. Checksums and content are verified the
        first time, which is recorded in the folder, and when a file has changed since. `validate` True
        verifies in any case, False never.

        Raises GraphError that names the file that is truncated, damaged or of another version.

        >>> import pathlib, tempfile
        >>> from cliquepool.scale import convert_graph
        >>> with tempfile.TemporaryDirectory() as parent:
        ...     _ = pathlib.Path(parent, "path.txt").write_text("0 1\n1 2\n")
        ...     _ = convert_graph(pathlib.Path(parent, "path.txt"), pathlib.Path(parent, "path"))
        ...     Graph.open(pathlib.Path(parent, "path"))
        Graph(3 nodes, 2 edges)
        """
        indptr, indices, labels, _ = map_graph(folder, validate=validate)
        return cls._from_csr_trusted(indptr, indices, labels)

    @classmethod
    def _from_csr_trusted(cls, indptr: OffsetArray, indices: NodeArray, labels: Any = None) -> Graph:
        """Wrap arrays from the core without checks: int64 and int32, a valid graph."""
        return cls._make((_frozen(indptr), _frozen(indices)), None, labels)

    @classmethod
    def _from_twins(
        cls, classes: NodeArray, sizes: NodeArray, indptr: OffsetArray, indices: NodeArray, labels: Any = None
    ) -> Graph:
        """Wrap twin classes from the core without checks, numbered by their smallest node.

        Nodes of a class must be twins, but twins may be in different classes: the classes of a coarse graph
        hold only pools whose neighbourhoods in the graph below are equal.
        """
        quotient = cls._from_csr_trusted(indptr, indices)
        csr = quotient._csr if len(sizes) == len(classes) else None
        return cls._make(csr, Twins(_frozen(classes), _frozen(sizes), quotient), labels)

    @classmethod
    def _make(cls, csr: Rows | None, twins: Twins | None, labels: npt.NDArray[Any] | None) -> Graph:
        """Make a graph of its rows, its twin classes, or both."""
        graph = object.__new__(cls)
        graph._keep("_csr", csr)
        graph._keep("_twins", twins)
        graph._keep("_num_edges", None if csr is None else len(csr[1]) // 2)
        graph._keep("_labels", None if labels is None else _frozen(labels))
        return graph

    def _keep(self, name: str, value: object) -> None:
        """Set an attribute once, past `__setattr__`: a part of the graph or a value derived from it."""
        object.__setattr__(self, name, value)

    # ---- properties ----

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        if self._csr is not None:
            return len(self._csr[0]) - 1
        return len(self._known_twins().classes)

    @property
    def num_edges(self) -> int:
        """Number of edges, each counted once; computed without expanding the graph."""
        if self._num_edges is None:
            self._keep("_num_edges", self._known_twins()._count_edges())
        assert self._num_edges is not None
        return self._num_edges

    @property
    def labels(self) -> npt.NDArray[Any] | None:
        """The original ids of the nodes; None where these were 0 … n−1."""
        return self._labels

    @property
    def indptr(self) -> OffsetArray:
        """Where each node's neighbours begin in `indices`: n + 1 offsets, int64, read-only."""
        return self._expanded()[0]

    @property
    def indices(self) -> NodeArray:
        """The neighbours of all nodes, each node's ascending, every edge from both ends; int32, read-only."""
        return self._expanded()[1]

    @property
    def degrees(self) -> OffsetArray:
        """The number of neighbours of each node; computed without expanding the graph."""
        if self._csr is not None:
            return np.diff(self._csr[0])
        twins = self._known_twins()
        return twins.class_degrees[twins.classes]

    @property
    def twins(self) -> Twins:
        """The twin classes, computed on first use.

        >>> Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)]).twins.classes
        array([0, 0, 1, 2], dtype=int32)
        """
        return self._find_twins()

    def edges(self) -> OffsetArray:
        """List the edges (u, v) with u < v in ascending order, as an array of shape (m, 2).

        >>> Graph.from_edges([(2, 1), (1, 0)]).edges().tolist()
        [[0, 1], [1, 2]]
        """
        ends = self.to_edge_index()
        return np.ascontiguousarray(ends[:, ends[0] < ends[1]].T)

    def neighbours(self, node: int) -> NodeArray:
        """List the neighbours of a node, ascending, without expanding the graph."""
        node = operator.index(node)
        if not 0 <= node < self.num_nodes:
            raise GraphError(f"expected a node from 0 to {self.num_nodes - 1}, got {node}")
        if self._csr is not None:
            indptr, indices = self._csr
            return indices[indptr[node] : indptr[node + 1]]
        return _frozen(self._known_twins()._neighbours(node))

    def expand(self, *, budget: Budget = DEFAULT_BUDGET) -> Graph:
        """Compute `indptr` and `indices` of a graph that is stored by its twin classes; return the graph.

        They are computed on first use anyway, within the default budget: call this to set another one.
        Raises BudgetExceeded with the graph unchanged.
        """
        if self._csr is None:
            self.twins.quotient.expand(budget=budget)
            indptr, indices = _core.expand_graph(*self._factors(), budget._limits())
            self._keep("_csr", (_frozen(indptr), _frozen(indices)))
        return self

    def _expanded(self) -> Rows:
        if self._csr is None:
            self.expand()
        assert self._csr is not None
        return self._csr

    def _find_twins(self, threads: int | None = None) -> Twins:
        """Return the twin classes; compute them on so many threads, if that is still to be done."""
        if self._twins is None:
            indptr, indices = self._expanded()
            on_threads = thread_count(threads)
            small = len(indices) < _ENTRIES_OF_LARGE_GRAPHS
            classes, sizes, q_indptr, q_indices = _core.twin_classes(indptr, indices, on_threads, small)
            if len(sizes) == len(classes):  # no twins: graph and quotient are equal
                q_indptr, q_indices = indptr, indices
            if q_indptr is not None and q_indices is not None:
                quotient = Graph._from_csr_trusted(q_indptr, q_indices)
            else:
                make = from_above("quotients", "InducedQuotient").of
                quotient = make(indptr, indices, classes, len(sizes), on_threads)
            self._keep("_twins", Twins(_frozen(classes), _frozen(sizes), quotient))
        return self._known_twins()

    def _known_twins(self) -> Twins:
        assert self._twins is not None, "a graph has rows or twin classes"
        return self._twins

    def _factors(self, threads: int | None = None) -> TwinFactors:
        """Return the arrays of the twin classes."""
        return self._find_twins(threads)._factors()

    # ---- to other formats ----

    def to_edge_index(self) -> OffsetArray:
        """Return both directions of every edge as an array of shape (2, 2m).

        >>> Graph.from_edges([(0, 1)]).to_edge_index().tolist()
        [[0, 1], [1, 0]]
        """
        return convert.edge_index_of_rows(*self._expanded())

    def to_networkx(self) -> Any:
        """Return a `networkx.Graph`, its nodes named by `labels` where there are any."""
        return convert.networkx_of_edges(self.edges(), self.num_nodes, self._labels)

    def to_scipy(self) -> Any:
        """Return the adjacency matrix, a `scipy.sparse.csr_array` of ones.

        Its indices are int32 where that is wide enough: `csgraph` of SciPy before 1.15 needs that.
        """
        return convert.scipy_of_rows(*self._expanded())

    # ---- as a value ----

    def __eq__(self, other: object) -> bool:
        """Tell whether both have the same nodes, edges and labels, however they are stored."""
        if not isinstance(other, Graph):
            return NotImplemented
        if self is other:
            return True
        if (self.num_nodes, self.num_edges) != (other.num_nodes, other.num_edges):
            return False
        if not same_arrays([self._labels], [other._labels]):
            return False
        if self._csr is not None and other._csr is not None:
            return same_arrays(self._csr, other._csr)
        return self.twins._coarsest_factors().equals(other.twins._coarsest_factors())

    def __hash__(self) -> int:
        return hash((self.num_nodes, self.num_edges))

    def __copy__(self) -> Graph:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Graph:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Poolings refer to nodes by their classes, so known classes are pickled too.
        if self._twins is not None:
            return restore_twins, (*self._factors(), self._labels)
        return _restore, (*self._expanded(), self._labels)

    def __repr__(self) -> str:
        return f"Graph({counted(self.num_nodes, 'node')}, {counted(self.num_edges, 'edge')})"

    def _repr_html_(self) -> str:
        return str(from_above("view.notebook", "graph_html")(self))


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype == np.int64 and array.dtype.char != np.dtype(np.int64).char:
        array = array.view(np.int64)  # from the core: long long, which NumPy prints less well than long
    array.setflags(write=False)
    return array


# Pickled graphs name the next two functions, which check everything: a pickle may be damaged.


def _restore(indptr: Any, indices: Any, labels: Any) -> Graph:
    """Rebuild a pickled graph from its rows."""
    graph = Graph.from_csr(indptr, indices)
    return Graph._from_csr_trusted(*graph._expanded(), checked_labels(labels, graph.num_nodes))


def restore_twins(classes: Any, sizes: Any, q_indptr: Any, q_indices: Any, labels: Any) -> Graph:
    """Rebuild a pickled graph from its twin factors."""
    factors = checked_factors(classes, sizes, q_indptr, q_indices)
    return Graph._from_twins(*factors, checked_labels(labels, factors.num_nodes))
