"""Random graphs with cliques of many sizes."""

from __future__ import annotations

import numpy as np

import cliquepool as cp

__all__ = ["with_cliques"]


def with_cliques(seed: int = 0, nodes: int = 400) -> cp.Graph:
    """Return a graph of planted cliques of many sizes, which overlap, and of random edges."""
    draw = np.random.default_rng(seed)
    edges = [draw.integers(0, nodes, (2 * nodes, 2))]
    for size in draw.integers(3, 16, nodes // 8):
        members = draw.choice(nodes, size, replace=False)
        edges.append(np.stack(np.meshgrid(members, members), axis=-1).reshape(-1, 2))
    return cp.Graph.from_edges(np.concatenate(edges), nodes)
