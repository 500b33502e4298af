"""Colours of the Weisfeiler–Leman algorithm (1-WL), counted in each graph after every iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from cliquepool._mixing import mix
from cliquepool.models.kernel_features.counts import GraphCounts
from cliquepool.models.kernel_features.keys import keys_of_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.models.kernel_features.keys import LabelKind

    Keys = npt.NDArray[np.uint64]

__all__ = ["colour_counts", "refine"]

_BLOCK: Final = 1 << 22  # neighbours that are gathered at once


def colour_counts(dataset: GraphDataset, iterations: int, labels: LabelKind) -> list[GraphCounts]:
    """Return the counts of the colours in each graph, before the first and after every iteration.

    The first colours are the labels. In each iteration, a node gets a new colour for its own and the multiset
    of its neighbours' colours. Colours are keys, so those of two data sets can be compared.
    """
    graphs = np.repeat(np.arange(len(dataset)), np.diff(dataset.node_start))
    colours = keys_of_labels(dataset, labels)
    counts = [GraphCounts.of(graphs, colours, len(dataset))]
    for _ in range(iterations):
        colours = refine(dataset, colours)
        counts.append(GraphCounts.of(graphs, colours, len(dataset)))
    return counts


def refine(dataset: GraphDataset, colours: Keys) -> Keys:
    """Return the colour of each node after one iteration.

    The multiset of the neighbours' colours has as its key the sum of a pseudo-random word for each of them.
    """
    words = mix(mix(colours))  # other words than those that enter the own colour
    sums = np.zeros(len(colours), dtype=np.uint64)
    first_node = np.repeat(dataset.node_start[:-1], np.diff(dataset.node_start))
    for begin, end in _blocks(dataset.indptr):
        degrees = np.diff(dataset.indptr[begin : end + 1])
        entries = slice(int(dataset.indptr[begin]), int(dataset.indptr[end]))
        neighbours = dataset.indices[entries] + np.repeat(first_node[begin:end], degrees)
        has_any = degrees > 0  # reduceat would repeat a value for the others
        offsets = dataset.indptr[begin:end][has_any] - entries.start
        if len(offsets):
            sums[begin:end][has_any] = np.add.reduceat(words[neighbours], offsets)
    return mix(mix(colours) + sums)


def _blocks(indptr: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Split the nodes into ranges with up to `_BLOCK` neighbours, or of one node."""
    begin, num_nodes = 0, len(indptr) - 1
    while begin < num_nodes:
        end = int(np.searchsorted(indptr, indptr[begin] + _BLOCK, side="right")) - 1
        end = max(end, begin + 1)
        yield begin, end
        begin = end
