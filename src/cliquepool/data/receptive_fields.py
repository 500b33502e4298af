"""Receptive fields of PATCHY-SAN: for each node its neighbourhood as a sequence of a fixed number of nodes.

After Niepert, Ahmed and Kutzkov (2016), "Learning convolutional neural networks for graphs". Nodes are ranked
by their degree, by colour refinement (1-WL) and by their own labels and attributes. Nodes of equal rank have
equal features: whichever of them comes first, the sequence of features is the same, so ties need no search
for a canonical form of the neighbourhood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from cliquepool._mixing import STEP, mix
from cliquepool.ragged import concatenated_ranges

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset

    Ints = npt.NDArray[np.int64]

__all__ = ["node_ranks", "receptive_fields"]

_ROUNDS: Final = 4  # of colour refinement
_ROOTS_AT_ONCE: Final = 1 << 14


def receptive_fields(dataset: GraphDataset, size: int) -> npt.NDArray[np.int32]:
    """Return the receptive fields of all nodes: rows of `size` nodes, numbered within their graph.

    A field begins with its root. Nodes follow by distance from the root, then by rank (`node_ranks`), as in
    a breadth-first search that stops at `size` nodes; −1 fills the fields of small components. The fields of
    a graph are at the positions of its nodes, in the order of their roots' ranks; those of roots of equal
    rank, in the order of the ranks of all nodes in the field. So the features of the nodes in the fields, in
    this order, are the same however the nodes of the graph are numbered.

    >>> from cliquepool import Graph
    >>> from cliquepool.data import GraphDataset
    >>> star = GraphDataset.from_graphs([Graph.from_edges([(0, 1), (0, 2)])])
    >>> receptive_fields(star, 4).tolist()
    [[0, 1, 2, -1], [1, 0, 2, -1], [2, 0, 1, -1]]
    """
    ranks = node_ranks(dataset)
    graph_of = np.repeat(np.arange(len(dataset)), np.diff(dataset.node_start))
    neighbours = _Neighbours(dataset, ranks, graph_of)
    fields = np.full((dataset.num_nodes, size), -1, dtype=np.int64)
    for begin in range(0, dataset.num_nodes, _ROOTS_AT_ONCE):
        end = min(begin + _ROOTS_AT_ONCE, dataset.num_nodes)
        _search(neighbours, ranks, np.arange(begin, end), fields[begin:end])
    ranks_of_fields = np.where(fields < 0, -1, ranks[fields])
    order = np.lexsort((*ranks_of_fields.T[::-1], graph_of))
    local = np.where(fields < 0, -1, fields - dataset.node_start[graph_of, None])
    return local[order].astype(np.int32)


def node_ranks(dataset: GraphDataset) -> Ints:
    """Return the rank of each node among all nodes of the data set, equal for nodes that are alike.

    The highest degree has the lowest rank. Among equal degrees, colours of 1-WL decide, then labels and
    attributes of the nodes. Which of two nodes has the lower rank depends on their own graphs alone.
    """
    degrees = dataset.degrees.astype(np.int64)
    keys: list[npt.NDArray[np.generic]] = [-degrees, _colours(dataset, degrees)]
    if dataset.node_labels is not None:
        keys.append(dataset.node_labels)
    if dataset.node_attributes is not None:
        keys.extend(dataset.node_attributes.T)
    order = np.lexsort(keys[::-1])
    is_new = np.zeros(len(order), dtype=bool)
    for key in keys:
        is_new[1:] |= key[order[1:]] != key[order[:-1]]
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.cumsum(is_new)
    return ranks


def _colours(dataset: GraphDataset, degrees: Ints) -> npt.NDArray[np.uint64]:
    """Return the colours of 1-WL that start at the degrees, as hashes that depend on the graph alone."""
    graph_of_entry = np.repeat(np.arange(len(dataset)), np.diff(dataset.indptr[dataset.node_start]))
    members = dataset.indices + dataset.node_start[graph_of_entry]
    colours = mix(degrees.astype(np.uint64))
    for _ in range(_ROUNDS):
        # Sums wrap around, and so do their differences.
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mix(colours)[members])])
        colours = mix(colours * STEP + (sums[dataset.indptr[1:]] - sums[dataset.indptr[:-1]]))
    return colours


class _Neighbours:
    """The neighbours of every node, those of the lowest ranks first, numbered over all graphs."""

    def __init__(self, dataset: GraphDataset, ranks: Ints, graph_of: Ints) -> None:
        nodes = np.repeat(np.arange(dataset.num_nodes), dataset.degrees)
        members = dataset.indices + dataset.node_start[graph_of[nodes]]
        self._members = members[np.lexsort((ranks[members], nodes))]
        self._begins = dataset.indptr[:-1]
        self._degrees = np.diff(dataset.indptr)

    def first(self, nodes: Ints, most: int) -> tuple[Ints, Ints]:
        """Return up to `most` neighbours of each of the nodes, end to end, and how many there are of each."""
        counts = np.minimum(self._degrees[nodes], most)
        return self._members[concatenated_ranges(self._begins[nodes], counts)], counts


def _search(neighbours: _Neighbours, ranks: Ints, roots: Ints, fields: Ints) -> None:
    """Fill the fields of these roots (rows) by a breadth-first search from all of them at once."""
    size, num_nodes = fields.shape[1], len(ranks)
    fields[:, 0] = roots
    begins = np.zeros(len(roots), dtype=np.int64)  # of the last layer
    ends = np.ones(len(roots), dtype=np.int64)
    rows = np.arange(len(roots) if size > 1 else 0)
    while len(rows):
        columns = np.arange(size)
        row, column = np.nonzero((columns >= begins[rows, None]) & (columns < ends[rows, None]))
        # Of this many neighbours, at least `size` are new, or all neighbours are there.
        found, counts = neighbours.first(fields[rows[row], column], 2 * size)
        keys = np.unique(np.repeat(rows[row], counts) * num_nodes + found)
        inside = fields[rows]
        keys = np.setdiff1d(keys, (rows[:, None] * num_nodes + inside)[inside >= 0], assume_unique=True)
        row, node = np.divmod(keys, num_nodes)
        order = np.lexsort((ranks[node], row))
        row, node = row[order], node[order]
        column = ends[row] + np.arange(len(row)) - np.searchsorted(row, row)
        kept = column < size
        fields[row[kept], column[kept]] = node[kept]
        begins[rows] = ends[rows]
        np.add.at(ends, row[kept], 1)
        rows = rows[(ends[rows] > begins[rows]) & (ends[rows] < size)]
