"""Time and memory of whole hierarchies of real graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cliquepool as cp
from benchmarks.inputs import all_graphs, fresh_graph
from benchmarks.measuring import measure
from benchmarks.reporting import megabytes, milliseconds

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

PROMISED = ("facebook_combined", "ca-GrQc")


def ours(name: str) -> Task:
    return lambda: fresh_graph(name), sizes_of_all_levels


def sizes_of_all_levels(graph: cp.Graph) -> list[int] | str:
    """Return the number of nodes of each level, or the error."""
    try:
        return list(cp.clique_hierarchy(graph, threads=1).sizes)
    except cp.BudgetExceeded as error:
        return str(error)


def run(report: Report) -> None:
    rows = []
    bars = []
    for name in report.wanted(all_graphs()):
        mine = measure("benchmarks.hierarchies:ours", name, repeat=3, timeout=1200)
        if isinstance(mine.answer, list):
            outcome = " → ".join(f"{size:,}" for size in mine.answer)
        else:
            outcome = str(mine.answer)
        rows.append((name, milliseconds(mine.seconds), megabytes(mine.added_bytes), outcome))
        report.keep(
            "hierarchies", graph=name, seconds=mine.seconds, added_bytes=mine.added_bytes, outcome=mine.answer
        )
        if name in PROMISED:
            bars.append((f"{name} to convergence, seconds", 5, mine.seconds))
            bars.append(
                (
                    f"{name} to convergence, GB added",
                    1,
                    None if mine.added_bytes is None else mine.added_bytes / 1e9,
                )
            )
        bars.append((f"{name} converges (0 yes, 1 no)", 0, 0 if isinstance(mine.answer, list) else 1))
    report.table(
        "Hierarchies to convergence, one thread", ["graph", "time", "memory", "nodes of each level"], rows
    )
    for claim, bar, measured in bars:
        report.at_most(claim, bar, float("inf") if measured is None else measured)
