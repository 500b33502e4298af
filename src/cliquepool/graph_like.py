"""The graphs that functions of this library accept: a `Graph`, or a graph of another library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from cliquepool.convert import has_edge_index, is_networkx, rows_of_any
from cliquepool.errors import GraphError
from cliquepool.graph import Graph

__all__ = ["GraphLike", "as_graph", "expect_many"]

if TYPE_CHECKING:  # making these classes would take longer than importing all else here
    from typing import Protocol

    class _Networkx(Protocol):
        @property
        def nodes(self) -> Any: ...
        @property
        def edges(self) -> Any: ...

    class _Igraph(Protocol):
        def vcount(self) -> int: ...
        def get_edgelist(self) -> Any: ...

    class _SparseMatrix(Protocol):
        @property
        def shape(self) -> Any: ...
        def tocsr(self) -> Any: ...

    class _PygData(Protocol):
        @property
        def edge_index(self) -> Any: ...


# The type of every parameter that is a graph.
GraphLike: TypeAlias = "Graph | _Networkx | _Igraph | _SparseMatrix | _PygData"


def as_graph(graph: GraphLike, what: str = "") -> Graph:
    """Return `graph` itself if it is a Graph, else convert it from networkx, igraph, SciPy or PyG.

    Every function of this library that takes a graph calls this one. Arrays are refused: pairs, an edge
    index and an adjacency matrix can have the same shape. `what` begins the message of an error.

    >>> import networkx
    >>> as_graph(networkx.path_graph(3))
    Graph(3 nodes, 2 edges)
    """
    if isinstance(graph, Graph):
        return graph
    try:
        return Graph._from_csr_trusted(*rows_of_any(graph))
    except GraphError as error:
        if not what:
            raise
        raise GraphError(f"{what}: {error}") from None


def expect_many(graphs: Any) -> None:
    """Raise GraphError where one graph was passed instead of several."""
    if has_edge_index(graphs) or is_networkx(graphs) or not isinstance(graphs, Iterable):
        raise GraphError(f"expected graphs, as a list or another iterable, got one {type(graphs).__name__}")
