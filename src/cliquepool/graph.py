"""An undirected simple graph that never changes."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from cliquepool import _core, convert
from cliquepool._input import checked_labels, integers
from cliquepool._words import counted
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import GraphError
from cliquepool.twins import Twins

if TYPE_CHECKING:
    import numpy.typing as npt

    NodeArray = npt.NDArray[np.int32]
    OffsetArray = npt.NDArray[np.int64]

__all__ = ["Graph"]


class Graph:
    """An undirected simple graph on the nodes 0 … n−1, immutable.

    Made by `from_edges`, `from_edge_index`, `from_pandas`, `from_networkx`, `from_scipy`, `from_pyg`,
    `from_csr` or `cliquepool.read_graph`. Self-loops are dropped, parallel and reversed edges are merged.

    A graph is kept as compressed rows, or, as the coarse graphs of a pooling are, by its twin classes
    alone; `indptr` and `indices` are then written out when they are first asked for.

    >>> g = Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 2), (3, 3)])
    >>> g
    Graph(4 nodes, 4 edges)
    >>> g.neighbours(2)
    array([0, 1, 3], dtype=int32)
    """

    __slots__ = ("__weakref__", "_csr", "_labels", "_num_edges", "_twins")

    _csr: tuple[OffsetArray, NodeArray] | None
    _twins: Twins | None
    _num_edges: int | None
    _labels: npt.NDArray[Any] | None

    def __init__(self) -> None:
        raise TypeError("a Graph is made by Graph.from_edges, one of the other Graph.from_..., or read_graph")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Graph never changes: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Graph never changes: cannot delete {name!r}")

    # ---- ways in ----

    @classmethod
    def from_edges(cls, edges: Any, num_nodes: int | None = None, *, compact: bool = False) -> Graph:
        """Make a graph from pairs of node ids, integers or text.

        Parameters
        ----------
        edges : array of shape (m, 2), an iterable of pairs, or a data frame
            Integers of any type, or text. Loops are dropped; parallel and reversed edges count once. For a
            data frame see `from_pandas`.
        num_nodes : int, optional
            Nodes are 0 … num_nodes−1. By default up to the largest id.
        compact : bool
            Make nodes of those ids only that occur, in ascending order; `labels` keeps the ids. Ids that are
            text are always taken so.

        Raises GraphError on anything but pairs of integers in range or pairs of text.

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

        Parameters
        ----------
        frame : DataFrame
            Other columns are not looked at: a Graph has no weights.
        source, target : column names, optional
            By default the columns ``"source"`` and ``"target"``, or, where there are two columns, these.
        num_nodes, compact
            As in `from_edges`. Columns of text become nodes in ascending order, and `labels` keeps the text.

        Raises GraphError on a missing value, with its row, and on columns that are no ids.

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
        the keys of a multigraph and all attributes are no part of a Graph; `GraphDataset.from_networkx`
        takes attributes.

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
        """Make a graph from a `torch_geometric.data.Data`, or whatever has `edge_index` and `num_nodes`.

        A `Batch` becomes one graph of many components. `HeteroData` and data with `adj_t` instead of
        `edge_index` are refused, with what to do instead.

        >>> from types import SimpleNamespace
        >>> Graph.from_pyg(SimpleNamespace(edge_index=[[0, 1], [1, 0]], num_nodes=3))
        Graph(3 nodes, 1 edge)
        """
        return cls._from_csr_trusted(*convert.rows_of_pyg(data))

    @classmethod
    def from_csr(cls, indptr: Any, indices: Any) -> Graph:
        """Make a graph from compressed rows: node v's neighbours are ``indices[indptr[v]:indptr[v+1]]``.

        Both directions must be there, neighbours ascending and distinct, without loops; GraphError says
        what is not so. The arrays are copied.

        >>> Graph.from_csr([0, 1, 3, 4], [1, 0, 2, 1])
        Graph(3 nodes, 2 edges)
        """
        return cls._from_csr_trusted(*convert.checked_rows(indptr, indices))

    @classmethod
    def _from_csr_trusted(
        cls, indptr: OffsetArray, indices: NodeArray, labels: npt.NDArray[Any] | None = None
    ) -> Graph:
        """Take arrays that the core made, as they are: int64 and int32, a valid graph."""
        return cls._make((_frozen(indptr), _frozen(indices)), None, labels)

    @classmethod
    def _from_twins(
        cls,
        classes: NodeArray,
        sizes: NodeArray,
        q_indptr: OffsetArray,
        q_indices: NodeArray,
        labels: npt.NDArray[Any] | None = None,
    ) -> Graph:
        """Take a graph by its twin classes, as the core made them: numbered by their smallest node.

        Nodes of a class must be twins; twins need not be in one class (those of a coarse graph are only
        those pools whose neighbourhoods in the graph below are equal).
        """
        quotient = cls._from_csr_trusted(q_indptr, q_indices)
        csr = quotient._csr if len(sizes) == len(classes) else None
        return cls._make(csr, Twins(_frozen(classes), _frozen(sizes), quotient), labels)

    @classmethod
    def _make(
        cls,
        csr: tuple[OffsetArray, NodeArray] | None,
        twins: Twins | None,
        labels: npt.NDArray[Any] | None,
    ) -> Graph:
        graph = object.__new__(cls)
        graph._keep("_csr", csr)
        graph._keep("_twins", twins)
        graph._keep("_num_edges", None if csr is None else len(csr[1]) // 2)
        graph._keep("_labels", None if labels is None else _frozen(labels))
        return graph

    def _keep(self, name: str, value: object) -> None:
        """Set what is set once: a part of the graph, or something that follows from it."""
        object.__setattr__(self, name, value)

    # ---- what it is ----

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        if self._csr is not None:
            return len(self._csr[0]) - 1
        return len(self._known_twins().classes)

    @property
    def num_edges(self) -> int:
        """Number of edges, each counted once; known without writing the graph out."""
        if self._num_edges is None:
            twins = self._known_twins()
            sizes = twins.sizes.astype(np.int64)
            self._keep("_num_edges", int(np.dot(sizes, twins.class_degrees) // 2))
        assert self._num_edges is not None
        return self._num_edges

    @property
    def labels(self) -> npt.NDArray[Any] | None:
        """What the nodes were called where the graph came from; None when that was 0 … n−1."""
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
        """The number of neighbours of each node; known without writing the graph out."""
        if self._csr is not None:
            return np.diff(self._csr[0])
        twins = self._known_twins()
        return twins.class_degrees[twins.classes]

    @property
    def twins(self) -> Twins:
        """The twin classes, found when first asked for.

        >>> Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)]).twins.classes
        array([0, 0, 1, 2], dtype=int32)
        """
        if self._twins is None:
            indptr, indices = self._expanded()
            classes, sizes, q_indptr, q_indices = _core.twin_classes(indptr, indices)
            if q_indptr is None or q_indices is None:  # no twins: the graph is its own quotient
                q_indptr, q_indices = indptr, indices
            quotient = self._from_csr_trusted(q_indptr, q_indices)
            self._keep("_twins", Twins(_frozen(classes), _frozen(sizes), quotient))
        return self._known_twins()

    def edges(self) -> OffsetArray:
        """List the edges (u, v) with u < v in ascending order, as an array of shape (m, 2).

        >>> Graph.from_edges([(2, 1), (1, 0)]).edges().tolist()
        [[0, 1], [1, 2]]
        """
        indptr, indices = self._expanded()
        sources = np.repeat(np.arange(self.num_nodes, dtype=np.int64), np.diff(indptr))
        once = sources < indices
        return np.stack((sources[once], indices[once]), axis=1)

    def neighbours(self, node: int) -> NodeArray:
        """List the neighbours of a node, ascending, without writing the graph out."""
        node = operator.index(node)
        if not 0 <= node < self.num_nodes:
            raise GraphError(f"expected a node from 0 to {self.num_nodes - 1}, got {node}")
        if self._csr is not None:
            indptr, indices = self._csr
            return indices[indptr[node] : indptr[node + 1]]
        twins = self._known_twins()
        joined = np.zeros(len(twins.sizes), dtype=np.bool_)
        joined[twins.classes[node]] = True
        joined[twins.quotient.neighbours(int(twins.classes[node]))] = True
        nodes = np.flatnonzero(joined[twins.classes])
        return _frozen(nodes[nodes != node].astype(np.int32))

    def expand(self, *, budget: Budget = DEFAULT_BUDGET) -> Graph:
        """Write out `indptr` and `indices` of a graph that is kept by its twin classes; return the graph.

        They are written out when first asked for anyway, within the default budget. This is the way to
        allow more, or less. Raises BudgetExceeded with the graph unchanged.
        """
        if self._csr is None:
            twins = self._known_twins()
            q_indptr, q_indices = twins.quotient._expanded()
            indptr, indices = _core.expand_graph(
                twins.classes, twins.sizes, q_indptr, q_indices, budget._limits()
            )
            self._keep("_csr", (_frozen(indptr), _frozen(indices)))
        return self

    def _expanded(self) -> tuple[OffsetArray, NodeArray]:
        if self._csr is None:
            self.expand()
        assert self._csr is not None
        return self._csr

    def _known_twins(self) -> Twins:
        assert self._twins is not None, "a graph has rows or twin classes"
        return self._twins

    def _factors(self) -> tuple[NodeArray, NodeArray, OffsetArray, NodeArray]:
        """Return the graph as its twin classes, their sizes, and the rows of the quotient."""
        twins = self.twins
        return (twins.classes, twins.sizes, *twins.quotient._expanded())

    def _coarsest_factors(self) -> tuple[NodeArray, NodeArray, OffsetArray, NodeArray]:
        """Return the factors by classes that hold all twins: equal for equal graphs."""
        twins = self.twins
        merged = twins.quotient.twins
        classes = merged.classes[twins.classes]
        return (classes, np.bincount(classes).astype(np.int32), *merged.quotient._expanded())

    # ---- ways out ----

    def to_edge_index(self) -> OffsetArray:
        """Return both directions of every edge as an array of shape (2, 2m).

        >>> Graph.from_edges([(0, 1)]).to_edge_index().tolist()
        [[0, 1], [1, 0]]
        """
        indptr, indices = self._expanded()
        edge_index = np.empty((2, len(indices)), dtype=np.int64)
        edge_index[0] = np.repeat(np.arange(self.num_nodes, dtype=np.int64), np.diff(indptr))
        edge_index[1] = indices
        return edge_index

    def to_networkx(self) -> Any:
        """Return a `networkx.Graph`, its nodes named by `labels` where there are any."""
        import networkx as nx  # noqa: PLC0415 (an optional dependency)

        names = list(range(self.num_nodes)) if self._labels is None else self._labels.tolist()
        graph = nx.Graph()
        graph.add_nodes_from(names)
        graph.add_edges_from((names[u], names[v]) for u, v in self.edges().tolist())
        return graph

    def to_scipy(self) -> Any:
        """Return the adjacency matrix, a `scipy.sparse.csr_array` of ones.

        Its indices are of int32 where that is wide enough: SciPy before 1.15 takes no others in `csgraph`.
        """
        import scipy.sparse  # noqa: PLC0415 (it takes longer to import than all of this library)

        indptr, indices = self._expanded()
        ones = np.ones(len(indices), dtype=np.int64)
        narrow = np.int32 if len(indices) <= np.iinfo(np.int32).max else np.int64
        parts = (ones, indices.astype(narrow), indptr.astype(narrow))
        return scipy.sparse.csr_array(parts, shape=(self.num_nodes,) * 2)

    # ---- as a value ----

    def __eq__(self, other: object) -> bool:
        """Tell whether both have the same nodes, edges and labels, however they are kept."""
        if not isinstance(other, Graph):
            return NotImplemented
        if self is other:
            return True
        if (self.num_nodes, self.num_edges) != (other.num_nodes, other.num_edges):
            return False
        labels, others = (() if graph._labels is None else (graph._labels,) for graph in (self, other))
        if len(labels) != len(others) or not _same(labels, others):
            return False
        if self._csr is not None and other._csr is not None:
            return _same(self._csr, other._csr)
        return _same(self._coarsest_factors(), other._coarsest_factors())

    def __hash__(self) -> int:
        return hash((self.num_nodes, self.num_edges))

    def __copy__(self) -> Graph:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Graph:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Poolings refer to nodes by their classes, so classes once found go along.
        if self._twins is not None:
            return restore_twins, (*self._factors(), self._labels)
        return _restore, (*self._expanded(), self._labels)

    def __repr__(self) -> str:
        return f"Graph({counted(self.num_nodes, 'node')}, {counted(self.num_edges, 'edge')})"

    def _repr_html_(self) -> str:
        from cliquepool.view.notebook import graph_html  # noqa: PLC0415 (it imports this module)

        return graph_html(self)


def _same(arrays: tuple[npt.NDArray[Any], ...], others: tuple[npt.NDArray[Any], ...]) -> bool:
    return all(np.array_equal(array, other) for array, other in zip(arrays, others, strict=True))


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype == np.int64 and array.dtype.char != np.dtype(np.int64).char:
        array = array.view(np.int64)  # the core's 64-bit integers, by the name that NumPy prints best
    array.setflags(write=False)
    return array


def _restore(indptr: Any, indices: Any, labels: Any) -> Graph:
    """Make a pickled graph again; what a pickle holds is not to be trusted."""
    graph = Graph.from_csr(indptr, indices)
    return Graph._from_csr_trusted(*graph._expanded(), checked_labels(labels, graph.num_nodes))


def restore_twins(classes: Any, sizes: Any, q_indptr: Any, q_indices: Any, labels: Any) -> Graph:
    """Make a graph again from the factors that it was stored by; they are checked."""
    quotient = Graph.from_csr(q_indptr, q_indices)
    classes, sizes = (integers(array, "twins").astype(np.int32) for array in (classes, sizes))
    found, first, counts = np.unique(classes, return_index=True, return_counts=True)
    valid = (
        classes.ndim == sizes.ndim == 1
        and np.array_equal(found, np.arange(quotient.num_nodes))
        and bool(np.all(np.diff(first) > 0))
        and np.array_equal(counts, sizes)
    )
    if not valid:
        raise GraphError(
            "twins: expected the classes of nodes, their sizes and quotient, got arrays that disagree"
        )
    labels = checked_labels(labels, len(classes))
    return Graph._from_twins(classes, sizes, *quotient._expanded(), labels)
