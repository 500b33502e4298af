"""The figures that docs/very-large-graphs.md extrapolates from, measured on generated graphs.

``python -m benchmarks.scale_figures docs/very-large-graphs.json`` measures them; ``python
docs/very_large_graphs.py`` computes the tables of the page. Times are processor times on one thread.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import cliquepool as cp
from benchmarks.measuring import measure, peak_bytes
from benchmarks.reporting import Report
from benchmarks.scale_disk import convert, in_process, pool_in_memory, pool_on_disk, write_edges
from benchmarks.scale_graphs import KINDS
from cliquepool.scale import Cluster
from cliquepool.scale.shards import shard_owners

if TYPE_CHECKING:
    from benchmarks.measuring import Task

SIZES = (10**5, 10**6, 10**7)
SHARDS = (8, 64)
SHARDS_CUT = 8  # of 64 shards so many are cut, evenly spaced
CLUSTER_EDGES = DISK_EDGES = 10**6
LIMITS = cp.Budget(max_cliques=None, max_seconds=None, max_bytes=3 << 30)


def pooling(file: str) -> Task:
    """Find the twin classes and the pools of a graph; return its size and the memory of the process."""
    make = _reading(file)

    def pool(graph: cp.Graph) -> dict[str, Any]:
        twins, factors = _timed(graph._factors)
        found = cp.clique_pool(graph, threads=1, budget=LIMITS)
        return {
            "nodes": graph.num_nodes,
            "edges": graph.num_edges,
            "classes": factors.num_classes,
            "pools": found.num_pools,
            "largest": found.largest,
            "members": len(found._by_class.members),
            "twins": twins,
            "peak": peak_bytes(),
        }

    return make, pool


def joining(file: str) -> Task:
    """Join the pools of a graph; return the edges of the quotient, also where it does not fit."""
    pools = cp.clique_pool(_reading(file)(), threads=1, budget=LIMITS)
    factors, by_class = pools.graph._factors(), pools._by_class

    def join(_: None) -> dict[str, Any]:
        arrays = (factors.indptr, factors.indices, by_class.offsets, by_class.members)
        try:
            _, sizes, _, indices = cp._core.coarsen(*arrays, LIMITS._limits(), None)
        except cp.BudgetExceeded as error:
            return {"quotient": int(error.reached / 8), "stored": False}
        return {"classes": len(sizes), "quotient": len(indices) // 2, "stored": True}

    return lambda: None, join


def sharding(file: str, count: str) -> Task:
    """Orient a graph and cut some of its shards; return the seconds of orienting, and the edges of shards."""
    factors = _reading(file)()._factors()
    limits = LIMITS._limits()

    def cut(_: None) -> dict[str, Any]:
        orient = partial(cp._core.orient, factors.indptr, factors.indices, limits, None)
        orienting, (_, offsets, later) = _timed(orient)
        hashing, _ = _timed(lambda: hashlib.sha256(factors.indices.data))  # a run is named by its graph
        shards = int(count)
        owner = shard_owners(offsets, later, shards, "ranges")
        own = halo = vertices = 0
        for shard in range(0, shards, max(shards // SHARDS_CUT, 1)):
            ranks, *_, own_edges, halo_edges = cp._core.cut_shard(offsets, later, owner, shard, limits, None)
            own, halo, vertices = own + own_edges, halo + halo_edges, vertices + len(ranks)
        return {"orienting": orienting, "hashing": hashing, "own": own, "halo": halo, "vertices": vertices}

    return lambda: None, cut


def figures_of(kind: str, num_edges: int, folder: Path) -> dict[str, Any]:
    """Measure one generated graph."""
    file = folder / "edges.npy"
    np.save(file, KINDS[kind](num_edges))
    found: dict[str, Any] = {"kind": kind, "drawn": num_edges}
    for name, call in {
        "pooling": ("pooling", str(file)),
        "joining": ("joining", str(file)),
        **{f"{shards} shards": ("sharding", str(file), str(shards)) for shards in SHARDS},
    }.items():
        mine = measure(f"benchmarks.scale_figures:{call[0]}", *call[1:], repeat=2, timeout=1800)
        if mine.seconds is None or not isinstance(mine.answer, dict):
            found[name] = {"failed": str(mine.answer)}
            continue
        found[name] = {"seconds": mine.seconds, "added": mine.added_bytes, **mine.answer}
    return found


def traffic_of(cluster: Cluster, kind: str, shards: int) -> dict[str, Any]:
    """Pool a graph on a local cluster; return rounds and traffic."""
    graph = cp.Graph.from_edges(KINDS[kind](CLUSTER_EDGES))
    cluster.clique_pool(graph, shards=shards)
    report = cluster.report
    assert report is not None
    return {
        "kind": kind,
        "edges": graph.num_edges,
        "shards": shards,
        "rounds": report.rounds,
        "sent": report.sent,
        "received": report.received,
    }


def disk_of(kind: str, folder: Path) -> dict[str, Any]:
    """Convert a graph to a folder and pool it out of core; return processor times and bytes of memory."""
    text, graph, levels = (folder / f"{kind}-{name}" for name in ("edges.txt", "graph", "levels"))
    in_process(write_edges, kind, DISK_EDGES, text)
    converted, pooled = in_process(convert, text, graph), in_process(pool_on_disk, graph, levels)
    inside = in_process(pool_in_memory, graph)
    return {
        "kind": kind,
        "nodes": converted["nodes"],
        "edges": converted["edges"],
        "converting": converted["seconds"],
        "pooling": pooled["seconds"],
        "in_memory": inside["seconds"],
        "bytes": max(pooled["twins"], pooled["pooling"]),
    }


def _reading(file: str) -> Any:
    graph = cp.Graph.from_edges(np.load(file))
    return lambda: cp.Graph._from_csr_trusted(graph.indptr, graph.indices)


def _timed(call: Any) -> tuple[float, Any]:
    began = time.process_time()
    result = call()
    return time.process_time() - began, result


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale_figures", description=__doc__)
    parser.add_argument("path", type=Path, help="the file that is written")
    parser.add_argument("--largest", type=float, default=max(SIZES), help="edges of the largest graphs")
    given = parser.parse_args()
    graphs, traffic, disk = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            for size in SIZES:
                if size <= given.largest:
                    graphs.append(figures_of(kind, size, Path(folder)))
                    print(json.dumps(graphs[-1]), flush=True)
            disk.append(disk_of(kind, Path(folder)))
            print(json.dumps(disk[-1]), flush=True)
    with Cluster(workers=2) as cluster:
        for kind in KINDS:
            for shards in SHARDS:
                traffic.append(traffic_of(cluster, kind, shards))
                print(json.dumps(traffic[-1]), flush=True)
    written = {"machine": Report().facts(), "graphs": graphs, "disk": disk, "traffic": traffic}
    given.path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
