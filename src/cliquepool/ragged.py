"""Ragged arrays: lists of integers of unequal length, stored end to end in two NumPy arrays.

Imports NumPy alone. Cliques, pools, memberships and neighbours are ragged arrays everywhere above the core;
`cliquepool.nn.incidence` has the same for torch tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Ragged", "concatenated_ranges", "offsets_from_lengths"]

_SHOWN = 6
_MEMBERS_AT_ONCE = 2**15


def offsets_from_lengths(lengths: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the offsets of lists of these lengths: the first index of each, and the end of the last.

    >>> offsets_from_lengths(np.array([3, 0, 1]))
    array([0, 3, 3, 4])
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, dtype=np.int64, out=offsets[1:])
    return offsets


def concatenated_ranges(begins: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the integers ``begins[i], …, begins[i] + lengths[i] - 1`` for every i, end to end.

    >>> concatenated_ranges(np.array([4, 0]), np.array([2, 1]))
    array([4, 5, 0])
    """
    offsets = offsets_from_lengths(lengths)
    ranges: npt.NDArray[np.int64] = np.repeat(begins - offsets[:-1], lengths) + np.arange(offsets[-1])
    return ranges


class Ragged(Sequence["npt.NDArray[np.int32]"]):
    """Cliques, pools or memberships: a read-only sequence of lists of nodes.

    List ``i`` is ``members[offsets[i]:offsets[i + 1]]``, a view: indexing copies nothing.

    >>> lists = Ragged(np.array([0, 3, 4]), np.array([0, 1, 2, 3], dtype=np.int32))
    >>> lists
    Ragged(2 lists: {0, 1, 2}, {3})
    >>> lists[-1]
    array([3], dtype=int32)
    """

    __slots__ = ("_members", "_offsets")

    def __init__(self, offsets: npt.NDArray[np.int64], members: npt.NDArray[np.int32]) -> None:
        self._offsets = np.asarray(offsets, dtype=np.int64).view()
        self._members = np.asarray(members, dtype=np.int32).view()
        self._offsets.flags.writeable = False
        self._members.flags.writeable = False

    @classmethod
    def from_pairs(cls, lists: npt.NDArray[Any], members: npt.NDArray[Any], num_lists: int) -> Ragged:
        """Group members by list: ``members[i]`` goes into list ``lists[i]``, in the order of the pairs.

        >>> Ragged.from_pairs(np.array([1, 0, 1]), np.array([7, 8, 9]), 2).tolist()
        [[8], [7, 9]]
        """
        offsets = offsets_from_lengths(np.bincount(lists, minlength=num_lists))
        return cls(offsets, members[np.argsort(lists, kind="stable")])

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each list begins in `members`, and where the last ends."""
        return self._offsets

    @property
    def members(self) -> npt.NDArray[np.int32]:
        """All lists end to end."""
        return self._members

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The length of each list."""
        return np.diff(self._offsets)

    @property
    def list_of_member(self) -> npt.NDArray[np.int32]:
        """The index of the list that each of `members` is in."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)

    def transpose(self, num_targets: int) -> Ragged:
        """Return for each of `num_targets` possible members the lists that contain it, ascending.

        >>> Ragged(np.array([0, 2, 3]), np.array([0, 2, 2], dtype=np.int32)).transpose(3).tolist()
        [[0], [], [0, 1]]
        """
        return Ragged.from_pairs(self._members, self.list_of_member, num_targets)

    def take(self, lists: npt.NDArray[np.int64]) -> Ragged:
        """Return the lists of these indices, in this order.

        >>> Ragged(np.array([0, 2, 3]), np.array([4, 5, 6], dtype=np.int32)).take(np.array([1, 0])).tolist()
        [[6], [4, 5]]
        """
        sizes = self.sizes[lists]
        positions = concatenated_ranges(self._offsets[lists], sizes)
        return Ragged(offsets_from_lengths(sizes), self._members[positions])

    def sum_over(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the sum of the integers ``values[member]`` over the members of each list.

        >>> Ragged(np.array([0, 2, 2]), np.array([0, 2], dtype=np.int32)).sum_over(np.array([1, 10, 100]))
        array([101,   0])
        """
        sums = np.empty(len(self), dtype=np.int64)
        begin = 0
        while begin < len(self):
            # As many lists as make up a block, but at least one: the values of all members take much memory.
            end = np.searchsorted(self._offsets, self._offsets[begin] + _MEMBERS_AT_ONCE, side="right") - 1
            end = max(int(end), begin + 1)
            offsets, members = self.part(begin, end)
            sums[begin:end] = np.diff(offsets_from_lengths(values[members])[offsets])
            begin = end
        return sums

    def part(self, begin: int, end: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Return the offsets and members of the lists from `begin` up to `end`, with offsets from 0."""
        offsets = self._offsets[begin : end + 1]
        return offsets - offsets[0], self._members[offsets[0] : offsets[-1]]

    def tolist(self) -> list[list[int]]:
        """Return the lists as lists of Python integers."""
        return [part.tolist() for part in self]

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, index: int) -> npt.NDArray[np.int32]: ...
    @overload
    def __getitem__(self, index: slice) -> Ragged: ...
    def __getitem__(self, index: int | slice) -> npt.NDArray[np.int32] | Ragged:
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(begin, end, step, dtype=np.int64))
            return Ragged(*self.part(begin, max(begin, end)))
        position = range(len(self))[index]
        members: npt.NDArray[np.int32] = self._members[self._offsets[position] : self._offsets[position + 1]]
        return members

    def __iter__(self) -> Iterator[npt.NDArray[np.int32]]:
        for begin, end in pairwise(self._offsets.tolist()):
            yield self._members[begin:end]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ragged):
            return NotImplemented
        return np.array_equal(self._offsets, other._offsets) and np.array_equal(self._members, other._members)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Ragged], tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]]:
        return Ragged, (self._offsets, self._members)

    def __repr__(self) -> str:
        shown = ", ".join(_set_in_words(part) for part in self[:_SHOWN])
        more = ", …" if len(self) > _SHOWN else ""
        noun = "list" if len(self) == 1 else "lists"
        return f"Ragged({len(self):,} {noun}: {shown}{more})" if len(self) else "Ragged(0 lists)"


def _set_in_words(nodes: npt.NDArray[np.int32]) -> str:
    shown = ", ".join(map(str, nodes[:_SHOWN].tolist()))
    return "{" + shown + (f", … {len(nodes):,} nodes" if len(nodes) > _SHOWN else "") + "}"
