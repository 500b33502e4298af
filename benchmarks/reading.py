"""Reading an edge list, compressed and plain, beside numpy.loadtxt."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
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


def ours(file: str) -> Task:
    return lambda: file, lambda file: cp.read_graph(file).num_edges


def loadtxt(file: str) -> Task:
    """Read the numbers only: no ids compacted, no graph built."""
    return lambda: file, lambda file: len(np.loadtxt(file, dtype=np.int64))


def gunzip(file: str) -> Task:
    """Decompress only, in Python: what neither can do without."""

    def decompressed(file: str) -> int:
        with gzip.open(file) as opened:
            return len(opened.read())

    return lambda: file, decompressed


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("gzip", "plain"):
            _compare(report, kind, Path(folder))


def _compare(report: Report, kind: str, folder: Path) -> None:
    rows = []
    worst = float("inf")
    for name in report.wanted(GRAPHS):
        compressed = graph_file(name)
        file = compressed if kind == "gzip" else str(folder / f"{name}.txt")
        if kind == "plain":
            Path(file).write_bytes(gzip.decompress(Path(compressed).read_bytes()))
        mine = measure("benchmarks.reading:ours", file, repeat=10)
        theirs = measure("benchmarks.reading:loadtxt", file, repeat=10)
        unpacked = measure("benchmarks.reading:gunzip", file, repeat=10) if kind == "gzip" else None
        ratio = theirs.per(mine)
        worst = min(worst, ratio or float("inf"))
        rows.append(
            (
                name,
                f"{mine.answer:,}",
                milliseconds(unpacked.seconds if unpacked else None),
                milliseconds(mine.seconds),
                milliseconds(theirs.seconds),
                times(ratio),
                megabytes(mine.added_bytes),
                megabytes(theirs.added_bytes),
            )
        )
        report.keep(
            "reading",
            graph=name,
            kind=kind,
            edges=mine.answer,
            seconds=mine.seconds,
            loadtxt_seconds=theirs.seconds,
            gunzip_seconds=unpacked.seconds if unpacked else None,
        )
    if rows:
        columns = [
            "graph",
            "edges",
            "gunzip alone",
            "cliquepool",
            "numpy.loadtxt",
            "×",
            "memory",
            "loadtxt's",
        ]
        note = "cliquepool also compacts the ids and builds the graph; numpy.loadtxt only reads the numbers."
        report.table(f"Reading an edge list, {kind}", columns, rows, note)
        report.at_least(f"reading a {kind} edge list, times faster than numpy.loadtxt, at worst", 3, worst)
