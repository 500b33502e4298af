"""Places in flat arrays: what an index asks for, and what lies there."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

__all__ = ["Ranges", "offsets_of", "place_of", "places_of", "runs_of"]

_SHORT: Final = 256  # a slice costs about as much as this many elements


def offsets_of(lengths: npt.NDArray[Any]) -> Ints:
    """Where lists of these lengths begin when they lie end to end, and where the last ends."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


class Ranges:
    """Ranges of a flat array, to be joined: one by one where they are long, element by element otherwise.

    >>> Ranges(np.array([4, 0]), np.array([6, 1])).of(np.arange(10, 20))
    array([14, 15, 10])
    """

    def __init__(self, begins: Ints, ends: Ints) -> None:
        lengths = ends - begins
        offsets = offsets_of(lengths)
        self._places: Ints | None = None
        self._slices: list[slice] = []
        if offsets[-1] < _SHORT * len(begins):
            self._places = np.repeat(begins - offsets[:-1], lengths) + np.arange(offsets[-1])
        else:
            self._slices = list(map(slice, begins.tolist(), ends.tolist()))

    def of(self, array: Any) -> Any:
        """Join these ranges of `array`; None of None."""
        if array is None:
            return None
        if self._places is not None:
            return array[self._places]
        return np.concatenate([array[:0], *(array[part] for part in self._slices)])


def place_of(index: Any, length: int) -> int:
    """Take one of `length` places, counted from either end."""
    try:
        place = operator.index(index)
    except TypeError:
        got = type(index).__name__
        raise TypeError(
            f"expected an integer, a slice, or an array of integers or bools, got {got}"
        ) from None
    if not -length <= place < length:
        raise IndexError(f"expected a graph from {-length} to {length - 1}, got {place}")
    return place % length


def places_of(index: Any, length: int) -> Ints:
    """Take an array of places, counted from either end, or of truth values."""
    array = np.asarray(index)
    if array.ndim != 1 or (array.dtype.kind not in "iub" and array.size):
        raise TypeError(
            "expected an integer, a slice, or an array of integers or bools, "
            f"got {array.dtype} of shape {array.shape}"
        )
    if array.dtype.kind == "b":
        if len(array) != length:
            raise IndexError(f"expected {length} truth values, one for each graph, got {len(array)}")
        return np.flatnonzero(array)
    places = array.astype(np.int64)
    wrong = (places < -length) | (places >= length)
    if wrong.any():
        raise IndexError(f"expected graphs from {-length} to {length - 1}, got {places[wrong][0]}")
    return np.where(places < 0, places + length, places)


def runs_of(places: Ints) -> tuple[Ints, Ints]:
    """Find the runs of places that follow each other: where each begins, and the place after its last.

    >>> runs_of(np.array([4, 5, 6, 0, 2]))
    (array([4, 0, 2]), array([7, 1, 3]))
    """
    if not len(places):
        return places, places
    breaks = np.flatnonzero(np.diff(places) != 1)
    return places[np.append(0, breaks + 1)], places[np.append(breaks, len(places) - 1)] + 1
