"""The arrays of data sets of networkx graphs, with the attributes of their nodes and edges."""

from __future__ import annotations

import warnings
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cliquepool._words import plural
from cliquepool.convert import is_networkx
from cliquepool.data.codes import codes_of, target_codes_of
from cliquepool.data.edges import MergedEdges, simple_graphs
from cliquepool.errors import GraphError
from cliquepool.graph_like import expect_many
from cliquepool.ragged import offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

__all__ = ["networkx_arrays", "warn_of_attributes"]


class _Owners(NamedTuple):
    """The nodes, or the edges, of all graphs end to end: their attributes, and how an error names them."""

    noun: str
    attributes: list[dict[str, Any]]
    describe: Callable[[int], str]


def networkx_arrays(
    graphs: Iterable[Any],
    y: str | Sequence[Any] | npt.NDArray[Any] | None,
    *,
    node_labels: str | None,
    node_attributes: str | Iterable[str] | None,
    edge_labels: str | None,
    edge_attributes: str | Iterable[str] | None,
    ignore: bool | Iterable[str],
) -> dict[str, Any]:
    """Return the arrays of networkx graphs by the names of the schema; see `GraphDataset.from_networkx`."""
    expect_many(graphs)
    parts = list(graphs)
    for index, graph in enumerate(parts):
        if not is_networkx(graph):
            raise GraphError(f"graph {index}: expected a networkx graph, got {type(graph).__name__}")
    taken_nodes, taken_edges = _names(node_attributes), _names(edge_attributes)
    named_nodes = {*taken_nodes, *([] if node_labels is None else [node_labels])}
    named_edges = {*taken_edges, *([] if edge_labels is None else [edge_labels])}
    if ignore is not True:
        ignored = set(_names(ignore or None))
        warn_of_attributes(parts, named_nodes | ignored, named_edges | ignored)

    nodes = [dict(graph.nodes(data=True)) for graph in parts]
    edges = [list(graph.edges(data=True)) for graph in parts]
    node_start = offsets_from_lengths(np.array([len(names) for names in nodes], dtype=np.int64))
    pairs = _pairs(nodes, edges, node_start)
    indptr, indices = simple_graphs(pairs, node_start)
    of_nodes, of_edges = _node_owners(nodes), _edge_owners(edges)

    arrays: dict[str, Any] = {"node_start": node_start, "indptr": indptr, "indices": indices}
    if node_labels is not None:
        arrays["node_labels"], arrays["node_label_values"] = _labels(of_nodes, node_labels)
    if node_attributes is not None:
        arrays["node_attributes"] = _attributes(of_nodes, taken_nodes)
    if named_edges:
        merged = MergedEdges(pairs, node_start, indptr, indices)
        if edge_labels is not None:
            codes, arrays["edge_label_values"] = _labels(of_edges, edge_labels)
            arrays["edge_labels"] = merged.first(codes)
        if edge_attributes is not None:
            arrays["edge_attributes"] = merged.mean(_attributes(of_edges, taken_edges))
    values = _graph_values(parts, y) if isinstance(y, str) else y
    arrays["targets"], arrays["classes"] = target_codes_of(values, len(parts))
    return arrays


def warn_of_attributes(
    graphs: Iterable[Any],
    of_nodes: set[str] | frozenset[str] = frozenset(),
    of_edges: set[str] | frozenset[str] = frozenset(),
    *,
    takes_nodes: bool = False,
) -> None:
    """Warn of the attributes of networkx graphs except those named; with `takes_nodes`, of edges only."""
    found: dict[str, set[str]] = {"node": set(), "edge": set()}
    for graph in graphs:
        if is_networkx(graph):
            if not takes_nodes:
                found["node"].update(chain.from_iterable(data for _, data in graph.nodes(data=True)))
            found["edge"].update(chain.from_iterable(edge[-1] for edge in graph.edges(data=True)))
    left = {"node": found["node"] - of_nodes, "edge": found["edge"] - of_edges}
    described = [
        f"{plural(f'{noun} attribute', len(names))} {', '.join(sorted(map(repr, names)))}"
        for noun, names in left.items()
        if names
    ]
    if described:
        warnings.warn(
            f"the {' and the '.join(described)} of the networkx graphs are left out; "
            "GraphDataset.from_networkx takes them by node_labels=, node_attributes=, edge_labels= and "
            "edge_attributes=, or leaves them out without a warning by ignore=True",
            UserWarning,
            stacklevel=4,
        )


def _names(names: str | Iterable[str] | bool | None) -> list[str]:
    if names is None or isinstance(names, bool):
        return []
    return [names] if isinstance(names, str) else list(names)


def _pairs(
    nodes: list[dict[Any, Any]], edges: list[list[tuple[Any, Any, Any]]], node_start: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Return the ends u₀ v₀ u₁ v₁ … of all edges, numbered over all graphs."""
    ends: list[int] = []
    for first, names, listed in zip(node_start[:-1].tolist(), nodes, edges, strict=True):
        position = {name: first + index for index, name in enumerate(names)}
        for edge in listed:
            ends += position[edge[0]], position[edge[1]]
    return np.array(ends, dtype=np.int32)


def _node_owners(nodes: list[dict[Any, Any]]) -> _Owners:
    starts = offsets_from_lengths(np.array([len(names) for names in nodes], dtype=np.int64))

    def describe(index: int) -> str:
        graph = int(np.searchsorted(starts, index, side="right")) - 1
        return f"graph {graph}, node {list(nodes[graph])[index - int(starts[graph])]!r:.60}"

    return _Owners("node", [data for names in nodes for data in names.values()], describe)


def _edge_owners(edges: list[list[tuple[Any, Any, Any]]]) -> _Owners:
    starts = offsets_from_lengths(np.array([len(listed) for listed in edges], dtype=np.int64))

    def describe(index: int) -> str:
        graph = int(np.searchsorted(starts, index, side="right")) - 1
        return f"graph {graph}, edge {edges[graph][index - int(starts[graph])][:2]!r:.60}"

    return _Owners("edge", [edge[2] for listed in edges for edge in listed], describe)


def _values(owners: _Owners, name: str) -> list[Any]:
    """Return the attribute of every owner; raise GraphError that names the first without it."""
    values = [data.get(name) for data in owners.attributes]
    for index, value in enumerate(values):
        if value is None:
            has = ", ".join(repr(key) for key in owners.attributes[index]) or "no attributes"
            raise GraphError(
                f"{owners.describe(index)}: expected an attribute {name!r}, as every {owners.noun} must have "
                f"it, got none (it has {has})"
            )
    return values


def _labels(owners: _Owners, name: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
    values = _values(owners, name)
    is_text = bool(values) and isinstance(values[0], str)
    for index, value in enumerate(values):
        if not isinstance(value, str if is_text else (int, np.integer, np.bool_)):
            expected = "text, as before" if is_text else "an integer or text, of one kind in all graphs"
            raise GraphError(
                f"{owners.describe(index)}: expected the label {name!r} to be {expected}, got {value!r:.60}"
            )
    return codes_of(values, f"{owners.noun}_labels")


def _attributes(owners: _Owners, names: list[str]) -> npt.NDArray[np.float32]:
    """Return the attributes as columns; each is a number, or as many numbers for every owner."""
    count = len(owners.attributes)
    columns = [_columns(owners, name) for name in names] if count else [np.zeros((0, len(names)))]
    rows = np.concatenate([np.zeros((count, 0)), *columns], axis=1).astype(np.float32)
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(wrong):
        raise GraphError(
            f"{owners.describe(int(wrong[0]))}: expected finite numbers of 32 bits in {', '.join(names)}, "
            f"got {rows[wrong[0]]}"
        )
    return rows


def _columns(owners: _Owners, name: str) -> npt.NDArray[np.float64]:
    rows: list[npt.NDArray[Any]] = []
    for index, value in enumerate(_values(owners, name)):
        row = np.asarray(value)
        if row.dtype.kind not in "biuf" or row.ndim > 1:
            hint = f"; text is a label: {owners.noun}_labels={name!r}" if row.dtype.kind == "U" else ""
            raise GraphError(
                f"{owners.describe(index)}: expected the attribute {name!r} to be a number or a list of "
                f"numbers, got {value!r:.60}{hint}"
            )
        if rows and row.shape != rows[0].shape:
            raise GraphError(
                f"{owners.describe(index)}: expected the attribute {name!r} to have shape {rows[0].shape}, "
                f"as before, got {row.shape}"
            )
        rows.append(row)
    stacked: npt.NDArray[np.float64] = np.array(rows, dtype=np.float64)
    return stacked.reshape(len(rows), -1)


def _graph_values(graphs: list[Any], name: str) -> list[Any]:
    values = []
    for index, graph in enumerate(graphs):
        if graph.graph.get(name) is None:
            has = ", ".join(repr(key) for key in graph.graph) or "none"
            raise GraphError(f"graph {index}: expected an attribute {name!r} of the graph, got {has}")
        values.append(graph.graph[name])
    return values
