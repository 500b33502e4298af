"""Graphs in folders of memory-mapped arrays: offsets, neighbours, and the ids of the nodes.

Works on arrays alone; `cliquepool.graph` imports this module, never the other way round.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool.array_folders import ArrayFolder, open_folder
from cliquepool.errors import GraphError, InputError

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.array_folders import FolderWriter

    Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]

__all__ = ["FORMAT", "VERSION", "LabelWriter", "expect_array", "labels_in", "map_graph", "offsets_in"]

FORMAT: Final = "cliquepool.graph"
VERSION: Final = 1
_NO_LIMITS: Final = (2**63 - 1, float("inf"), 2**63 - 1)
_LABELS: Final = "labels"
_TEXT: Final = "label_text"
_ENDS: Final = "label_ends"


def map_graph(
    path: str | PathLike[str], *, validate: bool | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any] | None, str]:
    """Map a graph; return its offsets, its neighbours, the ids of its nodes and its fingerprint.

    Raises GraphError that names the file for a folder that does not hold a graph; see `open_folder`.
    """
    try:
        folder = open_folder(path, FORMAT, VERSION, validate=validate, check=_check_graph)
        indptr, indices = offsets_in(folder, "indptr", "indices")
        return indptr, indices, labels_in(folder, len(indptr) - 1), folder.fingerprint
    except InputError as error:
        raise GraphError(str(error)) from None


class LabelWriter:
    """Writes the ids of the nodes of a graph to its folder."""

    def __init__(self, writer: FolderWriter) -> None:
        self._writer = writer

    def append_integers(self, labels: npt.NDArray[np.int64]) -> None:
        """Append ids that are integers."""
        self._writer.append(_LABELS, labels)

    def write_text(self, text: bytes, ends: npt.NDArray[np.int64]) -> None:
        """Write ids that are text: all of them end to end in UTF-8, and where each ends."""
        self._writer.append(_TEXT, np.frombuffer(text, np.uint8))
        self._writer.append(_ENDS, ends)


def expect_array(folder: ArrayFolder, name: str, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return an array of a folder; raise GraphError where there is none of this dtype."""
    array = folder.arrays.get(name)
    if array is None or array.dtype != dtype:
        got = "none" if array is None else str(array.dtype)
        raise GraphError(f"{folder.path / name}: expected an array of {np.dtype(dtype)}, got {got}")
    return array


def offsets_in(folder: ArrayFolder, offsets_name: str, members_name: str) -> Rows:
    """Return the offsets and the members of lists; check that they belong together."""
    offsets = expect_array(folder, offsets_name, np.int64)
    members = expect_array(folder, members_name, np.int32)
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(members):
        where = folder.path / offsets_name
        raise GraphError(f"{where}: expected offsets from 0 to {len(members)}, got others")
    return offsets, members


def labels_in(folder: ArrayFolder, num_nodes: int) -> npt.NDArray[Any] | None:
    """Return the ids of the nodes: mapped integers, or text, which is decoded into memory."""
    labels: npt.NDArray[Any]
    if _LABELS in folder.arrays:
        labels = expect_array(folder, _LABELS, np.int64)
    elif _TEXT in folder.arrays:
        labels = _decoded(folder)
    else:
        return None
    if len(labels) != num_nodes:
        raise GraphError(f"{folder.path}: expected {num_nodes} ids of nodes, got {len(labels)}")
    return labels


def _decoded(folder: ArrayFolder) -> npt.NDArray[np.object_]:
    text = expect_array(folder, _TEXT, np.uint8)
    ends = expect_array(folder, _ENDS, np.int64)
    bounds = np.concatenate([[0], ends])
    if bounds[-1] != len(text) or (np.diff(bounds) < 0).any():
        raise GraphError(f"{folder.path / _ENDS}: expected ascending ends up to {len(text)}, got others")
    names = np.empty(len(ends), dtype=object)
    try:
        names[:] = [str(text[begin:end].data, "utf-8") for begin, end in pairwise(bounds.tolist())]
    except UnicodeDecodeError as error:
        raise GraphError(
            f"{folder.path / _TEXT}: expected text in UTF-8, got other bytes ({error})"
        ) from None
    return names


def _check_graph(folder: ArrayFolder) -> None:
    """Check the content of a graph: simple, both directions, neighbours ascending."""
    rows = offsets_in(folder, "indptr", "indices")
    try:
        _core.validate_csr(*rows, _NO_LIMITS)
    except GraphError as error:
        raise GraphError(f"{folder.path}: {error}") from None
