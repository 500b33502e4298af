"""The cluster engine: its overhead on COLLAB, copies of edges and traffic of a graph in shards.

Overhead is processor time of all processes, so that it does not depend on the number of cores.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

import cliquepool as cp
from benchmarks.inputs import data_set_file, fresh_graph
from benchmarks.reporting import megabytes, milliseconds, times
from benchmarks.scale_graphs import KINDS
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.data.tu import read_tu
from cliquepool.scale.rounds import PoolingReport
from cliquepool.scale.shards import shard_owners

if TYPE_CHECKING:
    from benchmarks.reporting import Report
    from cliquepool.scale import Cluster

DATA_SET = "COLLAB"
REAL = ("ca-GrQc", "email-Enron", "soc-Epinions1", "facebook_combined", "web-NotreDame")
GENERATED_EDGES = 10**6
SHARDS = 8
REPEAT = 5


def run(report: Report) -> None:
    from cliquepool.scale import Cluster  # noqa: PLC0415 (only where dask is installed)

    with Cluster(workers=2) as cluster:
        overhead(report, cluster)
        shards(report, cluster)


def overhead(report: Report, cluster: Cluster) -> None:
    """Pool a data set of many graphs from its file, in one process and on two workers."""
    if not report.wanted([DATA_SET]):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.safetensors")
        read_tu(data_set_file(DATA_SET)).save(path)
        cluster.pool_dataset(path)  # workers import what they need
        alone, together = [], []
        for _ in range(REPEAT):
            alone.append(_processor_time(lambda: PooledDataset(GraphDataset.load(path), threads=1)))
            together.append(_processor_time(lambda: cluster.pool_dataset(path)))
        _expect_same(PooledDataset(GraphDataset.load(path)), cluster.pool_dataset(path))
    one, two = float(np.median(alone)), float(np.median(together))
    report.table(
        f"{DATA_SET} from its file to two levels: processor time of all processes",
        ["one process", "local cluster of 2 workers", "overhead"],
        [(milliseconds(one), milliseconds(two), times(two / one - 1))],
    )
    report.keep("scale_cluster", dataset=DATA_SET, one=one, cluster=two)
    report.at_most(f"overhead of a local cluster on {DATA_SET}, of the work itself", 1, two / one - 1)


def shards(report: Report, cluster: Cluster) -> None:
    """Pool graphs in shards, cut in three ways; by hash only to count edges."""
    rows = []
    traffic = []
    for name in report.wanted([*REAL, *KINDS]):
        graph = fresh_graph(name) if name in REAL else cp.Graph.from_edges(KINDS[name](GENERATED_EDGES))
        expected = cp.clique_pool(graph)
        halos, run = {"hash": _halo_by_hash(graph)}, None
        for by in ("ranges", *(["metis"] if find_spec("pymetis") else [])):
            pooling = cluster.clique_pool(graph, shards=SHARDS, by=by)  # type: ignore[arg-type]
            if pooling._by_class != expected._by_class:
                raise SystemExit(f"{name}: expected the pools of one process, got others by {by}")
            assert cluster.report is not None
            halos[by] = cluster.report.halo_per_own_edge
            run = run or cluster.report
        assert run is not None
        traffic.append(run.sent)
        rows.append(
            (name, *_halo_words(halos), str(run.rounds), megabytes(run.sent), megabytes(run.received))
        )
        report.keep("scale_cluster", graph=name, halo=halos, sent=run.sent, received=run.received)
    report.table(
        f"Graphs in {SHARDS} shards: halo edges for each own edge; rounds and traffic by ranges",
        ["graph", "ranges", "METIS", "hash", "rounds", "covered nodes sent", "cliques received"],
        rows,
        "hash is only counted: no graph is cut that way",
    )
    report.at_most(
        "MB of covered nodes sent in all rounds, worst graph", 16, max(traffic, default=np.nan) / 1e6
    )


def _halo_by_hash(graph: cp.Graph) -> float:
    """Return the halo edges for each own edge if vertices were shared out at random."""
    limits = cp.Budget(max_bytes=None)._limits()
    factors = graph._factors()
    order, offsets, later = cp._core.orient(factors.indptr, factors.indices, limits, None)
    owner = np.random.default_rng(0).permutation(shard_owners(offsets, later, SHARDS, "ranges"))
    counted = PoolingReport(SHARDS, "ranges")
    for shard in range(SHARDS):
        *_, own, halo = cp._core.cut_shard(offsets, later, owner, shard, limits, None)
        counted.own_edges += own
        counted.halo_edges += halo
    del order
    return counted.halo_per_own_edge


def _halo_words(halos: dict[str, float]) -> list[str]:
    return [f"{halos[by]:.3f}" if by in halos else "–" for by in ("ranges", "metis", "hash")]


def _processor_time(call: Any) -> float:
    """Return the processor time of a call, in this process and its workers."""
    before = _processor_time_so_far()
    call()
    return _processor_time_so_far() - before


def _processor_time_so_far() -> float:
    own = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in (own, *own.children(recursive=True)))


def _expect_same(one: PooledDataset, other: PooledDataset) -> None:
    for ours, theirs in zip(one.levels, other.levels, strict=True):
        if ours.quotient.local != theirs.quotient.local:
            raise SystemExit(f"{DATA_SET}: expected the levels of one process, got others from the cluster")
