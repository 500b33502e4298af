"""Graph500 R-MAT graphs, whose pools and coarse graphs explode, end in BudgetExceeded within the budget.

A part of ``python -m benchmarks scale``. Memory is the peak of the process above the graph itself; time is
processor time on one thread.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import cliquepool as cp
from benchmarks.measuring import measure
from benchmarks.reporting import megabytes
from benchmarks.scale_graphs import graph500

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

NAME = "graph500"
EDGES = 10**7
BUDGET = cp.Budget()


def pooling(file: str) -> Task:
    """Pool a graph within the default budget."""
    return _within_budget(file, lambda graph: [cp.clique_pool(graph, threads=1, budget=BUDGET).num_pools])


def hierarchy(file: str) -> Task:
    """Build the whole hierarchy of a graph within the default budget."""
    return _within_budget(
        file, lambda graph: list(cp.clique_hierarchy(graph, threads=1, budget=BUDGET).sizes)
    )


def _within_budget(file: str, call: Callable[[cp.Graph], list[int]]) -> Task:
    graph = cp.Graph.from_edges(np.load(file))
    graph._factors()  # part of the input: a graph with twins is stored a second time, without them

    def attempt(_: None) -> dict[str, Any]:
        try:
            return {"sizes": call(graph), "limit": "", "told": ""}
        except cp.BudgetExceeded as error:
            return {"sizes": [], "limit": error.limit, "told": str(error)}

    return lambda: None, attempt


def run(report: Report) -> None:
    """Print how both calls end, and whether they stay within the budget."""
    if not report.wanted([NAME]):
        return
    assert BUDGET.max_bytes is not None
    assert BUDGET.max_seconds is not None
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "edges.npy")
        np.save(file, graph500(EDGES))
        for task in ("pooling", "hierarchy"):
            mine = measure(f"benchmarks.scale_budget:{task}", str(file), repeat=1, timeout=3600)
            found = mine.answer if isinstance(mine.answer, dict) else {"limit": "", "told": str(mine.answer)}
            ended = found["told"].split(". ")[0] or " → ".join(f"{size:,}" for size in found["sizes"])
            rows.append((task, f"{mine.seconds or float('nan'):.0f} s", megabytes(mine.added_bytes), ended))
            report.keep("scale_budget", task=task, seconds=mine.seconds, bytes=mine.added_bytes, **found)
            used = float("nan") if mine.added_bytes is None else mine.added_bytes / BUDGET.max_bytes
            report.at_most(f"Graph500 R-MAT, {task}: memory to the budget", 1.02, used)
            share = float("nan") if mine.wall_seconds is None else mine.wall_seconds / BUDGET.max_seconds
            report.at_most(f"Graph500 R-MAT, {task}: time to the budget", 1.05, share)
    report.table(
        f"Graph500 R-MAT of {EDGES:.0e} edges within the default budget, one thread",
        ["task", "time", "memory", "end"],
        rows,
    )
