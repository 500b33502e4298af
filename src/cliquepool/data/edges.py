"""Simple graphs of lists of edges, and the labels and attributes of merged edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool import _core

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.int32]

__all__ = ["MergedEdges", "simple_graphs"]


def simple_graphs(pairs: Codes, node_start: Ints) -> tuple[Ints, Codes]:
    """Return offsets and neighbours of the graphs with edges u₀ v₀ u₁ v₁ …, ends numbered over all graphs.

    Loops are dropped, parallel and reversed edges merged; neighbours are numbered within their graph.

    >>> simple_graphs(np.array([0, 1, 3, 2, 2, 3, 1, 1], np.int32), np.array([0, 2, 4]))[1]
    array([1, 0, 1, 0], dtype=int32)
    """
    indptr, indices = _core.build_flat_graphs(pairs, node_start)
    return indptr.view(np.int64), indices


class MergedEdges:
    """Maps the values of listed edges to the entries of the simple graphs, where edges are merged."""

    def __init__(self, pairs: Codes, node_start: Ints, indptr: Ints, indices: Codes) -> None:
        num_nodes = len(indptr) - 1
        ends = np.sort(pairs.reshape(-1, 2), axis=1).astype(np.int64)
        listed = np.flatnonzero(ends[:, 0] != ends[:, 1])
        keys = (ends[:, 0] * num_nodes + ends[:, 1])[listed]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        self._lines = listed[order]  # those of one edge side by side, in the order of the list
        self._first = np.flatnonzero(np.diff(keys, prepend=-1))

        sources = np.repeat(np.arange(num_nodes), np.diff(indptr))
        starts = np.repeat(node_start[:-1], np.diff(node_start))
        targets = indices + starts[sources]
        wanted = np.minimum(sources, targets) * num_nodes + np.maximum(sources, targets)
        self._edge_of_entry: Ints = np.searchsorted(keys[self._first], wanted)

    def first(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return for each entry the value listed first for its edge, in either direction."""
        of_edge: npt.NDArray[Any] = values[self._lines[self._first]]
        return of_edge.take(self._edge_of_entry, axis=0)

    def mean(self, values: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return for each entry the mean of the rows listed for its edge, in both directions."""
        if not len(self._first):
            return np.zeros((0, values.shape[1]), dtype=np.float32)
        sums = np.add.reduceat(values[self._lines].astype(np.float64), self._first, axis=0)
        counts = np.diff(self._first, append=len(self._lines))
        means: npt.NDArray[np.float32] = (sums / counts[:, None]).astype(np.float32)
        return means.take(self._edge_of_entry, axis=0)
