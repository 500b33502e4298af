"""Hierarchies to convergence within 4 GiB of graphs whose coarse graphs do not fit into memory.

A part of ``python -m benchmarks scale``: graphs with a core of near-equal tied cliques, whose first coarse
graph has up to billions of edges, and two real graphs; then the join of the classes of a level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cliquepool as cp
from benchmarks.inputs import fresh_graph
from benchmarks.measuring import measure
from benchmarks.reporting import megabytes, milliseconds
from benchmarks.scale_graphs import holme_kim
from benchmarks.tied_core import tied_core
from cliquepool.implied import ImpliedGraph

if TYPE_CHECKING:
    from benchmarks.measuring import Measured, Task
    from benchmarks.reporting import Report

BUDGET = cp.Budget(max_seconds=None)  # and 4 GiB
CORES = {"tied core, 2^12": 12, "tied core, 2^15": 15, "tied core, 2^16": 16}
REAL = ("blogcatalog", "soc-Epinions1")
HOLME_KIM_EDGES = (10**5, 10**6)


def hierarchy(name: str, threads: str) -> Task:
    """Build the whole hierarchy of a named graph."""

    def make() -> cp.Graph:
        if name in CORES:
            return cp.Graph.from_edges(tied_core(CORES[name], others=20_000))
        return fresh_graph(name)

    def levels(graph: cp.Graph) -> dict[str, Any] | str:
        try:
            h = cp.clique_hierarchy(graph, threads=int(threads), budget=BUDGET)
        except cp.BudgetExceeded as error:
            return str(error)
        graphs = [h.graph(level) for level in range(len(h) + 1)]
        implied = [level for level, graph in enumerate(graphs) if isinstance(graph, ImpliedGraph)]
        return {"sizes": h.sizes, "implied": implied, "edges": max(graph.num_edges for graph in graphs)}

    return make, levels


def joining(edges: str, threads: str) -> Task:
    """Build the first coarse graph of a Holme–Kim graph, of known pools."""
    pooling = cp.clique_pool(cp.Graph.from_edges(holme_kim(int(edges))), threads=int(threads))
    _, _, indptr, indices = pooling.graph._factors()
    pools = pooling._by_class

    def join(_: None) -> int:
        joined = cp._core.coarsen(indptr, indices, pools.offsets, pools.members, BUDGET._limits(), None)
        return len(joined[3]) // 2

    return lambda: None, join


def run(report: Report) -> None:
    rows = []
    for name in report.wanted([*CORES, *REAL]):
        mine = measure("benchmarks.scale_rows:hierarchy", name, "1", repeat=1, timeout=3600)
        rows.append((name, milliseconds(mine.seconds), megabytes(mine.added_bytes), *_outcome(mine)))
        report.keep("scale_rows", graph=name, seconds=mine.seconds, bytes=mine.added_bytes, found=mine.answer)
        gib = float("inf") if mine.added_bytes is None else mine.added_bytes / 2**30
        report.at_most(
            f"{name} to convergence, GiB", 4, gib if isinstance(mine.answer, dict) else float("inf")
        )
    columns = ["graph", "time", "memory", "most edges", "without rows", "nodes of each level"]
    report.table("Hierarchies to convergence within 4 GiB, one thread", columns, rows)
    _run_joins(report)


def _outcome(mine: Measured) -> tuple[str, str, str]:
    if not isinstance(mine.answer, dict):
        return "–", "–", str(mine.answer)
    sizes = " → ".join(f"{size:,}" for size in mine.answer["sizes"])
    implied = ", ".join(map(str, mine.answer["implied"])) or "none"
    return f"{mine.answer['edges']:,}", implied, sizes


def _run_joins(report: Report) -> None:
    rows = []
    for edges in HOLME_KIM_EDGES:
        mine = measure("benchmarks.scale_rows:joining", str(edges), "1", repeat=2, timeout=3600)
        if not isinstance(mine.answer, int) or mine.seconds is None or mine.added_bytes is None:
            rows.append((f"{edges:,}", "–", "–", "–", str(mine.answer)))
            continue
        per_edge = mine.added_bytes / mine.answer
        rows.append(
            (
                f"{edges:,}",
                f"{mine.answer:,}",
                milliseconds(mine.seconds),
                f"{mine.seconds / mine.answer * 1e9:.0f} ns",
                f"{per_edge:.1f}",
            )
        )
        report.keep("scale_rows_join", edges=edges, joined=mine.answer, seconds=mine.seconds, bytes=per_edge)
        report.at_most(f"Holme–Kim, {edges:,} edges: bytes a quotient edge to join", 16, per_edge)
    columns = ["edges", "quotient edges", "time to join", "an edge", "bytes a quotient edge"]
    report.table("The first coarse graph of Holme–Kim graphs, one thread", columns, rows)
