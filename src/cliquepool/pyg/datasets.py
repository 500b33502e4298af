"""Data sets from and to PyTorch Geometric, which is imported only by `to_pyg`: that takes seconds."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._extras import require
from cliquepool._input import integers
from cliquepool.data.codes import codes_of
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.edges import MergedEdges, simple_graphs
from cliquepool.data.features import one_hot_then_dense
from cliquepool.data.schema import UNKNOWN
from cliquepool.errors import GraphError
from cliquepool.ragged import offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float32]

__all__ = ["from_pyg", "to_pyg"]

_TAKEN: Final = {"x", "edge_index", "edge_attr", "y", "num_nodes", "batch", "ptr"}


def from_pyg(dataset: Iterable[Any], name: str | None = None) -> GraphDataset:
    """Return a data set of PyG Data; see `GraphDataset.from_pyg`."""
    parts = list(dataset)
    for index, data in enumerate(parts):
        if not hasattr(data, "edge_index"):
            raise GraphError(f"graph {index}: expected Data with an edge_index, got {type(data).__name__}")
    _warn_of_other_tensors(parts)
    sizes = np.array([_num_nodes(data, index) for index, data in enumerate(parts)], dtype=np.int64)
    node_start = offsets_from_lengths(sizes)
    ends = [_edge_index(data, index) for index, data in enumerate(parts)]
    counts = np.array([part.shape[1] for part in ends], dtype=np.int64)
    pairs = _pairs(ends, counts, sizes, node_start)
    indptr, indices = simple_graphs(pairs, node_start)
    edge_attributes = _rows("edge_attr", [getattr(data, "edge_attr", None) for data in parts], counts)
    if edge_attributes is not None:
        edge_attributes = MergedEdges(pairs, node_start, indptr, indices).mean(edge_attributes)
    targets, classes = _targets(parts)
    return GraphDataset(
        name=str(getattr(dataset, "name", "")) if name is None else name,
        node_start=node_start,
        indptr=indptr,
        indices=indices,
        targets=targets,
        classes=classes,
        node_attributes=_rows("x", [getattr(data, "x", None) for data in parts], sizes),
        edge_attributes=edge_attributes,
    )


def to_pyg(dataset: GraphDataset) -> list[Any]:
    """Return a PyG Data for each graph; see `GraphDataset.to_pyg`."""
    require("pyg", "to_pyg")
    import torch  # noqa: PLC0415 (it takes seconds)
    from torch_geometric.data import Data  # noqa: PLC0415

    sizes = np.diff(dataset.node_start)
    inside = np.arange(dataset.num_nodes, dtype=np.int64) - np.repeat(dataset.node_start[:-1], sizes)
    sources = np.repeat(inside, dataset.degrees)
    edge_index = torch.from_numpy(np.stack((sources, dataset.indices.astype(np.int64))))
    x = one_hot_then_dense(dataset.node_labels, dataset.node_label_values, dataset.node_attributes)
    edge_attr = one_hot_then_dense(dataset.edge_labels, dataset.edge_label_values, dataset.edge_attributes)
    starts, entries = dataset.node_start.tolist(), dataset.indptr[dataset.node_start].tolist()

    graphs = []
    for index, target in enumerate(dataset.targets.tolist()):
        nodes = slice(starts[index], starts[index + 1])
        edges = slice(entries[index], entries[index + 1])
        data = Data(edge_index=edge_index[:, edges].contiguous())
        if x is None:
            data.num_nodes = nodes.stop - nodes.start
        else:
            data.x = torch.from_numpy(x[nodes])
        if edge_attr is not None:
            data.edge_attr = torch.from_numpy(edge_attr[edges])
        if target != UNKNOWN:
            data.y = torch.tensor([target])
        graphs.append(data)
    return graphs


def _warn_of_other_tensors(parts: list[Any]) -> None:
    """Warn of tensors of nodes or edges that are left out; those of coarse graphs are not reported."""
    names: set[str] = set()
    for data in parts:
        if not hasattr(data, "is_node_attr") or hasattr(data, "coarse_levels"):
            continue
        others = set(data.keys()) - _TAKEN - names
        names |= {key for key in others if data.is_node_attr(key) or data.is_edge_attr(key)}
    if names:
        warnings.warn(
            f"{', '.join(sorted(names))} of the PyG data are left out: a data set takes x, edge_index, "
            "edge_attr and y; put into x or edge_attr what should be kept, and delete the rest",
            UserWarning,
            stacklevel=4,
        )


def _num_nodes(data: Any, index: int) -> int:
    x = getattr(data, "x", None)
    if x is not None:
        return len(x)
    count = getattr(data, "num_nodes", None)
    if count is None and getattr(data, "edge_index", None) is not None:
        raise GraphError(f"graph {index}: expected x or num_nodes, got neither")
    return 0 if count is None else int(count)


def _edge_index(data: Any, index: int) -> Ints:
    if data.edge_index is None:
        return np.zeros((2, 0), dtype=np.int64)
    ends = integers(data.edge_index, f"edge_index of graph {index}")
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise GraphError(f"edge_index of graph {index}: expected shape (2, edges), got {ends.shape}")
    return ends


def _pairs(ends: list[Ints], counts: Ints, sizes: Ints, node_start: Ints) -> npt.NDArray[np.int32]:
    """Return the ends u₀ v₀ u₁ v₁ … of all edges, numbered over all graphs."""
    concatenated = np.concatenate([np.zeros((2, 0), dtype=np.int64), *ends], axis=1)
    wrong = ((concatenated < 0) | (concatenated >= np.repeat(sizes, counts))).any(axis=0)
    if wrong.any():
        edge = int(np.flatnonzero(wrong)[0])
        index = int(np.searchsorted(offsets_from_lengths(counts), edge, side="right")) - 1
        raise GraphError(
            f"edge_index of graph {index}: expected nodes from 0 to {sizes[index] - 1}, "
            f"got {concatenated[0, edge]} and {concatenated[1, edge]}"
        )
    concatenated += np.repeat(node_start[:-1], counts)
    return np.ascontiguousarray(concatenated.T.astype(np.int32)).reshape(-1)


def _rows(what: str, tensors: list[Any], counts: Ints) -> Floats | None:
    """Concatenate the rows of nodes or edges; None where no graph has them."""
    if all(tensor is None for tensor in tensors):
        return None
    arrays: list[Floats] = []
    for index, (tensor, count) in enumerate(zip(tensors, counts.tolist(), strict=True)):
        if tensor is None and count:
            raise GraphError(f"{what} of graph {index}: expected it in all graphs or none, got none here")
        if tensor is None:
            continue
        array = np.asarray(tensor.detach().cpu().float().numpy())
        array = array[:, None] if array.ndim == 1 else array
        if array.ndim != 2 or len(array) != count:
            raise GraphError(f"{what} of graph {index}: expected {count} rows, got shape {array.shape}")
        if not np.isfinite(array).all():
            wrong = array[~np.isfinite(array)][0]
            raise GraphError(f"{what} of graph {index}: expected finite numbers, got {wrong}")
        if arrays and array.shape[1] != arrays[0].shape[1]:
            expected = f"{arrays[0].shape[1]} columns, as before"
            raise GraphError(f"{what} of graph {index}: expected {expected}, got {array.shape[1]}")
        arrays.append(array)
    return np.concatenate(arrays)


def _targets(parts: list[Any]) -> tuple[Ints, npt.NDArray[Any]]:
    known, values = [], []
    for index, data in enumerate(parts):
        y = getattr(data, "y", None)
        if y is None:
            continue
        try:
            value = integers(y, f"y of graph {index}")
        except GraphError as error:
            raise GraphError(f"{error} (a graph has a class; numbers to predict are not supported)") from None
        if value.size != 1:
            raise GraphError(f"y of graph {index}: expected one integer, got shape {value.shape}")
        known.append(index)
        values.append(int(value.flat[0]))
    codes, classes = codes_of(values, "y")
    targets = np.full(len(parts), UNKNOWN, dtype=np.int64)
    targets[known] = codes
    return targets, classes
