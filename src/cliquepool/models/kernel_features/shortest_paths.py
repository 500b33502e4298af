"""Lengths of shortest paths between nodes, counted in each graph by the labels of both ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cliquepool.data.indexing import gather_rows
from cliquepool.models.kernel_features.bit_rows import (
    BLOCK_WORDS,
    alike_graphs,
    neighbour_rows,
    num_bits,
    single_bits,
    union_of_neighbours,
)
from cliquepool.models.kernel_features.counts import GraphCounts
from cliquepool.models.kernel_features.keys import keys_of_labels, ordered_key
from cliquepool.ragged import concatenated_ranges, offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.models.kernel_features.bit_rows import Rows
    from cliquepool.models.kernel_features.keys import Keys, LabelKind

    Ints = npt.NDArray[np.int64]

__all__ = ["path_counts"]


def path_counts(dataset: GraphDataset, labels: LabelKind) -> GraphCounts:
    """Return how often each graph has each triple (label of u, label of v, distance of u and v).

    All ordered pairs of different nodes count that a path connects, so every path counts once from each end.

    All graphs of a block are searched at once, breadth first from all of their nodes: a node has a row of
    bits for the nodes at distance d, and those at distance d + 1 are in the union of its neighbours' rows.
    """
    layout = _Layout.of(dataset, keys_of_labels(dataset, labels))
    # Gathering the rows of all neighbours takes most memory.
    entries = np.diff(dataset.indptr[dataset.node_start]) + np.diff(dataset.node_start)
    graphs, keys, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for block in alike_graphs(layout.num_words, entries):
        for of_graph, key, count in _counts_of_block(dataset, block, layout):
            graphs.append(of_graph)
            keys.append(key)
            counts.append(count)
    return GraphCounts.of(np.concatenate(graphs), np.concatenate(keys), len(dataset), np.concatenate(counts))


def _counts_of_block(
    dataset: GraphDataset, graphs: Ints, layout: _Layout
) -> Iterator[tuple[Ints, Keys, Ints]]:
    """Yield graphs, keys and counts of the triples in these graphs, in parts to be summed."""
    part = dataset[graphs]
    neighbours = neighbour_rows(part)
    slots = gather_rows(dataset.node_start, layout.slot, graphs)
    num_words = int(layout.num_words[graphs].max(initial=0))
    step = max(1, BLOCK_WORDS // max(1, len(neighbours)))
    for first_word in range(0, num_words, step):
        width = min(step, num_words - first_word)
        ends = _Ends.of(layout, dataset, graphs, range(8 * first_word, 8 * (first_word + width)))
        targets = single_bits(slots, width, first_word)
        for distance, rows in _nodes_by_distance(targets, part, neighbours):
            counts = ends.counts(rows)
            present = np.flatnonzero(counts)
            distances = np.full(len(present), distance, dtype=np.uint64)
            yield ends.graph[present], ordered_key(ends.key[present], distances), counts[present]


def _nodes_by_distance(rows: Rows, dataset: GraphDataset, neighbours: Ints) -> Iterator[tuple[int, Rows]]:
    """Yield each distance from 1 on, and for every node the row of bits of the nodes at that distance."""
    reached, distance = rows, 0
    while True:
        rows = union_of_neighbours(rows, dataset, neighbours) & ~reached
        if not rows.any():
            return
        reached = reached | rows
        distance += 1
        yield distance, rows


@dataclass(frozen=True, eq=False)
class _Layout:
    """The bit of each node in the rows of its graph: nodes with one label, a group, have whole bytes.

    Then the bits of each label are counted by sums over bytes. Groups are numbered in the order of graphs.
    """

    slot: Ints  # of each node
    group: Ints  # of each node
    key: Keys  # of each group: that of its label
    first_byte: Ints  # of each group
    end_byte: Ints
    start: Ints  # the first group of each graph, and the end of the last
    num_words: Ints  # of a row of each graph

    @classmethod
    def of(cls, dataset: GraphDataset, labels: Keys) -> _Layout:
        graphs = np.repeat(np.arange(len(dataset)), np.diff(dataset.node_start))
        order = np.lexsort((labels, graphs))
        graphs, labels = graphs[order], labels[order]
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (labels[1:] != labels[:-1]) | (graphs[1:] != graphs[:-1])
        first = np.flatnonzero(is_first)
        sizes = np.diff(np.append(first, len(order)))
        start = offsets_from_lengths(np.bincount(graphs[first], minlength=len(dataset)))
        ends = offsets_from_lengths(-(-sizes // 8))
        num_bytes = np.diff(ends[start])
        of_graph = np.repeat(ends[start[:-1]], np.diff(start))
        first_byte, end_byte = ends[:-1] - of_graph, ends[1:] - of_graph
        group, slot = np.empty_like(order), np.empty_like(order)
        group[order] = np.repeat(np.arange(len(first)), sizes)
        slot[order] = np.repeat(8 * first_byte - first, sizes) + np.arange(len(order))
        return cls(slot, group, labels[first], first_byte, end_byte, start, -(-num_bytes // 8))


@dataclass(frozen=True, eq=False)
class _Ends:
    """The pairs of groups of the same graph, and the bytes of each group in the rows of a block."""

    position: Ints  # the first byte of each group in each row, all rows end to end
    pair: Ints  # for each position: the pair of the row's own group and that group
    graph: Ints  # of each pair
    key: Keys  # of each pair

    @classmethod
    def of(cls, layout: _Layout, dataset: GraphDataset, graphs: Ints, bytes_of_rows: range) -> _Ends:
        """Return the pairs of these graphs, and the groups in these bytes of all rows of their nodes."""
        first_group, num_groups = layout.start[graphs], np.diff(layout.start)[graphs]
        # All pairs of a graph: with each of its groups, each of its groups.
        times = np.repeat(num_groups, num_groups)
        sources = np.repeat(concatenated_ranges(first_group, num_groups), times)
        targets = concatenated_ranges(np.repeat(first_group, num_groups), times)
        key = ordered_key(layout.key[sources], layout.key[targets])
        graph_of_pair = np.repeat(np.repeat(graphs, num_groups), times)
        # Each row is of a node: the pairs of its own group with each group of its graph.
        graph_of_row = np.repeat(np.arange(len(graphs)), np.diff(dataset.node_start)[graphs])
        own = gather_rows(dataset.node_start, layout.group, graphs)
        own += (offsets_from_lengths(num_groups)[:-1] - first_group)[graph_of_row]  # among those of the block
        times_of_row = num_groups[graph_of_row]
        pair = concatenated_ranges(offsets_from_lengths(times)[own], times_of_row)
        row = np.repeat(np.arange(len(own)), times_of_row)
        begin, end = layout.first_byte[targets[pair]], layout.end_byte[targets[pair]]
        inside = (end > bytes_of_rows.start) & (begin < bytes_of_rows.stop)
        position = row * len(bytes_of_rows) + np.maximum(begin - bytes_of_rows.start, 0)
        return cls(position[inside], pair[inside], graph_of_pair, key)

    def counts(self, rows: Rows) -> Ints:
        """Return the number of bits that are set of each pair."""
        sums = np.add.reduceat(num_bits(rows.view(np.uint8)).reshape(-1), self.position, dtype=np.int64)
        return np.bincount(self.pair, weights=sums, minlength=len(self.key)).astype(np.int64)
