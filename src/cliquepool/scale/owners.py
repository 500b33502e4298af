"""Division of the levels of a hierarchy among parts, from a high level down, so that pools keep together.

The units of one level are divided by a partition of its graph. A unit below follows one of its pools, and a
pool above goes where most of its members are. Work is counted in edges; a node counts as several edges, since
its features take more memory than its neighbours.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from cliquepool.errors import InputError, MissingDependency

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from cliquepool.ragged import Ragged
    from cliquepool.scale.level_rows import LevelRows

    Owners = npt.NDArray[np.int32]
    Work = npt.NDArray[np.int64]

__all__ = ["PartitionMethod", "choose_owners"]

PartitionMethod = Literal["propagation", "metis"]

_EDGES_OF_A_NODE: Final = 16
_SMALLEST_SHARE: Final = 4  # units of the divided level are at most 1/4 of the work of a part
_ROUNDS: Final = 24
_IMBALANCE: Final = 1.05


def choose_owners(
    levels: Sequence[LevelRows], num_parts: int, method: PartitionMethod = "propagation"
) -> list[Owners]:
    """Return the part that owns each unit of every level.

    `method` is how the graph of the divided level is partitioned: by label propagation within balanced parts,
    from chunks of a breadth-first order; or by METIS, which needs pymetis.
    """
    if method not in get_args(PartitionMethod):
        raise InputError(f"method: expected one of {', '.join(get_args(PartitionMethod))}, got {method!r}")
    own = [_work(level) for level in levels]
    parents = [_parent_units(*pair) for pair in itertools.pairwise(levels)]
    below = _work_below(own, parents)
    divided = _level_to_divide(below, num_parts)
    divide = _by_metis if method == "metis" else _by_propagation
    owners = {divided: divide(levels[divided].neighbours, below[divided], num_parts)}
    for level in range(divided - 1, -1, -1):
        owners[level] = owners[level + 1][parents[level]]
    for level in range(divided + 1, len(levels)):
        owners[level] = _of_most_members(levels[level - 1], levels[level], owners[level - 1], num_parts)
    return [owners[level] for level in range(len(levels))]


def _work(level: LevelRows) -> Work:
    """Return the work of each unit of a level, in edges."""
    return level.neighbours.sizes + _EDGES_OF_A_NODE * level.unit_sizes


def _parent_units(level: LevelRows, above: LevelRows) -> Owners:
    """Return for each unit the unit above that has its first pool."""
    first = level.pools_of_unit.members[level.pools_of_unit.offsets[:-1]]
    parents: Owners = above.unit_of_node[first]
    return parents


def _work_below(own: Sequence[Work], parents: Sequence[Owners]) -> list[Work]:
    """Return the work of each unit with that of all units below that follow it."""
    below = [own[0]]
    for work, parent in zip(own[1:], parents, strict=True):
        carried = np.bincount(parent, weights=below[-1], minlength=len(work)).astype(np.int64)
        below.append(work + carried)
    return below


def _level_to_divide(below: Sequence[Work], num_parts: int) -> int:
    """Return the highest level whose units are small enough to make balanced parts; else the lowest."""
    for level in range(len(below) - 1, 0, -1):
        if below[level].max(initial=0) * num_parts * _SMALLEST_SHARE <= below[level].sum():
            return level
    return 0


def _of_most_members(below: LevelRows, level: LevelRows, owners: Owners, num_parts: int) -> Owners:
    """Return for each unit the part that owns most members of its pools; the first of equal ones."""
    assert below.pools is not None
    units = level.unit_of_node[below.pools.list_of_member].astype(np.int64)
    counted = np.bincount(
        units * num_parts + owners[below.pools.members],
        weights=below.unit_sizes[below.pools.members],
        minlength=level.num_units * num_parts,
    )
    best: Owners = counted.reshape(level.num_units, num_parts).argmax(axis=1).astype(np.int32)
    return best


# ---- partitions of one graph ----


def _adjacency(neighbours: Ragged) -> Any:
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import, seldom needed)

    ones = np.ones(len(neighbours.members), dtype=np.float32)
    return csr_array((ones, neighbours.members, neighbours.offsets), shape=(len(neighbours),) * 2)


def _by_propagation(neighbours: Ragged, work: Work, num_parts: int) -> Owners:
    """Partition by chunks of a breadth-first order, then move units to the parts of their neighbours."""
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import, seldom needed)
    from scipy.sparse.csgraph import reverse_cuthill_mckee  # noqa: PLC0415

    if num_parts == 1 or not len(work):
        return np.zeros(len(work), dtype=np.int32)
    adjacency = _adjacency(neighbours)
    order = reverse_cuthill_mckee(adjacency, symmetric_mode=True)
    before = np.cumsum(work[order]) - work[order]
    owners = np.empty(len(work), dtype=np.int32)
    owners[order] = np.minimum(before * num_parts // max(int(work.sum()), 1), num_parts - 1)
    units = np.arange(len(work))
    for turn in range(_ROUNDS):
        labels = csr_array(
            (np.ones(len(work), dtype=np.float32), owners, np.arange(len(work) + 1)),
            shape=(len(work), num_parts),
        )
        around = (adjacency @ labels).toarray()
        here = around[units, owners]
        around[units, owners] = -1
        there = around.argmax(axis=1).astype(np.int32)
        gain = around[units, there] - here
        # Half of the units rest in each round: two neighbours would otherwise change places for ever.
        willing = np.flatnonzero((gain > 0) & ((units * 2654435761 >> 7) % 2 == turn % 2))
        load = np.bincount(owners, weights=work, minlength=num_parts)
        if not _move(willing[np.argsort(-gain[willing], kind="stable")], there, owners, work, load):
            break
    return owners


def _move(willing: Work, there: Owners, owners: Owners, work: Work, load: npt.NDArray[Any]) -> bool:
    """Move units in this order as long as the part that they go to has room; tell whether any moved.

    `load` is the work of each part before.
    """
    most = _IMBALANCE * load.mean()
    moved = False
    for part in range(len(load)):
        coming = willing[there[willing] == part]
        fits = coming[np.cumsum(work[coming]) <= most - load[part]]
        owners[fits] = part
        moved |= len(fits) > 0
    return moved


def _by_metis(neighbours: Ragged, work: Work, num_parts: int) -> Owners:
    """Partition by METIS, with edges of equal weight."""
    try:
        import pymetis  # noqa: PLC0415 (optional)
    except ImportError:
        raise MissingDependency(
            "a partition by METIS needs pymetis, which is not installed: pip install pymetis", name="pymetis"
        ) from None
    if num_parts == 1 or not len(work):
        return np.zeros(len(work), dtype=np.int32)
    scale = max(1, int(work.sum()) // 2**30)  # METIS counts in 32 bits
    _, owners = pymetis.part_graph(
        num_parts,
        pymetis.CSRAdjacency(neighbours.offsets, neighbours.members),
        vweights=np.maximum(work // scale, 1),
    )
    return np.asarray(owners, dtype=np.int32)
