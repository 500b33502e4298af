"""What people pass, taken as what the core takes, or refused with a GraphError that says why."""

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

# Ids above both would make nearly all nodes isolated, most likely by mistake, and cost gigabytes.
_NODES_NEVER_DOUBTED: Final = 2**24
_NODES_PER_EDGE_NOT_DOUBTED: Final = 32


def listed(values: Any) -> Any:
    """Make a list of an iterable that is no sequence and no array, such as a generator or a set."""
    is_array = isinstance(values, Sequence) or hasattr(values, "__array__") or hasattr(values, "detach")
    return list(values) if isinstance(values, Iterable) and not is_array else values


def array_of(values: Any, what: str, expected: str = "an array of integers") -> npt.NDArray[Any]:
    """Take an array, a tensor or a sequence as a NumPy array of whatever it holds.

    Raises GraphError on a tensor without values (meta), on masked values, and on what NumPy makes no array
    of.
    """
    if hasattr(values, "detach"):  # a torch tensor, wherever it lives
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
    """Bring the values of a tensor to the CPU; refuse a tensor that has none, or not one for each entry."""
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
    """Write a value out for an error, cut when long; Python writes out no integers of thousands of digits."""
    if isinstance(value, np.generic):
        value = value.item()  # NumPy 1 and 2 write their own types out differently
    if isinstance(value, int) and value.bit_length() > _MOST_BITS_SHOWN:
        return f"an integer of {value.bit_length():,} bits"
    return f"{value!r:.60}"


def integers(values: Any, what: str) -> npt.NDArray[np.int64]:
    """Take integers of any type as an int64 array, without a copy where they are one."""
    values = listed(values)
    return as_int64(array_of(values, what), values, what)


def as_int64(array: npt.NDArray[Any], values: Any, what: str) -> npt.NDArray[np.int64]:
    """Take an array, which was made of `values`, as one of int64."""
    if array.size == 0:
        return np.empty(array.shape, dtype=np.int64)
    if array.dtype.kind not in "iu":
        _refuse_large_integers(values, what)
        raise GraphError(f"{what}: expected integers, got {array.dtype} (first {shown(array.flat[0])})")
    if array.dtype.kind == "u" and array.max() > _LARGEST_INTEGER:
        raise GraphError(f"{what}: expected integers of at most 2^63-1, got {array.max()}")
    array = array.astype(np.int64, copy=False)
    if not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
        array = array.copy()
    return array


def _refuse_large_integers(values: Any, what: str) -> None:
    """Say which integer is too large where NumPy has made floats or objects of all of them."""
    is_object_array = isinstance(values, np.ndarray) and values.dtype == np.object_
    if isinstance(values, (list, tuple)) or is_object_array:
        for value in np.asarray(values, dtype=object).flat:
            if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
                raise GraphError(f"{what}: expected integers of at most 2^63-1, got {shown(value)}")


def node_count(num_nodes: Any) -> int:
    """Take a number of nodes that a graph can have."""
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
    """Count the nodes up to the highest id, unless that is most likely a mistake."""
    if highest >= MAX_NODES:
        raise GraphError(
            f"{what}: expected node ids below {MAX_NODES} (2^31-1), got {highest}; compact=True renumbers"
        )
    if highest >= max(_NODES_NEVER_DOUBTED, _NODES_PER_EDGE_NOT_DOUBTED * num_edges):
        raise GraphError(
            f"{what}: expected node ids close to the number of edges, got {highest} in {num_edges} edges; "
            "pass num_nodes if there are that many nodes, or compact=True to renumber the ids"
        )
    return highest + 1


def text_of(array: npt.NDArray[Any], values: Any, what: str) -> npt.NDArray[np.object_] | None:
    """Take an array, which was made of `values`, as one of str; None where it holds no text at all.

    NumPy turns what stands beside text into text, so that `values` are looked at where they are no array.
    Raises GraphError where text stands beside something else.
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
    """Return the rank of each name among the distinct ones, and these in ascending order."""
    flat: list[str] = names.reshape(-1).tolist()
    distinct = sorted(set(flat))
    rank = {name: index for index, name in enumerate(distinct)}
    ranks = np.fromiter((rank[name] for name in flat), dtype=np.int64, count=len(flat))
    return ranks.reshape(names.shape), [str(name) for name in distinct]


def labels_of(names: list[Any]) -> npt.NDArray[Any]:
    """Put names in an array: of int64 where they are integers, else of objects."""
    if all(isinstance(name, (int, np.integer)) and not isinstance(name, bool) for name in names):
        try:
            return np.array(names, dtype=np.int64)
        except OverflowError:
            pass
    return np.fromiter(names, dtype=object, count=len(names))


def checked_labels(labels: Any, num_nodes: int) -> npt.NDArray[Any] | None:
    """Take one label for each node, or None."""
    if labels is None:
        return None
    array = np.array(labels)
    if array.shape != (num_nodes,):
        raise GraphError(f"labels: expected {num_nodes} of them, got an array of shape {array.shape}")
    return array
