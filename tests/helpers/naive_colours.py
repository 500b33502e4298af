"""Colour refinement over hierarchies by its definition, of several graphs at once.

Colours are numbers that stand for tuples, equal where the tuples are. All it has in common with the library
is the definition.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.helpers import oracle

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

Node = tuple[int, int, int]  # graph, level, number


def colour_counts(
    graphs: Sequence[oracle.Neighbours],
    levels: int | None = None,
    labels: Sequence[Sequence[Any]] | None = None,
) -> list[Counter[tuple[int, int]]]:
    """Return how many nodes of each graph have each level and colour; colours are numbered for all graphs.

    The colours of all graphs are refined together until none of them changes.
    """
    neighbours: dict[Node, list[Node]] = {}
    pools: dict[Node, list[Node]] = {}
    members: dict[Node, list[Node]] = {}
    for index, graph in enumerate(graphs):
        made = oracle.hierarchy(graph, levels)
        for level, nodes in enumerate([graph, *(step.coarse for step in made)]):
            for v, adjacent in enumerate(nodes):
                neighbours[index, level, v] = [(index, level, u) for u in adjacent]
        for level, step in enumerate(made):
            for number, pool in enumerate(step.pools):
                for v in pool:
                    pools.setdefault((index, level, v), []).append((index, level + 1, number))
                    members.setdefault((index, level + 1, number), []).append((index, level, v))
    first = {
        node: (node[1], labels[node[0]][node[2]] if labels is not None and node[1] == 0 else None)
        for node in neighbours
    }
    colours = _numbered(first)
    while True:
        refined = _numbered(
            {
                node: (
                    colours[node],
                    *(
                        tuple(sorted(colours[other] for other in related.get(node, ())))
                        for related in (neighbours, pools, members)
                    ),
                )
                for node in neighbours
            }
        )
        if len(set(refined.values())) == len(set(colours.values())):
            break
        colours = refined
    return [
        Counter((node[1], colours[node]) for node in neighbours if node[0] == index)
        for index in range(len(graphs))
    ]


def _numbered(colours: dict[Node, Hashable]) -> dict[Node, int]:
    numbers: dict[Hashable, int] = {}
    return {node: numbers.setdefault(colour, len(numbers)) for node, colour in colours.items()}
