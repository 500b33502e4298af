"""The columns of labels and attributes of edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.models.edge_columns import EdgeColumns

PATH = GraphDataset.from_graphs([cp.Graph.from_edges([(0, 1), (1, 2)])])


def labelled(values: list[int], codes: list[int]) -> GraphDataset:
    return replace(PATH, edge_labels=np.array(codes, dtype=np.int32), edge_label_values=np.array(values))


def test_columns_are_labels_and_then_attributes() -> None:
    assert EdgeColumns.of(PATH).count == 0
    data = replace(labelled([3, 7], [0, 0, 1, 1]), edge_attributes=np.zeros((4, 2), dtype=np.float32))
    columns = EdgeColumns.of(data)
    assert columns.measured == {"edge label 3": 0, "edge label 7": 1, "edge attributes": 2}
    assert (columns.labels, columns.count) == (["3", "7"], 4)
    assert str(columns) == "edge labels and 2 edge attributes"


def test_labels_are_encoded_by_value() -> None:
    columns = EdgeColumns.of(labelled([1, 2, 3], [0, 0, 1, 1]))
    encoded = columns.encode(labelled([2, 3], [0, 0, 1, 1]), "error")
    assert encoded.edge_labels.tolist() == [1, 1, 2, 2]
    assert EdgeColumns.of(encoded) == columns
    assert EdgeColumns.of(PATH).encode(PATH, "error") is PATH


def test_a_value_that_no_edge_has_is_no_error() -> None:
    columns = EdgeColumns.of(labelled([1, 2], [0, 0, 1, 1]))
    assert columns.encode(labelled([1, 9], [0, 0, 0, 0]), "error").edge_labels.tolist() == [0] * 4


def test_unknown_labels_are_refused_or_encoded_as_none() -> None:
    columns, other = EdgeColumns.of(labelled([1], [0] * 4)), labelled([1, 9], [0, 0, 1, 1])
    with pytest.raises(cp.GraphError, match="expected edge labels seen in training, got 9"):
        columns.encode(other, "error")
    assert columns.encode(other, "ignore").edge_labels.tolist() == [0, 0, -1, -1]


def test_other_kinds_of_features_are_refused() -> None:
    with pytest.raises(cp.GraphError, match="expected graphs with edge labels and no edge attributes"):
        EdgeColumns.of(labelled([1], [0] * 4)).encode(PATH, "error")
