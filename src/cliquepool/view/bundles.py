"""Bundles: nodes of a level that have the same open or the same closed neighbourhood.

A picture shows a bundle as one item. Nothing is lost: nodes of a bundle differ in their names alone, and the
graph between bundles, with the kind of each bundle, is the graph again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cliquepool.ragged import Ragged, concatenated_ranges, offsets_from_lengths

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.graph import Graph

__all__ = ["Bundles", "bundle"]


@dataclass(frozen=True, slots=True, eq=False)
class Bundles:
    """The bundles of a graph.

    A bundle is either one twin class (its nodes are joined to each other and have the same closed
    neighbourhood) or a set of nodes without twins, not joined to each other, that have the same neighbours.

    Attributes
    ----------
    of_class : ndarray of int32
        The bundle of each twin class that the graph is stored by. Bundles are numbered by their first class.
    sizes : ndarray of int64
        The number of nodes in each bundle.
    joined : ndarray of bool
        Whether the nodes of a bundle are joined to each other; False for a single node.
    graph : Ragged
        The neighbours of each bundle: all nodes of two neighbouring bundles are joined.
    """

    of_class: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int64]
    joined: npt.NDArray[np.bool_]
    graph: Ragged

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def num_edges(self) -> int:
        """The number of pairs of neighbouring bundles."""
        return len(self.graph.members) // 2


def bundle(graph: Graph) -> Bundles:
    """Bundle the nodes of a graph that have the same open or the same closed neighbourhood.

    Works on the twin classes: a graph stored by them is not expanded. Time is linear in the quotient.

    >>> from cliquepool import Graph
    >>> star = bundle(Graph.from_edges([(0, 1), (0, 2), (0, 3)]))
    >>> star.of_class.tolist(), star.sizes.tolist(), star.graph.tolist()
    ([0, 1, 1, 1], [1, 3], [[1], [0]])
    """
    stored_classes = graph._factors().classes
    factors = graph.twins._coarsest_factors()
    rows = Ragged(factors.indptr, factors.indices)
    of_twin_class = _group_by_neighbours(rows, factors.sizes == 1)
    count = int(of_twin_class.max(initial=-1)) + 1
    sizes = np.bincount(of_twin_class, weights=factors.sizes, minlength=count).astype(np.int64)
    _, first = np.unique(of_twin_class, return_index=True)
    joined = factors.sizes[first] > 1
    # A stored class lies in one twin class.
    num_stored = int(stored_classes.max(initial=-1)) + 1
    of_class = np.zeros(num_stored, dtype=np.int32)
    of_class[stored_classes] = of_twin_class[factors.classes]
    return Bundles(of_class, sizes, joined, _between(rows, first, of_twin_class, count))


def _group_by_neighbours(rows: Ragged, single: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Number the groups of single nodes with equal rows; every other class is a group of its own."""
    content = rows.members.tobytes()
    width = rows.members.itemsize
    bounds = (rows.offsets * width).tolist()
    groups: dict[bytes, int] = {}
    found = np.empty(len(rows), dtype=np.int32)
    count = 0
    for index, (alone, begin, end) in enumerate(zip(single.tolist(), bounds, bounds[1:], strict=False)):
        group = groups.setdefault(content[begin:end], count) if alone else count
        found[index] = group
        count += group == count
    return found


def _between(rows: Ragged, first: npt.NDArray[np.int64], group: npt.NDArray[np.int32], count: int) -> Ragged:
    """Return the graph between groups: the row of the first class of each, as groups, each once."""
    lengths = rows.sizes[first]
    targets = group[rows.members[concatenated_ranges(rows.offsets[first], lengths)]]
    keys = np.repeat(np.arange(count, dtype=np.int64), lengths) * max(count, 1) + targets
    keys.sort()  # np.unique takes ten times as long
    sources, targets = np.divmod(keys[np.diff(keys, prepend=-1) > 0], max(count, 1))
    return Ragged(offsets_from_lengths(np.bincount(sources, minlength=count)), targets.astype(np.int32))
