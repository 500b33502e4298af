"""Deterministic layouts: positions for the nodes of a graph, and for pools near their members."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.graph import Graph
    from cliquepool.ragged import Ragged

    Points = npt.NDArray[np.float64]

__all__ = ["lay_out", "place_pools", "push_apart"]

# An edge between two pools is this much longer than one within a pool, so that pools are apart.
_STRETCH: Final = 1.9
_STEPS: Final = 300
_STEPS_OF_A_POOL: Final = 3
_CLOSE_ENOUGH: Final = 1e-4


def lay_out(graph: Graph, pools: Ragged | None = None) -> Points:
    """Return positions of nodes whose distances approximate those in the graph.

    Stress majorisation: the target distances are shortest paths, weighted by their inverse squares. With
    `pools`, edges between pools are longer. Components are laid out separately and packed in rows.
    """
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 (slow to import)

    adjacency = _lengths(graph, pools)
    number, component = connected_components(adjacency, directed=False)
    parts = [np.flatnonzero(component == c) for c in range(number)]
    positions = np.zeros((graph.num_nodes, 2))
    for part in parts:
        positions[part] = _lay_out_connected(adjacency[part][:, part])
    _pack_in_rows(positions, sorted(parts, key=len, reverse=True))
    return positions


def _lengths(graph: Graph, pools: Ragged | None) -> Any:
    matrix = graph.to_scipy().astype(np.float64)
    if pools is not None:
        within = {pair for pool in pools if len(pool) > 1 for pair in combinations(pool.tolist(), 2)}
        rows = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr)).tolist()
        matrix.data = np.array(
            [
                1.0 if (min(u, v), max(u, v)) in within else _STRETCH
                for u, v in zip(rows, graph.indices.tolist(), strict=True)
            ]
        )
    return matrix


def _lay_out_connected(adjacency: Any) -> Points:
    from scipy.sparse.csgraph import shortest_path  # noqa: PLC0415

    number = adjacency.shape[0]
    if number == 1:
        return np.zeros((1, 2))
    ideal = shortest_path(adjacency, directed=False)
    positions = _stress_descent(_classical_scaling(ideal), ideal)
    return _rotate_upright(positions)


def _classical_scaling(ideal: Points) -> Points:
    """Return start positions by classical multidimensional scaling; a small spiral separates twins."""
    number = len(ideal)
    squared = ideal**2
    inner = -0.5 * (squared - squared.mean(0) - squared.mean(1)[:, None] + squared.mean())
    values, vectors = np.linalg.eigh(inner)
    vectors = vectors[:, ::-1][:, :2]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(0), np.arange(vectors.shape[1])])
    positions = vectors * np.sqrt(np.maximum(values[::-1][:2], 0))
    angle = np.arange(number) * 2.39996  # the golden angle
    spiral = np.stack([np.cos(angle), np.sin(angle)], 1) * np.sqrt(np.arange(1, number + 1) / number)[:, None]
    start: Points = positions + 0.15 * spiral
    return start


def _stress_descent(positions: Points, ideal: Points, steps: int = _STEPS) -> Points:
    """Minimise Σ (|x_u − x_v| − d_uv)² / d_uv² by majorisation (Gansner, Koren, North 2004)."""
    number = len(ideal)
    weights = 1 / np.maximum(ideal, 1e-9) ** 2
    np.fill_diagonal(weights, 0)
    laplacian = np.diag(weights.sum(1)) - weights
    inverse = np.linalg.inv(laplacian + 1 / number) - 1 / number
    before = np.inf
    for _ in range(steps):
        apart = positions[:, None] - positions[None]
        distance = np.sqrt((apart**2).sum(-1))
        stress = float((weights * (distance - ideal) ** 2).sum())
        if before - stress < _CLOSE_ENOUGH * stress:
            break
        before = stress
        pull = weights * ideal / np.maximum(distance, 1e-9)
        positions = inverse @ (pull[:, :, None] * apart).sum(1)
    return positions


def _rotate_upright(positions: Points) -> Points:
    """Rotate positions so that the longest extent is vertical, as panels are side by side."""
    centred = positions - positions.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes * np.where(axes[np.arange(len(axes)), np.abs(axes).argmax(1)] < 0, -1, 1)[:, None]
    turned: Points = centred @ axes[::-1].T
    return turned


def _pack_in_rows(positions: Points, parts: list[npt.NDArray[np.intp]]) -> None:
    """Pack components in rows, largest first, into a square approximately."""
    if len(parts) < 2:
        return
    gap = 1.2
    sizes = [np.ptp(positions[part], axis=0) + gap for part in parts]
    width = max(*(size[0] for size in sizes), float(np.sqrt(sum(size.prod() for size in sizes))) * 0.9)
    left = top = row_height = 0.0
    for part, size in zip(parts, sizes, strict=True):
        if left > 0 and left + size[0] > width:
            left, top, row_height = 0.0, top - row_height, 0.0
        corner = np.array([positions[part, 0].min(), positions[part, 1].max()])
        positions[part] += np.array([left, top]) - corner
        left += size[0]
        row_height = max(row_height, size[1])


def place_pools(positions: Points, pools: Ragged, coarse: Graph, distance: float) -> Points:
    """Return positions of pools near the centres of their members, no two closer than `distance`."""
    centres = np.add.reduceat(positions[pools.members], pools.offsets[:-1], axis=0) / pools.sizes[:, None]
    return push_apart(_relaxed(centres, coarse), distance)


def _relaxed(positions: Points, graph: Graph) -> Points:
    """Move a few steps towards a layout of the graph: pools that share members have almost equal centres."""
    from scipy.sparse.csgraph import shortest_path  # noqa: PLC0415 (slow to import)
    from scipy.spatial.distance import pdist  # noqa: PLC0415 (slow to import)

    if len(positions) < 3:
        return positions
    ideal = shortest_path(graph.to_scipy(), directed=False, unweighted=True)
    reached = np.isfinite(ideal)
    ideal[~reached] = ideal[reached].max(initial=1) + 1
    ideal *= 2 * pdist(positions).sum() / ideal.sum()
    if not ideal.max() > 0:
        return positions
    return _stress_descent(positions, ideal, steps=_STEPS_OF_A_POOL)


def push_apart(positions: Points, distance: float) -> Points:
    """Move points a little until no two are closer than `distance`."""
    number = len(positions)
    angle = np.arange(number) * 2.39996
    positions = positions + 1e-3 * distance * np.stack([np.cos(angle), np.sin(angle)], 1)
    for _ in range(_STEPS):
        apart = positions[:, None] - positions[None]
        between = np.sqrt((apart**2).sum(-1))
        np.fill_diagonal(between, np.inf)
        lacking = np.maximum(distance - between, 0)
        if lacking.max(initial=0) < 0.02 * distance:
            break
        positions = positions + 0.5 * (apart * (lacking / np.maximum(between, 1e-9))[:, :, None]).sum(1)
    return positions
