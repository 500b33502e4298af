"""The views of a part: the rows that a convolution, a pool or a lift of its own nodes reads, and from whom.

The rows of a view are nodes by ascending number, as in the whole graph: sums are taken in the same order, and
equal maxima come from the same node. Some belong to the part itself, the others are its halo.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from cliquepool.ragged import Ragged, offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from cliquepool.scale.level_rows import LevelRows

    Ids = npt.NDArray[np.int32]

__all__ = ["KINDS", "NodeOwners", "PartView", "ViewKind", "make_view", "node_owners", "view_rows"]

ViewKind = Literal["neighbours", "pools", "lift"]
KINDS: tuple[ViewKind, ...] = ("neighbours", "pools", "lift")


@dataclass(frozen=True, eq=False)
class PartView:
    """What one step reads in one part. Units are numbered within the view.

    Attributes
    ----------
    kind : str
        ``"neighbours"``: for a convolution. ``"pools"``: for the part's own pools of the level.
        ``"lift"``: for the part's own nodes, from the pools that they are in.
    rows : ndarray of int32
        The nodes that are read, ascending, of the level; of the next level for a lift.
    units : ndarray of int32
        The unit of each node of the level in the view: of each row, or of each own node for a lift.
    lists : Ragged
        For each unit its neighbours (none for units of the halo), for each own pool its units, or for each
        own unit the rows of its pools.
    numbers : ndarray of int32
        For each row its degree, or for pools the number of pools that it is in; empty for a lift.
    own : ndarray of int32
        The positions of the results of own nodes among those of the step: all of them but for neighbours.
    sources : Ragged
        The positions of the rows that come from each part.
    """

    kind: ViewKind
    rows: Ids
    units: Ids
    lists: Ragged
    numbers: Ids
    own: Ids
    sources: Ragged


class NodeOwners(NamedTuple):
    """The part that owns each node of a level, and its position among the own nodes of that part."""

    part: Ids
    position: Ids
    counts: npt.NDArray[np.int64]  # own nodes of each part


def node_owners(level: LevelRows, owner_of_unit: Ids, num_parts: int) -> NodeOwners:
    """Return the owner and position of each node; own nodes of a part ascend."""
    part = owner_of_unit[level.unit_of_node]
    counts = np.bincount(part, minlength=num_parts)
    order = np.argsort(part, kind="stable")
    position = np.empty(len(part), dtype=np.int32)
    first = np.repeat(offsets_from_lengths(counts)[:-1], counts)
    position[order] = np.arange(len(part)) - first
    return NodeOwners(part, position, counts)


def view_rows(kind: ViewKind, level: LevelRows, own_units: Ids, own_pools: Ids) -> Ids:
    """Return the rows that a view of some units or pools has, ascending."""
    if kind == "lift":
        return np.unique(level.pools_of_unit.take(own_units.astype(np.int64)).members)
    return np.sort(level.nodes_of_unit.take(_units_read(kind, level, own_units, own_pools)).members)


def _units_read(kind: ViewKind, level: LevelRows, own_units: Ids, own_pools: Ids) -> npt.NDArray[np.int64]:
    """Return the units that the rows of a view belong to, ascending."""
    if kind == "neighbours":
        around = level.neighbours.take(own_units.astype(np.int64)).members
        return np.union1d(around, own_units).astype(np.int64)
    assert level.pools is not None
    return np.unique(level.pools.take(own_pools.astype(np.int64)).members).astype(np.int64)


def make_view(
    kind: ViewKind, level: LevelRows, own_units: Ids, own_pools: Ids, sources: NodeOwners
) -> PartView:
    """Return the view of some units of a level, ascending, or of some pools of it.

    `sources` are the owners of the nodes that are read: of the next level for a lift.
    """
    rows = view_rows(kind, level, own_units, own_pools)
    by_part = Ragged.from_pairs(sources.part[rows], np.arange(len(rows), dtype=np.int32), len(sources.counts))
    if kind == "lift":
        own_nodes = np.sort(level.nodes_of_unit.take(own_units.astype(np.int64)).members)
        units = _numbers_within(level.unit_of_node[own_nodes], own_units)
        lists = _renumbered(level.pools_of_unit.take(own_units.astype(np.int64)), rows)
        own = np.arange(len(own_nodes), dtype=np.int32)
        return PartView(kind, rows, units, lists, np.zeros(0, dtype=np.int32), own, by_part)
    local = _units_read(kind, level, own_units, own_pools)
    units = _numbers_within(level.unit_of_node[rows], local)
    if kind == "pools":
        assert level.pools is not None
        lists = _renumbered(level.pools.take(own_pools.astype(np.int64)), local)
        shares = level.pools_of_unit.sizes[level.unit_of_node[rows]].astype(np.int32)
        own = np.arange(len(own_pools), dtype=np.int32)
        return PartView(kind, rows, units, lists, shares, own, by_part)
    is_own = np.isin(local, own_units, assume_unique=True)
    around = _renumbered(level.neighbours.take(own_units.astype(np.int64)), local)
    sizes = np.zeros(len(local), dtype=np.int64)
    sizes[is_own] = around.sizes
    lists = Ragged(offsets_from_lengths(sizes), around.members)
    own = np.flatnonzero(is_own[units]).astype(np.int32)
    return PartView(kind, rows, units, lists, level.degrees[rows], own, by_part)


def _numbers_within(ids: npt.NDArray[np.int32], listed: Sequence[int] | npt.NDArray[np.integer]) -> Ids:
    """Return the position of each id in an ascending list that has them all."""
    return np.searchsorted(listed, ids).astype(np.int32)


def _renumbered(lists: Ragged, listed: npt.NDArray[np.integer]) -> Ragged:
    return Ragged(lists.offsets, _numbers_within(lists.members, listed))
