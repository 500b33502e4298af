"""Data sets out of many parts: graphs, or other data sets."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool.data.dataset import GraphDataset
from cliquepool.data.schema import VALUES
from cliquepool.errors import GraphError
from cliquepool.graph_like import as_graph
from cliquepool.ragged import offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

__all__ = ["codes_of", "join_datasets", "join_graphs"]


def join_graphs(
    graphs: Iterable[Any],
    targets: Sequence[Any] | npt.NDArray[Any] | None,
    node_labels: Sequence[Any] | None,
    node_attributes: Sequence[Any] | None,
    name: str,
) -> GraphDataset:
    """Join graphs of any kind; see `GraphDataset.from_graphs`."""
    given = list(graphs)
    _warn_of_what_is_left_out(given, takes_nodes=not (node_labels is None and node_attributes is None))
    parts = [as_graph(graph, f"graph {index}") for index, graph in enumerate(given)]
    sizes = np.array([graph.num_nodes for graph in parts], dtype=np.int64)
    target_codes, classes = target_codes_of(targets, len(parts))
    labels, label_values = None, None
    if node_labels is not None:
        rows = _one_for_each_graph("node_labels", node_labels, sizes, 1)
        filled = [row for row in rows if row.size]  # an empty list has no type
        if len({row.dtype.kind == "U" for row in filled}) > 1:
            raise GraphError("node_labels: expected integers or text, got both")
        labels, label_values = codes_of(np.concatenate(filled) if filled else [], "node_labels")
    attributes = None
    if node_attributes is not None:
        rows = _one_for_each_graph("node_attributes", node_attributes, sizes, 2)
        attributes = _stacked(rows, sizes)
    degrees = [np.diff(graph.indptr) for graph in parts]
    return GraphDataset(
        name=name,
        node_start=offsets_from_lengths(sizes),
        indptr=offsets_from_lengths(np.concatenate([np.zeros(0, dtype=np.int64), *degrees])),
        indices=np.concatenate([np.zeros(0, dtype=np.int32), *(graph.indices for graph in parts)]),
        targets=target_codes,
        classes=classes,
        node_labels=labels,
        node_label_values=label_values,
        node_attributes=attributes,
    )


def join_datasets(datasets: Iterable[GraphDataset], name: str | None) -> GraphDataset:
    """Join data sets end to end; see `GraphDataset.concatenate`."""
    parts = list(datasets)
    if not parts:
        raise GraphError("expected at least one data set to join, got none")
    if len(parts) == 1 and name in {None, parts[0].name}:
        return parts[0]
    arrays: dict[str, Any] = {}
    for field in ("indices", "node_attributes", "edge_attributes"):
        arrays[field] = _joined(parts, field)
    for values, field in VALUES.items():
        arrays[field], arrays[values] = _recoded(parts, field, values)
    names = list(dict.fromkeys(part.name for part in parts))
    return GraphDataset(
        name=" + ".join(filter(None, names)) if name is None else name,
        node_start=offsets_from_lengths(np.concatenate([np.diff(part.node_start) for part in parts])),
        indptr=offsets_from_lengths(np.concatenate([np.diff(part.indptr) for part in parts])),
        **arrays,
    )


def codes_of(values: Any, what: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Number the distinct values in ascending order; return the number of each, and the values."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int32), np.zeros(0, dtype=np.int64)
    if array.dtype.kind == "O":
        array = np.array([str(value) if isinstance(value, str) else value for value in array.tolist()])
    if array.dtype.kind not in "iubU":
        raise GraphError(
            f"{what}: expected integers or text, got {array.dtype} (first {array.flat[0]!r:.60})"
        )
    distinct, codes = np.unique(array, return_inverse=True)
    return codes.astype(np.int32), distinct.astype(np.int64) if array.dtype.kind in "iub" else distinct


def target_codes_of(targets: Any, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Number the classes of `count` graphs; all −1 where there are none."""
    if targets is None:
        return np.full(count, -1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    codes, classes = codes_of(targets, "targets")
    if codes.shape != (count,):
        raise GraphError(f"targets: expected {count} of them, one for each graph, got shape {codes.shape}")
    return codes.astype(np.int64), classes


def _warn_of_what_is_left_out(graphs: list[Any], *, takes_nodes: bool) -> None:
    """Warn of attributes: of the nodes unless the caller passes what nodes have, and of the edges."""
    from cliquepool.data.networkx_graphs import warn_of_attributes  # noqa: PLC0415 (it imports this module)

    fields = [field for field in ("x", "edge_attr") if field != "x" or not takes_nodes]
    if any(getattr(graph, field, None) is not None for graph in graphs for field in fields):
        warnings.warn(
            f"{' and '.join(fields)} of the PyG data are left out; GraphDataset.from_pyg takes them",
            UserWarning,
            stacklevel=4,
        )
    warn_of_attributes(graphs, takes_nodes=takes_nodes)


def _one_for_each_graph(
    what: str, rows: Sequence[Any], sizes: npt.NDArray[np.int64], dimensions: int
) -> list[npt.NDArray[Any]]:
    arrays = [np.asarray(row) for row in rows]
    if len(arrays) != len(sizes):
        raise GraphError(f"{what}: expected {len(sizes)} lists, one for each graph, got {len(arrays)}")
    for place, (array, size) in enumerate(zip(arrays, sizes.tolist(), strict=True)):
        if len(array.shape[:1]) != 1 or len(array) != size or (array.ndim != dimensions and array.size):
            raise GraphError(
                f"{what} of graph {place}: expected {size} rows, one for each node, got shape {array.shape}"
            )
    return arrays


def _stacked(rows: list[npt.NDArray[Any]], sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    widths = {array.shape[1] for array in rows if array.ndim == 2}
    if len(widths) > 1:
        raise GraphError(f"node_attributes: expected as many for every node, got {sorted(widths)}")
    width = widths.pop() if widths else 0
    stacked = np.zeros((int(sizes.sum()), width), dtype=np.float32)
    for array, begin in zip(rows, offsets_from_lengths(sizes)[:-1].tolist(), strict=True):
        if array.size:
            stacked[begin : begin + len(array)] = array
    wrong = np.flatnonzero(~np.isfinite(stacked).all(axis=1))
    if len(wrong):
        place = int(np.searchsorted(offsets_from_lengths(sizes), wrong[0], side="right")) - 1
        raise GraphError(
            f"node_attributes of graph {place}: expected finite numbers, got {stacked[wrong[0]]}"
        )
    return stacked


def _joined(parts: list[GraphDataset], field: str) -> Any:
    arrays = [getattr(part, field) for part in parts]
    shapes = {None if array is None else array.shape[1:] for array in arrays}
    if len(shapes) > 1:
        shown = sorted("none" if shape is None else str(*shape) for shape in shapes)
        raise GraphError(f"expected as many {field} in every data set, got {' and '.join(shown)}")
    return None if arrays[0] is None else np.concatenate(arrays)


def _recoded(parts: list[GraphDataset], field: str, values: str) -> tuple[Any, Any]:
    """Join codes; those of values that are not the same in every part are numbered anew."""
    lists = [getattr(part, values) for part in parts]
    codes = _joined(parts, field)
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
        new = np.append(np.searchsorted(union, one), -1)  # the last is for the code -1
        recoded.append(new[getattr(part, field)].astype(codes.dtype))
    return np.concatenate(recoded), union
