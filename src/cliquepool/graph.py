"""An undirected simple graph that never changes, and every way into it but files."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from cliquepool import _core
from cliquepool._input import (
    MAX_NODES,
    checked_labels,
    inferred_node_count,
    integers,
    labels_of,
    node_count,
)
from cliquepool._words import counted
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import GraphError
from cliquepool.twins import Twins

if TYPE_CHECKING:
    import numpy.typing as npt

    NodeArray = npt.NDArray[np.int32]
    OffsetArray = npt.NDArray[np.int64]

__all__ = ["Graph"]

# An input that lies in memory already is taken whatever its size.
_NO_LIMITS: Final = Budget(max_cliques=None, max_seconds=None, max_bytes=None)._limits()


class Graph:
    """An undirected simple graph on the nodes 0 … n−1, immutable.

    Made by `from_edges`, `from_edge_index`, `from_networkx`, `from_scipy`, `from_pyg`, `from_csr` or
    `cliquepool.read_graph`. Self-loops are dropped, parallel and reversed edges are merged.

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
        """Make a graph from pairs of node ids.

        Parameters
        ----------
        edges : array of shape (m, 2), or an iterable of pairs
            Integers of any type. Loops are dropped; parallel and reversed edges count once.
        num_nodes : int, optional
            Nodes are 0 … num_nodes−1. By default up to the largest id.
        compact : bool
            Make nodes of those ids only that occur, in ascending order; `labels` keeps the ids.

        Raises GraphError on anything but pairs of integers in range.

        >>> Graph.from_edges([(0, 1), (1, 2)], num_nodes=5)
        Graph(5 nodes, 2 edges)
        >>> Graph.from_edges([(10, 7), (7, 500)], compact=True).labels
        array([  7,  10, 500])
        """
        pairs = integers(edges, "edges")
        if pairs.shape == (0,):
            pairs = pairs.reshape(0, 2)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            hint = "; Graph.from_edge_index takes shape (2, e)" if pairs.shape[:1] == (2,) else ""
            raise GraphError(f"edges: expected an array of shape (m, 2), got shape {pairs.shape}{hint}")
        return cls._from_endpoints(pairs.T, num_nodes, compact, "edges")

    @classmethod
    def from_edge_index(
        cls, edge_index: Any, num_nodes: int | None = None, *, compact: bool = False
    ) -> Graph:
        """Make a graph from an array of shape (2, e), NumPy's or torch's: sources above targets.

        Edges may be there in one direction or both. See `from_edges` for the rest.

        >>> Graph.from_edge_index([[0, 1, 1, 2], [1, 0, 2, 1]])
        Graph(3 nodes, 2 edges)
        """
        rows = integers(edge_index, "edge_index")
        if rows.ndim != 2 or rows.shape[0] != 2:
            hint = "; Graph.from_edges takes shape (m, 2)" if rows.ndim == 2 and rows.shape[1] == 2 else ""
            raise GraphError(f"edge_index: expected an array of shape (2, e), got shape {rows.shape}{hint}")
        return cls._from_endpoints(rows, num_nodes, compact, "edge_index")

    @classmethod
    def from_networkx(cls, graph: Any) -> Graph:
        """Make a graph from a networkx graph of any kind; directions and multiplicities are dropped.

        Nodes keep their order; where they are not 0 … n−1 already, `labels` has their names.

        >>> import networkx
        >>> g = Graph.from_networkx(networkx.Graph([("a", "b"), ("b", "c")]))
        >>> g.labels.tolist(), g.edges().tolist()
        (['a', 'b', 'c'], [[0, 1], [1, 2]])
        """
        if not (callable(getattr(graph, "nodes", None)) and callable(getattr(graph, "edges", None))):
            raise GraphError(f"expected a networkx graph, got {type(graph).__name__}")
        names = list(graph.nodes())
        position = {name: node for node, name in enumerate(names)}
        ends = np.fromiter((position[end] for edge in graph.edges() for end in edge[:2]), dtype=np.int64)
        labels = None if names == list(range(len(names))) else labels_of(names)
        indptr, indices = _core.build_csr(ends[0::2], ends[1::2], len(names), _NO_LIMITS)
        return cls._from_csr_trusted(indptr, indices, labels)

    @classmethod
    def from_scipy(cls, matrix: Any) -> Graph:
        """Make a graph from a square sparse matrix: u and v are joined where (u, v) or (v, u) is not zero.

        >>> import scipy.sparse
        >>> Graph.from_scipy(scipy.sparse.coo_array(([0.5, -2.0], ([0, 1], [1, 2])), shape=(3, 3)))
        Graph(3 nodes, 2 edges)
        """
        if not hasattr(matrix, "tocsr"):
            raise GraphError(f"expected a scipy sparse matrix, got {type(matrix).__name__}")
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            raise GraphError(f"expected a square matrix, got shape {matrix.shape}")
        num_nodes = node_count(matrix.shape[0])
        csr = matrix.tocsr()
        if not csr.has_canonical_format:
            csr = csr.copy()
            csr.sum_duplicates()
        if csr.dtype.kind in "fc" and np.isnan(csr.data).any():
            raise GraphError("expected a matrix of numbers, got NaN among its entries")
        nonzero = csr.data != 0
        sources = np.repeat(np.arange(num_nodes, dtype=np.int64), np.diff(csr.indptr))[nonzero]
        targets = csr.indices.astype(np.int64, copy=False)[nonzero]
        return cls._from_csr_trusted(*_core.build_csr(sources, targets, num_nodes, _NO_LIMITS))

    @classmethod
    def from_pyg(cls, data: Any) -> Graph:
        """Make a graph from a `torch_geometric.data.Data`, or whatever has `edge_index` and `num_nodes`.

        >>> from types import SimpleNamespace
        >>> Graph.from_pyg(SimpleNamespace(edge_index=[[0, 1], [1, 0]], num_nodes=3))
        Graph(3 nodes, 1 edge)
        """
        edge_index = getattr(data, "edge_index", None)
        if edge_index is None:
            raise GraphError(f"expected data with an edge_index, got {type(data).__name__} without one")
        return cls.from_edge_index(edge_index, getattr(data, "num_nodes", None))

    @classmethod
    def from_csr(cls, indptr: Any, indices: Any) -> Graph:
        """Make a graph from compressed rows: node v's neighbours are ``indices[indptr[v]:indptr[v+1]]``.

        Both directions must be there, neighbours ascending and distinct, without loops; GraphError says
        what is not so. The arrays are copied.

        >>> Graph.from_csr([0, 1, 3, 4], [1, 0, 2, 1])
        Graph(3 nodes, 2 edges)
        """
        offsets, neighbours = integers(indptr, "indptr"), integers(indices, "indices")
        for name, array in (("indptr", offsets), ("indices", neighbours)):
            if array.ndim != 1:
                raise GraphError(f"{name}: expected an array of one dimension, got shape {array.shape}")
        if neighbours.size and not (neighbours.min() >= 0 and neighbours.max() < MAX_NODES):
            raise GraphError(
                f"indices: expected node ids from 0 to {MAX_NODES - 1}, "
                f"got {neighbours.min()} to {neighbours.max()}"
            )
        rows = np.array(offsets, order="C"), neighbours.astype(np.int32)
        _core.validate_csr(*rows, _NO_LIMITS)
        return cls._from_csr_trusted(*rows)

    @classmethod
    def _from_endpoints(cls, ends: OffsetArray, num_nodes: int | None, compact: bool, what: str) -> Graph:
        """Make a graph from the two rows of `ends`, which have passed `integers`."""
        labels = None
        num_edges = ends.shape[1]
        if compact and num_nodes is not None:
            raise GraphError(f"expected num_nodes or compact=True, got both (num_nodes={num_nodes})")
        if num_nodes is not None:
            num_nodes = node_count(num_nodes)
        elif num_edges == 0:
            num_nodes = 0
        else:
            lowest, highest = int(ends.min()), int(ends.max())
            if lowest < 0:
                raise GraphError(f"{what}: expected node ids of at least 0, got {lowest}")
            if compact:
                flat, num_nodes, labels = _core.compact_ids(ends.reshape(-1), _NO_LIMITS)
                ends = flat.reshape(2, -1)
            else:
                num_nodes = inferred_node_count(highest, num_edges, what)
        try:
            indptr, indices = _core.build_csr(ends[0], ends[1], num_nodes, _NO_LIMITS)
        except GraphError as error:
            raise GraphError(f"{what}: {error}") from None
        return cls._from_csr_trusted(indptr, indices, labels)

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
        """Return the adjacency matrix, a `scipy.sparse.csr_array` of ones."""
        import scipy.sparse  # noqa: PLC0415 (it takes longer to import than all of this library)

        indptr, indices = self._expanded()
        ones = np.ones(len(indices), dtype=np.int64)
        return scipy.sparse.csr_array((ones, indices.copy(), indptr.copy()), shape=(self.num_nodes,) * 2)

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
        rows = {"nodes": self.num_nodes, "edges": self.num_edges}
        if self._twins is not None:
            rows["twin classes"] = len(self._twins.sizes)
        if self.num_nodes:
            rows["largest degree"] = int(self.degrees.max())
        cells = "".join(f"<tr><th>{name}</th><td>{value:,}</td></tr>" for name, value in rows.items())
        return f"<table><caption>Graph</caption>{cells}</table>"


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
