"""The arrays of some graphs of a data set, by the names of the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool.data.indexing import Ranges, runs_of
from cliquepool.data.schema import ENTRY_ROWS, NODE_ROWS
from cliquepool.ragged import offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

__all__ = ["slice_graphs", "take_graphs"]


def slice_graphs(arrays: Mapping[str, Any], begin: int, end: int) -> dict[str, Any]:
    """Return the arrays of the graphs from `begin` up to `end`; those with rows are views."""
    node_start, indptr = arrays["node_start"], arrays["indptr"]
    nodes = slice(int(node_start[begin]), int(node_start[end]))
    entries = slice(int(indptr[nodes.start]), int(indptr[nodes.stop]))
    return {
        "node_start": node_start[begin : end + 1] - nodes.start,
        "indptr": indptr[nodes.start : nodes.stop + 1] - entries.start,
        "targets": arrays["targets"][begin:end],
        **{field: None if arrays[field] is None else arrays[field][nodes] for field in NODE_ROWS},
        **{field: None if arrays[field] is None else arrays[field][entries] for field in ENTRY_ROWS},
    }


def take_graphs(arrays: Mapping[str, Any], indices: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Return the arrays of the graphs of these indices; runs of consecutive ones are copied at once."""
    node_start, indptr = arrays["node_start"], arrays["indptr"]
    begins, ends = (node_start[bounds] for bounds in runs_of(indices))
    nodes, entries = Ranges(begins, ends), Ranges(indptr[begins], indptr[ends])
    return {
        "node_start": offsets_from_lengths(np.diff(node_start)[indices]),
        "indptr": offsets_from_lengths(nodes.of(indptr[1:]) - nodes.of(indptr[:-1])),
        "targets": arrays["targets"][indices],
        **{field: nodes.of(arrays[field]) for field in NODE_ROWS},
        **{field: entries.of(arrays[field]) for field in ENTRY_ROWS},
    }
