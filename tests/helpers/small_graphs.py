"""Small graphs to test with: every density, many twins, several components, regular families.

`sample_graphs` draws from a seed, for tests that compare tens of thousands of graphs quickly;
`graphs` is a strategy of hypothesis, which shrinks failing examples.
"""

from __future__ import annotations

import random
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from hypothesis import strategies as st

import cliquepool as cp
from tests.helpers import oracle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Edge = tuple[int, int]


class Sample(NamedTuple):
    """A number of nodes and a list of edges, from which graphs are made."""

    num_nodes: int
    edges: list[Edge]

    def graph(self) -> cp.Graph:
        return cp.Graph.from_edges(np.array(self.edges, dtype=np.int64).reshape(-1, 2), self.num_nodes)

    def neighbours(self) -> oracle.Neighbours:
        return oracle.graph_of(self.num_nodes, self.edges)

    def relabelled(self, new: Sequence[int]) -> Sample:
        """Rename node v to ``new[v]``."""
        return Sample(self.num_nodes, [(new[u], new[v]) for u, v in self.edges])


def grid(height: int, width: int, *, diagonals: bool) -> Sample:
    """Return the graph of a grid of pixels, row by row, with four or eight neighbours each."""
    steps = [(0, 1), (1, 0), (1, 1), (1, -1)] if diagonals else [(0, 1), (1, 0)]
    edges = [
        (y * width + x, (y + dy) * width + x + dx)
        for y, x in product(range(height), range(width))
        for dy, dx in steps
        if y + dy < height and 0 <= x + dx < width
    ]
    return Sample(height * width, edges)


def path(num_nodes: int) -> Sample:
    return Sample(num_nodes, [(v, v + 1) for v in range(num_nodes - 1)])


def cycle(num_nodes: int) -> Sample:
    return Sample(num_nodes, [(v, (v + 1) % num_nodes) for v in range(num_nodes)])


def hypercube(dimension: int) -> Sample:
    nodes = range(2**dimension)
    return Sample(
        len(nodes), [(v, v | 1 << bit) for v in nodes for bit in range(dimension) if not v >> bit & 1]
    )


def complete_multipartite(sizes: Sequence[int]) -> Sample:
    part = [i for i, size in enumerate(sizes) for _ in range(size)]
    return Sample(len(part), [(u, v) for u, v in combinations(range(len(part)), 2) if part[u] != part[v]])


def blow_up(base: Sample, sizes: Sequence[int]) -> Sample:
    """Replace node v by a clique of ``sizes[v]`` nodes: these are twins."""
    origin = [v for v in range(base.num_nodes) for _ in range(sizes[v])]
    adjacent = base.neighbours()
    edges = [
        (i, j)
        for i, j in combinations(range(len(origin)), 2)
        if origin[i] == origin[j] or origin[j] in adjacent[origin[i]]
    ]
    return Sample(len(origin), edges)


def union(*parts: Sample) -> Sample:
    edges: list[Edge] = []
    first = 0
    for part in parts:
        edges += [(u + first, v + first) for u, v in part.edges]
        first += part.num_nodes
    return Sample(first, edges)


def _of_any_density(draw: random.Random, most: int = 16) -> Sample:
    num_nodes, density = draw.randint(0, most), draw.random()
    return Sample(num_nodes, [pair for pair in combinations(range(num_nodes), 2) if draw.random() < density])


def _with_twins(draw: random.Random) -> Sample:
    base = _of_any_density(draw, 8)
    return blow_up(base, [draw.choice((1, 1, 2, 3)) for _ in range(base.num_nodes)])


def _with_blow_up_of_a_coarse_graph(draw: random.Random) -> Sample:
    base = _of_any_density(draw, 8)
    coarse = oracle.pool_once(base.neighbours()).coarse
    edges = oracle.edges_of(coarse)
    return blow_up(Sample(len(coarse), edges), [draw.choice((1, 1, 1, 2)) for _ in coarse])


def _of_parts(draw: random.Random) -> Sample:
    return union(*(draw.choice((_of_any_density, _with_twins))(draw) for _ in range(draw.randint(2, 3))))


def _regular(draw: random.Random) -> Sample:
    families: list[Callable[[], Sample]] = [
        lambda: grid(draw.randint(1, 4), draw.randint(1, 5), diagonals=True),
        lambda: grid(draw.randint(1, 4), draw.randint(1, 4), diagonals=False),
        lambda: path(draw.randint(1, 20)),
        lambda: cycle(draw.randint(3, 16)),
        lambda: hypercube(draw.randint(0, 3)),
        lambda: complete_multipartite([draw.randint(1, 3) for _ in range(draw.randint(1, 5))]),
    ]
    return draw.choice(families)()


def _nearly_regular(draw: random.Random) -> Sample:
    """Break the symmetry of a regular graph in a few places."""
    regular = _regular(draw)
    edges = [edge for edge in regular.edges if draw.random() < 0.9]
    if regular.num_nodes > 1:
        edges += [tuple(draw.sample(range(regular.num_nodes), 2)) for _ in range(draw.randint(0, 3))]
    return Sample(regular.num_nodes, edges)


_KINDS = (
    _of_any_density,
    _of_any_density,
    _with_twins,
    _with_blow_up_of_a_coarse_graph,
    _of_parts,
    _regular,
    _nearly_regular,
)


def sample_graphs(count: int, seed: int) -> Iterator[Sample]:
    """Draw `count` graphs of all kinds, their nodes shuffled."""
    draw = random.Random(seed)
    for i in range(count):
        sample = _KINDS[i % len(_KINDS)](draw)
        yield sample.relabelled(draw.sample(range(sample.num_nodes), sample.num_nodes))


@st.composite
def graphs(draw: st.DrawFn, most: int = 12) -> Sample:
    """Draw any graph of at most `most` nodes, or a blow-up of a smaller one."""
    num_nodes = draw(st.integers(0, most))
    pairs = list(combinations(range(num_nodes), 2))
    chosen = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    sample = Sample(num_nodes, [pair for pair, taken in zip(pairs, chosen, strict=True) if taken])
    if num_nodes <= most // 2 and draw(st.booleans()):
        sample = blow_up(sample, draw(st.lists(st.integers(1, 3), min_size=num_nodes, max_size=num_nodes)))
    return sample


@st.composite
def graphs_and_orders(draw: st.DrawFn, most: int = 12) -> tuple[Sample, list[int]]:
    """Draw a graph and a permutation of its nodes."""
    sample = draw(graphs(most))
    return sample, draw(st.permutations(range(sample.num_nodes)))
