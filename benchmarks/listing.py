"""Listing all maximal cliques on one thread, compared with networkx, igraph and networkit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import igraph as ig
import networkit as nk
import networkx as nx

import cliquepool as cp
from benchmarks.inputs import GRAPHS_WITH_FEWER_CLIQUES, GRAPHS_WITH_MANY_CLIQUES, edges_of, fresh_graph
from benchmarks.measuring import Measured, measure
from benchmarks.reporting import beside, megabytes, milliseconds, times

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

BARS = {"networkx": 50, "igraph": 10, "networkit": 8}


def ours(name: str) -> Task:
    return lambda: fresh_graph(name), lambda graph: len(cp.maximal_cliques(graph, threads=1))


def networkx(name: str) -> Task:
    graph = nx.Graph(edges_of(name)[1].tolist())
    return lambda: graph, lambda graph: len(list(nx.find_cliques(graph)))


def igraph(name: str) -> Task:
    graph = ig.Graph(*edges_of(name))
    return lambda: graph, lambda graph: len(graph.maximal_cliques())


def networkit(name: str) -> Task:
    """List with networkit, without converting the cliques to Python lists."""
    num_nodes, edges = edges_of(name)
    graph = nk.Graph(num_nodes)
    for u, v in edges.tolist():
        graph.addEdge(u, v)

    def listed(graph: nk.Graph) -> None:
        nk.clique.MaximalCliques(graph).run()

    return lambda: graph, listed


def run(report: Report) -> None:
    rows = []
    worst = dict.fromkeys((*BARS, "memory"), float("inf"))
    for name in report.wanted((*GRAPHS_WITH_MANY_CLIQUES, *GRAPHS_WITH_FEWER_CLIQUES)):
        mine = measure("benchmarks.listing:ours", name)
        theirs = {peer: measure(f"benchmarks.listing:{peer}", name, repeat=3) for peer in BARS}
        if theirs["igraph"].answer != mine.answer:
            raise SystemExit(
                f"{name}: igraph lists {theirs['igraph'].answer} cliques, cliquepool {mine.answer}"
            )
        memory = _ratio(theirs["igraph"], mine)
        rows.append(
            (
                name,
                f"{mine.answer:,}",
                milliseconds(mine.seconds),
                *(cell for peer in BARS for cell in beside(theirs[peer], mine)),
                megabytes(mine.added_bytes),
                megabytes(theirs["igraph"].added_bytes),
                times(memory),
            )
        )
        report.keep(
            "listing",
            graph=name,
            cliques=mine.answer,
            seconds=mine.seconds,
            added_bytes=mine.added_bytes,
            **{peer: vars(theirs[peer]) for peer in BARS},
        )
        if name in GRAPHS_WITH_MANY_CLIQUES:
            for peer in BARS:
                worst[peer] = min(worst[peer], theirs[peer].per(mine) or float("inf"))
            worst["memory"] = min(worst["memory"], memory or float("inf"))
    columns = [
        "graph",
        "cliques",
        "cliquepool",
        *(c for peer in BARS for c in (peer, "×")),
        "memory",
        "igraph's",
        "×",
    ]
    note = "One thread; CPU time, best of several runs; memory is the peak above that before the call."
    report.table("Listing all maximal cliques", columns, rows, note)
    for peer, bar in BARS.items():
        report.at_least(
            f"listing more than 100k cliques, times faster than {peer}, at worst", bar, worst[peer]
        )
    report.at_least(
        "listing more than 100k cliques, times less memory than igraph, at worst", 4, worst["memory"]
    )


def _ratio(theirs: Measured, mine: Measured) -> float | None:
    if theirs.added_bytes is None or not mine.added_bytes:
        return None
    return theirs.added_bytes / mine.added_bytes
