"""Generated graphs of four kinds and any number of edges, the same for the same seed.

All generators are vectorised: 10 million edges take seconds. Nodes have random ids, so that neighbours are
far from each other in memory. Edges are int32 arrays of shape (m, 2); `Graph.from_edges` merges the few that
are parallel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Edges = npt.NDArray[np.int32]

SEED = 13
BLOCK = 1 << 22  # edges made at a time: temporary arrays stay small


def holme_kim(num_edges: int, seed: int = SEED, *, degree: int = 8, triads: float = 0.5) -> Edges:
    """Grow a graph by preferential attachment, with many triangles (Holme and Kim 2002).

    Node v is joined to `degree` earlier nodes, in turn. Each is an end of a random earlier edge (Batagelj and
    Brandes 2005), or, with probability `triads`, an earlier neighbour of the last node drawn that way: that
    closes a triangle. About a sixth of the pairs are drawn twice, and are one edge: as many more are drawn.
    """
    rng = np.random.default_rng(seed)
    num_nodes = max(int(num_edges / (0.84 * degree)), 2)
    # Position 2e is the source of edge e, position 2e + 1 its target. Each edge draws a position.
    drawn = (rng.random((num_nodes, degree)) * (np.arange(num_nodes) * 2 * degree)[:, None]).astype(np.int64)
    closes = rng.random((num_nodes, degree)) < triads
    closes[:, 0] = False
    # The edge, of the same node, that was drawn last before an edge that closes a triangle.
    base = np.maximum.accumulate(np.where(closes, 0, np.arange(degree)), axis=1)
    base = (base + (np.arange(num_nodes) * degree)[:, None]).astype(np.int32).reshape(-1)
    column = rng.integers(degree, size=num_nodes * degree, dtype=np.int8)
    closes, drawn = closes.reshape(-1), drawn.reshape(-1)
    targets = np.full(num_nodes * degree, -1, dtype=np.int32)
    targets[:degree] = 0
    waiting = np.arange(degree, num_nodes * degree, dtype=np.int32)
    while len(waiting):  # a target is -1 as long as the edge waits for that of another
        edge = drawn[waiting] >> 1
        end = np.where(drawn[waiting] & 1, targets[edge], edge // degree)
        last = targets[base[waiting]].astype(np.int64)
        closing = np.where(last >= 0, targets[last * degree + column[waiting]], -1)
        end = np.where(closes[waiting], closing, end)
        targets[waiting] = end
        waiting = waiting[end < 0]
    sources = np.repeat(np.arange(num_nodes, dtype=np.int32), degree)
    return _shuffled_ids(np.stack([sources, targets], axis=1)[degree:], num_nodes, rng)


def geometric(num_edges: int, seed: int = SEED, *, degree: float = 12.0) -> Edges:
    """Join random points of the unit square that are closer than a radius; `degree` is the mean."""
    rng = np.random.default_rng(seed)
    num_nodes = max(int(2 * num_edges / degree), 2)
    radius = np.sqrt(degree / (np.pi * num_nodes))
    points = rng.random((num_nodes, 2))
    side = max(int(1 / radius), 1)
    cells = np.minimum((points * side).astype(np.int64), side - 1)
    key = cells[:, 0] * side + cells[:, 1]
    order = np.argsort(key, kind="stable").astype(np.int32)
    points, cells, key = points[order], cells[order], key[order]
    start = np.searchsorted(key, np.arange(side * side + 1))
    found = []
    for down, right in ((0, 0), (0, 1), (1, -1), (1, 0), (1, 1)):
        row, line = cells[:, 0] + down, cells[:, 1] + right
        inside = np.flatnonzero((row < side) & (line >= 0) & (line < side))
        other = row[inside] * side + line[inside]
        first, last = start[other], start[other + 1]
        if (down, right) == (0, 0):
            first = inside + 1
        for low in range(0, len(inside), BLOCK // 16):
            some = slice(low, low + BLOCK // 16)
            sources, targets = _ranges(inside[some], first[some], last[some])
            gap = points[sources] - points[targets]
            near = (gap * gap).sum(axis=1) < radius * radius
            found.append(np.stack([order[sources[near]], order[targets[near]]], axis=1))
    return np.concatenate(found)


def planted_cliques(num_edges: int, seed: int = SEED, *, sizes: tuple[int, int] = (3, 12)) -> Edges:
    """Plant cliques of random nodes until half of the edges are in them; join random pairs for the rest."""
    rng = np.random.default_rng(seed)
    num_nodes = max(num_edges // 5, 16)
    found = []
    left = num_edges // 2
    while left > 0:
        chosen = rng.integers(sizes[0], sizes[1] + 1, size=max(min(left // 32, BLOCK // 64), 1))
        for size in range(sizes[0], sizes[1] + 1):
            first, second = np.triu_indices(size, 1)
            members = rng.integers(num_nodes, size=(int((chosen == size).sum()), size), dtype=np.int32)
            pairs = np.stack([members[:, first], members[:, second]], axis=2).reshape(-1, 2)
            found.append(pairs)
            left -= len(pairs)
    found.append(rng.integers(num_nodes, size=(num_edges - num_edges // 2, 2), dtype=np.int32))
    return np.concatenate(found)


def r_mat(
    num_edges: int,
    seed: int = SEED,
    *,
    quadrants: tuple[float, float, float] = (0.45, 0.22, 0.22),
    edges_a_node: int = 8,
) -> Edges:
    """Draw each bit of both ends of an edge together (Chakrabarti, Zhan, Faloutsos 2004).

    The default is mild: .45/.22/.22/.11. See `graph500`.
    """
    rng = np.random.default_rng(seed)
    scale = max(round(np.log2(max(num_edges / edges_a_node, 2))), 1)
    both, right, down = quadrants[0], quadrants[0] + quadrants[1], sum(quadrants)
    found = []
    for low in range(0, num_edges, BLOCK):
        size = min(BLOCK, num_edges - low)
        edges = np.zeros((size, 2), dtype=np.int32)
        for _ in range(scale):
            drawn = rng.random(size, dtype=np.float32)
            edges[:, 0] = edges[:, 0] * 2 + (drawn >= right)
            edges[:, 1] = edges[:, 1] * 2 + (((drawn >= both) & (drawn < right)) | (drawn >= down))
        found.append(edges)
    return _shuffled_ids(np.concatenate(found), 1 << scale, rng)


def graph500(num_edges: int, seed: int = SEED) -> Edges:
    """Draw the R-MAT graph of Graph500: .57/.19/.19/.05, 16 edges a node; its core is dense."""
    return r_mat(num_edges, seed, quadrants=(0.57, 0.19, 0.19), edges_a_node=16)


KINDS: dict[str, Callable[..., Edges]] = {
    "holme-kim": holme_kim,
    "geometric": geometric,
    "planted": planted_cliques,
    "r-mat": r_mat,
}


def _shuffled_ids(edges: Edges, num_nodes: int, rng: np.random.Generator) -> Edges:
    """Give the nodes random ids: how a graph was grown would otherwise help the caches."""
    return rng.permutation(num_nodes).astype(np.int32)[edges]


def _ranges(
    names: npt.NDArray[np.int64], first: npt.NDArray[np.int64], last: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return each name beside each number of its range first … last−1."""
    counts = np.maximum(last - first, 0)
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    numbers = np.arange(total) + np.repeat(first - (ends - counts), counts)
    return np.repeat(names, counts), numbers
