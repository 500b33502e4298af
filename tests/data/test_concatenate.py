"""Graphs and data sets are concatenated with all that belongs to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import GraphDataset
from tests.helpers.graph_datasets import datasets

TRIANGLE = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2)])
EDGE = cp.Graph.from_edges([(0, 1)])


@given(datasets(), st.integers(0, 6), st.integers(0, 6))
def test_parts_concatenated_are_the_data_set(dataset: GraphDataset, first: int, second: int) -> None:
    cuts = sorted((first, second))
    parts = [dataset[: cuts[0]], dataset[cuts[0] : cuts[1]], dataset[cuts[1] :]]
    joined = GraphDataset.concatenate(parts)
    assert joined.fingerprint == dataset.fingerprint
    assert joined.name == dataset.name


@given(st.lists(st.lists(st.sampled_from([-1, 0, 4, 7]), min_size=1, max_size=4), min_size=1, max_size=4))
def test_concatenated_data_sets_keep_the_values_of_their_codes(values: list[list[int]]) -> None:
    parts = [
        GraphDataset.from_graphs([EDGE] * len(own), own, node_labels=[[value, 9] for value in own])
        for own in values
    ]
    joined = GraphDataset.concatenate(parts)
    joined.validate()
    flat = [value for own in values for value in own]
    assert joined.classes[joined.targets].tolist() == flat
    assert joined.classes.tolist() == sorted(set(flat))
    assert joined.node_label_values is not None
    assert joined.node_label_values[joined.node_labels].tolist() == [v for value in flat for v in (value, 9)]


def test_classes_that_are_not_known_stay_unknown() -> None:
    joined = GraphDataset.concatenate(
        [GraphDataset.from_graphs([EDGE]), GraphDataset.from_graphs([EDGE, EDGE], ["b", "a"])]
    )
    assert joined.targets.tolist() == [-1, 1, 0]
    assert GraphDataset.from_graphs([EDGE]).num_classes == 0


def test_data_sets_that_do_not_fit_are_refused() -> None:
    plain = GraphDataset.from_graphs([EDGE], [1])
    with_one = GraphDataset.from_graphs([EDGE], [1], node_attributes=[[[0.0], [1.0]]])
    with_two = GraphDataset.from_graphs([EDGE], [1], node_attributes=[[[0.0, 1.0], [1.0, 1.0]]])
    with pytest.raises(
        cp.GraphError, match="expected as many node_attributes in every data set, got 1 and none"
    ):
        GraphDataset.concatenate([plain, with_one])
    with pytest.raises(cp.GraphError, match="got 1 and 2"):
        GraphDataset.concatenate([with_one, with_two])
    with pytest.raises(cp.GraphError, match="classes: expected numbers or text in every data set, got both"):
        GraphDataset.concatenate([plain, GraphDataset.from_graphs([EDGE], ["x"])])
    with pytest.raises(cp.GraphError, match="at least one data set"):
        GraphDataset.concatenate([])


def test_graphs_of_several_libraries_are_concatenated() -> None:
    networkx = pytest.importorskip("networkx")
    dataset = GraphDataset.from_graphs([networkx.path_graph(3), TRIANGLE], ["a", "b"])
    assert dataset.degrees.tolist() == [1, 2, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("optional", "message"),
    [
        ({"targets": [1]}, r"targets: expected 2 of them, one for each graph, got shape \(1,\)"),
        ({"targets": [0.5, 1.5]}, "targets: expected integers or text, got float64"),
        ({"node_labels": [[0, 1]]}, "node_labels: expected 2 lists, one for each graph, got 1"),
        (
            {"node_labels": [[0, 1], [0]]},
            r"node_labels of graph 1: expected 3 rows, one for each node, got shape \(1,\)",
        ),
        (
            {"node_attributes": [np.zeros((2, 1)), np.zeros((3, 2))]},
            r"node_attributes: expected as many for every node, got \[1, 2\]",
        ),
        (
            {"node_attributes": [np.zeros((2, 1)), np.array([[0.0], [np.nan], [0.0]])]},
            r"node_attributes of graph 1: expected finite numbers, got \[nan\]",
        ),
    ],
)
def test_rows_that_do_not_fit_the_graphs_are_refused(optional: dict[str, Any], message: str) -> None:
    with pytest.raises(cp.GraphError, match=message):
        GraphDataset.from_graphs([EDGE, TRIANGLE], **optional)
