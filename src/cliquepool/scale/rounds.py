"""The rounds of pooling one graph on a cluster: each steps to the highest bound that is left in any shard."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from cliquepool import _core
from cliquepool.errors import BudgetExceeded, ClusterError, InputError
from cliquepool.ragged import offsets_from_lengths
from cliquepool.scale.connection import Task
from cliquepool.scale.run_folder import FinishedRound, RunFolder
from cliquepool.scale.shard_tasks import (
    Covered,
    CutTask,
    Found,
    SearchTask,
    cut_shard,
    forget_shards,
    search_shard,
)
from cliquepool.scale.shards import OrientedGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from cliquepool.budget import Budget
    from cliquepool.scale.connection import Connection
    from cliquepool.scale.shards import CutShard, Sharding
    from cliquepool.threads import OnProgress
    from cliquepool.twins import TwinFactors

__all__ = ["PoolingReport", "pool_in_shards"]

_NO_BOUND: Final = 2**31 - 1
_SEARCH_COST: Final = 32  # finding a rank by bisection costs as much as reading so many flags
_SHARE_FOR_ESTIMATE: Final = 0.05


@dataclass(slots=True)
class PoolingReport:
    """What pooling a graph on a cluster took.

    Attributes
    ----------
    shards, by : int, str
        The number of shards, and how vertices were shared out.
    own_edges, halo_edges : int
        Edges of all shards that own vertices lead, and copies of edges that only close their triangles.
    rounds, resumed : int
        The number of rounds; and of those before, by a run that was interrupted.
    sent, received : int
        Bytes of covered nodes to workers, and of cliques from them.
    """

    shards: int
    by: Sharding
    own_edges: int = 0
    halo_edges: int = 0
    rounds: int = 0
    resumed: int = 0
    sent: int = 0
    received: int = 0

    @property
    def halo_per_own_edge(self) -> float:
        """The copies that shards need, in relation to the graph itself."""
        return self.halo_edges / max(self.own_edges, 1)


def pool_in_shards(
    connection: Connection,
    factors: TwinFactors,
    *,
    folder: Path | None,
    shards: int,
    by: Sharding,
    budget: Budget,
    progress: OnProgress | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], PoolingReport]:
    """Pool a graph between twin classes; return the pools as lists of classes, in canonical order."""
    spending = _Spending(budget)
    with RunFolder.opened(folder, factors, shards, by) as opened:
        pooling = _ShardedPooling(
            connection,
            opened,
            factors,
            report=PoolingReport(shards, by),
            spending=spending,
            progress=progress,
        )
        try:
            return (*pooling.run(), pooling.report)
        except (ClusterError, InputError) as error:
            kept = f"finished rounds are kept in {opened.path}: the same call goes on from there"
            advice = kept if opened.kept else "with a folder, a run could go on"
            raise type(error)(f"{error}; {advice}") from error
        finally:
            pooling.forget()


class _Spending:
    """What is left of a budget."""

    def __init__(self, budget: Budget) -> None:
        self._cliques, self._seconds, self._bytes = budget._limits()
        self._since = time.monotonic()
        self._used_cliques = 0
        self._used_bytes = 0

    def limits(self) -> tuple[int, float, int]:
        """Return the limits of a call from now on."""
        seconds = self._seconds - (time.monotonic() - self._since)
        if seconds <= 0:
            raise BudgetExceeded("max_seconds", self._seconds, self._seconds - seconds, "pooling")
        return self._cliques - self._used_cliques, seconds, self._bytes - self._used_bytes

    def add(self, found: Found | FinishedRound) -> None:
        """Charge cliques and their memory."""
        self._used_cliques += len(found.offsets) - 1
        self._used_bytes += found.offsets.nbytes + found.members.nbytes
        if self._used_cliques > self._cliques:
            raise BudgetExceeded("max_cliques", self._cliques, self._used_cliques, "pooling")
        if self._used_bytes > self._bytes:
            raise BudgetExceeded("max_bytes", self._bytes, self._used_bytes, "pooling")


@dataclass(slots=True)
class _Remaining:
    """The vertices that are left, by rank, and what each shard has been told of those that are not."""

    ranks: list[npt.NDArray[np.int32]]  # of the vertices of each shard
    live: npt.NDArray[np.bool_]
    covered: list[npt.NDArray[np.int32]] = field(default_factory=list)  # ranks, by round
    told: list[int | None] = field(default_factory=list)  # the last round whose covered nodes a shard knows

    def cover(self, ranks: npt.NDArray[np.int32]) -> None:
        """Remove the vertices of the pools of a round."""
        new = np.unique(ranks)
        self.live[new] = False
        self.covered.append(new)

    def covered_in(self, shard: int, *, all_of_them: bool) -> Covered:
        """Return the covered vertices of a shard that its worker does not know yet, or all."""
        since = None if all_of_them else self.told[shard]
        if since is None:
            new = np.flatnonzero(~self.live).astype(np.int32)
        else:
            new = np.concatenate([np.zeros(0, dtype=np.int32), *self.covered[since:]])
        return Covered.of(since, self._positions(shard, new), len(self.ranks[shard]))

    def _positions(self, shard: int, ranks: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the positions in a shard of those of `ranks` that it has."""
        own = self.ranks[shard]
        if len(ranks) * _SEARCH_COST < len(own):
            positions = np.searchsorted(own, ranks)
            positions[positions == len(own)] = 0
            found = positions[own[positions] == ranks]
        else:
            flags = np.zeros(len(self.live), dtype=np.bool_)
            flags[ranks] = True
            found = np.flatnonzero(flags[own])
        as_integers: npt.NDArray[np.int32] = found.astype(np.int32)
        return as_integers


class _ShardedPooling:
    """One graph, from its shards to its pools."""

    def __init__(
        self,
        connection: Connection,
        folder: RunFolder,
        factors: TwinFactors,
        *,
        report: PoolingReport,
        spending: _Spending,
        progress: OnProgress | None,
    ) -> None:
        self.report = report
        self._connection = connection
        self._origin = connection.origin()
        self._folder = folder
        self._factors = factors
        self._spending = spending
        self._progress = _RoundProgress(factors, progress)
        self._rounds: list[FinishedRound] = []
        self._workers = list(connection.workers())

    def run(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Pool the graph."""
        self._rank = self._cut_shards()
        self._remaining = self._start()
        shards = range(self.report.shards)
        most = self._rounds[-1].weight if self._rounds else _NO_BOUND
        bounds = [0] * len(shards)
        for shard, found in self._search(shards, None, most).items():
            bounds[shard] = found.next_bound
        while (weight := max(bounds, default=0)) > 1:
            searched = self._search([s for s in shards if bounds[s] == weight], weight, weight)
            for shard, found in searched.items():
                bounds[shard] = found.next_bound
            self._close_round(weight, list(searched.values()))
        return self._pools()

    def forget(self) -> None:
        """Let workers forget the shards of this run."""
        self._connection.tell(forget_shards, self._origin.run)

    def _cut_shards(self) -> npt.NDArray[np.int32]:
        """Make sure that the files of all shards are there; return the rank of each class."""
        folder, report = self._folder, self.report
        try:
            graph = OrientedGraph.read(folder.oriented, folder.run)
        except (InputError, FileNotFoundError):
            limits = self._spending.limits()
            graph = OrientedGraph.build(
                self._factors,
                report.shards,
                report.by,
                limits,
                self._progress.report,
            )
            graph.write(folder.oriented, folder.run)
        tasks = []
        for shard in range(report.shards):
            task = CutTask(
                self._origin, folder.oriented, folder.shard(shard), shard, folder.run, self._spending.limits()
            )
            tasks.append(self._task(shard, cut_shard, task))
        for done, (_, cut) in enumerate(self._connection.run(tasks, self._origin), start=1):
            self._count(cut)
            self._progress.report("cutting shards", done, len(tasks))
        rank = np.empty(len(graph.order), dtype=np.int32)
        rank[graph.order] = np.arange(len(rank), dtype=np.int32)
        return rank

    def _count(self, cut: CutShard) -> None:
        self.report.own_edges += cut.own_edges
        self.report.halo_edges += cut.halo_edges

    def _start(self) -> _Remaining:
        """Return the vertices that are left after the rounds on record."""
        shards = range(self.report.shards)
        remaining = _Remaining(
            [self._folder.ranks(shard, len(self._rank)) for shard in shards],
            np.ones(len(self._rank), dtype=np.bool_),
        )
        remaining.told = [None for _ in shards]
        for finished in self._folder.finished_rounds(len(self._rank)):
            self._spending.add(finished)
            self._rounds.append(finished)
            remaining.cover(self._rank[finished.members])
            self._progress.covered(finished)
        self.report.resumed = len(self._rounds)
        return remaining

    def _task(self, shard: int, function: object, argument: object) -> Task:
        """Return a task on a shard, for the worker that had it before."""
        worker = self._workers[shard % len(self._workers)] if self._workers else None
        label = f"shard {shard + 1} of {self.report.shards}"
        return Task(label, function, argument, worker)  # type: ignore[arg-type]

    def _search(self, shards: Iterable[int], bound: int | None, most: int) -> dict[int, Found]:
        """Search shards at a bound; with None, find their highest bounds."""
        left = list(shards)
        found: dict[int, Found] = {}
        again = False
        while left:
            self._workers = list(self._connection.workers())
            tasks = [self._search_task(shard, bound, most, all_covered=again) for shard in left]
            for index, result in self._connection.run(tasks, self._origin):
                if result is None:  # another worker than last time
                    continue
                self._spending.add(result)
                self.report.received += result.nbytes
                found[left[index]] = result
                self._remaining.told[left[index]] = len(self._remaining.covered)
            left = [shard for shard in left if shard not in found]
            again = True
        return found

    def _search_task(self, shard: int, bound: int | None, most: int, *, all_covered: bool) -> Task:
        covered = self._remaining.covered_in(shard, all_of_them=all_covered)
        self.report.sent += covered.nbytes
        task = SearchTask(
            self._origin,
            self._folder.shard(shard).shard,
            self._folder.run,
            len(self._remaining.covered),
            covered,
            bound,
            most,
            self._spending.limits(),
        )
        return self._task(shard, search_shard, task)

    def _close_round(self, weight: int, found: Sequence[Found]) -> None:
        """Make the cliques of a round pools, and record it."""
        self.report.rounds += 1
        lengths = np.concatenate([np.diff(part.offsets) for part in found])
        if len(lengths):
            offsets, members = _core.sort_lists(
                offsets_from_lengths(lengths),
                np.concatenate([part.members for part in found]),
                self._spending.limits(),
            )
            finished = FinishedRound(weight, offsets, members)
            self._folder.record(len(self._rounds) + 1, finished)
            self._rounds.append(finished)
            self._remaining.cover(self._rank[members])
            self._progress.covered(finished)
        self._progress.round(self.report.rounds)

    def _pools(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Return all pools: those of the rounds, then each class that is left, which has a single node."""
        single = np.ones(self._factors.num_classes, dtype=np.bool_)
        for finished in self._rounds:
            single[finished.members] = False
        rest = np.flatnonzero(single).astype(np.int32)
        last = FinishedRound(1, np.arange(len(rest) + 1, dtype=np.int64), rest)
        self._spending.add(last)
        rounds = [*self._rounds, last]
        lengths = np.concatenate([np.diff(finished.offsets) for finished in rounds])
        return offsets_from_lengths(lengths), np.concatenate([finished.members for finished in rounds])


class _RoundProgress:
    """The progress of the rounds in words: the round, nodes left, cliques so far, time left."""

    def __init__(self, factors: TwinFactors, progress: OnProgress | None) -> None:
        self._sizes = factors.sizes
        self._total = factors.num_nodes
        self._done = 0
        self._at_start = 0
        self._cliques = 0
        self._since: float | None = None
        self._on_progress = progress

    def report(self, what: str, done: int, total: int) -> None:
        """Report another activity."""
        if self._on_progress is not None:
            self._on_progress(what, done, total)

    def covered(self, finished: FinishedRound) -> None:
        """Count the pools of a round."""
        self._cliques += len(finished.offsets) - 1
        self._done += int(self._sizes[np.unique(finished.members)].sum())

    def round(self, number: int) -> None:
        """Report that a round has ended."""
        now = time.monotonic()
        if self._since is None:
            self._since, self._at_start = now, self._done
        share = (self._done - self._at_start) / max(self._total - self._at_start, 1)
        left = ""
        if share > _SHARE_FOR_ESTIMATE:
            minutes, seconds = divmod(round((now - self._since) / share * (1 - share)), 60)
            left = f", about {minutes}:{seconds:02} left"
        nodes = self._total - self._done
        words = f"pooling: round {number}, {nodes:,} nodes left, {self._cliques:,} cliques so far{left}"
        self.report(words, self._done, self._total)
