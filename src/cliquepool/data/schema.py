"""What the arrays of a data set are, and whether they are that."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset

__all__ = [
    "ARRAYS",
    "UNKNOWN",
    "VALUES",
    "check_content",
    "check_lengths",
    "checked_array",
    "checked_values",
    "fingerprint_of",
]

# What each array holds, in the order of the constructor: its type, and the number of its dimensions.
ARRAYS: Final[dict[str, tuple[type[np.generic], int]]] = {
    "node_start": (np.int64, 1),
    "indptr": (np.int64, 1),
    "indices": (np.int32, 1),
    "targets": (np.int64, 1),
    "node_labels": (np.int32, 1),
    "node_attributes": (np.float32, 2),
    "edge_labels": (np.int32, 1),
    "edge_attributes": (np.float32, 2),
}
# What the codes stand for: sorted, distinct; of int64, float64 or text.
VALUES: Final = {
    "classes": "targets",
    "node_label_values": "node_labels",
    "edge_label_values": "edge_labels",
}
UNKNOWN: Final = -1


def checked_array(field: str, array: Any, dtype: type[np.generic], dimensions: int) -> npt.NDArray[Any]:
    """Take an array of this type and number of dimensions, contiguous and read-only."""
    array = np.asarray(array)
    if array.dtype != dtype or array.ndim != dimensions:
        raise GraphError(
            f"{field}: expected {np.dtype(dtype)} in {dimensions} dimension{'s' * (dimensions > 1)}, "
            f"got {array.dtype} of shape {array.shape}"
        )
    return _frozen(np.ascontiguousarray(array))


def checked_values(field: str, values: Any) -> npt.NDArray[Any]:
    """Take what codes stand for: int64, float64 or text."""
    values = np.asarray(values)
    if values.dtype.kind in "iub":
        values = values.astype(np.int64, copy=False)
    elif values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
    if values.ndim != 1 or values.dtype.kind not in "ifU":
        raise GraphError(
            f"{field}: expected a list of integers, numbers or text, "
            f"got {values.dtype} of shape {values.shape}"
        )
    return _frozen(values)


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def check_lengths(dataset: GraphDataset) -> None:
    """Raise GraphError unless the lengths of all arrays agree; costs nothing."""
    num_nodes, num_entries = len(dataset.indptr) - 1, len(dataset.indices)
    if len(dataset.node_start) < 1 or num_nodes < 0:
        raise GraphError("expected node_start and indptr to begin with 0, got one without entries")
    node_ends, entry_ends = dataset.node_start[[0, -1]].tolist(), dataset.indptr[[0, -1]].tolist()
    if (node_ends, entry_ends) != ([0, num_nodes], [0, num_entries]):
        raise GraphError(
            f"expected node_start from 0 to {num_nodes} and indptr from 0 to {num_entries}, "
            f"got {node_ends[0]} to {node_ends[1]} and {entry_ends[0]} to {entry_ends[1]}"
        )
    expected = {
        "targets": len(dataset.node_start) - 1,
        "node_labels": num_nodes,
        "node_attributes": num_nodes,
        "edge_labels": num_entries,
        "edge_attributes": num_entries,
    }
    for field, length in expected.items():
        array = getattr(dataset, field)
        if array is not None and len(array) != length:
            raise GraphError(f"{field}: expected {length:,} entries, got {len(array):,}")


def check_content(dataset: GraphDataset) -> None:
    """Raise GraphError unless the arrays hold simple graphs, codes in range and finite numbers."""
    _core.validate_flat_graphs(dataset.node_start, dataset.indptr, dataset.indices)
    for field, coded in VALUES.items():
        values, codes = getattr(dataset, field), getattr(dataset, coded)
        lowest = UNKNOWN if coded == "targets" else 0
        if codes is not None and codes.size and not lowest <= codes.min() <= codes.max() < len(values):
            raise GraphError(
                f"{coded}: expected codes from {lowest} to {len(values) - 1}, "
                f"got {codes.min()} to {codes.max()}"
            )
        if values is not None and not np.all(values[1:] > values[:-1]):
            raise GraphError(f"{field}: expected distinct values in ascending order")
    for field in ("node_attributes", "edge_attributes"):
        attributes = getattr(dataset, field)
        if attributes is not None and not np.isfinite(attributes).all():
            row = int(np.flatnonzero(~np.isfinite(attributes).all(axis=1))[0])
            raise GraphError(f"{field}: expected finite numbers, got {attributes[row]} in row {row:,}")


def fingerprint_of(dataset: GraphDataset) -> str:
    """The SHA-256 of all arrays, their types and shapes: the same on every machine."""
    digest = hashlib.sha256()
    for field in (*ARRAYS, *VALUES):
        array = getattr(dataset, field)
        if array is None:
            continue
        if array.dtype.kind == "U":  # whose type depends on the longest
            digest.update(f"{field} {json.dumps(array.tolist())}".encode())
            continue
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{field} {little.dtype.str} {little.shape}".encode())
        digest.update(np.ascontiguousarray(little).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
