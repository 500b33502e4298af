"""Graphs of pixels: chains, images and volumes, and the windows that are their pools."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable
from typing import Literal

import numpy as np

from cliquepool._input import MAX_NODES
from cliquepool.errors import GraphError, InputError
from cliquepool.graph import Graph

__all__ = ["clique_pool_schedule", "grid_graph", "pool_window"]

Connectivity = Literal["full", "faces"]


def grid_graph(shape: int | Iterable[int], connectivity: Connectivity = "full") -> Graph:
    """Join the pixels of a chain, an image, a volume, or a grid of any dimension.

    Pixels are numbered in row-major order. With ``"full"`` a pixel is joined to all that touch it, corners
    too: 2 in a chain, 8 in an image, 26 in a volume, fewer at the border. With ``"faces"`` it is joined along
    the sides of the grid only: 2, 4, 6.

    The clique hierarchy of the full grid is that of sliding windows with stride 1. On level n, pixels are
    joined up to a distance of ``2**(n-1)`` along every side, so the maximum cliques are the windows of
    ``2**(n-1) + 1`` pixels a side (`pool_window`). They all have the same size and together cover the grid,
    so all of them are pools, listed in row-major order, and no pixel remains. There is no padding. A side
    that is shorter than the window is pooled whole and has length 1 from then on, while longer sides are
    pooled further. So a side of length L becomes
    ``max(L - 2**n + 1, 1)`` after n pools, and the whole grid one node after ``ceil(log2(longest side))``.

    The pools of a ``"faces"`` grid of two or more dimensions are not windows: it has no triangles, so its
    first pools are its edges.

    >>> import cliquepool as cp
    >>> grid_graph((2, 3))
    Graph(6 nodes, 11 edges)
    >>> cp.clique_pool(grid_graph((2, 3))).pools.tolist()
    [[0, 1, 3, 4], [1, 2, 4, 5]]
    >>> cp.clique_hierarchy(grid_graph((8, 8))).sizes  # 8×8, 7×7, 5×5, 1×1
    (64, 49, 25, 1)
    >>> cp.clique_hierarchy(grid_graph((3, 9))).sizes  # 3×9, 2×8, 1×6, 1×2, 1×1
    (27, 16, 6, 2, 1)
    """
    sides = _sides(shape)
    ids = np.arange(math.prod(sides), dtype=np.int64).reshape(sides)
    if connectivity == "full":
        steps = [s for s in itertools.product((-1, 0, 1), repeat=len(sides)) if s > (0,) * len(sides)]
    elif connectivity == "faces":
        steps = [tuple(int(i == axis) for i in range(len(sides))) for axis in range(len(sides))]
    else:
        raise InputError(f'connectivity: expected "full" or "faces", got {connectivity!r}')
    pairs = [np.zeros((2, 0), dtype=np.int64)]
    for step in steps:
        here = tuple(slice(max(0, -s), side - max(0, s)) for s, side in zip(step, sides, strict=True))
        there = tuple(slice(max(0, s), side - max(0, -s)) for s, side in zip(step, sides, strict=True))
        pairs.append(np.stack([ids[here].reshape(-1), ids[there].reshape(-1)]))
    return Graph.from_edge_index(np.concatenate(pairs, axis=1), num_nodes=ids.size)


def pool_window(number: int) -> int:
    """Return the side, in pixels, of the windows of the n-th pool of a grid: ``2**(n-1) + 1``.

    >>> [pool_window(n) for n in range(1, 6)]
    [2, 3, 5, 9, 17]
    """
    n = operator.index(number)
    if not 1 <= n <= 62:
        raise InputError(f"number of the pool: expected an integer from 1 to 62, got {number!r}")
    return int(2 ** (n - 1) + 1)


def clique_pool_schedule(length: int) -> tuple[int, ...]:
    """Return the windows, one for each pool, that reduce a side of `length` pixels to one.

    As in the clique hierarchy of a grid: 2, 3, 5, 9, ..., and last the remaining length. For a length of
    ``2**n`` the last one is a whole window too.

    >>> clique_pool_schedule(32)  # 32 -> 31 -> 29 -> 25 -> 17 -> 1
    (2, 3, 5, 9, 17)
    >>> clique_pool_schedule(20)  # 20 -> 19 -> 17 -> 13 -> 5 -> 1
    (2, 3, 5, 9, 5)
    """
    left = operator.index(length)
    if left < 1:
        raise InputError(f"length: expected an integer of at least 1, got {length!r}")
    windows: list[int] = []
    while left > 1:
        windows.append(min(pool_window(len(windows) + 1), left))
        left -= windows[-1] - 1
    return tuple(windows)


def _sides(shape: int | Iterable[int]) -> tuple[int, ...]:
    try:
        sides = tuple(map(operator.index, shape if isinstance(shape, Iterable) else (shape,)))
    except TypeError:
        raise GraphError(f"shape: expected one integer or several, got {shape!r}") from None
    if not sides or min(sides) < 0:
        raise GraphError(f"shape: expected one or more sides of at least 0 pixels, got {shape!r}")
    if math.prod(sides) > MAX_NODES:
        raise GraphError(f"shape: expected at most {MAX_NODES} pixels (2^31-1), got {math.prod(sides)}")
    return sides
