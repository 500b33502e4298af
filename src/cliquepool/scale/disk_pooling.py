"""The pools of one graph that is larger than memory: arrays of edges stay in files, those of nodes in memory.

The vertices are ordered by degeneracy, and the later neighbours of each are written to a file, which is
mapped into memory. Then, round by round, all heaviest cliques of the remaining vertices are found, each among
the later neighbours of its first member. Cliques that outgrow a block are sorted in runs and merged.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool._input import MAX_NODES
from cliquepool.array_folders import allocate_array
from cliquepool.errors import BudgetExceeded
from cliquepool.files import naming_errors

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from cliquepool.array_folders import FolderWriter
    from cliquepool.budget import Budget
    from cliquepool.threads import OnProgress
    from cliquepool.twins import TwinFactors

    Lists = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]

__all__ = ["DiskPooling", "Meter"]

_BLOCK: Final = 2**18  # entries that are copied at once
_COPIES: Final = 8  # of a block of cliques: as found, by id, sorted, written


class Meter:
    """What is left of a budget over many calls, and the progress of them."""

    def __init__(self, budget: Budget, progress: OnProgress | None) -> None:
        self._budget = budget
        self._progress = progress
        self._began = time.monotonic()
        self._pools = 0
        self._said = ("pooling", 0, 0)

    def limits(self) -> tuple[int, float, int]:
        """Return the limits of the next call of the core; raise BudgetExceeded where no time is left."""
        cliques, seconds, size = self._budget._limits()
        used = time.monotonic() - self._began
        if used > seconds:
            raise BudgetExceeded("max_seconds", seconds, used, self._said[0])
        return max(cliques - self._pools, 0), seconds - used, size

    def count_pools(self, number: int) -> None:
        """Count pools that were found."""
        self._pools += number

    def say(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Report the progress of what follows."""
        self._said = (stage, done, total)
        self.repeat(stage, done, total)

    def repeat(self, *_ignored: object) -> None:
        """Report the last progress again: called by the core, whose own stages are parts of ours."""
        if self._progress is not None:
            self._progress(*self._said)


class DiskPooling:
    """Pools a graph, given by its twin classes, and writes its pools to a folder, in canonical order."""

    def __init__(
        self, graph: TwinFactors, writer: FolderWriter, meter: Meter, *, name: str, memory: int
    ) -> None:
        self._graph = graph
        self._writer = writer
        self._meter = meter
        self._name = name
        self._block = max(memory // _COPIES, 1)
        self._num_classes = len(graph.sizes)
        self._left = self._num_classes
        self._order: npt.NDArray[np.int32] = np.empty(0, np.int32)  # the class of each rank
        self._num_pools = self._num_members = 0

    def run(self) -> None:
        """Write ``offsets`` and ``members``."""
        self._writer.append("offsets", np.zeros(1, np.int64))
        self._writer.append("members", np.empty(0, np.int32))
        searcher = self._oriented()
        live = np.ones(self._num_classes, np.uint8)
        self._meter.say(f"{self._name}: bounding cliques")
        bound = searcher.find_bounds(live, MAX_NODES, self._meter.limits(), self._meter.repeat)
        while bound > 0:
            bound = self._run_round(searcher, live, bound)

    def _oriented(self) -> _core.ShardSearcher:
        """Order the vertices, write their later neighbours, and return the search on them."""
        count, graph = self._num_classes, self._graph
        self._order = self._allocate("order", np.int32, count)
        weights = self._allocate("weights", np.int32, count)
        offsets = self._allocate("later_offsets", np.int64, count + 1)
        later = self._allocate("later", np.int32, len(graph.indices) // 2)
        self._meter.say(f"{self._name}: ordering vertices")
        arrays = (graph.indptr, graph.indices, self._order, offsets, later)
        _core.later_lists(*arrays, self._meter.limits(), self._meter.repeat)
        for begin in range(0, count, _BLOCK):
            block = slice(begin, begin + _BLOCK)
            weights[block] = graph.sizes[self._order[block]]
        self._meter.say(f"{self._name}: colouring")
        own = np.arange(count, dtype=np.int32)
        return _core.ShardSearcher(weights, own, offsets, later, self._meter.limits())

    def _run_round(self, searcher: _core.ShardSearcher, live: npt.NDArray[np.uint8], weight: int) -> int:
        """Find all cliques of this weight and write them; return the bound of the next round."""
        stage = f"{self._name}: cliques of {weight}, {self._left:,} classes left, {self._num_pools:,} pools"
        self._meter.say(stage, self._num_classes - self._left, self._num_classes)
        found = _SortedRuns(self._writer, self._meter)
        is_pooled = np.zeros(self._num_classes, np.bool_)
        first, bound = 0, weight
        while first < self._num_classes:
            offsets, ranks, bound, first = searcher.find_some(
                live, weight, first, self._block, self._meter.limits(), self._meter.repeat
            )
            self._meter.count_pools(len(offsets) - 1)
            is_pooled[ranks] = True
            found.add(_core.sort_lists(offsets, self._order[ranks], self._meter.limits()))
        live[is_pooled] = 0
        self._left = int(np.count_nonzero(live))
        while len((block := found.take(self._block // 4))[0]) > 1:
            self._append(block)
        found.remove()
        return bound

    def _append(self, lists: Lists) -> None:
        offsets, members = lists
        self._writer.append("offsets", offsets[1:] + self._num_members)
        self._writer.append("members", members)
        self._num_pools += len(offsets) - 1
        self._num_members += len(members)

    def _allocate(self, name: str, dtype: type[np.generic], length: int) -> npt.NDArray[Any]:
        return allocate_array(self._writer.scratch(name), dtype, length)


class _SortedRuns:
    """The cliques of a round: one sorted run in memory, or several in files."""

    def __init__(self, writer: FolderWriter, meter: Meter) -> None:
        self._writer = writer
        self._meter = meter
        self._runs: list[Lists] = []
        self._files: list[Path] = []
        self._merger: _core.RunMerger | None = None

    def add(self, run: Lists) -> None:
        """Add a run; where there is one already, all are moved to files."""
        if len(run[0]) <= 1:
            return
        self._runs.append(run)
        if len(self._runs) > 1:
            if not self._files:
                self._runs[0] = self._spilled(self._runs[0])
            self._runs[-1] = self._spilled(run)

    def take(self, most_members: int) -> Lists:
        """Return the next lists in order, of about `most_members` members; none at the end."""
        if self._merger is None:
            self._merger = _core.RunMerger(self._runs)
        return self._merger.take(most_members, self._meter.limits())

    def remove(self) -> None:
        """Remove the files."""
        self._merger = None
        self._runs.clear()
        for file in self._files:
            file.unlink()

    def _spilled(self, run: Lists) -> Lists:
        offsets, members = (self._mapped(array) for array in run)
        return offsets, members

    def _mapped(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Write an array to a file, and map it."""
        path = self._writer.scratch(f"run-{len(self._files)}")
        with naming_errors(path):
            mapped = allocate_array(path, array.dtype, len(array))
        self._files.append(path)
        mapped[:] = array
        return mapped
