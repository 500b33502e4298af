"""The dependency diagram of a hierarchy: which nodes of every lower level some pooled nodes need.

Pools are static, so that the diagram is known before any network runs. A network convolves the nodes of a
level some times (hops), then pools them: the output of a node needs the nodes of its level within that many
hops, and each of these needs the members of its pool at the level below.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool._input import integers
from cliquepool._words import counted
from cliquepool.errors import GraphError
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from cliquepool.hierarchy import Hierarchy

    Nodes = npt.NDArray[np.int32]

__all__ = ["Dependencies", "DependencyDiagram", "NeededNodes"]


@dataclass(frozen=True, eq=False)
class NeededNodes:
    """The nodes of one level that are needed, ascending, and the hop at which each is reached first.

    Hop 0 are the nodes whose output is needed; the others are only read by convolutions.
    """

    nodes: Nodes
    hops: Nodes

    def within(self, hops: int) -> Nodes:
        """Return the nodes that are reached in up to `hops` hops, ascending."""
        reached: Nodes = self.nodes[self.hops <= hops]
        return reached

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, eq=False)
class DependencyDiagram:
    """The nodes of every level that some nodes of the level `top` need; ``diagram[0]`` are input nodes.

    Made by `Dependencies.of`; `cliquepool.view.draw_dependencies` draws it.

    Attributes
    ----------
    hierarchy : Hierarchy
        The hierarchy of the levels.
    levels : tuple of NeededNodes
        What is needed of each level, from 0 to `top`.
    """

    hierarchy: Hierarchy
    levels: tuple[NeededNodes, ...]

    @property
    def top(self) -> int:
        """The level whose nodes were asked for."""
        return len(self.levels) - 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of nodes that are needed at each level."""
        return tuple(map(len, self.levels))

    def __getitem__(self, level: int) -> Nodes:
        """Return the nodes that are needed at a level, ascending."""
        return self.levels[level].nodes

    def __len__(self) -> int:
        return len(self.levels)

    def __repr__(self) -> str:
        of = zip(self.sizes, self.hierarchy.sizes, strict=False)
        return f"DependencyDiagram({' <- '.join(f'{needed:,} of {all_:,}' for needed, all_ in of)})"


class Dependencies:
    """The dependencies of the nodes of one level of a hierarchy; see `Hierarchy.dependencies`."""

    def __init__(self, hierarchy: Hierarchy, level: int, hops: int | Sequence[int] = 1) -> None:
        level = operator.index(level)
        if not 0 <= level <= len(hierarchy):
            raise GraphError(f"level: expected one from 0 to {len(hierarchy)}, got {level}")
        self.hierarchy = hierarchy
        self.level = level
        self.hops = _hops_by_level(hops, level)
        self._steps = [_LevelSteps(hierarchy, each) for each in range(level + 1)]

    def of(self, nodes: Any) -> DependencyDiagram:
        """Return the nodes of every level that these nodes need, themselves included.

        `nodes` is one node of the level or several. The time is linear in the edges and memberships of the
        nodes that are reached; coarse graphs are not expanded from their twin classes.

        Raises GraphError for nodes that the level does not have.
        """
        wanted = np.unique(np.atleast_1d(integers(nodes, "nodes")))
        size = self.hierarchy.sizes[self.level]
        if wanted.size and not 0 <= wanted[0] <= wanted[-1] < size:
            raise GraphError(
                f"nodes: expected nodes of level {self.level}, from 0 to {size - 1}, "
                f"got {wanted[0]} to {wanted[-1]}"
            )
        outputs: Nodes = wanted.astype(np.int32)
        found: list[NeededNodes] = []
        for level in range(self.level, -1, -1):
            reached = self._steps[level].reach(outputs, self.hops[level])
            found.append(reached)
            if level > 0:
                outputs = self._steps[level - 1].members(reached.nodes)
        return DependencyDiagram(self.hierarchy, tuple(reversed(found)))

    def __repr__(self) -> str:
        hops = ", ".join(map(str, self.hops))
        nodes = counted(self.hierarchy.sizes[self.level], "node")
        return f"Dependencies({nodes} of level {self.level}, hops {hops})"


def _hops_by_level(hops: int | Sequence[int], level: int) -> tuple[int, ...]:
    """Return the number of hops at each level from 0 to `level`."""
    try:
        each = [operator.index(hops)] * (level + 1)  # type: ignore[arg-type]
    except TypeError:
        try:
            each = [operator.index(number) for number in hops]  # type: ignore[union-attr]
        except TypeError:
            raise GraphError(f"hops: expected an integer or one for each level, got {hops!r:.60}") from None
    if len(each) != level + 1:
        raise GraphError(f"hops: expected one for each level from 0 to {level}, got {len(each)}")
    if min(each) < 0:
        raise GraphError(f"hops: expected numbers from 0, got {min(each)}")
    return tuple(each)


class _LevelSteps:
    """Steps from nodes of a level: to neighbours within it, and from pools of it to their members.

    Both go by twin classes. A buffer of the size of the level makes each step linear in what it touches.
    """

    def __init__(self, hierarchy: Hierarchy, level: int) -> None:
        self._factors = hierarchy.graph(level)._factors()
        self._pools = hierarchy[level]._by_class if level < len(hierarchy) else None
        self._quotient = Ragged(self._factors.indptr, self._factors.indices)
        self._first_of_class = np.zeros(self._factors.num_classes, dtype=np.int64)
        self._known = np.zeros(self._factors.num_classes, dtype=np.bool_)  # false between calls

    @cached_property
    def _nodes_of_class(self) -> Ragged:
        one_each = Ragged(np.arange(self._factors.num_nodes + 1), self._factors.classes)
        return one_each.transpose(self._factors.num_classes)

    def reach(self, nodes: Nodes, hops: int) -> NeededNodes:
        """Return the nodes within `hops` hops; `nodes` ascend."""
        if hops == 0 or not len(nodes):
            return NeededNodes(nodes, np.zeros(len(nodes), dtype=np.int32))
        # Twins are neighbours: after one hop, the nodes reached are those of whole classes.
        begun = self._distinct(self._factors.classes[nodes])
        reached = [self._expand(ring) for ring in self._rings(begun, hops)]
        all_nodes = np.concatenate(reached)
        ring_of = np.repeat(np.arange(len(reached), dtype=np.int32), list(map(len, reached)))
        order = np.argsort(all_nodes, kind="stable")
        all_nodes, ring_of = all_nodes[order], ring_of[order]
        # The first ring has the classes of the given nodes: their twins are one hop away.
        ring_of[ring_of == 0] = 1
        ring_of[np.searchsorted(all_nodes, nodes)] = 0
        return NeededNodes(all_nodes, ring_of)

    def _rings(self, begun: Nodes, hops: int) -> list[Nodes]:
        """Return the classes that are reached first in 0, 1, …, `hops` hops; fewer if no more exist."""
        rings, frontier = [begun], begun
        self._known[begun] = True
        for _ in range(hops):
            met = self._quotient.take(frontier.astype(np.int64)).members
            frontier = self._distinct(met[~self._known[met]])
            if not len(frontier):
                break
            self._known[frontier] = True
            rings.append(frontier)
        for ring in rings:
            self._known[ring] = False
        return rings

    def members(self, pools: Nodes) -> Nodes:
        """Return the members of pools of this level, ascending."""
        assert self._pools is not None, "the last level has no pools"
        return np.sort(self._expand(self._distinct(self._pools.take(pools.astype(np.int64)).members)))

    def _expand(self, classes: Nodes) -> Nodes:
        return self._nodes_of_class.take(classes.astype(np.int64)).members

    def _distinct(self, classes: Nodes) -> Nodes:
        """Return each class once, in linear time and any order."""
        index = np.arange(len(classes))
        self._first_of_class[classes] = index
        once: Nodes = classes[self._first_of_class[classes] == index]
        return once
