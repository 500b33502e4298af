"""Conversion of arguments to the arrays and integers of the core; GraphError for those that do not fit."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._words import counted
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_NODES: Final = 2**31 - 1
_LARGEST_INTEGER: Final = 2**63 - 1
_MOST_BITS_SHOWN: Final = 190

# Ids above both make nearly all nodes isolated, most likely by mistake, and cost gigabytes.
_MOST_PLAUSIBLE_NODES: Final = 2**24
_MOST_PLAUSIBLE_NODES_PER_EDGE: Final = 32


def listed(values: Any) -> Any:
    """Convert a generator, a set or another iterable that is no sequence and no array to a list."""
    is_array = isinstance(values, Sequence) or hasattr(values, "__array__") or hasattr(values, "detach")
    return list(values) if isinstance(values, Iterable) and not is_array else values


def array_of(values: Any, what: str, expected: str = "an array of integers") -> npt.NDArray[Any]:
    """Convert an array, a tensor or a sequence to a NumPy array of any dtype.

    Raises GraphError on a tensor without values (meta), on masked values, and where NumPy cannot convert it.
    """
    if hasattr(values, "detach"):  # a torch tensor on any device
        values = _detached(values, what, expected)
    elif isinstance(values, (list, tuple)):
        for part in values:
            if isinstance(part, np.ma.MaskedArray):
                _refuse_masked(part, what, expected)
    elif isinstance(values, np.ma.MaskedArray):
        _refuse_masked(values, what, expected)
        values = np.ma.getdata(values)
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        raise GraphError(f"{what}: expected {expected}, got {type(values).__name__} ({error})") from None


def _refuse_masked(array: np.ma.MaskedArray[Any, Any], what: str, expected: str) -> None:
    masked = int(np.count_nonzero(np.ma.getmaskarray(array)))
    if masked:
        raise GraphError(
            f"{what}: expected {expected}, got a masked array with {counted(masked, 'masked value')}"
        )


def _detached(tensor: Any, what: str, expected: str) -> Any:
    """Copy a tensor to the CPU; raise GraphError for one that does not store a value for each entry."""
    kind = None
    if getattr(tensor, "is_nested", False):
        kind = "a nested tensor"
    elif getattr(getattr(tensor, "device", None), "type", "cpu") == "meta":
        kind = "a tensor on the meta device, which holds no values"
    elif getattr(tensor, "is_quantized", False):
        kind = "a quantised tensor"
    elif str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        kind = f"a sparse tensor ({tensor.layout})"
    if kind is not None:
        raise GraphError(f"{what}: expected {expected}, got {kind}")
    try:
        return tensor.detach().cpu()
    except (RuntimeError, TypeError, AttributeError) as error:
        raise GraphError(f"{what}: expected {expected}, got {type(tensor).__name__} ({error})") from None


def shown(value: Any) -> str:
    """Format a value for an error, truncated. Python refuses to format integers of thousands of digits."""
    if isinstance(value, np.generic):
        value = value.item()  # NumPy 1 and 2 format their scalars differently
    if isinstance(value, int) and value.bit_length() > _MOST_BITS_SHOWN:
        return f"an integer of {value.bit_length():,} bits"
    return f"{value!r:.60}"


def integers(values: Any, what: str) -> npt.NDArray[np.int64]:
    """Convert integers of any type to an int64 array, without a copy where possible."""
    values = listed(values)
    return as_int64(array_of(values, what), values, what)


def as_int64(array: npt.NDArray[Any], values: Any, what: str) -> npt.NDArray[np.int64]:
    """Convert an array to int64. `values` is the argument that it was made from."""
    if array.size == 0:
        return np.empty(array.shape, dtype=np.int64)
    if array.dtype.kind not in "iu":
        _refuse_large_integers(values, what)
        raise GraphError(f"{what}: expected integers, got {array.dtype} (first {shown(array.flat[0])})")
    if array.dtype.kind == "u" and array.max() > _LARGEST_INTEGER:
        raise GraphError(f"{what}: expected integers of at most 2^63-1, got {array.max()}")
    return _addressable(array.astype(np.int64, copy=False))


def as_ids(array: npt.NDArray[Any], values: Any, what: str) -> npt.NDArray[np.int64] | npt.NDArray[np.int32]:
    """Convert an array of node ids to int64, but leave int32 as it is: the core takes both."""
    if array.dtype == np.int32 and array.size:
        return _addressable(array)
    return as_int64(array, values, what)


def _addressable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Copy an array that the core cannot read in place, by its strides or alignment."""
    if not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
        return array.copy()
    return array


def _refuse_large_integers(values: Any, what: str) -> None:
    """Raise GraphError that names an integer beyond int64, which made NumPy choose floats or objects."""
    is_object_array = isinstance(values, np.ndarray) and values.dtype == np.object_
    if isinstance(values, (list, tuple)) or is_object_array:
        for value in np.asarray(values, dtype=object).flat:
            if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
                raise GraphError(f"{what}: expected integers of at most 2^63-1, got {shown(value)}")


def node_count(num_nodes: Any) -> int:
    """Return a number of nodes as int; raise GraphError for one that no graph can have."""
    try:
        count = None if isinstance(num_nodes, bool) else operator.index(num_nodes)
    except TypeError:
        count = None
    if count is None or not 0 <= count <= MAX_NODES:
        raise GraphError(
            f"num_nodes: expected an integer from 0 to {MAX_NODES} (2^31-1), got {shown(num_nodes)}"
        )
    return count


def inferred_node_count(highest: int, num_edges: int, what: str) -> int:
    """Return the number of nodes up to the highest id; raise GraphError where that looks like a mistake."""
    if highest >= MAX_NODES:
        raise GraphError(
            f"{what}: expected node ids below {MAX_NODES} (2^31-1), got {highest}; compact=True renumbers"
        )
    if highest >= max(_MOST_PLAUSIBLE_NODES, _MOST_PLAUSIBLE_NODES_PER_EDGE * num_edges):
        raise GraphError(
            f"{what}: expected node ids close to the number of edges, got {highest} in {num_edges} edges; "
            "pass num_nodes if there are that many nodes, or compact=True to renumber the ids"
        )
    return highest + 1


def text_of(array: npt.NDArray[Any], values: Any, what: str) -> npt.NDArray[np.object_] | None:
    """Convert an array to one of str objects; return None where it holds no text.

    `values` is the argument that it was made from: NumPy converts integers beside text to text, which only
    the argument shows. Raises GraphError for text beside other values.
    """
    if array.dtype.kind not in "UOT" or array.size == 0:  # str, objects, NumPy 2's strings
        return None
    objects = array.astype(object) if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    is_text = np.fromiter((isinstance(value, str) for value in objects.flat), np.bool_, objects.size)
    if not is_text.any():
        return None
    if not is_text.all():
        odd = objects.flat[int(np.argmin(is_text))]
        raise GraphError(
            f"{what}: expected node ids that are all integers or all text, got {shown(odd)} beside text"
        )
    return objects


def compact_names(names: npt.NDArray[np.object_]) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Return the rank of each name among the distinct names, and the distinct names in ascending order."""
    flat: list[str] = names.reshape(-1).tolist()
    distinct = sorted(set(flat))
    rank = {name: index for index, name in enumerate(distinct)}
    ranks = np.fromiter((rank[name] for name in flat), dtype=np.int64, count=len(flat))
    return ranks.reshape(names.shape), [str(name) for name in distinct]


def labels_of(names: list[Any]) -> npt.NDArray[Any]:
    """Convert names to an array: int64 where all are integers, else objects."""
    if all(isinstance(name, (int, np.integer)) and not isinstance(name, bool) for name in names):
        try:
            return np.array(names, dtype=np.int64)
        except OverflowError:
            pass
    return np.fromiter(names, dtype=object, count=len(names))


def checked_labels(labels: Any, num_nodes: int) -> npt.NDArray[Any] | None:
    """Return one label for each node, or None; raise GraphError for another number of labels."""
    if labels is None:
        return None
    array = np.array(labels)
    if array.shape != (num_nodes,):
        raise GraphError(f"labels: expected {num_nodes} of them, got an array of shape {array.shape}")
    return array
