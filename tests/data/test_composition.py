"""Compositions: sizes, label counts and sums of attributes of each graph, and nothing of other graphs."""

from __future__ import annotations

import networkx as nx
import numpy as np

from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.data.composition import composition_width, graph_compositions

GRAPHS = [nx.path_graph(3), nx.star_graph(5), nx.empty_graph(0), nx.empty_graph(1)]
LABELS = [["C", "C", "O"], ["N", "C", "C", "C", "C", "C"], [], ["O"]]
ATTRIBUTES = [[[1.0], [2.0], [4.0]], [[0.0]] * 6, [], [[5.0]]]


def compositions(dataset: GraphDataset, encoder: FeatureEncoder, levels: int = 2) -> np.ndarray:
    data = PooledDataset(dataset, levels=levels - 1)
    found = graph_compositions(data, encoder, encoder.encode(dataset), levels)
    assert found.shape == (len(dataset), composition_width(encoder, levels))
    assert found.dtype == np.float32
    return found


def test_the_columns_are_sizes_of_levels_then_labels_then_attributes() -> None:
    dataset = GraphDataset.from_graphs(GRAPHS, [0] * 4, node_labels=LABELS, node_attributes=ATTRIBUTES)
    found = compositions(dataset, FeatureEncoder.fit(dataset, standardise=False))
    sizes = np.log([[3, 2], [6, 5], [1, 1], [1, 1]])  # a graph without nodes counts as one node
    counts = np.log1p([[2, 0, 1], [5, 1, 0], [0, 0, 0], [0, 0, 1]])  # of C, N and O
    np.testing.assert_allclose(found, np.hstack([sizes, counts, [[7], [0], [0], [5]]]), rtol=1e-6)
    standardised = compositions(dataset, FeatureEncoder.fit(dataset, kind="attributes"), levels=1)
    values = np.array([1, 2, 4, *[0] * 6, 5], dtype=np.float64)
    values = (values - values.mean()) / values.std()
    np.testing.assert_allclose(
        standardised[:, 1], [values[:3].sum(), values[3:9].sum(), 0, values[9]], rtol=1e-5
    )


def test_degrees_are_counted_by_powers_of_two() -> None:
    stars = GraphDataset.from_graphs([nx.star_graph(n) for n in (1, 3, 4, 7, 8)], [0] * 5)
    encoder = FeatureEncoder.fit(stars)
    found = np.expm1(compositions(stars, encoder, levels=1)[:, 1:]).round().astype(int)
    expected = [[0, 2, 0, 0, 0], [0, 3, 1, 0, 0], [0, 4, 0, 1, 0], [0, 7, 0, 1, 0], [0, 8, 0, 0, 1]]
    assert found.tolist() == expected
    larger = GraphDataset.from_graphs([nx.star_graph(40)], [0])  # counts as the largest degree of the fit
    assert np.expm1(compositions(larger, encoder, levels=1)[0, 1:]).round().tolist() == [0, 40, 0, 0, 1]


def test_labels_that_the_fit_did_not_have_are_not_counted() -> None:
    dataset = GraphDataset.from_graphs(GRAPHS[:2], [0, 1], node_labels=LABELS[:2])
    encoder = FeatureEncoder.fit(dataset)
    ignoring = FeatureEncoder(encoder.kind, encoder.codes, handle_unknown="ignore")
    strange = GraphDataset.from_graphs(GRAPHS[:1], [0], node_labels=[["C", "Xe", "O"]])
    np.testing.assert_allclose(np.expm1(compositions(strange, ignoring)[0, 2:]), [1, 0, 1], rtol=1e-5)


def test_constant_features_leave_only_the_sizes() -> None:
    dataset = GraphDataset.from_graphs(GRAPHS, [0] * 4)
    assert compositions(dataset, FeatureEncoder.fit(dataset, kind="constant"), levels=3).shape == (4, 3)
