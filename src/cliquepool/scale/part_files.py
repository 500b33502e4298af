"""The files of a partition: one for each part and an index, with checksums and a format version.

A part has everything that it needs: its own nodes at each level, the views of each level, and the rows that
it sends to other parts. The index is written last, so that a folder without one is not complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.array_files import read_arrays, write_arrays
from cliquepool.errors import GraphError, InputError
from cliquepool.ragged import Ragged
from cliquepool.scale.part_views import KINDS, PartView

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from cliquepool.array_files import ArrayFile
    from cliquepool.scale.part_views import ViewKind

    Ids = npt.NDArray[np.int32]

__all__ = [
    "INDEX_NAME",
    "Part",
    "PartLevel",
    "PartitionIndex",
    "part_name",
    "read_index",
    "read_part",
    "write_index",
    "write_part",
]

INDEX_NAME: Final = "partition.safetensors"
_PART_FORMAT: Final = "cliquepool.part"
_INDEX_FORMAT: Final = "cliquepool.partition"
_VERSION: Final = 2  # 1 is that of files without checksums
_RAGGED: Final = ("lists", "sources")
_FLAT: Final = ("rows", "units", "numbers", "own")
_LONGEST_NUMBER: Final = 9  # digits of counts in a header


def part_name(index: int) -> str:
    """Return the name of the file of a part."""
    return f"part-{index:05}.safetensors"


@dataclass(frozen=True, eq=False)
class PartitionIndex:
    """What is known of all parts: their number, and how many nodes each owns at each level.

    Attributes
    ----------
    hierarchy, partition : str
        Fingerprints of the hierarchy, and of the hierarchy with the owners of its nodes.
    factored : tuple of bool
        For each level whether its units are twin classes.
    counts : ndarray of shape (levels, parts)
        The number of own nodes.
    sent : dict
        By level and kind of view, the number of rows that each part (rows) sends to each part (columns).
    """

    hierarchy: str
    partition: str
    factored: tuple[bool, ...]
    counts: npt.NDArray[np.int64]
    sent: dict[tuple[int, ViewKind], npt.NDArray[np.int64]]

    @property
    def num_parts(self) -> int:
        """The number of parts."""
        return int(self.counts.shape[1])

    @property
    def num_levels(self) -> int:
        """The number of levels, the graph itself included."""
        return int(self.counts.shape[0])

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of nodes at every level."""
        return tuple(self.counts.sum(axis=1).tolist())

    def kinds(self, level: int) -> tuple[ViewKind, ...]:
        """Return the kinds of views of a level: only convolutions on the last."""
        return KINDS if level + 1 < self.num_levels else KINDS[:1]


@dataclass(frozen=True, eq=False)
class PartLevel:
    """One level of a part: its own nodes, its views, and the own rows that it sends for each kind of view.

    The rows sent for a lift are of this level too: to nodes of the level below.
    """

    nodes: Ids
    views: dict[ViewKind, PartView]
    sends: dict[ViewKind, Ragged]


@dataclass(frozen=True, eq=False)
class Part:
    """One part of a hierarchy, its arrays mapped from its file."""

    index: int
    levels: tuple[PartLevel, ...]

    def nodes(self, level: int) -> Ids:
        """Return the part's own nodes of a level, ascending."""
        return self.levels[level].nodes

    def halo(self, level: int) -> Ids:
        """Return the nodes of other parts that a convolution of the own nodes reads, ascending."""
        view = self.levels[level].views["neighbours"]
        return np.delete(view.rows, view.own)

    def num_edges(self, level: int) -> int:
        """Return the number of entries in the rows of the own nodes: of edges, each from both ends."""
        return len(self.levels[level].views["neighbours"].lists.members)

    def __repr__(self) -> str:
        nodes = " -> ".join(f"{len(level.nodes):,}" for level in self.levels)
        return f"Part({self.index}, own nodes {nodes})"


# ---- writing ----


def write_part(folder: Path, part: Part, index: PartitionIndex) -> None:
    """Write the file of a part atomically."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for level, held in enumerate(part.levels):
        arrays[f"{level}.nodes"] = held.nodes
        for kind, view in held.views.items():
            for name in _FLAT:
                arrays[f"{level}.{kind}.{name}"] = getattr(view, name)
            for name in _RAGGED:
                arrays |= _ragged_arrays(f"{level}.{kind}.{name}", getattr(view, name))
        for kind, rows in held.sends.items():
            arrays |= _ragged_arrays(f"{level}.{kind}.sends", rows)
    metadata = {
        "format": _PART_FORMAT,
        "version": str(_VERSION),
        "part": str(part.index),
        "parts": str(index.num_parts),
        "partition": index.partition,
    }
    write_arrays(folder / part_name(part.index), arrays, metadata)


def write_index(folder: Path, index: PartitionIndex) -> None:
    """Write the index atomically."""
    arrays: dict[str, npt.NDArray[Any]] = {"counts": index.counts, "factored": np.array(index.factored)}
    arrays |= {f"{level}.{kind}.sent": sent for (level, kind), sent in index.sent.items()}
    metadata = {
        "format": _INDEX_FORMAT,
        "version": str(_VERSION),
        "hierarchy": index.hierarchy,
        "partition": index.partition,
    }
    write_arrays(folder / INDEX_NAME, arrays, metadata)


def _ragged_arrays(name: str, lists: Ragged) -> dict[str, npt.NDArray[Any]]:
    return {f"{name}.offsets": lists.offsets, f"{name}.members": lists.members}


# ---- reading ----


def read_index(folder: Path) -> PartitionIndex:
    """Read the index of a folder. Raises GraphError unless it is a whole one of this version."""
    path = folder / INDEX_NAME
    if not path.is_file():
        raise FileNotFoundError(
            2, f"expected the parts of a graph, got a folder without {INDEX_NAME}", str(folder)
        )
    try:
        file = _read(path, _INDEX_FORMAT)
        counts, factored = _array(file, "counts", np.int64, 2), _array(file, "factored", np.bool_, 1)
        if not counts.size or counts.min() < 0 or len(factored) != len(counts):
            raise GraphError("expected the number of nodes of each part, got other numbers")
        num_levels, num_parts = counts.shape
        sent = {}
        for level in range(num_levels):
            for kind in KINDS if level + 1 < num_levels else KINDS[:1]:
                rows = _array(file, f"{level}.{kind}.sent", np.int64, 2)
                if rows.shape != (num_parts, num_parts) or rows.min() < 0:
                    raise GraphError(f"{level}.{kind}.sent: expected a number for each pair of parts")
                sent[level, kind] = rows
        fingerprints = (_text(file, "hierarchy"), _text(file, "partition"))
        return PartitionIndex(*fingerprints, tuple(factored.tolist()), counts, sent)
    except InputError as error:
        raise GraphError(f"{path}: {error}") from error


def read_part(folder: Path, number: int, index: PartitionIndex) -> Part:
    """Map the file of a part. Raises GraphError that names the part unless it is one of this partition."""
    path = folder / part_name(number)
    try:
        file = _read(path, _PART_FORMAT)
        if file.metadata.get("part") != str(number):
            raise GraphError(
                f"expected part {number}, got part {file.metadata.get('part', '')[:_LONGEST_NUMBER]}"
            )
        if file.metadata.get("partition") != index.partition:
            raise GraphError(
                "expected a part of the partition in the index, got one of another hierarchy or partition"
            )
        return Part(number, tuple(_level(file, level, number, index) for level in range(index.num_levels)))
    except FileNotFoundError:
        raise FileNotFoundError(2, f"part {number}: no such file", str(path)) from None
    except InputError as error:
        raise GraphError(f"part {number} ({path}): {error}") from error


def _read(path: Path, expected: str) -> ArrayFile:
    file = read_arrays(path, mapped=True)
    found = file.metadata.get("format", "a file without a format name")
    if found != expected:
        raise GraphError(f"expected a file of format {expected}, got {found[:100]}")
    version = file.metadata.get("version", "none")
    if version != str(_VERSION):
        raise GraphError(f"expected format version {_VERSION}, got {version[:20]}")
    if not file.is_sealed:
        raise GraphError("expected a checksum in the header, got none: damaged")
    return file


def _text(file: ArrayFile, name: str) -> str:
    if not file.metadata.get(name):
        raise GraphError(f"expected {name} in the header, got none")
    return file.metadata[name]


def _array(file: ArrayFile, name: str, dtype: type[np.generic], dimensions: int = 1) -> npt.NDArray[Any]:
    array = file.arrays.get(name)
    if array is None:
        raise GraphError(f"expected an array {name}, got none")
    if array.ndim != dimensions or array.dtype != dtype:
        got = f"{array.dtype} of shape {array.shape}"
        raise GraphError(f"{name}: expected {np.dtype(dtype)} in {dimensions} dimensions, got {got}")
    return array


def _ids(file: ArrayFile, name: str, limit: int, *, ascending: bool = False) -> Ids:
    """Return an array of numbers from 0 up to `limit`: wrong ones would be read out of bounds."""
    array: Ids = _array(file, name, np.int32)
    if array.size and not 0 <= array.min() <= array.max() < limit:
        raise GraphError(f"{name}: expected numbers from 0 to {limit - 1}, got others")
    if ascending and np.any(array[1:] <= array[:-1]):
        raise GraphError(f"{name}: expected ascending numbers, got others")
    return array


def _lists(file: ArrayFile, name: str, num_lists: int, limit: int) -> Ragged:
    offsets, members = _array(file, f"{name}.offsets", np.int64), _ids(file, f"{name}.members", limit)
    fits = len(offsets) == num_lists + 1 and offsets[0] == 0 and offsets[-1] == len(members)
    if not fits or np.any(np.diff(offsets) < 0):
        raise GraphError(f"{name}: expected {num_lists} lists that follow each other, got others")
    return Ragged(offsets, members)


def _level(file: ArrayFile, level: int, number: int, index: PartitionIndex) -> PartLevel:
    nodes = _ids(file, f"{level}.nodes", index.sizes[level], ascending=True)
    if len(nodes) != index.counts[level, number]:
        raise GraphError(f"{level}.nodes: expected {index.counts[level, number]} nodes, got {len(nodes)}")
    kinds = index.kinds(level)
    views = {kind: _view(file, level, kind, number, index) for kind in kinds}
    sending = [kind for kind in KINDS if (level - (kind == "lift"), kind) in index.sent]
    sends = {}
    for kind in sending:
        sends[kind] = _lists(file, f"{level}.{kind}.sends", index.num_parts, len(nodes))
        expected = index.sent[level - (kind == "lift"), kind][number]
        if not np.array_equal(sends[kind].sizes, expected):
            raise GraphError(f"{level}.{kind}.sends: expected as many rows as the index says, got others")
    return PartLevel(nodes, views, sends)


def _view(file: ArrayFile, level: int, kind: ViewKind, number: int, index: PartitionIndex) -> PartView:
    name = f"{level}.{kind}"
    rows = _ids(file, f"{name}.rows", index.sizes[level + (kind == "lift")], ascending=True)
    sources = _lists(file, f"{name}.sources", index.num_parts, len(rows))
    if not np.array_equal(sources.sizes, index.sent[level, kind][:, number]):
        raise GraphError(f"{name}.sources: expected as many rows as the index says, got others")
    num_nodes = int(index.counts[level, number]) if kind == "lift" else len(rows)
    units = _ids(file, f"{name}.units", max(num_nodes, 1))
    if len(units) != num_nodes:
        raise GraphError(f"{name}.units: expected {num_nodes}, got {len(units)}")
    num_units = int(units.max(initial=-1)) + 1
    num_pools = int(index.counts[level + 1, number]) if kind == "pools" else 0
    lists = _lists(
        file,
        f"{name}.lists",
        num_pools if kind == "pools" else num_units,
        len(rows) if kind == "lift" else num_units,
    )
    num_results = num_pools if kind == "pools" else num_nodes
    own = _ids(file, f"{name}.own", num_results, ascending=True)
    if len(own) != (num_pools if kind == "pools" else index.counts[level, number]):
        raise GraphError(f"{name}.own: expected a position for each own node, got {len(own)}")
    numbers = _ids(file, f"{name}.numbers", 2**31)
    if len(numbers) != (0 if kind == "lift" else len(rows)):
        raise GraphError(f"{name}.numbers: expected one for each row, got {len(numbers)}")
    return PartView(kind, rows, units, lists, numbers, own, sources)
