"""Edge aggregation: the values of a graph's edges reduced to values of the edges between its pools.

Graphs are ragged arrays of ascending neighbours, as in ``Ragged(graph.indptr, graph.indices)``; an *entry* is
one of their members: an edge seen from one of its ends.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

import numpy as np

from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import BudgetExceeded, GraphError
from cliquepool.ragged import Ragged, concatenated_ranges, offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from cliquepool.pooling import Pooling

    Ints = npt.NDArray[np.int64]
    Numbers = npt.NDArray[Any]

__all__ = [
    "EdgeReduction",
    "ListedEntries",
    "aggregate_edges",
    "checked_reduction",
    "coarse_edge_values",
    "entries_behind",
    "entries_of_listed",
    "values_by_entry",
]

EdgeReduction = Literal["sum", "mean", "max"]

_BLOCK: Final = 2**18  # pairs of memberships handled at a time
_BYTES_PER_PAIR: Final = 96  # a dozen 64-bit numbers for each of them


def checked_reduction(reduce: str) -> EdgeReduction:
    """Return `reduce` where it names a reduction; raise ValueError otherwise."""
    if reduce not in get_args(EdgeReduction):
        raise ValueError(f"edge_reduce: expected one of {', '.join(get_args(EdgeReduction))}, got {reduce!r}")
    return reduce  # type: ignore[return-value]


def coarse_edge_values(
    pooling: Pooling, values: npt.ArrayLike, reduce: str = "sum", *, budget: Budget = DEFAULT_BUDGET
) -> Numbers:
    """Reduce the values of the edges of a graph to values of the edges of its coarse graph.

    `values` has a number or a row for each of ``pooling.graph.indices``; the result has one for each of
    ``pooling.coarse.indices``: the sum, mean or maximum over all edges of the graph behind it. An edge
    from u to v is behind the edge from P to Q for u in P and v in Q, so the two directions stay apart; an
    edge of a node in several pools is behind several coarse edges. The sum of ones is
    ``pooling.coarse_weights()``.

    >>> from cliquepool import Graph, clique_pool
    >>> p = clique_pool(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (3, 5), (4, 5), (1, 4)]))
    >>> p.pools.tolist(), p.graph.edges().tolist()[3:5]
    ([[0, 1, 2], [3, 4, 5]], [[1, 4], [2, 3]])
    >>> sources = np.repeat(np.arange(6), p.graph.degrees)
    >>> coarse_edge_values(p, 10 * sources + p.graph.indices)  # 14 + 23, and 41 + 32
    array([37, 73])
    """
    coarse = pooling.coarse.expand(budget=budget)
    neighbours, coarse_neighbours = (Ragged(graph.indptr, graph.indices) for graph in (pooling.graph, coarse))
    return aggregate_edges(neighbours, pooling.pools, coarse_neighbours, values, reduce, budget=budget)


def aggregate_edges(
    neighbours: Ragged,
    pools: Ragged,
    coarse: Ragged,
    values: npt.ArrayLike,
    reduce: str = "sum",
    *,
    budget: Budget = DEFAULT_BUDGET,
) -> Numbers:
    """Reduce the values behind each coarse edge; see `coarse_edge_values`.

    `neighbours` are those of the graph, `coarse` those of the coarse graph. The work is one step for each
    pair of memberships (u in P, v in Q) of an edge (u, v), in blocks: memory grows with the input and the
    result alone. Sums are in 64 bits, and their order does not depend on the size of a block.
    """
    rows = _checked_values(values, len(neighbours.members))
    num_coarse = len(coarse.members)
    _charge("max_bytes", budget.max_bytes, _bytes_needed(rows, pools, num_coarse))
    reduced = _ReducedRows(rows, num_coarse, checked_reduction(reduce))
    began = time.monotonic()
    for entries, coarse_entries in _blocks_of_pairs(neighbours, pools, coarse):
        reduced.add(coarse_entries, entries)
        _charge("max_seconds", budget.max_seconds, time.monotonic() - began)
    return reduced.result()


def values_by_entry(
    edge_index: Ints, neighbours: Ragged, values: npt.ArrayLike, reduce: str = "sum"
) -> Numbers:
    """Reduce the values of listed edges to values of the entries of their simple graph.

    Entry (v, u) gets the values listed for edges from u to v: rows are targets, as PyG gathers edges. Loops
    are left out; parallel edges are reduced; an edge that is listed in one direction only has the same value
    in the other.

    >>> path = Ragged(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32))  # 0 - 1 - 2
    >>> values_by_entry(np.array([[0, 1, 1, 2], [1, 0, 2, 2]]), path, [1.5, 2.5, 3.5, 9.0])
    array([2.5, 1.5, 3.5, 3.5])
    """
    rows = _checked_values(values, edge_index.shape[1])
    found = entries_of_listed(edge_index, neighbours)
    reduced = _ReducedRows(rows, len(neighbours.members), checked_reduction(reduce))
    reduced.add(found.entries, found.listed)
    return reduced.result()[found.value_entry]


class ListedEntries(NamedTuple):
    """Listed edges and the entries of their simple graph.

    listed, entries : pairs
        The indices of the listed edges that are no loops, and the entry of each.
    value_entry : for each entry
        The entry whose value it has: itself, or that of the other direction where only that was listed.
    """

    listed: Ints
    entries: Ints
    value_entry: Ints


def entries_of_listed(edge_index: Ints, neighbours: Ragged) -> ListedEntries:
    """Find the entries of the listed edges in their simple graph."""
    num_nodes, indices = len(neighbours), neighbours.members
    listed = np.flatnonzero(edge_index[0] != edge_index[1])
    targets = neighbours.list_of_member.astype(np.int64)
    keys = targets * num_nodes + indices
    wanted = edge_index[1, listed] * num_nodes + edge_index[0, listed]
    entries = _find(keys, wanted, "expected the rows of the listed edges")
    value_entry: Ints = np.arange(len(indices), dtype=np.int64)
    missing = np.flatnonzero(np.bincount(entries, minlength=len(indices)) == 0)
    reversed_keys = indices[missing] * np.int64(num_nodes) + targets[missing]
    value_entry[missing] = _find(keys, reversed_keys, "expected rows with both directions")
    return ListedEntries(listed, entries, value_entry)


def entries_behind(
    neighbours: Ragged, pools: Ragged, coarse: Ragged, *, budget: Budget = DEFAULT_BUDGET
) -> Ints:
    """Return all pairs of an entry (first row) and a coarse entry that it is behind (second row)."""
    blocks: list[Ints] = [np.empty((2, 0), dtype=np.int64)]
    held, began = 0, time.monotonic()
    for block in _blocks_of_pairs(neighbours, pools, coarse):
        blocks.append(np.stack(block))
        held += 2 * blocks[-1].nbytes  # once in blocks, once end to end
        _charge("max_bytes", budget.max_bytes, held)
        _charge("max_seconds", budget.max_seconds, time.monotonic() - began)
    return np.concatenate(blocks, axis=1)


def _blocks_of_pairs(neighbours: Ragged, pools: Ragged, coarse: Ragged) -> Iterator[tuple[Ints, Ints]]:
    """Yield all pairs of an entry and a coarse entry that it is behind, in blocks.

    They are ordered by the pool P of the coarse entry (P, Q), then by the node of P, its neighbour, and the
    neighbour's pool Q.
    """
    indptr, indices = neighbours.offsets, neighbours.members
    pool_of_member = pools.list_of_member.astype(np.int64)
    memberships = pools.transpose(len(neighbours))
    counts = memberships.sizes
    pairs_of_node = neighbours.sum_over(counts)
    pairs_until_member = offsets_from_lengths(pairs_of_node[pools.members])
    begin = 0
    while begin < len(pools.members):
        # As many members of pools as make up a block, but at least one.
        end = int(np.searchsorted(pairs_until_member, pairs_until_member[begin] + _BLOCK, side="right")) - 1
        end = max(end, begin + 1)
        members = pools.members[begin:end]
        degrees = indptr[members + 1] - indptr[members]
        entries = concatenated_ranges(indptr[members], degrees)
        neighbour_of_entry = indices[entries]
        repeats = counts[neighbour_of_entry]
        others = memberships.members[concatenated_ranges(memberships.offsets[neighbour_of_entry], repeats)]
        rows = np.repeat(np.repeat(pool_of_member[begin:end], degrees), repeats)
        entries = np.repeat(entries, repeats)
        apart = np.flatnonzero(rows != others)
        if apart.size:
            yield entries[apart], _coarse_entries(coarse, rows[apart], others[apart])
        begin = end


def _coarse_entries(coarse: Ragged, rows: Ints, columns: npt.NDArray[np.int32]) -> Ints:
    """Find the entries (row, column) of the coarse graph; `rows` ascend."""
    first, end = rows[0], rows[-1] + 1
    low, high = coarse.offsets[first], coarse.offsets[end]
    row_numbers: Ints = np.arange(first, end, dtype=np.int64)
    row_of_key: Ints = np.repeat(row_numbers, np.diff(coarse.offsets[first : end + 1]))
    keys: Ints = row_of_key * len(coarse) + coarse.members[low:high]
    found: Ints = low + _find(keys, rows * len(coarse) + columns, "expected the coarse graph of these pools")
    return found


class _ReducedRows:
    """Rows that are added, block by block, to the `num_slots` rows of the result."""

    def __init__(self, rows: Numbers, num_slots: int, reduce: EdgeReduction) -> None:
        self._shape = (num_slots, *rows.shape[1:])
        self._dtype = rows.dtype
        self._reduce = reduce
        columns = rows.reshape(len(rows), int(np.prod(rows.shape[1:], dtype=np.int64))).T
        kept: Any
        if reduce == "max":
            kept = np.uint8 if rows.dtype == np.bool_ else rows.dtype
        else:
            kept = np.float64 if rows.dtype.kind == "f" else np.int64
        self._columns = np.ascontiguousarray(columns, dtype=kept)
        lowest: Any = 0
        if reduce == "max":
            lowest = -np.inf if rows.dtype.kind == "f" else np.iinfo(kept).min
        self._reduced = np.full((len(columns), num_slots), lowest, dtype=kept)
        self.counts: Ints = np.zeros(num_slots, dtype=np.int64)

    def add(self, slots: Ints, rows: Ints) -> None:
        """Reduce each of these rows into its slot."""
        add = np.maximum if self._reduce == "max" else np.add
        for column, reduced in zip(self._columns, self._reduced, strict=True):
            add.at(reduced, slots, column[rows])
        np.add.at(self.counts, slots, 1)

    def result(self) -> Numbers:
        """Return the row of each slot."""
        reduced: Numbers = self._reduced
        if self._reduce == "mean":
            reduced = reduced / np.maximum(self.counts, 1)
        if self._dtype.kind == "f" or self._reduce == "max":
            reduced = reduced.astype(self._dtype, copy=False)
        return np.ascontiguousarray(reduced.T).reshape(self._shape)


def _checked_values(values: npt.ArrayLike, expected: int) -> Numbers:
    rows = np.asarray(values)
    if rows.ndim == 0 or len(rows) != expected:
        got = f"{len(rows):,}" if rows.ndim else "a single value"
        raise GraphError(f"edge values: expected one for each of {expected:,} edges, got {got}")
    if rows.dtype.kind not in "biuf":
        raise GraphError(f"edge values: expected numbers, got an array of {rows.dtype}")
    return rows


def _find(keys: Ints, wanted: Ints, otherwise: str) -> Ints:
    """Return the positions of the wanted keys among the ascending ones; GraphError where one is missing."""
    positions = np.searchsorted(keys, wanted)
    if wanted.size and not (keys.size and np.array_equal(keys[np.minimum(positions, keys.size - 1)], wanted)):
        raise GraphError(f"{otherwise}, got rows that lack some of their edges")
    return positions


def _bytes_needed(rows: Numbers, pools: Ragged, num_slots: int) -> int:
    """Return the memory for a block of pairs, for the arrays of all blocks, and for the result twice."""
    width = max(rows.size // max(len(rows), 1), 1)
    block = _BYTES_PER_PAIR * min(_BLOCK, len(rows) + len(pools.members))
    return block + 8 * ((len(rows) + 2 * num_slots) * (width + 1) + 4 * len(pools.members))


def _charge(limit: str, allowed: float | None, reached: float) -> None:
    if allowed is not None and reached > allowed:
        raise BudgetExceeded(limit, allowed, reached, "carrying edge values to coarse edges")
