"""Sets of nodes as rows of bits: blocks of graphs of like size, and operations on their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset

    Ints = npt.NDArray[np.int64]
    Rows = npt.NDArray[np.uint64]

__all__ = [
    "BLOCK_WORDS",
    "alike_graphs",
    "bit_matrix",
    "neighbour_rows",
    "num_bits",
    "single_bits",
    "union_of_neighbours",
]

BLOCK_WORDS: Final = 1 << 22  # 64-bit words that one array of a block holds, unless one graph has more
_MOST_PADDING: Final = 1.25  # the width of the widest graph of a block to that of its narrowest

_BITS_OF_BYTE: Final = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


def alike_graphs(words: Ints, rows: Ints) -> Iterator[Ints]:
    """Split graphs into blocks whose rows are about as wide; `words` and `rows` are those of each graph."""
    order = np.argsort(words, kind="stable")
    width = words[order]
    total = np.cumsum(rows[order])
    begin = 0
    while begin < len(order):
        widest = max(int(width[begin] * _MOST_PADDING), int(width[begin]) + 1)
        most_rows = BLOCK_WORDS // max(1, widest) + (int(total[begin - 1]) if begin else 0)
        ends = np.searchsorted(width, widest, side="right"), np.searchsorted(total, most_rows, side="right")
        end = max(begin + 1, int(min(ends)))
        yield order[begin:end]
        begin = end


def neighbour_rows(dataset: GraphDataset) -> Ints:
    """Return the rows of all neighbours, where every node of the data set has a row."""
    first_row = np.repeat(dataset.node_start[:-1], np.diff(dataset.node_start))
    return np.repeat(first_row, dataset.degrees) + dataset.indices


def single_bits(slots: Ints, num_words: int, first_word: int = 0) -> Rows:
    """Return a row for each slot with the bit of that slot alone, or with none for a slot outside the words.

    Slot s is bit s % 8 of byte s // 8 of a row, on every machine.
    """
    rows = np.zeros((len(slots), 8 * num_words), dtype=np.uint8)
    byte = slots // 8 - 8 * first_word
    inside = np.flatnonzero((byte >= 0) & (byte < 8 * num_words))
    rows[inside, byte[inside]] = np.left_shift(1, slots[inside] % 8)
    return rows.view(np.uint64)


def bit_matrix(rows: Ints, slots: Ints, num_rows: int, num_words: int) -> Rows:
    """Return rows of this many words in which the bits (``rows[i]``, ``slots[i]``) are set, all different."""
    matrix = np.zeros((num_rows, 8 * num_words), dtype=np.uint8)
    # Adding distinct bits sets them, and NumPy is quick at it.
    position, bit = rows * (8 * num_words) + slots // 8, np.left_shift(1, slots % 8)
    np.add.at(matrix.reshape(-1), position, bit.astype(np.uint8))
    return matrix.view(np.uint64)


def union_of_neighbours(rows: Rows, dataset: GraphDataset, neighbours: Ints) -> Rows:
    """Return for each node the union (bitwise or) of the rows of its neighbours."""
    union = np.zeros_like(rows)
    has_any = dataset.degrees > 0
    if len(neighbours):
        union[has_any] = np.bitwise_or.reduceat(rows[neighbours], dataset.indptr[:-1][has_any], axis=0)
    return union


def num_bits(words: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return the number of bits that are set in each unsigned integer."""
    if hasattr(np, "bitwise_count"):  # from NumPy 2.0 on
        counted: npt.NDArray[np.uint8] = np.bitwise_count(words)
        return counted
    of_bytes = _BITS_OF_BYTE[words.view(np.uint8)].reshape(*words.shape, words.itemsize)
    summed: npt.NDArray[np.uint8] = np.add.reduce(of_bytes, axis=-1, dtype=np.uint8)
    return summed
