"""Graphs and data sets larger than memory: working memory of each step, and the same bytes as in memory.

Memory is the peak of anonymous memory (RssAnon of /proc/self/status, sampled every few milliseconds) above
what the process had before: pages of mapped files are a cache, which the system takes back when it needs
them.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import cliquepool as cp
from benchmarks.inputs import data_set_file
from benchmarks.measuring import ONE_THREAD
from benchmarks.reporting import megabytes
from benchmarks.scale_graphs import KINDS
from cliquepool.scale import convert_graph, pool_out_of_core

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.reporting import Report

NUM_EDGES = int(os.environ.get("SCALE_DISK_EDGES", "10000000"))
COPIES = int(os.environ.get("SCALE_DISK_COPIES", "100"))
BLOCKS = 2**22  # bytes for blocks of cliques, so that the arrays of nodes are what counts
MOST_BYTES_PER_NODE = 40
_SAMPLE_SECONDS = 0.004


class Sampler:
    """Samples the memory of this process; `peaks` has the highest by stage, `peak` that of all."""

    def __init__(self) -> None:
        self.stage = ""
        self.peaks: dict[str, int] = {}
        self.resident = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self.before = memory("RssAnon")
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def tell(self, stage: str, done: int, total: int) -> None:
        """Note the stage; to be passed as `progress`."""
        del done, total
        self.stage = stage.partition(":")[0]

    def added(self, *stages: str) -> int:
        """Return the most memory that was added in these stages, by default in all."""
        return max([self.peaks.get(stage, 0) for stage in stages or self.peaks], default=0) - self.before

    def _sample(self) -> None:
        while not self._ended.wait(_SAMPLE_SECONDS):
            self.peaks[self.stage] = max(self.peaks.get(self.stage, 0), memory("RssAnon"))
            self.resident = max(self.resident, memory("VmRSS"))


def memory(field: str) -> int:
    """Return a field of /proc/self/status in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


# ---- what runs in processes of its own ----


def write_edges(kind: str, num_edges: str, path: str) -> dict[str, Any]:
    edges = KINDS[kind](int(num_edges))
    with Path(path).open("w", encoding="ascii") as file:
        for begin in range(0, len(edges), 1 << 18):
            file.writelines(f"{u} {v}\n" for u, v in edges[begin : begin + (1 << 18)].tolist())
    return {}


def convert(path: str, folder: str) -> dict[str, Any]:
    with Sampler() as sampler:
        began = time.process_time()
        graph = convert_graph(path, folder)
        seconds = time.process_time() - began
    return {
        "seconds": seconds,
        "bytes": sampler.added(),
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
    }


def pool_on_disk(folder: str, levels: str) -> dict[str, Any]:
    with Sampler() as sampler:
        began = time.process_time()
        hierarchy = pool_out_of_core(folder, levels, 1, memory=BLOCKS, progress=sampler.tell)
        seconds = time.process_time() - began
    return {
        "seconds": seconds,
        "twins": sampler.added("finding twins"),
        "pooling": sampler.added("pooling level 1"),
        "digest": digest_of(hierarchy[0]),
    }


def pool_in_memory(folder: str) -> dict[str, Any]:
    graph = cp.Graph.open(folder, validate=False)
    with Sampler() as sampler:
        began = time.process_time()
        pooling = cp.clique_pool(graph, threads=1)
        seconds = time.process_time() - began
    return {"seconds": seconds, "bytes": sampler.added(), "digest": digest_of(pooling)}


def digest_of(pooling: cp.Pooling) -> str:
    """Return the SHA-256 of the pools."""
    digest = hashlib.sha256()
    for part in (pooling.pools.offsets, pooling.pools.members):
        digest.update(np.ascontiguousarray(part).view(np.uint8).data)
    return digest.hexdigest()


def train_epoch(where: str, copies: str, folder: str) -> dict[str, Any]:
    """Pool copies of NCI1 and train an epoch on them, from memory or from a folder."""
    from cliquepool.data import GraphDataset, PooledDataset, load_dataset  # noqa: PLC0415 (imports torch)
    from cliquepool.models import CliquePoolClassifier  # noqa: PLC0415

    file = Path(folder, "dataset.safetensors")
    if not file.exists():
        GraphDataset.concatenate([load_dataset(data_set_file("NCI1"))] * int(copies), name="copies").save(
            file
        )
    dataset = GraphDataset.load(file)
    with Sampler() as sampler:
        began = time.process_time()
        if where == "memory":
            data = PooledDataset(dataset, threads=1)
        else:
            data = PooledDataset.build(dataset, Path(folder, "pooled"), threads=1)
        pooled = time.process_time()
        model = CliquePoolClassifier(epochs=1, patience=None, random_state=0).fit(data)
        ended = time.process_time()
    return {
        "pooling": pooled - began,
        "training": ended - pooled,
        "anonymous": sampler.added() + sampler.before,
        "resident": sampler.resident,
        "loss": model.curves_["loss"],
    }


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    task.__name__: task for task in (write_edges, convert, pool_on_disk, pool_in_memory, train_epoch)
}


def in_process(task: Callable[..., dict[str, Any]], *arguments: object) -> dict[str, Any]:
    """Run a task in a new process, and return what it measured."""
    command = [sys.executable, "-m", "benchmarks.scale_disk", task.__name__, *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=Path(__file__).parent.parent,
        env=os.environ | ONE_THREAD,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


# ---- the report ----


def run(report: Report) -> None:
    if sys.platform != "linux":
        report.console.print("scale_disk: skipped, needs /proc/self/status")
        return
    _report_graphs(report)
    _report_datasets(report)


def _report_graphs(report: Report) -> None:
    rows, bars = [], []
    for kind in report.wanted(KINDS):
        with tempfile.TemporaryDirectory() as parent:
            text, folder, levels = (str(Path(parent, name)) for name in ("edges.txt", "graph", "levels"))
            in_process(write_edges, kind, NUM_EDGES, text)
            converted = in_process(convert, text, folder)
            disk, inside = in_process(pool_on_disk, folder, levels), in_process(pool_in_memory, folder)
        nodes = converted["nodes"]
        per_node = [disk["twins"] / nodes, max(disk["pooling"] - BLOCKS, 0) / nodes]
        same = disk["digest"] == inside["digest"]
        rows.append(
            (
                kind,
                f"{nodes:,}",
                f"{converted['edges']:,}",
                f"{converted['seconds']:.1f} s",
                megabytes(converted["bytes"]),
                *(f"{amount:.1f}" for amount in per_node),
                f"{inside['bytes'] / nodes:.1f}",
                f"{disk['seconds'] / inside['seconds']:.2f}×",
                "yes" if same else "NO",
            )
        )
        report.keep("scale_disk", kind=kind, converted=converted, disk=disk, memory=inside, same=same)
        bars.append((f"{kind}: bytes a node of pooling out of core", max(per_node)))
        bars.append((f"{kind}: differences from pooling in memory", 0 if same else 1))
    heads = ("graph", "nodes", "edges", "convert", "memory of it", "twins", "pooling", "in memory")
    report.table(
        "Out of core: bytes of anonymous memory for each node",
        (*heads, "time", "same bytes"),
        rows,
        note=f"one level; without {BLOCKS >> 20} MiB of blocks in pooling; CPU time beside pooling in memory",
    )
    for claim, measured in bars:
        report.at_most(claim, MOST_BYTES_PER_NODE if "bytes a node" in claim else 0, measured)


def _report_datasets(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = {where: in_process(train_epoch, where, COPIES, folder) for where in ("disk", "memory")}
    rows = [
        (
            where,
            f"{row['pooling']:.1f} s",
            f"{row['training']:.1f} s",
            megabytes(row["anonymous"]),
            megabytes(row["resident"]),
        )
        for where, row in found.items()
    ]
    report.table(
        f"{COPIES} copies of NCI1: pooling, then an epoch of training",
        ("levels in", "pooling", "training", "peak anonymous", "peak resident"),
        rows,
        note="CPU times of the whole process; resident memory counts mapped pages of files",
    )
    report.keep("scale_disk", copies=COPIES, **found)
    report.at_most("data set on disk: peak resident memory in GB", 3, found["disk"]["resident"] / 1e9)
    ratio = found["disk"]["training"] / found["memory"]["training"]
    report.at_most("data set on disk: time of an epoch beside that in memory", 1.05, ratio)
    same = found["disk"]["loss"] == found["memory"]["loss"]
    report.at_most("data set on disk: differences of the loss", 0, 0 if same else 1)


if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
