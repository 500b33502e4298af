"""Reading an edge list, compressed and plain, compared with numpy.loadtxt."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import cliquepool as cp
from benchmarks.inputs import GRAPHS_WITH_MANY_CLIQUES, graph_file
from benchmarks.measuring import measure
from benchmarks.reporting import beside, megabytes, milliseconds

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

GRAPHS = ("ca-GrQc", "facebook_combined", *GRAPHS_WITH_MANY_CLIQUES, "ego-Twitter")


def ours(file: str) -> Task:
    return lambda: file, lambda file: cp.read_graph(file).num_edges


def loadtxt_as_integers(file: str) -> Task:
    """Read the numbers only, without compacting ids or building a graph."""
    return lambda: file, lambda file: len(np.loadtxt(file, dtype=np.int64))


def loadtxt(file: str) -> Task:
    """Read the numbers only, as floats, the default of numpy.loadtxt."""
    return lambda: file, lambda file: len(np.loadtxt(file))


def gunzip(file: str) -> Task:
    """Decompress only, in Python: a part of both."""

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
    ways = {"loadtxt_as_integers": "numpy.loadtxt(dtype=int64)", "loadtxt": "numpy.loadtxt"}
    worst = dict.fromkeys(ways, float("inf"))
    for name in report.wanted(GRAPHS):
        file = graph_file(name)
        if kind == "plain":
            plain = folder / f"{name}.txt"
            plain.write_bytes(gzip.decompress(Path(file).read_bytes()))
            file = str(plain)
        mine = measure("benchmarks.reading:ours", file, repeat=10)
        theirs = {way: measure(f"benchmarks.reading:{way}", file) for way in ways}
        unpacked = measure("benchmarks.reading:gunzip", file) if kind == "gzip" else None
        for way in ways:
            worst[way] = min(worst[way], theirs[way].per(mine) or float("inf"))
        unpacking = unpacked.seconds if unpacked else None
        peers = [cell for way in ways for cell in beside(theirs[way], mine)]
        memory = megabytes(mine.added_bytes)
        rows.append(
            (name, f"{mine.answer:,}", milliseconds(unpacking), milliseconds(mine.seconds), *peers, memory)
        )
        report.keep(
            "reading",
            graph=name,
            kind=kind,
            edges=mine.answer,
            seconds=mine.seconds,
            gunzip_seconds=unpacking,
            **{way: other.seconds for way, other in theirs.items()},
        )
    if rows:
        columns = [
            "graph",
            "edges",
            "gunzip",
            "cliquepool",
            "loadtxt(int)",
            "×",
            "loadtxt",
            "×",
            "memory",
        ]
        note = "cliquepool also compacts the ids and builds the graph; numpy.loadtxt only reads the numbers."
        report.table(f"Reading an edge list, {kind}", columns, rows, note)
        for way, words in ways.items():
            report.at_least(f"reading a {kind} edge list, times faster than {words}, at worst", 3, worst[way])
