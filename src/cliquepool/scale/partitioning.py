"""Division of a hierarchy into parts: self-contained files that networks run over one by one."""

from __future__ import annotations

import hashlib
import operator
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from cliquepool._words import counted
from cliquepool.errors import GraphError
from cliquepool.files import naming_errors
from cliquepool.ragged import Ragged
from cliquepool.scale.level_rows import rows_of_hierarchy
from cliquepool.scale.owners import choose_owners
from cliquepool.scale.part_files import (
    INDEX_NAME,
    Part,
    PartitionIndex,
    PartLevel,
    part_name,
    read_index,
    read_part,
    write_index,
    write_part,
)
from cliquepool.scale.part_views import KINDS, make_view, node_owners, view_rows

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.hierarchy import Hierarchy
    from cliquepool.scale.level_rows import LevelRows
    from cliquepool.scale.owners import PartitionMethod
    from cliquepool.scale.part_views import NodeOwners, ViewKind
    from cliquepool.threads import OnProgress

    Ids = npt.NDArray[np.int32]

__all__ = ["Parts", "hierarchy_fingerprint", "partition"]

_MOST_PARTS: Final = 10_000


def partition(
    hierarchy: Hierarchy,
    parts: int = 8,
    folder: str | PathLike[str] | None = None,
    *,
    method: PartitionMethod = "propagation",
    progress: OnProgress | None = None,
) -> Parts:
    """Divide the nodes of every level among `parts` parts, and write a file for each.

    Parts are chosen from a high level down, so that the nodes of a pool keep together, and have about the
    same number of edges. `run` runs a network over them, one by one or in parallel, with the result of the
    whole graph.

    Parameters
    ----------
    hierarchy : Hierarchy
        The levels to divide.
    parts : int
        The number of parts. Some may be empty, if there are more parts than nodes.
    folder : str or path, optional
        The folder for the files; made if it is not there. By default a temporary one, removed with the
        result.
    method : "propagation" or "metis"
        How the graph of one level is partitioned: by label propagation within balanced parts, or by METIS,
        which needs pymetis.
    progress : function, optional
        Called with what is being done, and how many steps of how many.

    Examples
    --------
    >>> from cliquepool import Graph, clique_hierarchy
    >>> h = clique_hierarchy(Graph.from_edges([(i, i + 1) for i in range(15)]), levels=2)
    >>> parts = partition(h, parts=2)
    >>> parts
    Parts(2 parts of 16 -> 15 -> 13)
    >>> parts[0].nodes(0), parts[0].halo(0)
    (array([ 8,  9, 10, 11, 12, 13, 14, 15], dtype=int32), array([7], dtype=int32))
    """
    parts = operator.index(parts)
    if not 1 <= parts <= _MOST_PARTS:
        raise GraphError(f"parts: expected a number from 1 to {_MOST_PARTS:,}, got {parts}")
    report = progress or _report_nothing
    report("choosing parts", 0, 0)
    levels = rows_of_hierarchy(hierarchy)
    owners = choose_owners(levels, parts, method)
    divided = _Division(levels, owners, parts)
    fingerprint = hierarchy_fingerprint(hierarchy)
    index = divided.index(fingerprint)
    made = Parts(Path(tempfile.mkdtemp(prefix="cliquepool-parts-") if folder is None else folder), index)
    if folder is None:
        weakref.finalize(made, shutil.rmtree, made.folder, ignore_errors=True)
    target = made.folder
    with naming_errors(target):
        target.mkdir(parents=True, exist_ok=True)
        (target / INDEX_NAME).unlink(missing_ok=True)  # incomplete until the new index is there
    for number in range(parts):
        report("writing parts", number, parts)
        write_part(target, divided.part(number), index)
    write_index(target, index)
    return made


def hierarchy_fingerprint(hierarchy: Hierarchy) -> str:
    """Return the SHA-256 of the arrays of a hierarchy: equal for equal pools and graphs."""
    digest = hashlib.sha256()
    for level in range(len(hierarchy) + 1):
        arrays: list[npt.NDArray[Any]] = list(hierarchy.graph(level)._factors())
        if level < len(hierarchy):
            lists = hierarchy[level]._by_class
            arrays += [lists.offsets, lists.members]
        for array in arrays:
            digest.update(len(array).to_bytes(8, "little"))
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


class Parts(Sequence[Part]):
    """The parts of a hierarchy in a folder; ``parts[i]`` maps the file of one.

    Made by `partition`, or by `Parts.open` from the folder.
    """

    def __init__(self, folder: Path, index: PartitionIndex) -> None:
        self.folder = folder
        self.header = index

    @classmethod
    def open(cls, folder: str | PathLike[str], hierarchy: Hierarchy | None = None) -> Parts:
        """Open the parts that `partition` wrote to a folder; with `hierarchy`, check that they are of it.

        Raises GraphError for a damaged index, one of another version, and parts of another hierarchy; OSError
        for a folder without an index, which is written last.
        """
        folder = Path(folder)
        index = read_index(folder)
        if hierarchy is not None and hierarchy_fingerprint(hierarchy) != index.hierarchy:
            raise GraphError(f"{folder}: expected the parts of {hierarchy!r}, got those of another hierarchy")
        return cls(folder, index)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of nodes at every level of the hierarchy."""
        return self.header.sizes

    def check(self) -> None:
        """Read every part whole, and raise GraphError that names the first one that is damaged."""
        for number in range(len(self)):
            read_part(self.folder, number, self.header)

    def file_size(self, number: int) -> int:
        """Return the number of bytes of the file of a part."""
        return (self.folder / part_name(number)).stat().st_size

    def __len__(self) -> int:
        return self.header.num_parts

    @overload
    def __getitem__(self, index: int) -> Part: ...
    @overload
    def __getitem__(self, index: slice) -> list[Part]: ...
    def __getitem__(self, index: int | slice) -> Part | list[Part]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return read_part(self.folder, range(len(self))[index], self.header)

    def __repr__(self) -> str:
        levels = " -> ".join(f"{size:,}" for size in self.sizes)
        return f"Parts({counted(len(self), 'part')} of {levels})"


class _Division:
    """The owners of all levels, from which each part is made."""

    def __init__(self, levels: list[LevelRows], owners: list[Ids], num_parts: int) -> None:
        self._levels = levels
        self._owners = owners
        self._num_parts = num_parts
        self._units = [Ragged.from_pairs(own, np.arange(len(own)), num_parts) for own in owners]
        self._nodes = [node_owners(*pair, num_parts) for pair in zip(levels, owners, strict=True)]
        self._own_nodes = [
            Ragged.from_pairs(nodes.part, np.arange(len(nodes.part)), num_parts) for nodes in self._nodes
        ]
        self._sends = {
            (level, kind): self._sent_rows(level, kind)
            for level in range(len(levels))
            for kind in (KINDS if level + 1 < len(levels) else KINDS[:1])
        }

    def index(self, fingerprint: str) -> PartitionIndex:
        """Return the index of all parts."""
        digest = hashlib.sha256(fingerprint.encode())
        for owners in self._owners:
            digest.update(np.ascontiguousarray(owners).data)
        return PartitionIndex(
            hierarchy=fingerprint,
            partition=digest.hexdigest(),
            factored=tuple(level.factored for level in self._levels),
            counts=np.stack([nodes.counts for nodes in self._nodes]).astype(np.int64),
            sent={key: np.stack([lists.sizes for lists in sends]) for key, sends in self._sends.items()},
        )

    def part(self, number: int) -> Part:
        """Return one part, in memory."""
        return Part(number, tuple(self._level(level, number) for level in range(len(self._levels))))

    def _level(self, level: int, number: int) -> PartLevel:
        views = {
            kind: make_view(kind, self._levels[level], *self._own(level, number), self._sources(level, kind))
            for kind in KINDS
            if (level, kind) in self._sends
        }
        sends = {
            kind: self._sends[level - (kind == "lift"), kind][number]
            for kind in KINDS
            if (level - (kind == "lift"), kind) in self._sends
        }
        return PartLevel(self._own_nodes[level][number], views, sends)

    def _own(self, level: int, number: int) -> tuple[Ids, Ids]:
        """Return the own units of a level and the own pools of it, which are nodes of the next level."""
        is_last = level + 1 == len(self._levels)
        pools = np.zeros(0, dtype=np.int32) if is_last else self._own_nodes[level + 1][number]
        return self._units[level][number], pools

    def _sources(self, level: int, kind: ViewKind) -> NodeOwners:
        return self._nodes[level + (kind == "lift")]

    def _sent_rows(self, level: int, kind: ViewKind) -> list[Ragged]:
        """Return for each part the positions of the own nodes that it sends to each part."""
        sources = self._sources(level, kind)
        pairs: list[tuple[Ids, Ids]] = []
        for number in range(self._num_parts):
            rows = view_rows(kind, self._levels[level], *self._own(level, number))
            pairs.append((sources.part[rows], sources.position[rows]))
        found = []
        for sender in range(self._num_parts):
            sent = [position[part == sender] for part, position in pairs]
            receiver = np.repeat(np.arange(self._num_parts), list(map(len, sent)))
            found.append(Ragged.from_pairs(receiver, np.concatenate(sent), self._num_parts))
        return found


def _report_nothing(what: str, done: int, total: int) -> None:
    """Accept a report of progress."""
