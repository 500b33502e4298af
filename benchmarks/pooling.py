"""Clique pooling on one thread, compared with listing all maximal cliques and running greedy rounds."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import igraph as ig
import numpy as np

import cliquepool as cp
from benchmarks import greedy
from benchmarks.inputs import (
    GRAPHS_OF_A_MILLION_EDGES,
    GRAPHS_WITH_FEWER_CLIQUES,
    GRAPHS_WITH_MANY_CLIQUES,
    all_data_sets,
    data_set,
    edges_of,
    fresh_graph,
    graph_file,
)
from benchmarks.measuring import measure
from benchmarks.reporting import beside, megabytes, milliseconds, times

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.measuring import Task
    from benchmarks.reporting import Report


def ours(name: str) -> Task:
    """Pool a graph whose twin classes are not computed yet, and expand the pools."""
    return lambda: fresh_graph(name), lambda graph: len(cp.clique_pool(graph, threads=1).pools)


def our_listing_and_greedy(name: str) -> Task:
    """List with our listing, then run the rounds in C++."""
    greedy.compile_now()

    def pooled(graph: cp.Graph) -> int:
        cliques = cp.maximal_cliques(graph, threads=1)
        return len(greedy.compiled(graph.num_nodes, cliques.offsets, cliques.members)[0]) - 1

    return lambda: fresh_graph(name), pooled


def igraph_and_numpy_greedy(name: str) -> Task:
    """List with igraph, then run the rounds in NumPy."""
    return _igraph_and(greedy.with_numpy, name)


def igraph_and_compiled_greedy(name: str) -> Task:
    """List with igraph, then run the rounds in C++."""
    greedy.compile_now()
    return _igraph_and(greedy.compiled, name)


def _igraph_and(rounds: Callable[..., greedy.Ragged], name: str) -> Task:
    graph = ig.Graph(*edges_of(name))

    def pooled(graph: ig.Graph) -> int:
        cliques = graph.maximal_cliques()
        offsets = np.zeros(len(cliques) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, cliques), dtype=np.int64, count=len(cliques)), out=offsets[1:])
        members = np.fromiter(chain.from_iterable(cliques), dtype=np.int32, count=int(offsets[-1]))
        return len(rounds(graph.vcount(), offsets, members)[0]) - 1

    return lambda: graph, pooled


def reading(name: str) -> Task:
    return lambda: graph_file(name), lambda file: cp.read_graph(file).num_edges


def pools_of_data_set(name: str) -> Task:
    """Pool all graphs of a data set, one call for each; return the number of pools."""

    def pooled(graphs: list[cp.Graph]) -> int:
        return sum(len(cp.clique_pool(graph, threads=1).pools) for graph in graphs)

    return _fresh_data_set(name), pooled


def levels_of_data_set(name: str) -> Task:
    """Pool all graphs of a data set in one call; return the number of pools."""

    def pooled(graphs: list[cp.Graph]) -> int:
        return int(cp.clique_hierarchies(graphs, levels=1, threads=1).sizes[:, 1].sum())

    return _fresh_data_set(name), pooled


def _fresh_data_set(name: str) -> Callable[[], list[cp.Graph]]:
    samples = data_set(name)
    return lambda: [cp.Graph.from_edges(edges, num_nodes) for num_nodes, edges in samples]


def run(report: Report) -> None:
    beside_listing(report)
    data_sets(report)
    beside_reading(report)


def beside_listing(report: Report) -> None:
    rows = []
    ways = ("igraph_and_numpy_greedy", "igraph_and_compiled_greedy", "our_listing_and_greedy")
    worst = dict.fromkeys(ways, float("inf"))
    for name in report.wanted((*GRAPHS_WITH_MANY_CLIQUES, *GRAPHS_WITH_FEWER_CLIQUES)):
        mine = measure("benchmarks.pooling:ours", name, repeat=10)
        others = {way: measure(f"benchmarks.pooling:{way}", name, repeat=3) for way in ways}
        for way, other in others.items():
            if other.answer != mine.answer:
                raise SystemExit(f"{name}: {way} makes {other.answer} pools, cliquepool {mine.answer}")
            if name in GRAPHS_WITH_MANY_CLIQUES:
                worst[way] = min(worst[way], other.per(mine) or float("inf"))
        cells = [cell for way in ways for cell in beside(others[way], mine)]
        rows.append(
            (name, f"{mine.answer:,}", milliseconds(mine.seconds), *cells, megabytes(mine.added_bytes))
        )
        report.keep(
            "pooling",
            graph=name,
            pools=mine.answer,
            seconds=mine.seconds,
            added_bytes=mine.added_bytes,
            **{way: vars(other) for way, other in others.items()},
        )
        if name == "soc-Epinions1" and mine.added_bytes is not None:
            epinions_megabytes = mine.added_bytes / 1e6
    columns = [
        "graph",
        "pools",
        "cliquepool",
        "igraph + NumPy",
        "×",
        "igraph + C++",
        "×",
        "our listing + C++",
        "×",
        "memory",
    ]
    note = "The greedy rounds over all maximal cliques are those of benchmarks/greedy.py and greedy.cpp."
    report.table("Pooling beside listing and greedy rounds", columns, rows, note)
    many = "pooling graphs of more than 100k cliques, times faster than"
    report.at_least(f"{many} igraph and greedy rounds in NumPy, at worst", 40, worst[ways[0]])
    report.at_least(f"{many} our own listing and compiled greedy rounds, at worst", 3, worst[ways[2]])
    if "soc-Epinions1" in report.wanted(GRAPHS_WITH_MANY_CLIQUES):
        report.at_most("pooling soc-Epinions1, MB added", 60, epinions_megabytes)


def data_sets(report: Report) -> None:
    rows = []
    nanoseconds = {}
    for name in report.wanted(all_data_sets()):
        samples = data_set(name)
        edges = sum(_undirected(pairs) for _, pairs in samples)
        ways = [measure(f"benchmarks.pooling:{way}_of_data_set", name) for way in ("pools", "levels")]
        cells = []
        for way in ways:
            if way.seconds is None:
                raise SystemExit(f"{name}: {way.answer}")
            cells += [milliseconds(way.seconds), f"{way.seconds * 1e9 / edges:,.0f} ns"]
        nanoseconds[name] = min(way.seconds * 1e9 / edges for way in ways if way.seconds)
        rows.append((name, f"{len(samples):,}", f"{edges:,}", f"{ways[0].answer:,}", *cells))
        pools, levels = (way.seconds for way in ways)
        report.keep("data sets", data_set=name, edges=edges, pools_seconds=pools, levels_seconds=levels)
    if rows:
        each = ["a call a graph", "an edge", "one call", "an edge"]
        columns = ["data set", "graphs", "edges", "pools", *each]
        note = "One call: clique_hierarchies(graphs, levels=1); coarse graphs are made on first use."
        report.table("Pooling whole data sets", columns, rows, note)
    for name, least in nanoseconds.items():
        report.at_most(f"pooling {name}, ns an edge, the better of both ways", 100, least)


def _undirected(pairs: np.ndarray) -> int:
    return int(np.count_nonzero(pairs[:, 0] < pairs[:, 1]))


def beside_reading(report: Report) -> None:
    rows = []
    worst = 0.0
    for name in report.wanted(GRAPHS_OF_A_MILLION_EDGES):
        mine = measure("benchmarks.pooling:ours", name)
        read = measure("benchmarks.pooling:reading", name)
        ratio = mine.per(read) or float("inf")
        worst = max(worst, ratio)
        rows.append(
            (name, f"{read.answer:,}", milliseconds(read.seconds), milliseconds(mine.seconds), times(ratio))
        )
        report.keep("beside reading", graph=name, read_seconds=read.seconds, seconds=mine.seconds)
    if rows:
        columns = ["graph", "edges", "reading", "pooling", "×"]
        report.table("Pooling beside reading the file", columns, rows)
        report.at_most("pooling a graph of a million edges, times the time of reading it, at worst", 3, worst)
