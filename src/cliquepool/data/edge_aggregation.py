"""What the edges of a graph carry, handed on to the edges between its pools."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import BudgetExceeded, GraphError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from cliquepool.pooling import Pooling
    from cliquepool.ragged import Ragged

    Ints = npt.NDArray[np.int64]
    Numbers = npt.NDArray[Any]
    Csr = tuple[Ints, npt.NDArray[np.int32]]

__all__ = [
    "EdgeReduction",
    "checked_reduction",
    "coarse_edge_values",
    "entries_behind",
    "entries_of_listed",
    "inherit",
    "values_by_entry",
]

EdgeReduction = Literal["sum", "mean", "max"]

_BLOCK: Final = 2**18  # pairs of memberships looked at together
_BYTES_PER_PAIR: Final = 96  # a dozen numbers of 64 bits for each of them


def checked_reduction(reduce: str) -> EdgeReduction:
    """Take the name of a reduction."""
    if reduce not in get_args(EdgeReduction):
        raise ValueError(f"edge_reduce: expected one of {', '.join(get_args(EdgeReduction))}, got {reduce!r}")
    return reduce  # type: ignore[return-value]


def coarse_edge_values(
    pooling: Pooling, values: npt.ArrayLike, reduce: str = "sum", *, budget: Budget = DEFAULT_BUDGET
) -> Numbers:
    """What the edges of a graph carry, for the edges of its coarse graph.

    `values` has a number or a row for each of ``pooling.graph.indices``; the result has one for each of
    ``pooling.coarse.indices``: the sum, mean or maximum over all edges of the graph behind it. An edge
    from u to v is behind the edge from P to Q for u in P and v in Q, so directions are kept apart; where
    a node is in several pools it is behind several edges. The sum of ones is ``pooling.coarse_weights()``.

    >>> from cliquepool import Graph, clique_pool
    >>> p = clique_pool(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (3, 5), (4, 5), (1, 4)]))
    >>> p.pools.tolist(), p.graph.edges().tolist()[3:5]
    ([[0, 1, 2], [3, 4, 5]], [[1, 4], [2, 3]])
    >>> sources = np.repeat(np.arange(6), p.graph.degrees)
    >>> coarse_edge_values(p, 10 * sources + p.graph.indices)  # 14 + 23, and 41 + 32
    array([37, 73])
    """
    graph, coarse = pooling.graph, pooling.coarse.expand(budget=budget)
    csr, coarse_csr = (graph.indptr, graph.indices), (coarse.indptr, coarse.indices)
    return inherit(csr, pooling.pools, coarse_csr, values, reduce, budget=budget)


def inherit(
    csr: Csr,
    pools: Ragged,
    coarse: Csr,
    values: npt.ArrayLike,
    reduce: str = "sum",
    *,
    budget: Budget = DEFAULT_BUDGET,
) -> Numbers:
    """Reduce the values behind each coarse edge; see `coarse_edge_values`.

    `csr` and `coarse` are compressed rows: where each row begins, and its columns ascending. The work is
    one step for each pair of memberships (u in P, v in Q) of an edge (u, v), done in blocks: memory grows
    with the input and the result alone. Sums are made in one order and in 64 bits, whatever the blocks.
    """
    rows = _checked_values(values, len(csr[1]))
    _spend("max_bytes", budget.max_bytes, _bytes_needed(rows, pools, len(coarse[1])))
    gathered = _Gathered(rows, len(coarse[1]), checked_reduction(reduce))
    began = time.monotonic()
    for entries, coarse_entries in _behind(csr, pools, coarse):
        gathered.add(coarse_entries, entries)
        _spend("max_seconds", budget.max_seconds, time.monotonic() - began)
    return gathered.result()


def values_by_entry(edge_index: Ints, csr: Csr, values: npt.ArrayLike, reduce: str = "sum") -> Numbers:
    """What listed edges carry, for each entry of the rows of their simple graph.

    Entry (v, u) gets what was listed for edges from u to v: rows are targets, as edges are gathered in
    PyG. Loops are left out; parallel edges are reduced; an edge that is listed in one direction only
    carries the same in the other.

    >>> csr = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)  # the path 0 - 1 - 2
    >>> values_by_entry(np.array([[0, 1, 1, 2], [1, 0, 2, 2]]), csr, [1.5, 2.5, 3.5, 9.0])
    array([2.5, 1.5, 3.5, 3.5])
    """
    rows = _checked_values(values, edge_index.shape[1])
    listed, entries, taken_from = entries_of_listed(edge_index, csr)
    gathered = _Gathered(rows, len(csr[1]), checked_reduction(reduce))
    gathered.add(entries, listed)
    return gathered.result()[taken_from]


def entries_of_listed(edge_index: Ints, csr: Csr) -> tuple[Ints, Ints, Ints]:
    """Which listed edges are behind which entries of the rows of their simple graph.

    Returns pairs, of a listed edge and its entry; and for each entry the one whose values it takes: itself,
    or that of the other direction where only that one was listed.
    """
    indptr, indices = csr
    num_nodes = len(indptr) - 1
    listed = np.flatnonzero(edge_index[0] != edge_index[1])
    targets = np.repeat(np.arange(num_nodes, dtype=np.int64), np.diff(indptr))
    keys = targets * num_nodes + indices
    wanted = edge_index[1, listed] * num_nodes + edge_index[0, listed]
    entries = _places(keys, wanted, "expected the rows of the listed edges")
    taken_from: Ints = np.arange(len(indices), dtype=np.int64)
    missing = np.flatnonzero(np.bincount(entries, minlength=len(indices)) == 0)
    reversed_keys = indices[missing] * np.int64(num_nodes) + targets[missing]
    taken_from[missing] = _places(keys, reversed_keys, "expected rows with both directions")
    return listed, entries, taken_from


def entries_behind(csr: Csr, pools: Ragged, coarse: Csr, *, budget: Budget = DEFAULT_BUDGET) -> Ints:
    """All pairs of an entry of the rows (above) and a coarse entry that it is behind (below)."""
    blocks: list[Ints] = [np.empty((2, 0), dtype=np.int64)]
    held, began = 0, time.monotonic()
    for block in _behind(csr, pools, coarse):
        blocks.append(np.stack(block))
        held += 2 * blocks[-1].nbytes  # once in blocks, once end to end
        _spend("max_bytes", budget.max_bytes, held)
        _spend("max_seconds", budget.max_seconds, time.monotonic() - began)
    return np.concatenate(blocks, axis=1)


def _behind(csr: Csr, pools: Ragged, coarse: Csr) -> Iterator[tuple[Ints, Ints]]:
    """All pairs of an entry of the rows and a coarse entry that it is behind, block by block.

    In the order of the coarse entries' rows P, and below that of the nodes of P, their neighbours, and the
    neighbours' pools Q.
    """
    indptr, indices = csr
    coarse_indptr, coarse_indices = coarse
    num_nodes, num_pools = len(indptr) - 1, len(pools)
    pool_of_member = np.repeat(np.arange(num_pools, dtype=np.int64), pools.sizes)
    pools_by_node = pool_of_member[np.argsort(pools.members, kind="stable")]
    counts = np.bincount(pools.members, minlength=num_nodes)
    first = _offsets(counts)
    pairs_until_entry = _offsets(counts[indices])
    pairs_of_node = np.diff(pairs_until_entry[indptr])
    pairs_until_member = _offsets(pairs_of_node[pools.members])
    begin = 0
    while begin < len(pools.members):
        # As many members of pools as make up a block, but at least one.
        end = int(np.searchsorted(pairs_until_member, pairs_until_member[begin] + _BLOCK, side="right")) - 1
        end = max(end, begin + 1)
        members = pools.members[begin:end]
        degrees = indptr[members + 1] - indptr[members]
        entries = _ranges(indptr[members], degrees)
        row_of_entry = np.repeat(pool_of_member[begin:end], degrees)
        neighbours = indices[entries]
        others = pools_by_node[_ranges(first[neighbours], counts[neighbours])]
        rows = np.repeat(row_of_entry, counts[neighbours])
        entries = np.repeat(entries, counts[neighbours])
        apart = np.flatnonzero(rows != others)
        if apart.size:
            rows, others, entries = rows[apart], others[apart], entries[apart]
            low, high = coarse_indptr[rows[0]], coarse_indptr[rows[-1] + 1]
            row_numbers: Ints = np.arange(rows[0], rows[-1] + 1, dtype=np.int64)
            row_of_key: Ints = np.repeat(row_numbers, np.diff(coarse_indptr[rows[0] : rows[-1] + 2]))
            keys: Ints = row_of_key * num_pools + coarse_indices[low:high]
            wanted = rows * num_pools + others
            yield entries, low + _places(keys, wanted, "expected the coarse graph of these pools")
        begin = end


class _Gathered:
    """Rows on their way to the places that they are reduced in."""

    def __init__(self, rows: Numbers, num_places: int, reduce: EdgeReduction) -> None:
        self._shape = (num_places, *rows.shape[1:])
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
        self._reduced = np.full((len(columns), num_places), lowest, dtype=kept)
        self.counts: Ints = np.zeros(num_places, dtype=np.int64)

    def add(self, places: Ints, rows: Ints) -> None:
        """Add each of these rows to its place."""
        add = np.maximum if self._reduce == "max" else np.add
        for column, reduced in zip(self._columns, self._reduced, strict=True):
            add.at(reduced, places, column[rows])
        np.add.at(self.counts, places, 1)

    def result(self) -> Numbers:
        """One row for each place."""
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


def _places(keys: Ints, wanted: Ints, otherwise: str) -> Ints:
    """Where each of the wanted keys is among the ascending ones."""
    places = np.searchsorted(keys, wanted)
    if wanted.size and not (keys.size and np.array_equal(keys[np.minimum(places, keys.size - 1)], wanted)):
        raise GraphError(f"{otherwise}, got rows that lack some of their edges")
    return places


def _bytes_needed(rows: Numbers, pools: Ragged, num_places: int) -> int:
    """Memory for a block of pairs, for what is worked out ahead, and for the result twice."""
    width = max(rows.size // max(len(rows), 1), 1)
    block = _BYTES_PER_PAIR * min(_BLOCK, len(rows) + len(pools.members))
    return block + 8 * ((len(rows) + 2 * num_places) * (width + 1) + 4 * len(pools.members))


def _spend(limit: str, allowed: float | None, reached: float) -> None:
    if allowed is not None and reached > allowed:
        raise BudgetExceeded(limit, allowed, reached, "carrying edge values to coarse edges")


def _offsets(counts: npt.NDArray[Any]) -> Ints:
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _ranges(starts: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> Ints:
    """The numbers ``starts[i], starts[i] + 1, …``, `lengths[i]` of them, end to end."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    ranges: Ints = np.arange(total) - np.repeat(ends - lengths - starts, lengths)
    return ranges
