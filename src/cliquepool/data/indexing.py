"""Rows of flat arrays: indices as users write them, ranges of rows, and the rows of chosen graphs."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool.ragged import concatenated_ranges

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

__all__ = ["Ranges", "checked_index", "checked_indices", "gather_rows", "runs_of"]

_SHORT: Final = 256  # copying a slice costs about as much as indexing this many elements


class Ranges:
    """Concatenates ranges of flat arrays: by slices where these are long, element by element otherwise.

    >>> Ranges(np.array([4, 0]), np.array([6, 1])).of(np.arange(10, 20))
    array([14, 15, 10])
    """

    def __init__(self, begins: Ints, ends: Ints) -> None:
        self._positions: Ints | None = None
        self._slices: list[slice] = []
        lengths = ends - begins
        if lengths.sum() < _SHORT * len(begins):
            self._positions = concatenated_ranges(begins, lengths)
        else:
            self._slices = list(map(slice, begins.tolist(), ends.tolist()))

    def of(self, array: Any) -> Any:
        """Concatenate these ranges of `array`; return None for None."""
        if array is None:
            return None
        if self._positions is not None:
            return array[self._positions]
        return np.concatenate([array[:0], *(array[part] for part in self._slices)])


def gather_rows(
    start: npt.NDArray[np.int64],
    rows: npt.NDArray[Any],
    chosen: npt.NDArray[np.int64],
    count: int | None = None,
) -> npt.NDArray[Any]:
    """Concatenate the rows of the chosen graphs; those of graph g begin at ``start[g]``.

    `count` is the number of rows of the result; it is computed where it is not given.
    """
    if count is None:
        count = int(_core.gather_starts(start, chosen)[-1])
    gathered = np.empty((count, *rows.shape[1:]), dtype=rows.dtype)
    if gathered.size:
        _core.gather_rows(start, _bytes_of(rows), chosen, _bytes_of(gathered))
    return gathered


def _bytes_of(rows: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    return rows.reshape(len(rows), -1).view(np.uint8)


def checked_index(index: Any, length: int) -> int:
    """Return an index from 0 to ``length - 1``; negative ones count from the end."""
    try:
        position = operator.index(index)
    except TypeError:
        got = type(index).__name__
        raise TypeError(
            f"expected an integer, a slice, or an array of integers or bools, got {got}"
        ) from None
    if not -length <= position < length:
        raise IndexError(f"expected a graph from {-length} to {length - 1}, got {position}")
    return position % length


def checked_indices(index: Any, length: int) -> Ints:
    """Return indices from 0 to ``length - 1`` for an array of integers or a mask of bools."""
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
    indices = array.astype(np.int64)
    wrong = (indices < -length) | (indices >= length)
    if wrong.any():
        raise IndexError(f"expected graphs from {-length} to {length - 1}, got {indices[wrong][0]}")
    return np.where(indices < 0, indices + length, indices)


def runs_of(indices: Ints) -> tuple[Ints, Ints]:
    """Find the runs of consecutive indices; return the first index of each, and one past its last.

    >>> runs_of(np.array([4, 5, 6, 0, 2]))
    (array([4, 0, 2]), array([7, 1, 3]))
    """
    if not len(indices):
        return indices, indices
    breaks = np.flatnonzero(np.diff(indices) != 1)
    return indices[np.append(0, breaks + 1)], indices[np.append(breaks, len(indices) - 1)] + 1
