"""Reading a compressed edge list, beside numpy.loadtxt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import cliquepool as cp
from benchmarks.inputs import GRAPHS_WITH_MANY_CLIQUES, graph_file
from benchmarks.measuring import measure
from benchmarks.reporting import megabytes, milliseconds, times

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

GRAPHS = ("ca-GrQc", "facebook_combined", *GRAPHS_WITH_MANY_CLIQUES, "ego-Twitter")


def ours(name: str) -> Task:
    return lambda: graph_file(name), lambda file: cp.read_graph(file).num_edges


def loadtxt(name: str) -> Task:
    """Read the numbers only: no ids compacted, no graph built."""
    return lambda: graph_file(name), lambda file: len(np.loadtxt(file, dtype=np.int64))


def run(report: Report) -> None:
    rows = []
    worst = float("inf")
    for name in report.wanted(GRAPHS):
        mine = measure("benchmarks.reading:ours", name, repeat=10)
        theirs = measure("benchmarks.reading:loadtxt", name)
        ratio = theirs.per(mine)
        worst = min(worst, ratio or float("inf"))
        added = (megabytes(mine.added_bytes), megabytes(theirs.added_bytes))
        rows.append(
            (
                name,
                f"{mine.answer:,}",
                milliseconds(mine.seconds),
                milliseconds(theirs.seconds),
                times(ratio),
                *added,
            )
        )
        report.keep(
            "reading", graph=name, edges=mine.answer, seconds=mine.seconds, loadtxt_seconds=theirs.seconds
        )
    columns = ["graph", "edges", "cliquepool", "numpy.loadtxt", "×", "memory", "loadtxt's"]
    note = "cliquepool also compacts the ids and builds the graph; numpy.loadtxt only reads the numbers."
    report.table("Reading a gzip edge list", columns, rows, note)
    report.at_least("reading, times faster than numpy.loadtxt, at worst", 3, worst)
