"""Converters between compressed rows and the graphs of other libraries, arrays and data frames.

The functions `rows_of_...` return the parts of a `Graph`: its offsets, its neighbours and its labels; those
called `..._of_rows` go the other way. `Graph` has a thin method for each. Objects are recognised by their
attributes, so that no other library is imported to read its graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool._input import (
    MAX_NODES,
    array_of,
    as_ids,
    as_int64,
    compact_names,
    inferred_node_count,
    integers,
    labels_of,
    listed,
    node_count,
    shown,
    text_of,
)
from cliquepool._moved import forward_to
from cliquepool._sparse import nonzero_entries
from cliquepool.budget import Budget
from cliquepool.errors import GraphError
from cliquepool.threads import thread_count

if TYPE_CHECKING:
    import numpy.typing as npt

    LabelledRows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any] | None]

# The input is in memory already: its size needs no limit.
_NO_LIMITS: Final = Budget(max_cliques=None, max_seconds=None, max_bytes=None)._limits()

_MANY_EDGES: Final = 1 << 18


# `as_graph` and `GraphLike` moved.
__getattr__ = forward_to("graph_like")


def rows_of_any(graph: Any) -> LabelledRows:
    """Convert a graph of any supported library; raise GraphError for any other object."""
    is_graph = not (_is_array(graph) or _is_frame(graph))  # a column may be called "edge_index"
    if is_graph and hasattr(graph, "tocsr"):
        return rows_of_scipy(graph)
    if is_graph and (hasattr(graph, "edge_index") or hasattr(graph, "edge_types")):
        return rows_of_pyg(graph)
    if hasattr(graph, "get_edgelist") and hasattr(graph, "vcount"):
        return rows_of_igraph(graph)
    if is_networkx(graph):
        return rows_of_networkx(graph)
    raise GraphError(
        "expected a Graph, a networkx or igraph graph, a SciPy sparse matrix or PyG Data, "
        f"got {_described(graph)}"
    )


def _described(graph: Any) -> str:
    """Name the type of an object that is not a graph, and the function that accepts it."""
    name = type(graph).__name__
    if isinstance(graph, str) or hasattr(graph, "__fspath__"):
        return f"{name}; read_graph reads a file"
    if _is_frame(graph):
        return f"{name}; Graph.from_pandas takes a data frame"
    if _is_array(graph):
        shape = f" of shape {tuple(graph.shape)}" if hasattr(graph, "shape") else ""
        return (
            f"{name}{shape}; Graph.from_edges takes an array of shape (m, 2), Graph.from_edge_index one of "
            "shape (2, e), Graph.from_scipy(scipy.sparse.csr_array(a)) an adjacency matrix"
        )
    if hasattr(graph, "node_start"):
        return f"{name}; its method graph(i) returns one graph"
    return name


def _is_array(graph: Any) -> bool:
    is_tensor = hasattr(graph, "detach") and hasattr(graph, "numpy")  # PyG's Data has the first only
    return is_tensor or isinstance(graph, (list, tuple, set, np.ndarray))


def _is_frame(graph: Any) -> bool:
    return hasattr(graph, "columns") and hasattr(graph, "to_numpy")


def has_edge_index(data: Any) -> bool:
    """Tell whether one graph has an edge index; a PyG data set forwards the attribute to all its graphs."""
    return hasattr(type(data), "edge_index") or "edge_index" in getattr(data, "__dict__", ())


def is_networkx(graph: Any) -> bool:
    """Tell whether this looks like a networkx graph."""
    return callable(getattr(graph, "nodes", None)) and callable(getattr(graph, "edges", None))


# ---- arrays ----


def rows_of_edges(edges: Any, num_nodes: int | None, compact: bool) -> LabelledRows:
    """Convert pairs of integers or text; see `Graph.from_edges`."""
    if _is_frame(edges):
        return rows_of_frame(edges, None, None, num_nodes=num_nodes, compact=compact)
    if is_networkx(edges):  # iterates over its nodes, which may be pairs
        raise GraphError("edges: expected pairs of node ids, got a graph; Graph.from_networkx takes it")
    edges = listed(edges)
    array = array_of(edges, "edges", "an array of integers or text")
    names = text_of(array, edges, "edges") if array.ndim == 2 else None
    pairs: npt.NDArray[Any] = as_ids(array, edges, "edges") if names is None else names
    if pairs.shape == (0,):
        pairs = pairs.reshape(0, 2)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        hint = "; Graph.from_edge_index takes shape (2, e)" if pairs.shape[:1] == (2,) else ""
        raise GraphError(f"edges: expected an array of shape (m, 2), got shape {pairs.shape}{hint}")
    if names is not None:
        return _rows_of_names(names.T, num_nodes, "edges")
    return _rows_of_ends(pairs.T, num_nodes, compact, "edges")


def rows_of_edge_index(edge_index: Any, num_nodes: int | None, compact: bool) -> LabelledRows:
    """Convert an array of shape (2, e); see `Graph.from_edge_index`."""
    edge_index = listed(edge_index)
    ends = as_ids(array_of(edge_index, "edge_index"), edge_index, "edge_index")
    if ends.ndim != 2 or ends.shape[0] != 2:
        hint = "; Graph.from_edges takes shape (m, 2)" if ends.ndim == 2 and ends.shape[1] == 2 else ""
        raise GraphError(f"edge_index: expected an array of shape (2, e), got shape {ends.shape}{hint}")
    return _rows_of_ends(ends, num_nodes, compact, "edge_index")


def checked_rows(indptr: Any, indices: Any) -> LabelledRows:
    """Copy compressed rows and check that they are a graph; see `Graph.from_csr`."""
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
    return (*rows, None)


def _rows_of_ends(
    ends: npt.NDArray[np.int64] | npt.NDArray[np.int32], num_nodes: int | None, compact: bool, what: str
) -> LabelledRows:
    """Convert the two rows of `ends`, sources and targets."""
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
            ids = np.ascontiguousarray(ends, dtype=np.int64).reshape(-1)
            flat, num_nodes, labels = _core.compact_ids(ids, _NO_LIMITS)
            ends = flat.reshape(2, -1)
        else:
            num_nodes = inferred_node_count(highest, num_edges, what)
    try:
        indptr, indices = _built(ends[0], ends[1], num_nodes)
    except GraphError as error:
        raise GraphError(f"{what}: {error}") from None
    return indptr, indices, labels


def _built(sources: Any, targets: Any, num_nodes: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Build compressed rows; those of a large graph on all cores of this process."""
    threads = thread_count(None) if len(sources) >= _MANY_EDGES else 1
    return _core.build_csr(sources, targets, num_nodes, threads, _NO_LIMITS)


def _rows_of_names(names: npt.NDArray[np.object_], num_nodes: int | None, what: str) -> LabelledRows:
    """Convert the two rows of `names`, sources and targets, all of them text."""
    if num_nodes is not None:
        raise GraphError(f"{what}: expected no num_nodes where node ids are text, got {shown(num_nodes)}")
    ends, distinct = compact_names(names)
    indptr, indices = _built(ends[0], ends[1], len(distinct))
    return indptr, indices, labels_of(distinct)


# ---- data frames ----


def rows_of_frame(
    frame: Any, source: Any, target: Any, *, num_nodes: int | None, compact: bool
) -> LabelledRows:
    """Convert two columns of a data frame; see `Graph.from_pandas`."""
    if not _is_frame(frame):
        raise GraphError(f"expected a data frame, got {type(frame).__name__}")
    ends: list[npt.NDArray[Any]] = []
    for column in _end_columns(frame, source, target):
        values = _column_values(frame[column], f"column {column!r}")
        names = text_of(values, values, f"column {column!r}")
        ends.append(as_int64(values, values, f"column {column!r}") if names is None else names)
    stacked: npt.NDArray[Any] = np.stack(ends)
    if stacked.dtype != np.object_:
        return _rows_of_ends(stacked, num_nodes, compact, "data frame")
    if stacked.size and not all(end.dtype == np.object_ for end in ends):
        raise GraphError("data frame: expected two columns of integers or two of text, got one of each")
    return _rows_of_names(stacked, num_nodes, "data frame")


def _end_columns(frame: Any, source: Any, target: Any) -> tuple[Any, Any]:
    columns = list(frame.columns)
    names = ", ".join(repr(column) for column in columns[:20])
    if (source is None) != (target is None):
        raise GraphError(f"expected source and target, got one of them; the columns are {names}")
    if source is None:
        if "source" in columns and "target" in columns:
            source, target = "source", "target"
        elif len(columns) == 2:
            source, target = columns
        else:
            raise GraphError(
                f"expected the columns 'source' and 'target', or two columns, got {names}; "
                "Graph.from_pandas(frame, source=..., target=...) names them"
            )
    for column in (source, target):
        if columns.count(column) != 1:
            raise GraphError(f"expected one column {column!r}, got {columns.count(column)} among {names}")
    return source, target


def _column_values(column: Any, what: str) -> npt.NDArray[Any]:
    if hasattr(column, "isna"):
        missing = np.flatnonzero(np.asarray(column.isna()))
        if len(missing):
            raise GraphError(f"{what}, row {missing[0]}: expected a node id, got a missing value")
    values = np.asarray(column.to_numpy())
    kind = getattr(column.dtype, "kind", "O")
    if values.dtype == np.object_ and kind in "iu":  # pandas may return objects for its Int64
        return values.astype(np.int64 if kind == "i" else np.uint64)
    return values


# ---- from other libraries ----


def rows_of_networkx(graph: Any) -> LabelledRows:
    """Convert a networkx graph of any kind; see `Graph.from_networkx`."""
    if not is_networkx(graph):
        raise GraphError(f"expected a networkx graph, got {type(graph).__name__}")
    names = list(graph.nodes())
    position = {name: node for node, name in enumerate(names)}
    ends = np.fromiter((position[end] for edge in graph.edges() for end in edge[:2]), dtype=np.int64)
    labels = None if names == list(range(len(names))) else labels_of(names)
    indptr, indices = _built(ends[0::2], ends[1::2], len(names))
    return indptr, indices, labels


def rows_of_igraph(graph: Any) -> LabelledRows:
    """Convert an igraph graph; the names of its vertices, if any, become labels."""
    indptr, indices, _ = rows_of_edges(graph.get_edgelist(), graph.vcount(), compact=False)
    named = "name" in graph.vs.attributes()
    return indptr, indices, labels_of(graph.vs["name"]) if named else None


def rows_of_pyg(data: Any) -> LabelledRows:
    """Convert PyG's Data; see `Graph.from_pyg`."""
    edge_index = getattr(data, "edge_index", None) if has_edge_index(data) else None
    if edge_index is None:
        name, hint = type(data).__name__, ""
        if hasattr(data, "edge_types"):
            hint = "; heterogeneous graphs are not supported: pass data.to_homogeneous()"
        elif getattr(data, "adj_t", None) is not None:
            hint = "; adj_t is not read: leave out ToSparseTensor, or keep edge_index beside it"
        elif hasattr(data, "edge_index"):
            hint = " of its own; pass one graph of it, or GraphDataset.from_pyg all of them"
        raise GraphError(f"expected data with an edge_index, got {name} without one{hint}")
    return rows_of_edge_index(edge_index, getattr(data, "num_nodes", None), compact=False)


def rows_of_scipy(matrix: Any) -> LabelledRows:
    """Convert a square sparse matrix of any format; see `Graph.from_scipy`."""
    sources, targets, num_nodes = nonzero_entries(matrix)
    return (*_built(sources, targets, num_nodes), None)


# ---- to other libraries ----


def edge_index_of_rows(
    indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Return both directions of every edge; see `Graph.to_edge_index`."""
    edge_index = np.empty((2, len(indices)), dtype=np.int64)
    edge_index[0] = np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))
    edge_index[1] = indices
    return edge_index


def networkx_of_edges(edges: npt.NDArray[np.int64], num_nodes: int, labels: npt.NDArray[Any] | None) -> Any:
    """Return a `networkx.Graph`; see `Graph.to_networkx`."""
    import networkx as nx  # noqa: PLC0415 (an optional dependency)

    names = list(range(num_nodes)) if labels is None else labels.tolist()
    graph = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[u], names[v]) for u, v in edges.tolist())
    return graph


def scipy_of_rows(indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32]) -> Any:
    """Return a `scipy.sparse.csr_array`; see `Graph.to_scipy`."""
    import scipy.sparse  # noqa: PLC0415 (it takes longer to import than all of this library)

    ones = np.ones(len(indices), dtype=np.int64)
    narrow = np.int32 if len(indices) <= np.iinfo(np.int32).max else np.int64
    parts = (ones, indices.astype(narrow), indptr.astype(narrow))
    return scipy.sparse.csr_array(parts, shape=(len(indptr) - 1,) * 2)
