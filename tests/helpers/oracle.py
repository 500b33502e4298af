"""The definition of clique pooling as code: slow, short, and meant to be checked by reading it.

A graph is its list of neighbour sets: ``graph[v]`` holds the nodes adjacent to ``v``. It has no
twins, bounds, bitsets or arrays: all it has in common with the library is the definition.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Neighbours = list[set[int]]
Pool = tuple[int, ...]


class Level(NamedTuple):
    """One application of the operation: the pools of a graph, and the graph between them."""

    pools: list[Pool]
    coarse: Neighbours


def graph_of(num_nodes: int, edges: Iterable[Sequence[int]]) -> Neighbours:
    """Return the graph of these edges, without loops, with parallel and reversed edges merged."""
    graph: Neighbours = [set() for _ in range(num_nodes)]
    for u, v in edges:
        if u != v:
            graph[u].add(v)
            graph[v].add(u)
    return graph


def edges_of(graph: Neighbours) -> list[tuple[int, int]]:
    return [(u, v) for u in range(len(graph)) for v in sorted(graph[u]) if u < v]


def neighbours_of(graph: Any) -> Neighbours:
    """Return the neighbour sets of a graph of the library, read from its compressed rows."""
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    rows = [indices[start:end] for start, end in pairwise(indptr)]
    assert all(row == sorted(set(row)) for row in rows), "neighbours must be sorted and distinct"
    return [set(row) for row in rows]


def level_of(pooling: Any) -> Level:
    """Return a pooling of the library as a level."""
    return Level([tuple(pool) for pool in pooling.pools.tolist()], neighbours_of(pooling.coarse))


def maximal_cliques(graph: Neighbours) -> list[frozenset[int]]:
    """List all maximal cliques, by Bron and Kerbosch.

    `extend` gets a clique, the nodes that can still join it, and the nodes that could but were tried
    before. Any clique that avoids `pivot` and all nodes not adjacent to it could be extended by `pivot`,
    so only the latter need to be tried.
    """
    found: list[frozenset[int]] = []

    def extend(clique: list[int], candidates: set[int], tried: set[int]) -> None:
        if not candidates:
            if not tried:
                found.append(frozenset(clique))
            return
        pivot = max(candidates | tried, key=lambda v: len(graph[v] & candidates))
        for v in candidates - graph[pivot]:
            extend([*clique, v], candidates & graph[v], tried & graph[v])
            candidates = candidates - {v}
            tried = tried | {v}

    if graph:
        extend([], set(range(len(graph))), set())
    return found


def maximum_cliques(graph: Neighbours) -> list[frozenset[int]]:
    cliques = maximal_cliques(graph)
    largest = max(map(len, cliques), default=0)
    return [clique for clique in cliques if len(clique) == largest]


def canonical(pools: Iterable[Iterable[int]]) -> list[Pool]:
    """Order by size, largest first, then by sorted node ids."""
    return sorted((tuple(sorted(pool)) for pool in pools), key=lambda pool: (-len(pool), pool))


def pools_of(graph: Neighbours) -> list[Pool]:
    """Make pools, round by round, of the cliques with the most unassigned nodes (docs/concepts.md)."""
    cliques = maximal_cliques(graph)
    unassigned = set(range(len(graph)))
    pools: set[frozenset[int]] = set()
    while unassigned:
        parts = {clique & unassigned for clique in cliques}
        most = max(map(len, parts))
        chosen = {part for part in parts if len(part) == most}
        pools |= chosen
        unassigned = unassigned.difference(*chosen)
    return canonical(pools)


def pools_by_deletion(graph: Neighbours) -> list[Pool]:
    """Make pools of all maximum cliques of what is left, and delete their nodes: the equivalent rule."""
    pools: list[frozenset[int]] = []
    left = list(range(len(graph)))
    while left:
        number = {v: i for i, v in enumerate(left)}
        rest = [{number[u] for u in graph[v] if u in number} for v in left]
        chosen = [frozenset(left[i] for i in clique) for clique in maximum_cliques(rest)]
        pools += chosen
        left = [v for v in left if not any(v in pool for pool in chosen)]
    return canonical(pools)


def coarse_of(graph: Neighbours, pools: Sequence[Pool]) -> Neighbours:
    """Join two different pools when some node of one is adjacent to some node of the other."""
    coarse: Neighbours = [set() for _ in pools]
    for i, pool in enumerate(pools):
        around = set().union(*(graph[v] for v in pool))
        for j, other in enumerate(pools):
            if i != j and not around.isdisjoint(other):
                coarse[i].add(j)
    return coarse


def coarse_weight(graph: Neighbours, pool: Pool, other: Pool) -> int:
    """Return the entry of SᵀAS for two pools."""
    return sum(v in graph[u] for u in pool for v in other)


def pool_once(graph: Neighbours) -> Level:
    pools = pools_of(graph)
    return Level(pools, coarse_of(graph, pools))


def hierarchy(graph: Neighbours, levels: int | None = None, max_nodes: int | None = None) -> list[Level]:
    """Pool `levels` times, or until no edge is left, that is one node per component.

    With `max_nodes`, stop at the first coarse graph with more nodes.
    """
    made: list[Level] = []
    while len(made) != levels and (levels is not None or any(graph)):
        made.append(pool_once(graph))
        graph = made[-1].coarse
        if max_nodes is not None and len(graph) > max_nodes:
            break
    return made


def receptive_field(made: Sequence[Level], level: int, node: int) -> list[int]:
    """Follow `node` of the graph at `level` down to the input nodes below it (level 0 is the input)."""
    nodes = {node}
    for step in reversed(made[:level]):
        nodes = set().union(*(step.pools[v] for v in nodes))
    return sorted(nodes)


def twin_classes(graph: Neighbours) -> list[list[int]]:
    """Group the nodes by closed neighbourhood, in the order of each group's smallest node."""
    groups: dict[frozenset[int], list[int]] = {}
    for v, neighbours in enumerate(graph):
        groups.setdefault(frozenset(neighbours | {v}), []).append(v)
    return list(groups.values())


def components(graph: Neighbours) -> list[list[int]]:
    seen: set[int] = set()
    found: list[list[int]] = []
    for start in range(len(graph)):
        if start in seen:
            continue
        component, front = {start}, {start}
        while front:
            front = set().union(*(graph[v] for v in front)) - component
            component |= front
        seen |= component
        found.append(sorted(component))
    return found
