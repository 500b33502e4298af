"""Ragged arrays of many graphs, stored end to end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["RaggedByGraph"]


@dataclass(frozen=True)
class RaggedByGraph:
    """For every graph some lists (of neighbours, of members) of targets (nodes, classes) of the same graph.

    The lists of graph g are those from ``list_start[g]`` up to ``list_start[g + 1]``. Their members count
    from the first target of the graph, which is target ``target_start[g]`` of all graphs together.
    """

    list_start: npt.NDArray[np.int64]
    local: Ragged
    target_start: npt.NDArray[np.int64]

    @classmethod
    def from_global(
        cls, list_start: npt.NDArray[np.int64], lists: Ragged, target_start: npt.NDArray[np.int64]
    ) -> RaggedByGraph:
        """Make local the members of lists that count the targets of all graphs together."""
        first = _first_targets(list_start, lists.offsets, target_start)
        return cls(
            list_start, Ragged(lists.offsets, np.subtract(lists.members, first, out=first)), target_start
        )

    def __len__(self) -> int:
        return len(self.local)

    @property
    def num_targets(self) -> int:
        """The number of targets of all graphs together."""
        return int(self.target_start[-1])

    def of_graphs(self, begin: int, end: int) -> RaggedByGraph:
        """Return the lists of the graphs from `begin` up to `end`; their members are not copied."""
        lists, targets = (start[begin : end + 1] for start in (self.list_start, self.target_start))
        part = Ragged(*self.local.part(int(lists[0]), int(lists[-1])))
        return RaggedByGraph(lists - lists[0], part, targets - targets[0])

    @property
    def global_lists(self) -> Ragged:
        """The lists with members that count the targets of all graphs together.

        Computed at every use: kept, they would take as much memory as the lists themselves.
        """
        first = _first_targets(self.list_start, self.local.offsets, self.target_start)
        return Ragged(self.local.offsets, np.add(self.local.members, first, out=first))

    @cached_property
    def transposed(self) -> RaggedByGraph:
        """For each target the lists that contain it, ascending."""
        transposed = self.global_lists.transpose(self.num_targets)
        return RaggedByGraph.from_global(self.target_start, transposed, self.list_start)


def _first_targets(
    list_start: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64], target_start: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Return for each member of lists the first target of its graph."""
    return np.repeat(target_start[:-1].astype(np.int32), np.diff(offsets[list_start]))
