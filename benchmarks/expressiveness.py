"""How many of BREC's pairs the colours of clique hierarchies tell apart; 1-WL tells none of them apart.

``python -m benchmarks expressiveness`` prints the table, ``python -m benchmarks.expressiveness`` also records
it in results/brec.json. `benchmarks.brec_training` trains networks on the same pairs.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import cliquepool as cp
from benchmarks.brec import CATEGORIES, REGULAR, read_pairs, read_records, write_records
from benchmarks.reporting import Report

if TYPE_CHECKING:
    from benchmarks.brec import Pair

LEVELS = {"1-WL": 0, "1 level": 1, "2 levels": 2, "all levels": None}
UPWARDS = "2 levels, upwards only"
COLUMNS = ("1-WL", "1 level", UPWARDS, "2 levels", "all levels")
# Some hierarchies of CFI graphs have tens of thousands of pools, and their next level takes minutes.
BUDGET = cp.Budget(max_seconds=120)
BARS = {
    "basic": 43,
    "simple-regular": 49,
    "strongly-regular": 48,
    "4-vertex-condition": 14,
    "distance-regular": 19,
    "extension": 32,
    "cfi": 3,
}


def hierarchies_of(pair: Pair) -> tuple[list[cp.Hierarchy], bool]:
    """Return the hierarchies of both graphs, and whether they are complete; else they have two levels."""
    try:
        return [cp.clique_hierarchy(graph, budget=BUDGET) for graph in pair.graphs], True
    except cp.BudgetExceeded:
        return [cp.clique_hierarchy(graph, 2) for graph in pair.graphs], False


def told_apart(hierarchies: list[cp.Hierarchy], levels: int | None) -> bool:
    """Return whether the colours over this many levels differ; a hierarchy may have fewer."""
    first, second = (
        cp.wl_colours(hierarchy, None if levels is None else min(levels, len(hierarchy)))
        for hierarchy in hierarchies
    )
    return first != second


def upward_colours(hierarchy: cp.Hierarchy) -> list[str]:
    """Return a digest of each of the first levels whose colours come from the level below, never from above.

    This bounds a network that convolves and pools in turn and never unpools.
    """
    labels, digests = None, []
    for level in range(min(2, len(hierarchy)) + 1):
        colours = cp.wl_colours(hierarchy.graph(level), 0, node_labels=labels)
        digests.append(colours.digest)
        if level < len(hierarchy):
            of_nodes = colours.of_nodes(0)
            labels = [
                hashlib.sha256(np.sort(of_nodes[pool]).tobytes()).hexdigest()
                for pool in hierarchy[level].pools
            ]
    return digests


def relabelled(graph: cp.Graph, draw: np.random.Generator) -> cp.Graph:
    return cp.Graph.from_edges(draw.permutation(graph.num_nodes)[graph.edges()], graph.num_nodes)


def measure_category(category: str) -> dict[str, Any]:
    """Count the pairs of a category that the colours tell apart."""
    draw = np.random.default_rng(0)
    counts = dict.fromkeys(COLUMNS, 0)
    incomplete, wrong = [], 0
    pairs = read_pairs([category])
    began = time.process_time()
    for pair in pairs:
        hierarchies, complete = hierarchies_of(pair)
        if not complete:
            incomplete.append(pair.number)
        for name, levels in LEVELS.items():
            counts[name] += told_apart(hierarchies, levels)
        first, second = map(upward_colours, hierarchies)
        counts[UPWARDS] += first != second
        wrong += sum(
            cp.wl_colours(graph, 2) != cp.wl_colours(relabelled(graph, draw), 2) for graph in pair.graphs
        )
    seconds = time.process_time() - began
    return {
        "pairs": len(pairs),
        **counts,
        "told from a relabelled copy": wrong,
        "not pooled to one node": incomplete,
        "seconds": round(seconds, 1),
    }


def run(report: Report) -> dict[str, dict[str, Any]]:
    found = {}
    for category in report.wanted(CATEGORIES):
        found[category] = measure_category(category)
        report.keep("expressiveness", category=category, **found[category])
    rows = [_row(CATEGORIES[category], [found[category]]) for category in found]
    if all(category in found for category in REGULAR):
        rows.append(_row("Regular, all four", [found[category] for category in REGULAR]))
    if len(found) == len(CATEGORIES):
        rows.append(_row("all", list(found.values())))
    report.table(
        "Pairs of BREC that colours tell apart",
        ["category", "pairs", *COLUMNS, "wrong", "incomplete", "seconds"],
        rows,
        note="wrong: graphs told apart from a relabelled copy of themselves. incomplete: pairs whose "
        f"hierarchies were not complete within {BUDGET.max_seconds:g} s, compared by two levels.",
    )
    for category, counts in found.items():
        report.at_least(f"{category}: pairs told apart", BARS[category], counts["all levels"])
        report.at_most(
            f"{category}: told apart from a relabelled copy", 0, counts["told from a relabelled copy"]
        )
    _print_trained(report)
    return found


def _row(name: str, counts: list[dict[str, Any]]) -> list[str]:
    sums = [sum(count[column] for count in counts) for column in ("pairs", *COLUMNS)]
    wrong = sum(count["told from a relabelled copy"] for count in counts)
    incomplete = sum(len(count["not pooled to one node"]) for count in counts)
    return [name, *map(str, [*sums, wrong, incomplete]), f"{sum(count['seconds'] for count in counts):.1f}"]


def _print_trained(report: Report) -> None:
    """Print what `benchmarks.brec_training` recorded."""
    networks = read_records()["networks"]
    wanted = report.wanted(CATEGORIES)
    rows = []
    for name, network in networks.items():
        by_category = [
            [pair for pair in network["pairs"].values() if pair["category"] == category]
            for category in wanted
        ]
        rows.append(
            [name, *(f"{sum(p['told_apart'] for p in pairs)} of {len(pairs)}" for pairs in by_category)]
        )
    report.table(
        "Pairs that trained networks tell apart, of those recorded in results/brec.json",
        ["network", *wanted],
        rows,
    )


if __name__ == "__main__":
    report = Report()
    report.machine()
    found = run(report)
    write_records({**read_records(), "colours": found})
