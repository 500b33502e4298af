"""Lists of nodes of unequal length, end to end in two arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Ragged"]

_SHOWN = 6


class Ragged(Sequence["npt.NDArray[np.int32]"]):
    """Cliques, pools or memberships: a read-only sequence of node lists.

    List ``i`` is ``members[offsets[i]:offsets[i + 1]]``; taking one out copies nothing.

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

    def tolist(self) -> list[list[int]]:
        """The same as lists of Python integers."""
        return [part.tolist() for part in self]

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, index: int) -> npt.NDArray[np.int32]: ...
    @overload
    def __getitem__(self, index: slice) -> Ragged: ...
    def __getitem__(self, index: int | slice) -> npt.NDArray[np.int32] | Ragged:
        if isinstance(index, slice):
            return self._slice(index)
        place = range(len(self))[index]
        part: npt.NDArray[np.int32] = self._members[self._offsets[place] : self._offsets[place + 1]]
        return part

    def _slice(self, index: slice) -> Ragged:
        begin, end, step = index.indices(len(self))
        if step != 1:
            parts = [self[i] for i in range(begin, end, step)]
            offsets = np.cumsum([0, *map(len, parts)])
            return Ragged(offsets, np.concatenate([self._members[:0], *parts]))
        offsets = self._offsets[begin : max(begin, end) + 1]
        return Ragged(offsets - offsets[0], self._members[offsets[0] : offsets[-1]])

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
