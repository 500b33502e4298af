"""Concatenation: the arrays of many graphs, or of many data sets, end to end.

Works on arrays by the names of the schema; `GraphDataset` makes data sets of them.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool.data.codes import codes_of, target_codes_of
from cliquepool.data.networkx_graphs import warn_of_attributes
from cliquepool.data.schema import VALUES
from cliquepool.errors import GraphError
from cliquepool.graph_like import as_graph
from cliquepool.ragged import offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    Arrays = Mapping[str, Any]

__all__ = ["concatenate_arrays", "concatenate_graphs"]


def concatenate_graphs(
    graphs: Iterable[Any],
    targets: Sequence[Any] | npt.NDArray[Any] | None,
    node_labels: Sequence[Any] | None,
    node_attributes: Sequence[Any] | None,
) -> dict[str, Any]:
    """Return the arrays of graphs of any library; see `GraphDataset.from_graphs`."""
    given = list(graphs)
    _warn_of_omissions(given, takes_nodes=not (node_labels is None and node_attributes is None))
    parts = [as_graph(graph, f"graph {index}") for index, graph in enumerate(given)]
    sizes = np.array([graph.num_nodes for graph in parts], dtype=np.int64)
    target_codes, classes = target_codes_of(targets, len(parts))
    labels, label_values = None, None
    if node_labels is not None:
        rows = _rows_by_graph("node_labels", node_labels, sizes, 1)
        filled = [row for row in rows if row.size]  # the dtype of an empty list says nothing
        if len({row.dtype.kind == "U" for row in filled}) > 1:
            raise GraphError("node_labels: expected integers or text, got both")
        labels, label_values = codes_of(np.concatenate(filled) if filled else [], "node_labels")
    attributes = None
    if node_attributes is not None:
        rows = _rows_by_graph("node_attributes", node_attributes, sizes, 2)
        attributes = _stacked(rows, sizes)
    degrees = [np.diff(graph.indptr) for graph in parts]
    return {
        "node_start": offsets_from_lengths(sizes),
        "indptr": offsets_from_lengths(np.concatenate([np.zeros(0, dtype=np.int64), *degrees])),
        "indices": np.concatenate([np.zeros(0, dtype=np.int32), *(graph.indices for graph in parts)]),
        "targets": target_codes,
        "classes": classes,
        "node_labels": labels,
        "node_label_values": label_values,
        "node_attributes": attributes,
    }


def concatenate_arrays(parts: Sequence[Arrays]) -> dict[str, Any]:
    """Return the arrays of data sets end to end; see `GraphDataset.concatenate`."""
    arrays: dict[str, Any] = {
        field: _concatenated(parts, field) for field in ("indices", "node_attributes", "edge_attributes")
    }
    for values, field in VALUES.items():
        arrays[field], arrays[values] = _recoded(parts, field, values)
    for field in ("node_start", "indptr"):
        lengths = np.concatenate([np.diff(part[field]) for part in parts])
        arrays[field] = offsets_from_lengths(lengths)
    return arrays


def _warn_of_omissions(graphs: list[Any], *, takes_nodes: bool) -> None:
    """Warn of attributes that are left out: those of edges, and of nodes unless the caller passes some."""
    fields = [field for field in ("x", "edge_attr") if field != "x" or not takes_nodes]
    if any(getattr(graph, field, None) is not None for graph in graphs for field in fields):
        warnings.warn(
            f"{' and '.join(fields)} of the PyG data are left out; GraphDataset.from_pyg takes them",
            UserWarning,
            stacklevel=4,
        )
    warn_of_attributes(graphs, takes_nodes=takes_nodes)


def _rows_by_graph(
    what: str, rows: Sequence[Any], sizes: npt.NDArray[np.int64], dimensions: int
) -> list[npt.NDArray[Any]]:
    arrays = [np.asarray(row) for row in rows]
    if len(arrays) != len(sizes):
        raise GraphError(f"{what}: expected {len(sizes)} lists, one for each graph, got {len(arrays)}")
    for index, (array, size) in enumerate(zip(arrays, sizes.tolist(), strict=True)):
        if len(array.shape[:1]) != 1 or len(array) != size or (array.ndim != dimensions and array.size):
            raise GraphError(
                f"{what} of graph {index}: expected {size} rows, one for each node, got shape {array.shape}"
            )
    return arrays


def _stacked(rows: list[npt.NDArray[Any]], sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    widths = {array.shape[1] for array in rows if array.ndim == 2}
    if len(widths) > 1:
        raise GraphError(f"node_attributes: expected as many for every node, got {sorted(widths)}")
    width = widths.pop() if widths else 0
    starts = offsets_from_lengths(sizes)
    stacked = np.zeros((int(starts[-1]), width), dtype=np.float32)
    for array, begin in zip(rows, starts[:-1].tolist(), strict=True):
        if array.size:
            stacked[begin : begin + len(array)] = array
    wrong = np.flatnonzero(~np.isfinite(stacked).all(axis=1))
    if len(wrong):
        graph = int(np.searchsorted(starts, wrong[0], side="right")) - 1
        raise GraphError(
            f"node_attributes of graph {graph}: expected finite numbers, got {stacked[wrong[0]]}"
        )
    return stacked


def _concatenated(parts: Sequence[Arrays], field: str) -> Any:
    arrays = [part[field] for part in parts]
    shapes = {None if array is None else array.shape[1:] for array in arrays}
    if len(shapes) > 1:
        shown = sorted("none" if shape is None else str(*shape) for shape in shapes)
        raise GraphError(f"expected as many {field} in every data set, got {' and '.join(shown)}")
    return None if arrays[0] is None else np.concatenate(arrays)


def _recoded(parts: Sequence[Arrays], field: str, values: str) -> tuple[Any, Any]:
    """Concatenate codes and their values; where the values of the parts differ, renumber the codes."""
    lists = [part[values] for part in parts]
    codes = _concatenated(parts, field)
    if codes is None:
        return None, None
    if all(one is lists[0] for one in lists) or all(np.array_equal(one, lists[0]) for one in lists):
        return codes, lists[0]
    filled = [one for one in lists if len(one)]
    if len({one.dtype.kind == "U" for one in filled}) > 1:
        raise GraphError(f"{values}: expected numbers or text in every data set, got both")
    union = np.unique(np.concatenate(filled))
    recoded = []
    for part, one in zip(parts, lists, strict=True):
        new = np.append(np.searchsorted(union, one), -1)  # the last is for the code −1
        recoded.append(new[part[field]].astype(codes.dtype))
    return np.concatenate(recoded), union
