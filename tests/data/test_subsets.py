"""The arrays of some graphs are those of a data set made of these graphs alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.data.subsets import slice_graphs, take_graphs
from tests.helpers.graph_datasets import datasets

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset


def graph_by_graph(dataset: GraphDataset, chosen: list[int]) -> dict[str, Any]:
    """Cut the rows of each chosen graph out of every array, by the definition of the arrays."""
    arrays = dataset._arrays()
    cut: dict[str, list[Any]] = {field: [] for field in arrays}
    for graph in chosen:
        nodes = slice(*dataset.node_start[graph : graph + 2].tolist())
        entries = slice(int(dataset.indptr[nodes.start]), int(dataset.indptr[nodes.stop]))
        cut["targets"].append(dataset.targets[graph])
        cut["node_start"].append(nodes.stop - nodes.start)
        cut["indptr"] += np.diff(dataset.indptr)[nodes].tolist()
        for field in ("node_labels", "node_attributes"):
            cut[field] += [] if arrays[field] is None else arrays[field][nodes].tolist()
        for field in ("indices", "edge_labels", "edge_attributes"):
            cut[field] += [] if arrays[field] is None else arrays[field][entries].tolist()
    for field in ("node_start", "indptr"):
        cut[field] = np.cumsum([0, *cut[field]]).tolist()
    return cut


def assert_equal(arrays: dict[str, Any], dataset: GraphDataset, chosen: list[int]) -> None:
    expected = graph_by_graph(dataset, chosen)
    for field, array in arrays.items():
        original = getattr(dataset, field)
        assert (array is None) == (original is None)
        if array is not None:
            assert array.dtype == original.dtype
            assert array.tolist() == expected[field]


@given(datasets(), st.data())
def test_a_slice_has_the_rows_of_its_graphs_without_a_copy(
    dataset: GraphDataset, data: st.DataObject
) -> None:
    begin = data.draw(st.integers(0, len(dataset)))
    end = data.draw(st.integers(begin, len(dataset)))
    arrays = slice_graphs(dataset._arrays(), begin, end)
    assert_equal(arrays, dataset, list(range(begin, end)))
    if arrays["indices"].size:
        assert np.shares_memory(arrays["indices"], dataset.indices)


@given(datasets(least=1), st.data())
def test_indices_have_the_rows_of_their_graphs_in_their_order(
    dataset: GraphDataset, data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(dataset) - 1), max_size=8))
    arrays = take_graphs(dataset._arrays(), np.array(chosen, dtype=np.int64))
    assert_equal(arrays, dataset, chosen)
