"""Hierarchies in files: arrays with checksums and a format version, no executable content."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from cliquepool._input import checked_labels
from cliquepool.array_files import read_arrays, write_arrays
from cliquepool.errors import GraphError, InputError
from cliquepool.ragged import Ragged
from cliquepool.twins import ImpliedFactors, TwinFactors, checked_factors, checked_implied_factors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import numpy.typing as npt

__all__ = ["StoredHierarchy", "read_hierarchy", "write_hierarchy"]

_FORMAT: Final = "cliquepool.hierarchy"
_VERSION: Final = 2
_VERSION_WITH_IMPLIED_LEVELS: Final = (
    3  # written only where a level has no quotient, so that others stay readable
)
_LONGEST_DURATION: Final = 1e12  # seconds
_DTYPES: Final[dict[str, type[np.integer[Any]]]] = {  # in the order of the fields of TwinFactors
    "classes": np.int32,
    "sizes": np.int32,
    "indptr": np.int64,
    "indices": np.int32,
}
_IMPLIED_DTYPES: Final[dict[str, type[np.integer[Any]]]] = {  # of ImpliedFactors
    "classes": np.int32,
    "sizes": np.int32,
    "closed_weights": np.int64,
}


class StoredHierarchy(NamedTuple):
    """The arrays of a hierarchy: `graphs` has one entry more than `pools`, which lie between them.

    In folders of `cliquepool.hierarchy_folders` the last graph may be missing.
    """

    graphs: Sequence[TwinFactors | ImpliedFactors]
    pools: list[Ragged]  # the twin classes in each pool
    seconds: list[float | None]  # that each level took to compute
    labels: npt.NDArray[Any] | None  # of the nodes of the lowest graph


def write_hierarchy(path: str | PathLike[str], stored: StoredHierarchy) -> None:
    """Write a hierarchy to a file, whole or not at all."""
    tensors = _graph_tensors(0, stored.graphs[0])
    for level, (pools, coarse) in enumerate(zip(stored.pools, stored.graphs[1:], strict=True), start=1):
        tensors[f"{level}.offsets"] = pools.offsets
        tensors[f"{level}.members"] = pools.members
        tensors |= _graph_tensors(level, coarse)
    labels, names = _split_labels(stored.labels)
    if labels is not None:
        tensors["labels"] = labels
    metadata = {
        "format": _FORMAT,
        "version": str(_version(stored)),
        "levels": str(len(stored.pools)),
        "seconds": json.dumps(stored.seconds),
    }
    if names is not None:
        metadata["names"] = json.dumps(names)
    write_arrays(path, tensors, metadata)


def read_hierarchy(path: str | PathLike[str]) -> StoredHierarchy:
    """Read a hierarchy from a file. Raises GraphError unless the arrays fit together."""
    try:
        file = read_arrays(path)
        newest = str(_VERSION_WITH_IMPLIED_LEVELS)
        has_implied = file.metadata.get("version") == newest
        file.expect(_FORMAT, _VERSION_WITH_IMPLIED_LEVELS if has_implied else _VERSION)
        return _stored(file.arrays, file.metadata)
    except InputError as error:
        raise GraphError(f"{path}: {error}") from error


def _stored(tensors: dict[str, npt.NDArray[Any]], metadata: dict[str, str]) -> StoredHierarchy:
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

    labels = _labels(tensors, names)
    graphs: list[TwinFactors | ImpliedFactors] = [_graph(tensors, 0)]
    try:
        labels = checked_labels(labels, graphs[0].num_nodes)
    except GraphError as error:
        raise GraphError(f"level 0: {error}") from error
    pools: list[Ragged] = []
    for level in range(1, levels + 1):
        implied = f"{level}.closed_weights" in tensors
        graphs.append(_implied_graph(tensors, level) if implied else _graph(tensors, level))
        pools.append(_pools(tensors, level, graphs[-2].num_classes, graphs[-1].num_nodes))
    return StoredHierarchy(graphs, pools, seconds, labels)


def _is_duration(seconds: object) -> bool:
    if seconds is None:
        return True
    return isinstance(seconds, (int, float)) and 0 <= seconds < _LONGEST_DURATION


def _version(stored: StoredHierarchy) -> int:
    implied = any(isinstance(graph, ImpliedFactors) for graph in stored.graphs)
    return _VERSION_WITH_IMPLIED_LEVELS if implied else _VERSION


def _graph_tensors(level: int, factors: TwinFactors | ImpliedFactors) -> dict[str, npt.NDArray[Any]]:
    parts = _IMPLIED_DTYPES if isinstance(factors, ImpliedFactors) else _DTYPES
    return dict(zip((f"{level}.{part}" for part in parts), factors, strict=True))


def _array(tensors: dict[str, npt.NDArray[Any]], name: str, dtype: type[np.integer[Any]]) -> npt.NDArray[Any]:
    array = tensors.get(name)
    if array is None:
        raise GraphError(f"expected an array {name}, got none")
    if array.ndim != 1 or array.dtype != dtype:
        got = f"{array.dtype} of shape {array.shape}"
        raise GraphError(f"expected {name} to be a list of {np.dtype(dtype)}, got {got}")
    return array


def _graph(tensors: dict[str, npt.NDArray[Any]], level: int) -> TwinFactors:
    parts = [_array(tensors, f"{level}.{part}", dtype) for part, dtype in _DTYPES.items()]
    try:
        return checked_factors(*parts)
    except GraphError as error:
        raise GraphError(f"level {level}: {error}") from error


def _implied_graph(tensors: dict[str, npt.NDArray[Any]], level: int) -> ImpliedFactors:
    parts = [_array(tensors, f"{level}.{part}", dtype) for part, dtype in _IMPLIED_DTYPES.items()]
    try:
        return checked_implied_factors(*parts)
    except GraphError as error:
        raise GraphError(f"level {level}: {error}") from error


def _pools(tensors: dict[str, npt.NDArray[Any]], level: int, num_classes: int, num_pools: int) -> Ragged:
    """Read the pools of a level. `num_classes` counts the twin classes below it, which are the members."""
    offsets = _array(tensors, f"{level}.offsets", np.int64)
    members = _array(tensors, f"{level}.members", np.int32)
    if len(offsets) != num_pools + 1:
        raise GraphError(f"expected {num_pools} pools at level {level}, got {len(offsets) - 1}")
    if offsets[0] != 0 or offsets[-1] != len(members) or np.any(np.diff(offsets) < 1):
        raise GraphError(f"expected the pools at level {level} to follow each other, none empty")
    if len(members) and (members.min() < 0 or members.max() >= num_classes):
        raise GraphError(f"expected members from 0 to {num_classes - 1} at level {level}")
    if len(np.unique(members)) != num_classes:
        raise GraphError(f"expected every node below level {level} to be in a pool")
    falls = np.diff(members) <= 0
    falls[offsets[1:-1] - 1] = False
    if np.any(falls):
        raise GraphError(f"expected the members of each pool at level {level} to ascend")
    return Ragged(offsets, members)


def _split_labels(labels: npt.NDArray[Any] | None) -> tuple[npt.NDArray[np.int64] | None, list[Any] | None]:
    """Return integer labels as an array, or other labels as a list for the header."""
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
