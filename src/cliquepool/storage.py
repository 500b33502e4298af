"""Hierarchies in files: arrays with a checksum, a format version, nothing that runs when it is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.array_files import read_arrays, write_arrays
from cliquepool.errors import GraphError
from cliquepool.graph import Graph, restore_twins
from cliquepool.hierarchy import Hierarchy
from cliquepool.pooling import Pooling

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

__all__ = ["load_hierarchy", "save_hierarchy"]

_FORMAT: Final = "cliquepool.hierarchy"
_VERSION: Final = 2
_LONGEST_DURATION: Final = 1e12  # seconds
_DTYPES: Final[dict[str, type[np.integer[Any]]]] = {
    "classes": np.int32,
    "sizes": np.int32,
    "indptr": np.int64,
    "indices": np.int32,
}


def save_hierarchy(hierarchy: Hierarchy, path: str | PathLike[str]) -> None:
    """Write `hierarchy` to `path`, whole or not at all."""
    tensors = _graph_tensors("0", hierarchy.graph(0))
    for level, pooling in enumerate(hierarchy, start=1):
        tensors[f"{level}.offsets"] = pooling._by_class.offsets
        tensors[f"{level}.members"] = pooling._by_class.members
        tensors |= _graph_tensors(f"{level}", pooling.coarse)
    labels, names = _split_labels(hierarchy.graph(0).labels)
    if labels is not None:
        tensors["labels"] = labels
    metadata = {
        "format": _FORMAT,
        "version": str(_VERSION),
        "levels": str(len(hierarchy)),
        "seconds": json.dumps([pooling.seconds for pooling in hierarchy]),
    }
    if names is not None:
        metadata["names"] = json.dumps(names)
    write_arrays(path, tensors, metadata)


def load_hierarchy(path: str | PathLike[str]) -> Hierarchy:
    """Read a hierarchy back, checking everything that later calls rely on."""
    try:
        file = read_arrays(path)
        file.expect(_FORMAT, _VERSION)
        return _hierarchy(file.arrays, file.metadata)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from error


def _hierarchy(tensors: dict[str, npt.NDArray[Any]], metadata: dict[str, str]) -> Hierarchy:
    try:
        levels = int(metadata["levels"])
        seconds = json.loads(metadata["seconds"])
        names = json.loads(metadata.get("names", "null"))
        valid = len(seconds) == levels and all(map(_is_duration, seconds))
    except (KeyError, ValueError, TypeError, RecursionError):
        valid = False
    if not valid:
        got = {key: value[:50] for key, value in metadata.items()}
        raise GraphError(f"expected the number of levels and their times in the header, got {got}")

    bottom = _graph(tensors, "0", _labels(tensors, names))
    poolings: list[Pooling] = []
    below = bottom
    for level in range(1, levels + 1):
        coarse = _graph(tensors, f"{level}", None)
        offsets, members = _pools(tensors, f"{level}", below, coarse)
        poolings.append(Pooling(below, offsets, members, coarse=coarse, seconds=seconds[level - 1]))
        below = coarse
    return Hierarchy(bottom, poolings)


def _is_duration(seconds: object) -> bool:
    if seconds is None:
        return True
    return isinstance(seconds, (int, float)) and 0 <= seconds < _LONGEST_DURATION


def _graph_tensors(name: str, graph: Graph) -> dict[str, npt.NDArray[Any]]:
    return dict(zip((f"{name}.{part}" for part in _DTYPES), graph._factors(), strict=True))


def _array(tensors: dict[str, npt.NDArray[Any]], name: str, dtype: type[np.integer[Any]]) -> npt.NDArray[Any]:
    array = tensors.get(name)
    if array is None:
        raise GraphError(f"expected an array {name}, got none")
    if array.ndim != 1 or array.dtype != dtype:
        got = f"{array.dtype} of shape {array.shape}"
        raise GraphError(f"expected {name} to be a list of {np.dtype(dtype)}, got {got}")
    return array


def _graph(tensors: dict[str, npt.NDArray[Any]], name: str, labels: npt.NDArray[Any] | None) -> Graph:
    classes, sizes, indptr, indices = (
        _array(tensors, f"{name}.{part}", dtype) for part, dtype in _DTYPES.items()
    )
    try:
        return restore_twins(classes, sizes, indptr, indices, labels)
    except GraphError as error:
        raise GraphError(f"level {name}: {error}") from error


def _pools(
    tensors: dict[str, npt.NDArray[Any]], name: str, below: Graph, coarse: Graph
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    offsets = _array(tensors, f"{name}.offsets", np.int64)
    members = _array(tensors, f"{name}.members", np.int32)
    if len(offsets) != coarse.num_nodes + 1:
        raise GraphError(f"expected {coarse.num_nodes} pools at level {name}, got {len(offsets) - 1}")
    if offsets[0] != 0 or offsets[-1] != len(members) or np.any(np.diff(offsets) < 1):
        raise GraphError(f"expected the pools at level {name} to follow each other, none empty")
    num_classes = len(below._factors()[1])
    if len(members) and (members.min() < 0 or members.max() >= num_classes):
        raise GraphError(f"expected members from 0 to {num_classes - 1} at level {name}")
    if len(np.unique(members)) != num_classes:
        raise GraphError(f"expected every node below level {name} to be in a pool")
    falls = np.diff(members) <= 0
    falls[offsets[1:-1] - 1] = False
    if np.any(falls):
        raise GraphError(f"expected the members of each pool at level {name} to ascend")
    return offsets, members


def _split_labels(labels: npt.NDArray[Any] | None) -> tuple[npt.NDArray[np.int64] | None, list[Any] | None]:
    """Integer labels go into an array, names into the header."""
    if labels is None:
        return None, None
    if np.issubdtype(labels.dtype, np.integer):
        return labels.astype(np.int64), None
    names = labels.tolist()
    if not all(isinstance(name, (str, int, float)) for name in names):
        odd = next(name for name in names if not isinstance(name, (str, int, float)))
        raise GraphError(f"expected labels that are numbers or text, to save them, got {odd!r}")
    return None, names


def _labels(tensors: dict[str, npt.NDArray[Any]], names: object) -> npt.NDArray[Any] | None:
    if "labels" in tensors:
        return _array(tensors, "labels", np.int64)
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, (str, int, float)) for name in names):
        raise GraphError("expected the names in the header to be a list of numbers and texts")
    labels = np.empty(len(names), dtype=object)
    labels[:] = names
    return labels
