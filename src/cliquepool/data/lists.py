"""Lists of many graphs, kept end to end in flat arrays, and cut for some of the graphs at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool import _core

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["FlatLists", "cut_rows"]


@dataclass(frozen=True)
class FlatLists:
    """For every graph some lists (of neighbours, of members) over its own targets (nodes, classes).

    The lists of graph g are those from ``list_start[g]`` to ``list_start[g + 1]``; their members count
    from the graph's first target, which is ``target_start[g]`` of all.
    """

    list_start: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    target_start: npt.NDArray[np.int64]

    @classmethod
    def from_union(
        cls,
        list_start: npt.NDArray[np.int64],
        offsets: npt.NDArray[np.int64],
        members: npt.NDArray[np.int32],
        target_start: npt.NDArray[np.int64],
    ) -> FlatLists:
        """Take lists whose members count from the first target of all graphs."""
        base = np.repeat(target_start[:-1], np.diff(offsets[list_start]))
        return cls(list_start, offsets, (members - base).astype(np.int32), target_start)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def num_targets(self) -> int:
        """The number of targets of all graphs together."""
        return int(self.target_start[-1])

    @cached_property
    def union_members(self) -> npt.NDArray[np.int32]:
        """The members counted from the first target of all graphs."""
        base = np.repeat(self.target_start[:-1], np.diff(self.offsets[self.list_start]))
        return (self.members + base).astype(np.int32)

    @cached_property
    def transposed(self) -> FlatLists:
        """For each target the lists that it is in, ascending."""
        list_of_member = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))
        order = np.argsort(self.union_members, kind="stable")
        counts = np.bincount(self.union_members, minlength=self.num_targets)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return FlatLists.from_union(self.target_start, offsets, list_of_member[order], self.list_start)


def cut_rows(
    start: npt.NDArray[np.int64],
    rows: npt.NDArray[Any],
    chosen: npt.NDArray[np.int64],
    count: int | None = None,
) -> npt.NDArray[Any]:
    """The rows of the chosen graphs end to end; `count`, where it is known, is how many they are."""
    if count is None:
        count = int(_core.cut_starts(start, chosen)[-1])
    cut = np.empty((count, *rows.shape[1:]), dtype=rows.dtype)
    if cut.size:
        _core.cut_rows(start, _bytes_of(rows), chosen, _bytes_of(cut))
    return cut


def _bytes_of(rows: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    return rows.reshape(len(rows), -1).view(np.uint8)
