"""Collation of a pooled data set: the arrays that a batch is gathered from, each with its slot by name.

The core gathers all parts of a batch in one call and returns them end to end in three arrays. `LevelSlots`
names the slot of each part; `cliquepool.nn.collate` reads the parts by these names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from cliquepool import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from cliquepool.data.pooled_level import PooledLevel
    from cliquepool.data.ragged_by_graph import RaggedByGraph

__all__ = ["Collation", "GatheredArrays", "LevelSlots", "ListSlots"]


class ListSlots(NamedTuple):
    """The slots of some lists and of their transpose."""

    lists: int
    transposed: int


class LevelSlots(NamedTuple):
    """The slots of the parts of one level; None where the level does not have the part.

    A level has either `neighbours`, or a `quotient` between twin `classes`. Its `pools` are of nodes in the
    first case, of classes in the second.
    """

    node_start: int  # among the starts
    degrees: int  # among the values
    neighbours: int | None  # among the lists, as are the next three
    quotient: int | None
    classes: ListSlots | None
    pools: ListSlots | None
    pool_sizes: int | None  # among the values


class GatheredArrays(NamedTuple):
    """The parts of a batch, end to end, and the length of each.

    `offsets` has the starts of all levels first, then the offsets of the lists; `members` has the members of
    the lists; `values` the degrees and the pool sizes.
    """

    offsets: npt.NDArray[np.int64]
    offset_lengths: list[int]
    members: npt.NDArray[np.int32]
    member_lengths: list[int]
    values: npt.NDArray[np.float32]
    value_lengths: list[int]


class Collation:
    """Gathers the parts of a batch; `levels` has the slots of the parts of each level."""

    def __init__(self, levels: Sequence[PooledLevel]) -> None:
        self._starts: list[npt.NDArray[np.int64]] = []
        self._lists: list[tuple[npt.NDArray[np.int64], ...]] = []
        self._values: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]] = []
        self.levels = [self._add_level(level) for level in levels]
        self._gather = _core.Collator(self._starts, self._lists, self._values)  # type: ignore[arg-type]

    def gather(self, chosen: npt.NDArray[np.int64]) -> GatheredArrays:
        """Return the parts of the chosen graphs, in their order."""
        return GatheredArrays(*self._gather.collate(chosen))

    def _add_level(self, level: PooledLevel) -> LevelSlots:
        by_class = level.worth_factoring
        pools = level.pools_by_class if by_class else level.pools
        return LevelSlots(
            node_start=_append(self._starts, level.node_start),
            degrees=_append(self._values, (level.node_start, level.float_degrees)),
            neighbours=None if by_class else self._add_lists(level.neighbours),
            quotient=self._add_lists(level.quotient) if by_class else None,
            classes=self._add_with_transpose(level.classes) if by_class else None,
            pools=None if pools is None else self._add_with_transpose(pools),
            pool_sizes=(
                None if pools is None else _append(self._values, (pools.list_start, level.float_pool_sizes))
            ),
        )

    def _add_lists(self, lists: RaggedByGraph) -> int:
        local = lists.local
        return _append(self._lists, (lists.list_start, local.offsets, local.members, lists.target_start))

    def _add_with_transpose(self, lists: RaggedByGraph) -> ListSlots:
        return ListSlots(self._add_lists(lists), self._add_lists(lists.transposed))


def _append(parts: list[Any], part: Any) -> int:
    """Append a part and return its slot."""
    parts.append(part)
    return len(parts) - 1
