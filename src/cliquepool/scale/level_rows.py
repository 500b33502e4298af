"""The levels of a hierarchy as lists between the units that are divided among parts.

A unit is a twin class where sums by twin classes take fewer additions than edge by edge, else a node. All
nodes of a unit belong to the same part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.hierarchy import Hierarchy

    Ids = npt.NDArray[np.int32]

__all__ = ["LevelRows", "rows_of_hierarchy"]


@dataclass(frozen=True, eq=False)
class LevelRows:
    """One level: the unit of each node, the neighbours of each unit, and the units of each pool.

    Attributes
    ----------
    factored : bool
        Whether units are twin classes; otherwise unit i is node i.
    unit_of_node, degrees : ndarray of int32
        For each node.
    neighbours : Ragged
        The other units that each unit is joined to.
    pools : Ragged or None
        The units in each pool, which are the nodes of the next level; None on the last level.
    """

    factored: bool
    unit_of_node: Ids
    degrees: Ids
    neighbours: Ragged
    pools: Ragged | None

    @property
    def num_nodes(self) -> int:
        """The number of nodes."""
        return len(self.unit_of_node)

    @property
    def num_units(self) -> int:
        """The number of units."""
        return len(self.neighbours)

    @cached_property
    def nodes_of_unit(self) -> Ragged:
        """The nodes of each unit, ascending."""
        return Ragged(np.arange(self.num_nodes + 1), self.unit_of_node).transpose(self.num_units)

    @cached_property
    def pools_of_unit(self) -> Ragged:
        """The pools that each unit is in, ascending."""
        assert self.pools is not None, "the last level has no pools"
        return self.pools.transpose(self.num_units)

    @cached_property
    def unit_sizes(self) -> npt.NDArray[np.int64]:
        """The number of nodes in each unit."""
        return np.bincount(self.unit_of_node, minlength=self.num_units)


def rows_of_hierarchy(hierarchy: Hierarchy) -> list[LevelRows]:
    """Return the rows of every level, from the graph itself to the last coarse graph."""
    return [_rows_of_level(hierarchy, level) for level in range(len(hierarchy) + 1)]


def _rows_of_level(hierarchy: Hierarchy, level: int) -> LevelRows:
    graph = hierarchy.graph(level)
    factors = graph._factors()
    degrees = graph.degrees.astype(np.int32)
    pooling = hierarchy[level] if level < len(hierarchy) else None
    through_classes = 2 * factors.num_nodes + len(factors.indices) + factors.num_classes
    if through_classes < int(degrees.sum(dtype=np.int64)):
        pools = None if pooling is None else pooling._by_class
        return LevelRows(True, factors.classes, degrees, Ragged(factors.indptr, factors.indices), pools)
    nodes = np.arange(factors.num_nodes, dtype=np.int32)
    pools = None if pooling is None else pooling.pools
    return LevelRows(False, nodes, degrees, Ragged(graph.indptr, graph.indices), pools)
