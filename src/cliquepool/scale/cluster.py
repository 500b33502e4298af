"""`Cluster`: pooling and training on the workers of dask.distributed, here or on other machines."""

from __future__ import annotations

import operator
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.dataset import GraphDataset
from cliquepool.errors import InputError
from cliquepool.graph_like import GraphLike, as_graph
from cliquepool.hierarchy import Hierarchy, _level_count, clique_hierarchy
from cliquepool.pooling import Pooling
from cliquepool.scale.chunks import pool_in_chunks
from cliquepool.scale.connection import Connection
from cliquepool.scale.rounds import PoolingReport, pool_in_shards

if TYPE_CHECKING:
    from os import PathLike
    from types import TracebackType

    from cliquepool.data.edge_aggregation import EdgeReduction
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.graph import Graph
    from cliquepool.scale.shards import Sharding
    from cliquepool.threads import OnProgress

__all__ = ["Cluster"]

_MOST_SHARDS: Final = 9999
_EDGES_PER_SHARD: Final = 2**24
_EDGES_WORTH_SHARDS: Final = 2**17  # of a coarse graph; smaller ones are pooled in this process


class Cluster:
    """Workers that pool graphs and train models: the same results as in one process, byte for byte.

    A context manager; it ends the workers that it has started. Workers of another machine must have the same
    version of cliquepool, and see the same `folder`.

    Programs that start a local cluster need ``if __name__ == "__main__":``, as all that start processes do.

    Parameters
    ----------
    address : str, optional
        The address of a scheduler, such as ``"tcp://10.0.0.7:8786"``. By default workers are started on this
        machine.
    workers : int, optional
        The number of local workers, each with one thread; by default one for each core.
    memory : int, optional
        The bytes that each local worker may use; a worker that needs more is ended.
    folder : path, optional
        Where shards, data sets and finished rounds are kept, for workers to read and for interrupted runs to
        go on from. By default a temporary folder of this machine, without that.
    timeout : float
        How many seconds to wait for a scheduler, and for a worker when there is none.

    Examples
    --------
    >>> import cliquepool as cp
    >>> with cp.scale.Cluster(workers=2) as cluster:  # doctest: +SKIP
    ...     pooling = cluster.clique_pool(graph, shards=8)
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        workers: int | None = None,
        memory: int | None = None,
        folder: str | PathLike[str] | None = None,
        timeout: float = 60.0,
    ) -> None:
        if address is not None and (workers is not None or memory is not None):
            raise InputError("workers, memory: expected none with an address, which has its own workers")
        self._folder = None if folder is None else Path(folder)
        self._connection = Connection(address, workers=workers, memory=memory, timeout=timeout)
        self.report: PoolingReport | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection, and the workers that were started here; may be called again."""
        self._connection.close()

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return self._connection.address

    @property
    def folder(self) -> Path | None:
        """The folder that this process and all workers share, where one was given."""
        return self._folder

    @property
    def num_workers(self) -> int:
        """The number of tasks that run at the same time."""
        return sum(self._connection.workers().values())

    def clique_pool(
        self,
        graph: GraphLike,
        *,
        shards: int | None = None,
        by: Sharding = "ranges",
        budget: Budget = DEFAULT_BUDGET,
        progress: OnProgress | None = None,
    ) -> Pooling:
        """Pool one graph that may be too large for a worker; see `cliquepool.clique_pool`.

        The graph is cut into shards: files with some of its vertices, their later neighbours in a degeneracy
        order, and the edges between those. In each round, workers find the largest cliques of their shards;
        only cliques and newly covered nodes are sent. `report` then has the figures.

        Parameters
        ----------
        graph : Graph or another graph
            This process holds it; workers hold their shards.
        shards : int, optional
            The number of shards, by default one for each worker or for 2^24 edges.
        by : {"ranges", "metis"}
            Cut the degeneracy order into ranges; or let METIS minimise the edges that shards share, which
            takes longer and needs pymetis.
        budget : Budget
            `max_bytes` holds for each worker, and for the pools here.
        progress : callable, optional
            Called after every round with a text that has the round, nodes left, cliques so far and time left.

        Raises
        ------
        ClusterError
            A worker failed; the message names the shard. With a `folder`, the same call goes on from the last
            finished round.
        """
        graph = as_graph(graph)
        return self._pool(graph, shards, by, budget, progress)

    def clique_hierarchy(
        self,
        graph: GraphLike,
        levels: int | None = None,
        *,
        shards: int | None = None,
        by: Sharding = "ranges",
        budget: Budget = DEFAULT_BUDGET,
        progress: OnProgress | None = None,
    ) -> Hierarchy:
        """Pool one graph, then the coarse graph, and so on, level by level; see `clique_pool`.

        Coarse graphs are computed and held in this process, as twin classes: they must fit into its memory,
        and BudgetExceeded says where they do not. Small ones are pooled here too. `budget` holds for each
        level.
        """
        graph = as_graph(graph)
        count = _level_count(levels)
        poolings: list[Pooling] = []
        below = graph
        while (below.num_edges > 0) if levels is None else (len(poolings) < count):
            if poolings and len(below._factors().indices) < 2 * _EDGES_WORTH_SHARDS:
                left = None if levels is None else count - len(poolings)
                poolings += clique_hierarchy(below, left, threads=1, budget=budget, progress=progress)
                break
            began = time.perf_counter()
            pooling = self._pool(below, shards, by, budget, progress)
            below = pooling.coarse
            pooling.seconds = time.perf_counter() - began
            poolings.append(pooling)
        return Hierarchy(graph, poolings)

    def pool_dataset(
        self,
        dataset: GraphDataset | str | PathLike[str],
        levels: int | None = 2,
        *,
        edge_reduce: EdgeReduction | None = None,
        budget: Budget = DEFAULT_BUDGET,
        progress: OnProgress | None = None,
    ) -> PooledDataset:
        """Pool all graphs of a data set, in chunks; see `cliquepool.data.PooledDataset`.

        Workers read their graphs from a file. Give the path of one that `GraphDataset.save` wrote, and that
        all workers can read, or a data set, which is then written to the folder first.

        `budget` holds for each chunk.
        """
        return pool_in_chunks(
            self._connection,
            dataset if isinstance(dataset, GraphDataset) else Path(dataset),
            levels,
            folder=self._folder,
            edge_reduce=edge_reduce,
            budget=budget,
            progress=progress,
        )

    def _pool(
        self, graph: Graph, shards: int | None, by: Sharding, budget: Budget, progress: OnProgress | None
    ) -> Pooling:
        factors = graph._factors()
        count = self._shard_count(shards, len(factors.indices) // 2)
        offsets, members, self.report = pool_in_shards(
            self._connection,
            factors,
            folder=self._folder,
            shards=count,
            by=by,
            budget=budget,
            progress=progress,
        )
        return Pooling(graph, offsets, members, budget=budget)

    def _shard_count(self, shards: int | None, edges: int) -> int:
        if shards is None:
            return min(max(self.num_workers, -(-edges // _EDGES_PER_SHARD), 1), _MOST_SHARDS)
        if not 1 <= operator.index(shards) <= _MOST_SHARDS:
            raise InputError(f"shards: expected an integer from 1 to {_MOST_SHARDS:,}, got {shards!r}")
        return shards
