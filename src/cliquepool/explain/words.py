"""Words: pools that are alike, over many graphs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from cliquepool._words import counted
from cliquepool.colour_refinement import wl_colours
from cliquepool.graph import Graph

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.explain.fields import PoolFields

__all__ = ["WordKey", "words_of_pools"]


class WordKey(NamedTuple):
    """What pools that are alike have in common.

    `labels` are the labels of the nodes, sorted, each with its number; `digest` is a canonical hash of the
    field with its edges and labels, empty at level 1, where all members are adjacent.
    """

    level: int
    labels: tuple[tuple[str, int], ...]
    digest: str

    @property
    def size(self) -> int:
        """The number of nodes."""
        return sum(number for _, number in self.labels)

    @property
    def text(self) -> str:
        """The labels as a formula, such as ``C2 N O2``; the number of nodes where they have no labels."""
        if all(not label for label, _ in self.labels):
            return counted(self.size, "node")
        return " ".join(f"{label}{number}" if number > 1 else label for label, number in self.labels)


def words_of_pools(
    graphs: GraphDataset, texts: tuple[str, ...], level: int, fields_of_graphs: list[PoolFields]
) -> list[list[WordKey]]:
    """Return the word of every pool at `level` of every graph; `texts` has the label of every node.

    At level 1 a pool is a clique: the multiset of its labels says everything about it. Above, a word is the
    hash of `cliquepool.wl_colours` of the subgraph that the field induces: fields that differ may share one
    only if colour refinement over clique pools cannot tell them apart.
    """
    known: dict[bytes, str] = {}
    found = []
    for index, fields in enumerate(fields_of_graphs):
        first = int(graphs.node_start[index])
        graph = graphs.graph(index)
        of_graph = []
        for members in fields.members:
            labels = [texts[first + node] for node in members.tolist()]
            multiset = tuple(sorted(Counter(labels).items()))
            digest = "" if level == 1 else _digest(graph, members, labels, known)
            of_graph.append(WordKey(level, multiset, digest))
        found.append(of_graph)
    return found


def _digest(graph: Graph, members: npt.NDArray[np.int32], labels: list[str], known: dict[bytes, str]) -> str:
    """Return the hash of the induced subgraph; equal subgraphs, numbered alike, are hashed once."""
    rank = {node: index for index, node in enumerate(members.tolist())}
    edges = [
        (rank[node], rank[other])
        for node in members.tolist()
        for other in graph.indices[graph.indptr[node] : graph.indptr[node + 1]].tolist()
        if other > node and other in rank
    ]
    key = repr((edges, labels)).encode()
    if key not in known:
        known[key] = wl_colours(Graph.from_edges(edges, len(rank)), 1, node_labels=labels).digest
    return known[key]
