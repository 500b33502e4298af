"""Node features: labels and degrees one-hot, attributes standardised by what the fitted part has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import FeatureEncoder, GraphDataset
from tests.helpers.graph_datasets import datasets, graph_lists
from tests.helpers.small_graphs import Sample, path

STAR = cp.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
EDGE = cp.Graph.from_edges([(0, 1)])
KINDS = ("labels", "attributes", "both", "degree", "constant")


def described(attributes: list[list[list[float]]] | None = None, labels: object = None) -> GraphDataset:
    optional = {"node_attributes": attributes, "node_labels": labels}
    given_ = {name: value for name, value in optional.items() if value is not None}
    return GraphDataset.from_graphs([EDGE, EDGE], name="two", **given_)  # type: ignore[arg-type]


LABELS = [["a", "b"], ["c", "a"]]
ATTRIBUTES = [[[1.0, 5.0], [3.0, 5.0]], [[100.0, 7.0], [-100.0, 9.0]]]


def test_the_kind_is_chosen_by_what_the_data_set_has() -> None:
    kinds = [
        FeatureEncoder.fit(dataset).kind
        for dataset in (
            described(),
            described(labels=LABELS),
            described(ATTRIBUTES),
            described(ATTRIBUTES, LABELS),
        )
    ]
    assert kinds == ["degree", "labels", "attributes", "both"]


@given(datasets(least=1))
def test_features_are_as_wide_as_the_encoder_says(dataset: GraphDataset) -> None:
    encoder = FeatureEncoder.fit(dataset, standardise=False)
    features = encoder.encode(dataset)
    dense = features.to_dense()
    assert dense.shape == (dataset.num_nodes, encoder.width)
    assert encoder.width == features.width
    assert dense.dtype == np.float32
    if features.codes is not None:
        one_hot = dense[:, : features.num_codes]
        assert (one_hot.sum(axis=1) == 1).all()
        assert (one_hot[np.arange(len(dense)), features.codes] == 1).all()
    if features.dense is not None:
        assert (dense[:, features.num_codes :] == features.dense).all()


@given(datasets(least=1))
def test_labels_become_their_codes_and_attributes_stay_as_they_are(dataset: GraphDataset) -> None:
    features = FeatureEncoder.fit(dataset, standardise=False).encode(dataset)
    if dataset.node_labels is not None:
        assert features.codes is not None
        assert features.codes.tolist() == dataset.node_labels.tolist()
    if dataset.node_attributes is not None:
        assert features.dense is not None
        assert features.dense.tolist() == dataset.node_attributes.tolist()


@given(graph_lists(least=1))
def test_degrees_are_one_hot_of_those_of_the_graphs(samples: list[Sample]) -> None:
    dataset = GraphDataset.from_graphs([s.graph() for s in samples])
    encoder = FeatureEncoder.fit(dataset)
    degrees = [degree for s in samples for degree in s.graph().degrees.tolist()]
    assert encoder.width == max(degrees, default=0) + 1
    assert encoder.encode(dataset).to_dense().argmax(axis=1).tolist() == degrees


def test_a_degree_above_the_largest_seen_counts_as_that() -> None:
    dataset = GraphDataset.from_graphs([EDGE, STAR])
    encoder = FeatureEncoder.fit(dataset, np.array([0]))
    assert encoder.width == 2
    codes = encoder.encode(dataset).codes
    assert codes is not None
    assert codes.tolist() == [1, 1, 1, 1, 1, 1]


def test_attributes_are_standardised_over_the_fitted_graphs_alone() -> None:
    dataset = described(ATTRIBUTES)
    encoder = FeatureEncoder.fit(dataset, np.array([0]))
    dense = encoder.encode(dataset).dense
    assert dense is not None
    # Mean 2 and deviation 1; the second column is constant there, and is shifted alone.
    assert dense.tolist() == [[-1.0, 0.0], [1.0, 0.0], [98.0, 2.0], [-102.0, 4.0]]


@given(st.integers(0, 50), st.sets(st.integers(0, 3), min_size=1))
def test_standardised_attributes_have_mean_0_and_deviation_1_where_fitted(seed: int, part: set[int]) -> None:
    random = np.random.default_rng(seed)
    rows = [random.normal(random.normal() * 9, random.uniform(0.1, 9), (5, 3)) for _ in range(4)]
    dataset = GraphDataset.from_graphs([path(5).graph()] * 4, node_attributes=rows)
    chosen = np.array(sorted(part))
    dense = FeatureEncoder.fit(dataset, chosen).encode(dataset).dense
    assert dense is not None
    seen = dense.reshape(4, 5, 3)[chosen].reshape(-1, 3)
    np.testing.assert_allclose(seen.mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(seen.std(axis=0), 1, atol=1e-4)


def test_a_graph_left_out_of_the_fit_does_not_change_it() -> None:
    one = FeatureEncoder.fit(described(ATTRIBUTES), np.array([0]))
    other = FeatureEncoder.fit(described([ATTRIBUTES[0], [[0.0, 0.0], [0.0, 0.0]]]), np.array([0]))
    for mine, theirs in ((one.shift, other.shift), (one.scale, other.scale)):
        assert mine is not None
        assert theirs is not None
        assert mine.tobytes() == theirs.tobytes()


def test_constant_features_are_ones() -> None:
    dataset = described(labels=LABELS)
    encoder = FeatureEncoder.fit(dataset, kind="constant")
    assert encoder.width == 1
    assert encoder.encode(dataset).to_dense().tolist() == [[1.0]] * 4


@pytest.mark.parametrize("kind", ["labels", "attributes", "both"])
def test_what_a_data_set_lacks_is_named(kind: str) -> None:
    with pytest.raises(
        cp.GraphError, match=r"two: expected node (labels|attributes), got a data set without"
    ):
        FeatureEncoder.fit(described(), kind=kind)  # type: ignore[arg-type]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected one of auto, labels.* got 'colour'"):
        FeatureEncoder.fit(described(), kind="colour")  # type: ignore[arg-type]


def test_attributes_of_no_nodes_cannot_be_standardised() -> None:
    dataset = GraphDataset.from_graphs(
        [cp.Graph.from_edges([], num_nodes=0)], node_attributes=[np.zeros((0, 2))], name="none"
    )
    with pytest.raises(cp.GraphError, match="none: expected nodes to fit the features on"):
        FeatureEncoder.fit(dataset)


def test_another_data_sets_columns_are_refused() -> None:
    encoder = FeatureEncoder.fit(described(ATTRIBUTES, LABELS))
    with pytest.raises(cp.GraphError, match="expected node labels seen in training, got d"):
        encoder.encode(described(ATTRIBUTES, [["a", "b"], ["a", "d"]]))
    with pytest.raises(cp.GraphError, match="expected 2 node attributes, got 1"):
        encoder.encode(described([[[1.0], [2.0]], [[3.0], [4.0]]], LABELS))
    for kind in KINDS[:3]:
        with pytest.raises(cp.GraphError, match="got a data set without them"):
            FeatureEncoder.fit(described(ATTRIBUTES, LABELS), kind=kind).encode(described())  # type: ignore[arg-type]


def test_labels_of_another_data_set_get_the_columns_they_were_fitted_to() -> None:
    encoder = FeatureEncoder.fit(described(labels=LABELS))
    codes = encoder.encode(described(labels=[["c", "c"], ["b", "c"]])).codes
    assert codes is not None
    assert codes.tolist() == [2, 2, 1, 2]


def test_labels_that_are_not_known_are_zeros_where_they_are_ignored() -> None:
    for attributes in (None, ATTRIBUTES):
        fitted = FeatureEncoder.fit(described(attributes, LABELS), standardise=False)
        encoder = replace(fitted, handle_unknown="ignore")
        strange = described(attributes, [["a", "x"], ["y", "c"]])
        dense = encoder.encode(strange).to_dense()
        assert dense.shape == (4, encoder.width)
        assert dense[:, :3].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]]
        if attributes is not None:
            assert dense[:, 3:].tolist() == [row for graph in attributes for row in graph]
        known = described(attributes, LABELS)
        np.testing.assert_array_equal(encoder.encode(known).to_dense(), fitted.encode(known).to_dense())
        with pytest.raises(cp.GraphError, match=r'got x \(handle_unknown="ignore" takes it as no label\)'):
            fitted.encode(strange)


def test_labels_of_another_type_are_refused_though_unknown_ones_are_ignored() -> None:
    encoder = replace(FeatureEncoder.fit(described(labels=LABELS)), handle_unknown="ignore")
    with pytest.raises(cp.GraphError, match="expected node labels that are text, got numbers"):
        encoder.encode(described(labels=[[1, 2], [3, 4]]))


def test_a_data_set_without_a_name_is_not_named() -> None:
    nameless = GraphDataset.from_graphs([EDGE])
    with pytest.raises(cp.GraphError, match=r"^expected node labels, got a data set without them"):
        FeatureEncoder.fit(nameless, kind="labels")
