"""What people pass, taken as what the core takes, or refused with a GraphError that says why."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.errors import GraphError

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_NODES: Final = 2**31 - 1
_LARGEST_INTEGER: Final = 2**63 - 1

# Ids above both would make nearly all nodes isolated, most likely by mistake, and cost gigabytes.
_NODES_NEVER_DOUBTED: Final = 2**24
_NODES_PER_EDGE_NOT_DOUBTED: Final = 32


def integers(values: Any, what: str) -> npt.NDArray[np.int64]:
    """Take integers of any type as an int64 array, without a copy where they are one."""
    if hasattr(values, "detach"):  # a torch tensor, wherever it lives
        values = values.detach().cpu()
    elif isinstance(values, Iterable) and not (isinstance(values, Sequence) or hasattr(values, "__array__")):
        values = list(values)
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        raise GraphError(
            f"{what}: expected an array of integers, got {type(values).__name__} ({error})"
        ) from None
    if array.size == 0:
        return np.empty(array.shape, dtype=np.int64)
    if array.dtype.kind not in "iu":
        _refuse_large_integers(values, what)
        raise GraphError(f"{what}: expected integers, got {array.dtype} (first {array.flat[0]!r:.60})")
    if array.dtype.kind == "u" and array.max() > _LARGEST_INTEGER:
        raise GraphError(f"{what}: expected integers of at most 2^63-1, got {array.max()}")
    array = array.astype(np.int64, copy=False)
    if not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
        array = array.copy()
    return array


def _refuse_large_integers(values: Any, what: str) -> None:
    """Say which integer is too large where NumPy has made floats or objects of all of them."""
    if isinstance(values, (list, tuple)):
        for value in np.asarray(values, dtype=object).flat:
            if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
                raise GraphError(f"{what}: expected integers of at most 2^63-1, got {value}")


def node_count(num_nodes: Any) -> int:
    """Take a number of nodes that a graph can have."""
    try:
        count = None if isinstance(num_nodes, bool) else operator.index(num_nodes)
    except TypeError:
        count = None
    if count is None or not 0 <= count <= MAX_NODES:
        raise GraphError(
            f"num_nodes: expected an integer from 0 to {MAX_NODES} (2^31-1), got {num_nodes!r:.60}"
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
