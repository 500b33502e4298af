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
        first = np.repeat(target_start[:-1], np.diff(lists.offsets[list_start]))
        local = Ragged(lists.offsets, (lists.members - first).astype(np.int32))
        return cls(list_start, local, target_start)

    def __len__(self) -> int:
        return len(self.local)

    @property
    def num_targets(self) -> int:
        """The number of targets of all graphs together."""
        return int(self.target_start[-1])

    @cached_property
    def global_lists(self) -> Ragged:
        """The lists with members that count the targets of all graphs together."""
        offsets = self.local.offsets
        first = np.repeat(self.target_start[:-1], np.diff(offsets[self.list_start]))
        return Ragged(offsets, (self.local.members + first).astype(np.int32))

    @cached_property
    def transposed(self) -> RaggedByGraph:
        """For each target the lists that contain it, ascending."""
        transposed = self.global_lists.transpose(self.num_targets)
        return RaggedByGraph.from_global(self.target_start, transposed, self.list_start)
