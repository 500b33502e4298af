"""The arrays of a data set of graphs: their names, dtypes and dimensions, and their validation.

Functions here take and return mappings from the names to the arrays, which is all that storage and
concatenation know of a data set.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Arrays = Mapping[str, npt.NDArray[Any] | None]

__all__ = [
    "ARRAYS",
    "ENTRY_ROWS",
    "NODE_ROWS",
    "UNKNOWN",
    "VALUES",
    "check_content",
    "checked_array",
    "checked_arrays",
    "checked_values",
    "fingerprint_of",
]

# The dtype and the number of dimensions of each array, in the order of the constructor.
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
REQUIRED: Final = frozenset({"node_start", "indptr", "indices", "targets"})
# The values of the codes in another array: ascending and distinct, of int64, float64 or text.
VALUES: Final = {
    "classes": "targets",
    "node_label_values": "node_labels",
    "edge_label_values": "edge_labels",
}
# The arrays with a row for each node, and for each of `indices`.
NODE_ROWS: Final = ("node_labels", "node_attributes")
ENTRY_ROWS: Final = ("indices", "edge_labels", "edge_attributes")
UNKNOWN: Final = -1  # the target of a graph whose class is not known


def checked_arrays(arrays: Mapping[str, Any]) -> dict[str, npt.NDArray[Any] | None]:
    """Return the arrays contiguous and read-only, None where there is none; check dtypes and lengths.

    This takes no time that depends on the lengths; `check_content` reads the arrays.
    """
    checked: dict[str, npt.NDArray[Any] | None] = {}
    for field, (dtype, dimensions) in ARRAYS.items():
        array = arrays.get(field)
        if array is None and field in REQUIRED:
            raise GraphError(f"{field}: expected an array of {np.dtype(dtype)}, got None")
        checked[field] = None if array is None else checked_array(field, array, dtype, dimensions)
    for field, coded in VALUES.items():
        values = arrays.get(field)
        if (values is None) != (checked[coded] is None):
            raise GraphError(f"expected {coded} and {field} together, got one of them")
        checked[field] = None if values is None else checked_values(field, values)
    _check_lengths(checked)
    return checked


def checked_array(field: str, array: Any, dtype: type[np.generic], dimensions: int) -> npt.NDArray[Any]:
    """Return an array of this dtype and number of dimensions, contiguous and read-only."""
    array = np.asarray(array)
    if array.dtype != dtype or array.ndim != dimensions:
        raise GraphError(
            f"{field}: expected {np.dtype(dtype)} in {dimensions} dimension{'s' * (dimensions > 1)}, "
            f"got {array.dtype} of shape {array.shape}"
        )
    return _frozen(np.ascontiguousarray(array))


def checked_values(field: str, values: Any) -> npt.NDArray[Any]:
    """Return the values of codes as a read-only array of int64, float64 or text."""
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


def _check_lengths(arrays: Mapping[str, Any]) -> None:
    """Raise GraphError unless the lengths of all arrays agree."""
    node_start, indptr = arrays["node_start"], arrays["indptr"]
    num_nodes, num_entries = len(indptr) - 1, len(arrays["indices"])
    if len(node_start) < 1 or num_nodes < 0:
        raise GraphError("expected node_start and indptr to begin with 0, got one without entries")
    node_ends, entry_ends = node_start[[0, -1]].tolist(), indptr[[0, -1]].tolist()
    if (node_ends, entry_ends) != ([0, num_nodes], [0, num_entries]):
        raise GraphError(
            f"expected node_start from 0 to {num_nodes} and indptr from 0 to {num_entries}, "
            f"got {node_ends[0]} to {node_ends[1]} and {entry_ends[0]} to {entry_ends[1]}"
        )
    expected = {
        "targets": len(node_start) - 1,
        **dict.fromkeys(NODE_ROWS, num_nodes),
        **dict.fromkeys(ENTRY_ROWS, num_entries),
    }
    for field, length in expected.items():
        array = arrays[field]
        if array is not None and len(array) != length:
            raise GraphError(f"{field}: expected {length:,} entries, got {len(array):,}")


def check_content(arrays: Mapping[str, Any]) -> None:
    """Raise GraphError unless the arrays hold simple graphs, codes in range and finite numbers."""
    _core.validate_flat_graphs(arrays["node_start"], arrays["indptr"], arrays["indices"])
    for field, coded in VALUES.items():
        values, codes = arrays[field], arrays[coded]
        lowest = UNKNOWN if coded == "targets" else 0
        if codes is not None and codes.size and not lowest <= codes.min() <= codes.max() < len(values):
            raise GraphError(
                f"{coded}: expected codes from {lowest} to {len(values) - 1}, "
                f"got {codes.min()} to {codes.max()}"
            )
        if values is not None and not np.all(values[1:] > values[:-1]):
            raise GraphError(f"{field}: expected distinct values in ascending order")
    for field in ("node_attributes", "edge_attributes"):
        attributes = arrays[field]
        if attributes is not None and not np.isfinite(attributes).all():
            row = int(np.flatnonzero(~np.isfinite(attributes).all(axis=1))[0])
            raise GraphError(f"{field}: expected finite numbers, got {attributes[row]} in row {row:,}")


def fingerprint_of(arrays: Arrays) -> str:
    """Return the SHA-256 of all arrays, their dtypes and shapes: the same on every machine."""
    digest = hashlib.sha256()
    for field in (*ARRAYS, *VALUES):
        array = arrays[field]
        if array is None:
            continue
        if array.dtype.kind == "U":  # the dtype depends on the longest text, so it is left out
            digest.update(f"{field} {json.dumps(array.tolist())}".encode())
            continue
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{field} {little.dtype.str} {little.shape}".encode())
        digest.update(np.ascontiguousarray(little).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
