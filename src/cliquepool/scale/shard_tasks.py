"""The tasks of workers on the shards of a graph: cut one out, search one at a bound.

A task is stateless: it can run in any worker, and again. What a worker remembers of a shard between rounds
only saves work and traffic; one that has not seen the round before asks for all covered nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from cliquepool import _core
from cliquepool.scale.shards import CutShard, OrientedGraph, ShardArrays, ShardPaths
from cliquepool.scale.tasks import Origin, ending_with

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    Limits = tuple[int, float, int]

__all__ = ["Covered", "CutTask", "Found", "SearchTask", "cut_shard", "forget_shards", "search_shard"]

_MOST_REMEMBERED: Final = 64
_NO_BOUND: Final = 2**31 - 1


class CutTask(NamedTuple):
    """Cut a shard out of the oriented graph in a file."""

    origin: Origin
    oriented: Path
    paths: ShardPaths
    number: int
    run: str  # the SHA-256 of the graph and the options
    limits: Limits


class Covered(NamedTuple):
    """Vertices of a shard that are covered by pools: indices, or a bitmap of all vertices of the shard.

    `since` is the round after which they were; None: all so far.
    """

    since: int | None
    indices: npt.NDArray[np.int32] | None
    bitmap: npt.NDArray[np.uint8] | None

    @classmethod
    def of(cls, since: int | None, indices: npt.NDArray[np.int32], size: int) -> Covered:
        """Return the shorter form of `indices` among `size` vertices."""
        if indices.nbytes <= size // 8:
            return cls(since, indices, None)
        flags = np.zeros(size, dtype=np.bool_)
        flags[indices] = True
        return cls(since, None, np.packbits(flags))

    @property
    def nbytes(self) -> int:
        """The size of the arrays."""
        return sum(array.nbytes for array in (self.indices, self.bitmap) if array is not None)

    def remove_from(self, live: npt.NDArray[np.uint8]) -> None:
        """Clear the flags of the covered vertices."""
        if self.indices is not None:
            live[self.indices] = 0
        elif self.bitmap is not None:
            live[np.unpackbits(self.bitmap, count=len(live)).astype(np.bool_)] = 0


class SearchTask(NamedTuple):
    """Find the cliques of exactly the weight `bound` that own vertices of a shard lead.

    With ``bound=None``, only find the highest bound; `most` is one that is known to hold.
    """

    origin: Origin
    path: Path
    run: str
    round: int
    covered: Covered
    bound: int | None
    most: int
    limits: Limits


class Found(NamedTuple):
    """The cliques that a task has found, as classes of the whole graph, and the highest bound left."""

    offsets: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    next_bound: int

    @property
    def nbytes(self) -> int:
        """The size of the arrays."""
        return self.offsets.nbytes + self.members.nbytes


@dataclass(slots=True)
class _State:
    """A shard in the memory of a worker, after a round of a run."""

    vertices: npt.NDArray[np.int32]
    searcher: _core.ShardSearcher
    live: npt.NDArray[np.uint8]
    after: int


_states: dict[tuple[str, Path], _State] = {}  # by run of a client and file, in the order of their last use


def cut_shard(task: CutTask) -> CutShard:
    """Cut out a shard and write its files."""
    task.origin.expect_same_version()
    graph = OrientedGraph.read(task.oriented, task.run)
    stop = ending_with(task.origin.run)
    return ShardArrays.cut(graph, task.number, task.paths, task.run, limits=task.limits, progress=stop)


def search_shard(task: SearchTask) -> Found | None:
    """Search a shard; return None if this worker would need all covered nodes for that."""
    task.origin.expect_same_version()
    key = (task.origin.run, task.path)
    state = _states.pop(key, None)  # a search that fails leaves nothing behind
    stop = ending_with(task.origin.run)
    if task.covered.since is None:
        state = _opened(task)
    elif state is None or state.after != task.covered.since:
        return None
    task.covered.remove_from(state.live)
    if task.covered.since is None:
        most = task.most if task.bound is None else task.bound
        bound = state.searcher.find_bounds(state.live, min(most, _NO_BOUND), task.limits, stop)
        found = Found(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), bound)
    if task.bound is not None:
        offsets, members, bound = state.searcher.find_cliques(state.live, task.bound, task.limits, stop)
        found = Found(offsets, state.vertices[members], bound)
    state.after = task.round
    _states[key] = state
    while len(_states) > _MOST_REMEMBERED:
        del _states[next(iter(_states))]
    return found


def _opened(task: SearchTask) -> _State:
    shard = ShardArrays.read(task.path, task.run)
    searcher = _core.ShardSearcher(shard.weights, shard.own, shard.offsets, shard.later, task.limits)
    return _State(shard.vertices, searcher, np.ones(len(shard.vertices), dtype=np.uint8), -1)


def forget_shards(run: str) -> None:
    """Forget the shards of a run of a client that has ended."""
    for key in [key for key in _states if key[0] == run]:
        _states.pop(key, None)
