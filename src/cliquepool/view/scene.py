"""The scene of a hierarchy: what the interactive page draws of every level, and where.

A level is shown as bundles (`cliquepool.view.bundles`), whose sizes sum to the nodes of the level. Pools are
opened in the page: it has the members of each pool as twin classes, and so every node of every level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from cliquepool import _core
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.view.bundles import Bundles, bundle

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.hierarchy import Hierarchy
    from cliquepool.ragged import Ragged

    Points = npt.NDArray[np.float64]

__all__ = ["MOST_EDGES", "MOST_ITEMS", "Scene", "SceneLevel", "make_scene"]

# The most that a page draws at once, and starts with.
MOST_ITEMS: Final = 3_000
MOST_EDGES: Final = 12_000

_PIVOTS: Final = 50
_ROUNDS: Final = 30
# Items stand at least this far apart where there is room; a node has an area of about 1.
_APART: Final = 0.8
_ROUNDS_APART: Final = 40
_MOST_ITEMS_APART: Final = 5_000
# The page derives the edges of a level that has more than this, and more than level 0, from the level below.
_MOST_EDGES_KEPT: Final = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class SceneLevel:
    """One level of a scene.

    Attributes
    ----------
    num_nodes, num_edges : int
        Of the graph of this level.
    classes : ndarray of int32
        The twin class of each node, as pools refer to them.
    bundles : Bundles
        What is drawn of this level.
    positions : ndarray of shape (bundles, 2)
        Where each bundle stands.
    pools : Ragged or None
        The pools of this level, which are the nodes of the next, as lists of twin classes; None at the top.
    keeps_edges : bool
        Whether the page gets the edges of this level; otherwise it derives them.
    """

    num_nodes: int
    num_edges: int
    classes: npt.NDArray[np.int32]
    bundles: Bundles
    positions: Points
    pools: Ragged | None
    keeps_edges: bool


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All levels of a hierarchy as they are drawn, and the level that is shown first."""

    levels: tuple[SceneLevel, ...]
    start: int

    @property
    def num_items(self) -> tuple[int, ...]:
        """The number of bundles at each level."""
        return tuple(len(level.bundles) for level in self.levels)


def make_scene(
    hierarchy: Hierarchy,
    *,
    budget: Budget = DEFAULT_BUDGET,
    most_items: int = MOST_ITEMS,
    most_edges: int = MOST_EDGES,
) -> Scene:
    """Bundle and lay out every level of a hierarchy.

    Level 0 is laid out by the core; a pool stands at the mean of its members, and so of its receptive field,
    each node counted as often as it is reached. The scene starts at the finest level within the two limits.

    >>> from cliquepool import Graph, clique_hierarchy
    >>> scene = make_scene(clique_hierarchy(Graph.from_edges([(0, 1), (1, 2), (2, 3)])))
    >>> scene.num_items, scene.start
    ((4, 1, 1), 0)
    """
    levels: list[SceneLevel] = []
    node_positions: Points | None = None
    for number in range(len(hierarchy) + 1):
        graph = hierarchy.graph(number)
        bundles = bundle(graph)
        classes = graph._factors().classes
        of_node = bundles.of_class[classes]
        if node_positions is None:
            positions = _laid_out(bundles, budget)
        else:
            positions = _means(node_positions, of_node, len(bundles))
            _separate(positions, budget)
        pools = hierarchy[number]._by_class if number < len(hierarchy) else None
        levels.append(
            SceneLevel(
                graph.num_nodes,
                graph.num_edges,
                classes,
                bundles,
                positions,
                pools,
                number == 0 or bundles.num_edges <= max(_MOST_EDGES_KEPT, levels[0].bundles.num_edges),
            )
        )
        if pools is not None:
            node_positions = _pool_positions(pools, classes, positions[of_node])
    return Scene(tuple(levels), _start_level(levels, most_items, most_edges))


def _laid_out(bundles: Bundles, budget: Budget) -> Points:
    positions = np.zeros((len(bundles), 2))
    rows = bundles.graph
    _core.lay_out(rows.offsets, rows.members, _PIVOTS, _ROUNDS, budget._limits(), positions)
    _separate(positions, budget)
    return positions


def _separate(positions: Points, budget: Budget) -> None:
    """Move items apart: by an even share of the picture if they are few, else by a little."""
    if len(positions) < 2:
        return
    few = len(positions) <= _MOST_ITEMS_APART
    width, height = np.ptp(positions, axis=0)
    share = float(np.sqrt(max(width * height, len(positions)) / len(positions)))
    distance = _APART * share if few else _APART
    _core.separate(distance, _ROUNDS_APART if few else 0, budget._limits(), positions)


def _means(points: Points, group: npt.NDArray[np.int32], count: int) -> Points:
    """Return the mean of the points of each group, none of which is empty."""
    sizes = np.bincount(group, minlength=count)
    sums = [np.bincount(group, weights=points[:, axis], minlength=count) for axis in (0, 1)]
    means: Points = np.stack(sums, axis=1) / np.maximum(sizes, 1)[:, None]
    return means


def _pool_positions(pools: Ragged, classes: npt.NDArray[np.int32], points: Points) -> Points:
    """Return the mean position of the members of each pool."""
    count = int(classes.max(initial=-1)) + 1
    sizes = np.bincount(classes, minlength=count)
    weight = np.add.reduceat(sizes[pools.members], pools.offsets[:-1]) if len(pools) else np.zeros(0)
    means = np.zeros((len(pools), 2))
    for axis in (0, 1):
        sums = np.bincount(classes, weights=points[:, axis], minlength=count)
        if len(pools):
            means[:, axis] = np.add.reduceat(sums[pools.members], pools.offsets[:-1]) / weight
    return means


def _start_level(levels: list[SceneLevel], most_items: int, most_edges: int) -> int:
    for number, level in enumerate(levels):
        if len(level.bundles) <= most_items and level.bundles.num_edges <= most_edges:
            return number
    return len(levels) - 1
