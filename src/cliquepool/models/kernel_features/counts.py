"""`GraphCounts`: sparse counts of structures in graphs, and the two kernels over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from cliquepool.ragged import concatenated_ranges, offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Keys = npt.NDArray[np.uint64]
    Kernel = npt.NDArray[np.float64]

__all__ = ["INTERSECTIONS", "PRODUCTS", "CountKernel", "GraphCounts"]

# A structure of more than one in this many graphs is multiplied as a dense column.
_DENSE_SHARE: Final = 8
_BLOCK: Final = 1 << 22  # entries of a kernel matrix that sparse products make at once


@dataclass(frozen=True, eq=False)
class GraphCounts:
    """The number of times that each graph has each structure; structures are named by keys.

    Attributes
    ----------
    start : ndarray of int64, one more than graphs
        The structures of graph g are ``keys[start[g]:start[g + 1]]``, ascending and distinct.
    keys : ndarray of uint64
        The key of each structure.
    counts : ndarray of int64
        How often the graph has it, at least once.
    """

    start: Ints
    keys: Keys
    counts: Ints

    @classmethod
    def of(
        cls, graphs: npt.NDArray[Any], keys: Keys, num_graphs: int, counts: Ints | None = None
    ) -> GraphCounts:
        """Count the keys of each graph: ``keys[i]`` is there ``counts[i]`` times, or once, in ``graphs[i]``.

        >>> found = GraphCounts.of(np.array([0, 1, 0]), np.array([7, 7, 7], dtype=np.uint64), 2)
        >>> found.start.tolist(), found.keys.tolist(), found.counts.tolist()
        ([0, 1, 2], [7, 7], [2, 1])
        """
        order = np.lexsort((keys, graphs))
        graphs, keys = graphs[order], keys[order]
        is_first = np.ones(len(keys), dtype=bool)
        is_first[1:] = (keys[1:] != keys[:-1]) | (graphs[1:] != graphs[:-1])
        first = np.flatnonzero(is_first)
        if counts is None:
            summed = np.diff(np.append(first, len(keys)))
        else:
            summed = np.add.reduceat(counts[order], first) if len(first) else counts[:0]
        start = offsets_from_lengths(np.bincount(graphs[first], minlength=num_graphs))
        return cls(start, keys[first], summed.astype(np.int64, copy=False))

    def __len__(self) -> int:
        return len(self.start) - 1

    def take(self, graphs: Ints) -> GraphCounts:
        """Return the counts of these graphs, in this order."""
        lengths = np.diff(self.start)[graphs]
        positions = concatenated_ranges(self.start[graphs], lengths)
        return GraphCounts(offsets_from_lengths(lengths), self.keys[positions], self.counts[positions])


class CountKernel(NamedTuple):
    """A kernel over counts: its matrix between two lists of graphs, and its values of each with itself."""

    matrix: Callable[[GraphCounts, GraphCounts], Kernel]
    diagonal: Callable[[GraphCounts], Kernel]


def _products(first: GraphCounts, second: GraphCounts) -> Kernel:
    """Return the inner products of the counts of each graph of `first` (rows) and of `second` (columns)."""
    columns = _columns(first, second)
    cut, shape = len(first.keys), int(columns.max(initial=-1)) + 1
    one = csr_array((_floats(first.counts), columns[:cut], first.start), shape=(len(first), shape))
    other = csr_array((_floats(second.counts), columns[cut:], second.start), shape=(len(second), shape))
    return _times_transposed(one, other)


def _intersections(first: GraphCounts, second: GraphCounts) -> Kernel:
    """Return the sums of the smaller of both counts, for each graph of `first` (rows) and `second` (columns).

    The smaller of two counts is the number of thresholds 1, 2, … that both reach. So this is an inner product
    too: of a column for each structure and each distinct count of it, with a one for graphs that have the
    structure at least that often, weighted by the difference to the next smaller count.
    """
    counts = np.concatenate([first.counts, second.counts])
    lowest, num_reached, weights = _thresholds(_columns(first, second), counts)
    columns = concatenated_ranges(lowest, num_reached)
    begins = offsets_from_lengths(num_reached)  # of the columns of each entry
    cut = int(begins[len(first.keys)])
    one_start, other_start = begins[first.start], begins[len(first.keys) + second.start] - cut
    one = csr_array((np.ones(cut), columns[:cut], one_start), shape=(len(first), len(weights)))
    weighted = weights[columns[cut:]]
    other = csr_array((weighted, columns[cut:], other_start), shape=(len(second), len(weights)))
    return _times_transposed(one, other)


def _sums(counts: GraphCounts, values: Kernel) -> Kernel:
    """Return the sum over the structures of each graph."""
    graphs = np.repeat(np.arange(len(counts)), np.diff(counts.start))
    return np.bincount(graphs, values, len(counts)).astype(np.float64)


PRODUCTS: Final = CountKernel(_products, lambda counts: _sums(counts, _floats(counts.counts) ** 2))
INTERSECTIONS: Final = CountKernel(_intersections, lambda counts: _sums(counts, _floats(counts.counts)))


def _thresholds(structures: Ints, counts: Ints) -> tuple[Ints, Ints, Kernel]:
    """Return for each entry its lowest threshold and how many it reaches, and the weight of each threshold.

    The thresholds of a structure are its distinct counts, numbered one after the other, ascending.
    """
    order = np.lexsort((counts, structures))
    structure, count = structures[order], counts[order]
    begins_structure = np.ones(len(order), dtype=bool)
    begins_structure[1:] = structure[1:] != structure[:-1]
    begins_threshold = begins_structure.copy()
    begins_threshold[1:] |= count[1:] != count[:-1]
    threshold_of = np.cumsum(begins_threshold) - 1
    highest = np.empty(len(order), dtype=np.int64)
    highest[order] = threshold_of
    lowest = threshold_of[begins_structure][structures]
    values = count[begins_threshold]
    weights = np.diff(values, prepend=0)
    is_lowest = begins_structure[begins_threshold]
    weights[is_lowest] = values[is_lowest]
    return lowest, highest - lowest + 1, _floats(weights)


def _columns(first: GraphCounts, second: GraphCounts) -> Ints:
    """Return the structure of every entry of both as a number from 0."""
    is_same = first is second
    keys = first.keys if is_same else np.concatenate([first.keys, second.keys])
    columns = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64, copy=False)
    return np.tile(columns, 2) if is_same else columns


def _floats(counts: Ints) -> Kernel:
    return counts.astype(np.float64)


def _times_transposed(one: Any, other: Any) -> Kernel:
    """Multiply a sparse matrix with the transpose of another; the result is dense.

    Columns with many entries are multiplied as dense ones. The others are multiplied in blocks of rows, since
    a sparse matrix of the size of the result would take much more memory.
    """
    support = np.minimum(*(np.bincount(matrix.indices, minlength=one.shape[1]) for matrix in (one, other)))
    is_dense = support * _DENSE_SHARE > min(one.shape[0], other.shape[0])
    is_sparse = (support > 0) & ~is_dense
    result: Kernel = _part(one, is_dense).toarray() @ _part(other, is_dense).toarray().T
    rows, columns = _part(one, is_sparse), _part(other, is_sparse).T.tocsr()
    step = max(1, _BLOCK // max(1, other.shape[0]))
    for begin in range(0, one.shape[0], step):
        result[begin : begin + step] += (rows[begin : begin + step] @ columns).toarray()
    return result


def _part(matrix: Any, chosen: npt.NDArray[np.bool_]) -> Any:
    """Return the chosen columns of a matrix."""
    keep = chosen[matrix.indices]
    number = np.cumsum(chosen) - 1
    start = offsets_from_lengths(keep)[matrix.indptr]
    parts = (matrix.data[keep], number[matrix.indices[keep]], start)
    return csr_array(parts, shape=(matrix.shape[0], int(np.count_nonzero(chosen))))
