"""Exact numbers of the induced subgraphs of three and of four nodes (graphlets) of each graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.sparse import csr_array

from cliquepool.errors import GraphError
from cliquepool.models.kernel_features.bit_rows import (
    BLOCK_WORDS,
    alike_graphs,
    bit_matrix,
    neighbour_rows,
    num_bits,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.models.kernel_features.bit_rows import Rows

    Ints = npt.NDArray[np.int64]

__all__ = ["CONNECTED", "GRAPHLETS", "MAX_NODES", "graphlet_counts"]

# The graphs of three and of four nodes; "+ 1" means one more node without edges.
GRAPHLETS: Final = {
    3: ("no edge", "edge + 1", "path", "triangle"),
    4: (
        "no edge",
        "edge + 2",
        "path of two edges + 1",
        "two edges",
        "triangle + 1",
        "star",
        "path",
        "cycle",
        "triangle with a tail",
        "diamond",
        "clique",
    ),
}
CONNECTED: Final = {3: (2, 3), 4: (5, 6, 7, 8, 9, 10)}  # which of them are

# How often each graph (row) is a subgraph, with all nodes, of each graph (column), in the order above.
_COPIES: Final = {
    3: np.array([[1, 1, 1, 1], [0, 1, 2, 3], [0, 0, 1, 3], [0, 0, 0, 1]]),
    4: np.array(
        [
            [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
            [0, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6],
            [0, 0, 1, 0, 3, 3, 2, 4, 5, 8, 12],
            [0, 0, 0, 1, 0, 0, 1, 2, 1, 2, 3],
            [0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 4],
            [0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 4],
            [0, 0, 0, 0, 0, 0, 1, 4, 2, 6, 12],
            [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 3],
            [0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 12],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        ]
    ),
}
_INDUCED: Final = {size: np.rint(np.linalg.inv(copies)).astype(np.int64) for size, copies in _COPIES.items()}

_MOST_PATHS: Final = 1 << 23  # of two edges that are counted at once
MAX_NODES: Final = 1 << 15  # of a graph: the numbers of larger ones may not fit into 64 bits


def graphlet_counts(dataset: GraphDataset, size: int) -> Ints:
    """Return the number of induced subgraphs of three or of four nodes of each graph, by isomorphism type.

    There is a row for each graph and a column for each of ``GRAPHLETS[size]``. Subgraphs that need not be
    induced are counted by closed formulas of degrees, triangles, 4-cycles and 4-cliques; those that are
    follow, as each graph has a known number of copies of each other one.

    >>> from cliquepool import Graph
    >>> from cliquepool.data import GraphDataset
    >>> bowtie = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)])
    >>> graphlet_counts(GraphDataset.from_graphs([bowtie]), 3).tolist()
    [[0, 4, 4, 2]]
    """
    largest = int(np.diff(dataset.node_start).max(initial=0))
    if largest > MAX_NODES:
        raise GraphError(f"expected graphs of up to {MAX_NODES:,} nodes to count graphlets, got {largest:,}")
    counts = np.zeros((len(dataset), len(GRAPHLETS[size])), dtype=np.int64)
    sizes = np.diff(dataset.node_start)
    for graphs in alike_graphs(-(-sizes // 64), sizes):
        ranked = _RankedGraphs.of(dataset[graphs])
        subgraphs = _subgraphs_of_three(ranked) if size == 3 else _subgraphs_of_four(ranked)
        counts[graphs] = np.stack(subgraphs, axis=1) @ _INDUCED[size].T
    return counts


def _subgraphs_of_three(graphs: _RankedGraphs) -> list[Ints]:
    """Return the number of subgraphs, induced or not, in the order of ``GRAPHLETS[3]``."""
    n, m = graphs.num_nodes, graphs.num_edges
    wedges = graphs.sum_nodes(_choose_2(graphs.degree))
    triangles = graphs.sum_edges(_edge_triangles(graphs)) // 3
    return [n * _choose_2(n - 1) // 3, m * np.maximum(n - 2, 0), wedges, triangles]


def _subgraphs_of_four(graphs: _RankedGraphs) -> list[Ints]:
    """Return the number of subgraphs, induced or not, in the order of ``GRAPHLETS[4]``."""
    n, m, degree = graphs.num_nodes, graphs.num_edges, graphs.degree
    first, second = graphs.edges
    edge_triangles = _edge_triangles(graphs)
    triangles = graphs.sum_edges(edge_triangles) // 3
    wedges = graphs.sum_nodes(_choose_2(degree))
    others = np.maximum(n - 3, 0)
    return [
        _choose_2(n) * _choose_2(n - 2) // 6,
        m * _choose_2(n - 2),
        wedges * others,
        _choose_2(m) - wedges,
        triangles * others,
        graphs.sum_nodes(_choose_2(degree - 1) * degree // 3),
        graphs.sum_edges((degree[first] - 1) * (degree[second] - 1)) - 3 * triangles,
        _four_cycles(graphs),
        # A triangle with a tail: a triangle at a node, twice that of its edges, and another neighbour.
        graphs.sum_edges(edge_triangles * (degree[first] + degree[second] - 4)) // 2,
        graphs.sum_edges(_choose_2(edge_triangles)),
        _four_cliques(graphs),
    ]


def _choose_2(n: Ints) -> Ints:
    """Return n (n - 1) / 2, and 0 for negative n."""
    n = np.maximum(n, 0)
    return n * (n - 1) // 2


@dataclass(frozen=True, eq=False)
class _RankedGraphs:
    """Graphs whose nodes are numbered by degree, ascending, graph by graph.

    So few neighbours come after any node, and few neighbours of a node's earlier neighbours have to be read.
    """

    num_nodes: Ints  # of each graph
    graph: Ints  # of each node
    degree: Ints  # of each node
    edges: tuple[Ints, Ints]  # the earlier node of each edge, and the later one
    adjacency: Rows  # the neighbours of each node, as bits in the order of the numbers
    later: Rows  # of these, those after the node

    @classmethod
    def of(cls, dataset: GraphDataset) -> _RankedGraphs:
        sizes = np.diff(dataset.node_start)
        graph = np.repeat(np.arange(len(dataset)), sizes)
        order = np.lexsort((dataset.degrees, graph))
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        first, second = np.repeat(rank, dataset.degrees), rank[neighbour_rows(dataset)]
        slots = second - dataset.node_start[:-1][graph[second]]
        shape = len(order), -(-int(sizes.max(initial=0)) // 64)
        once = np.flatnonzero(first < second)
        return cls(
            sizes,
            graph,
            dataset.degrees[order],
            (first[once], second[once]),
            bit_matrix(first, slots, *shape),
            bit_matrix(first[once], slots[once], *shape),
        )

    @property
    def num_edges(self) -> Ints:
        """The number of edges of each graph."""
        return self.sum_edges(np.ones_like(self.edges[0]))

    def sum_nodes(self, values: Ints) -> Ints:
        """Return the sum of the values of the nodes of each graph."""
        return _sums(values, self.graph, len(self.num_nodes))

    def sum_edges(self, values: Ints) -> Ints:
        """Return the sum of the values of the edges of each graph."""
        return _sums(values, self.graph[self.edges[0]], len(self.num_nodes))


def _sums(values: Ints, groups: Ints, num_groups: int) -> Ints:
    sums = np.zeros(num_groups, dtype=np.int64)
    np.add.at(sums, groups, values)
    return sums


def _edge_triangles(graphs: _RankedGraphs) -> Ints:
    """Return the number of triangles of each edge: of the common neighbours of its ends."""
    first, second = graphs.edges
    counts = np.zeros(len(first), dtype=np.int64)
    for part in _slices(len(first), graphs.adjacency.shape[1]):
        common = graphs.adjacency[first[part]] & graphs.adjacency[second[part]]
        counts[part] = num_bits(common).sum(axis=1, dtype=np.int64)
    return counts


def _four_cliques(graphs: _RankedGraphs) -> Ints:
    """Return the number of 4-cliques of each graph.

    For each edge, the common neighbours after both ends; for each of these, those of them that are later
    neighbours of it. So each clique is found once, in the order of its nodes.
    """
    first, second = graphs.edges
    begin = np.append(0, np.cumsum(graphs.num_nodes))
    later = graphs.later
    later_by_word = np.ascontiguousarray(later.T)
    counts = np.zeros(len(graphs.num_nodes), dtype=np.int64)
    num_words = later.shape[1]
    for part in _slices(
        len(first), 32 * num_words
    ):  # bits take the memory of words, and their positions more
        common = later[first[part]] & later[second[part]]
        graph = graphs.graph[first[part]]
        several = np.flatnonzero(num_bits(common).sum(axis=1, dtype=np.int64) > 1)
        common, graph = common[several], graph[several]
        bits = np.unpackbits(common.view(np.uint8), axis=1, bitorder="little")
        edge, slot = np.divmod(np.flatnonzero(bits.view(bool)), 64 * num_words)
        third = begin[graph[edge]] + slot
        by_word = np.ascontiguousarray(common.T)
        for some in _slices(len(edge), 1):
            of_edge, of_third = edge[some], third[some]
            found = np.zeros(len(of_edge), dtype=np.int64)
            for common_word, later_word in zip(by_word, later_by_word, strict=True):
                found += num_bits(common_word[of_edge] & later_word[of_third])
            counts += _sums(found, graph[of_edge], len(counts))
    return counts


def _four_cycles(graphs: _RankedGraphs) -> Ints:
    """Return the number of 4-cycles of each graph.

    A cycle is counted at its last node: it is a pair of paths to another node over earlier nodes. The time
    is that of the smaller degree of each edge (Chiba & Nishizeki 1985).
    """
    first, second = graphs.edges
    num_nodes = len(graphs.graph)
    ones = np.ones(len(first), dtype=np.int32)
    earlier = csr_array((ones, (second, first)), shape=(num_nodes, num_nodes))
    adjacency = (earlier + earlier.T).tocsr()
    work = np.append(0, np.cumsum(earlier @ graphs.degree))
    counts = np.zeros(len(graphs.num_nodes), dtype=np.int64)
    begin = 0
    while begin < num_nodes:
        end = max(begin + 1, int(np.searchsorted(work, work[begin] + _MOST_PATHS, side="right")) - 1)
        paths = (earlier[begin:end] @ adjacency).tocoo()
        last = paths.row + begin
        chosen = paths.col < last
        counts += _sums(
            _choose_2(paths.data[chosen].astype(np.int64)), graphs.graph[last[chosen]], len(counts)
        )
        begin = end
    return counts


def _slices(count: int, words: int) -> Iterator[slice]:
    """Split `count` rows of this many words into slices that take up to `BLOCK_WORDS`."""
    step = max(1, BLOCK_WORDS // max(1, words))
    return (slice(begin, begin + step) for begin in range(0, count, step))
