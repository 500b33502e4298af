"""Kernel matrices of whole data sets on one thread, compared with GraKeL's.

Measured is all from graphs to the matrix, before it is normalised; the graphs are in memory, in the form that
each library takes. The matrices of colours and of shortest paths are equal: the sums of their entries are
compared. Those of graphlets are not: GraKeL 0.1.11 counts one too many of each type that an earlier graph
has, and misses some sets of nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.inputs import data_set_file
from benchmarks.measuring import measure
from benchmarks.reporting import beside, megabytes, milliseconds
from cliquepool.data import load_dataset
from cliquepool.models import (
    GraphletKernelClassifier,
    ShortestPathKernelClassifier,
    WLKernelClassifier,
    WLOAKernelClassifier,
)

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report
    from cliquepool.data import GraphDataset

ITERATIONS = 3
OURS = {
    "1-WL": WLKernelClassifier(iterations=(ITERATIONS,)),
    "WL optimal assignment": WLOAKernelClassifier(iterations=(ITERATIONS,)),
    "shortest paths": ShortestPathKernelClassifier(),
    "graphlets of 4 nodes": GraphletKernelClassifier(size=4, connected=True),
}
# The data sets of each kernel, smallest first; on others GraKeL takes longer than is useful.
ALL = ("MUTAG", "PTC_MR", "ENZYMES", "PROTEINS", "NCI1")
DATA_SETS = {
    "1-WL": ALL,
    "WL optimal assignment": ("MUTAG", "PTC_MR"),
    "shortest paths": ALL,
    "graphlets of 4 nodes": ("MUTAG", "PTC_MR"),
}
EQUAL = ("1-WL", "WL optimal assignment", "shortest paths")
# How many times faster than GraKeL, at least.
BARS = {"1-WL": 3, "WL optimal assignment": 15, "shortest paths": 10, "graphlets of 4 nodes": 10}
MOST_SECONDS = 300


def ours(kernel: str, name: str) -> Task:
    """Compute our matrix; the answer is the sum of its entries."""
    dataset, model = load_dataset(data_set_file(name)), OURS[kernel]

    def run(dataset: GraphDataset) -> float:
        return float(sum(model.kernel.matrix(step, step) for step in model.prepare(dataset).steps).sum())

    return lambda: dataset, run


def theirs(kernel: str, name: str) -> Task:
    """Compute GraKeL's matrix; the answer is the sum of its entries."""
    import grakel  # noqa: PLC0415 (the other task is measured without it)

    graphs = _as_grakel_takes_them(load_dataset(data_set_file(name)))

    def make() -> Any:
        if kernel == "1-WL":
            return grakel.WeisfeilerLehman(n_iter=ITERATIONS, base_graph_kernel=grakel.VertexHistogram)
        if kernel == "WL optimal assignment":
            return grakel.WeisfeilerLehmanOptimalAssignment(n_iter=ITERATIONS, sparse=False)
        return grakel.ShortestPath() if kernel == "shortest paths" else grakel.GraphletSampling(k=4)

    return make, lambda made: float(made.fit_transform(graphs).sum())


def _as_grakel_takes_them(dataset: GraphDataset) -> list[Any]:
    graphs = []
    for i in range(len(dataset)):
        graph, nodes = dataset.graph(i), slice(*dataset.node_start[i : i + 2].tolist())
        adjacency = np.zeros((graph.num_nodes, graph.num_nodes))
        adjacency[np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr)), graph.indices] = 1
        graphs.append([adjacency, dict(enumerate(dataset.node_labels[nodes].tolist()))])
    return graphs


def run(report: Report) -> None:
    rows, slowest = [], dict.fromkeys(OURS, float("inf"))
    for kernel, names in DATA_SETS.items():
        for name in report.wanted(names):
            mine = measure("benchmarks.kernels:ours", kernel, name)
            peer = measure("benchmarks.kernels:theirs", kernel, name, repeat=1, timeout=MOST_SECONDS)
            ratio = peer.per(mine)
            if ratio is not None:
                slowest[kernel] = min(slowest[kernel], ratio)
                if kernel in EQUAL and mine.answer != peer.answer:
                    raise SystemExit(f"{kernel}, {name}: expected the sum {peer.answer}, got {mine.answer}")
            memory = megabytes(mine.added_bytes), megabytes(peer.added_bytes)
            rows.append((kernel, name, milliseconds(mine.seconds), *beside(peer, mine), *memory))
            report.keep("kernels", kernel=kernel, data_set=name, seconds=mine.seconds, ratio=ratio)
    if rows:
        columns = ["kernel", "data set", "ours", "GraKeL", "ratio", "memory", "GraKeL"]
        report.table("Kernel matrices", columns, rows, f"{ITERATIONS} iterations of 1-WL")
    for kernel, bar in BARS.items():
        report.at_least(f"{kernel}, times GraKeL", bar, slowest[kernel])
