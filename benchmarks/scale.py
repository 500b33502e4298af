"""Large generated graphs: two threads against one, time and memory for each edge; then scale_*.py.

Speed-up is a ratio of wall-clock times, so it needs an idle machine of two cores. Beside it stands the bound
that the serial parts leave: processor time on one thread, divided by that of the calling thread when there
are two.
"""

from __future__ import annotations

import importlib
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import cliquepool as cp
from benchmarks.measuring import Measured, measure, peak_bytes
from benchmarks.reporting import milliseconds, times
from benchmarks.scale_graphs import KINDS

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

SMALL, LARGE, LARGEST = 10**6, 10**7, 3 * 10**7
# Three levels of R-MAT take 12 times as long for 3 times as many edges, since level 1 is large and dense: the
# largest graph that ends in a minute.
THREE_LEVELS = {"r-mat": (3 * 10**5,)}
PARTS = ("scale_budget", "scale_rows", "scale_disk", "scale_cluster", "scale_same", "scale_parts")
NO_LIMITS = cp.Budget(max_cliques=None, max_seconds=None, max_bytes=8 << 30)
LEVELS = cp.Budget(max_cliques=None, max_seconds=600, max_bytes=8 << 30)


def pooling(file: str, threads: str) -> Task:
    """Pool a graph whose twin classes are not computed yet."""
    return _on_rows(file, lambda graph: len(cp.clique_pool(graph, threads=int(threads), budget=NO_LIMITS)))


def hierarchy(file: str, threads: str) -> Task:
    """Pool three times."""

    def sizes(graph: cp.Graph) -> list[int] | str:
        try:
            return list(cp.clique_hierarchy(graph, levels=3, threads=int(threads), budget=LEVELS).sizes)
        except cp.BudgetExceeded as error:
            return str(error)

    return _on_rows(file, sizes)


def building(file: str, threads: str) -> Task:
    """Build the compressed rows of a graph from its edges."""
    edges = np.load(file)
    num_nodes = int(edges.max()) + 1

    def rows(ends: Any) -> int:
        _, indices = cp._core.build_csr(*ends, num_nodes, int(threads), NO_LIMITS._limits())
        return len(indices) // 2

    return lambda: (edges[:, 0], edges[:, 1]), lambda ends: _timed_by_caller(lambda: rows(ends))


def memory(file: str) -> Task:
    """Pool a graph, its edges freed, on one thread; return the peak of the whole process."""

    def peak(graph: cp.Graph) -> dict[str, int | None]:
        cp.clique_pool(graph, threads=1, budget=NO_LIMITS)
        return {"edges": graph.num_edges, "peak": peak_bytes()}

    return lambda: cp.Graph.from_edges(np.load(file)), peak


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = _files(report.wanted(KINDS), Path(folder))
        for task in ("building", "pooling", "hierarchy"):
            two_threads(report, files, task)
        for_each_edge(report, files)
    for name in PARTS:
        importlib.import_module(f"benchmarks.{name}").run(report)


def two_threads(report: Report, files: dict[tuple[str, int], str], task: str) -> None:
    rows = []
    of_largest = []
    for (kind, num_edges), file in files.items():
        if num_edges not in _sizes(kind, task):
            continue
        repeat = 1 if task == "hierarchy" else 3  # a minute or more each
        one = measure(f"benchmarks.scale:{task}", file, "1", repeat=repeat, timeout=3600)
        if isinstance(_outcome(one), str):  # what two threads do until then says nothing
            rows.append((f"{kind}, {num_edges:.0e} edges", "", "", "", "", _outcome(one)))
            report.keep("scale", task=task, kind=kind, edges=num_edges, exceeded=_outcome(one))
            of_largest.append(float("nan"))
            continue
        two = measure(f"benchmarks.scale:{task}", file, "2", repeat=repeat, timeout=3600)
        if _outcome(one) != _outcome(two):
            raise SystemExit(
                f"{kind}: expected the same from 1 and 2 threads, got {one.answer}, {two.answer}"
            )
        speed_up = _ratio(one.wall_seconds, two.wall_seconds)
        bound = _ratio(one.seconds, two.answer["caller"] if isinstance(two.answer, dict) else None)
        rows.append(
            (
                f"{kind}, {num_edges:.0e} edges",
                milliseconds(one.seconds),
                milliseconds(two.seconds),
                times(speed_up),
                times(bound),
                str(_outcome(one)),
            )
        )
        report.keep("scale", task=task, kind=kind, edges=num_edges, speed_up=speed_up, bound=bound)
        if num_edges == _sizes(kind, task)[-1]:
            of_largest.append(float("nan") if speed_up is None else speed_up)
    report.table(
        f"Two threads against one: {task}",
        ["graph", "processor time, 1 thread", "2 threads", "speed-up", "bound by serial parts", "result"],
        rows,
    )
    report.at_least(
        f"{task} of the largest graphs: two threads against one, worst kind",
        1.7,
        float(np.min(of_largest or [np.nan])),
    )


def _sizes(kind: str, task: str) -> tuple[int, ...]:
    """Return the numbers of edges that a task is measured at, ascending."""
    return THREE_LEVELS.get(kind, (SMALL, LARGE)) if task == "hierarchy" else (SMALL, LARGE)


def for_each_edge(report: Report, files: dict[tuple[str, int], str]) -> None:
    rows = []
    slopes, sizes = [], []
    for kind in dict.fromkeys(kind for kind, _ in files):
        by_size = {}
        for num_edges in (SMALL, LARGE, LARGEST):
            by_size[num_edges] = measure(
                "benchmarks.scale:pooling", files[kind, num_edges], "1", repeat=3, timeout=3600
            )
        used = measure("benchmarks.scale:memory", files[kind, LARGE], repeat=1, timeout=3600)
        nanoseconds = [
            float("nan") if one.seconds is None else one.seconds / size * 1e9 for size, one in by_size.items()
        ]
        slopes.append(nanoseconds[-1] / nanoseconds[0])
        answer = used.answer
        sizes.append(answer["peak"] / answer["edges"] if isinstance(answer, dict) else float("nan"))
        rows.append(
            (kind, *(f"{each:,.0f} ns" for each in nanoseconds), times(slopes[-1]), f"{sizes[-1]:.1f}")
        )
        report.keep("scale", task="edges", kind=kind, nanoseconds=nanoseconds, bytes_an_edge=sizes[-1])
    report.table(
        "Pooling on one thread, for each edge",
        ["kind", "1e6 edges", "1e7", "3e7", "3e7 to 1e6", "bytes, whole process, 1e7"],
        rows,
    )
    report.at_most(
        "time an edge at 3e7 edges to that at 1e6, worst kind", 2, float(np.max(slopes or [np.nan]))
    )
    report.at_most("bytes an edge of the whole process, worst kind", 28, float(np.max(sizes or [np.nan])))


def _files(kinds: list[str], folder: Path) -> dict[tuple[str, int], str]:
    """Write the edges of all graphs, and return the files by kind and number of edges."""
    files = {}
    for kind in kinds:
        for num_edges in (*THREE_LEVELS.get(kind, ()), SMALL, LARGE, LARGEST):
            file = folder / f"{kind}-{num_edges}.npy"
            np.save(file, KINDS[kind](num_edges))
            files[kind, num_edges] = str(file)
    return files


def _on_rows(file: str, call: Any) -> Task:
    """Return a task for a graph whose rows are there, but whose twin classes are not, in every run."""
    graph = cp.Graph.from_edges(np.load(file))
    return (
        lambda: cp.Graph._from_csr_trusted(graph.indptr, graph.indices),
        lambda fresh: _timed_by_caller(lambda: call(fresh)),
    )


def _timed_by_caller(call: Any) -> dict[str, Any]:
    """Return the outcome of a call, and the processor time of the thread that made it."""
    begin = time.thread_time()
    outcome = call()
    return {"outcome": outcome, "caller": time.thread_time() - begin}


def _outcome(measured: Measured) -> Any:
    return measured.answer["outcome"] if isinstance(measured.answer, dict) else measured.answer


def _ratio(above: float | None, below: float | None) -> float | None:
    return None if above is None or below is None else above / below
