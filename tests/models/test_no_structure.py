"""The no-structure baseline: it sees nodes alone, as its formulas say."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.models import NoStructureClassifier
from cliquepool.models.no_structure import NoStructureNetwork
from cliquepool.nn.network_sizes import NetworkSizes

LABELS = [["C", "N", "C", "O"], ["C", "C", "O", "N"], ["O", "O", "O", "O"]] * 4
CLASSES = [0, 0, 1] * 4
EDGES = [[(0, 1), (1, 2)], [(0, 3)], [], [(0, 1), (1, 2), (2, 3), (3, 0)]]


def graphs(edges: list[list[tuple[int, int]]]) -> GraphDataset:
    built = [cp.Graph.from_edges(edges[i % len(edges)], num_nodes=4) for i in range(len(LABELS))]
    return GraphDataset.from_graphs(built, CLASSES, node_labels=LABELS)


@pytest.mark.parametrize("layers", [0, 1, 2])
def test_edges_do_not_matter(layers: int) -> None:
    data = graphs(EDGES)
    model = NoStructureClassifier(
        layers=layers, hidden=8, learning_rate=0.02, epochs=60, patience=None, validation_fraction=0
    ).fit(data)
    assert model.score(data) == 1
    others = graphs(EDGES[::-1])
    assert model.predict_proba(others).tobytes() == model.predict_proba(data).tobytes()
    # The first two graphs have the same labels in another order.
    np.testing.assert_allclose(*model.predict_proba(data[:2]), rtol=1e-5)


@pytest.mark.parametrize("layers", [0, 1])
def test_nodes_are_transformed_summed_and_classified(layers: int) -> None:
    settings = NoStructureClassifier(layers=layers, hidden=5).settings
    network = NoStructureNetwork(settings, NetworkSizes(1, 3)).eval()
    batch = PooledDataset(graphs(EDGES), levels=0).batch([0, 1])
    rows = torch.ones(4, 1)
    if layers:
        (linear,) = network.layers
        rows = (rows @ linear.weight.t() + linear.bias).relu()
    first, _, last = network.head
    expected = last(first(rows.sum(0)).relu())
    torch.testing.assert_close(network(batch), torch.stack([expected, expected]))
    assert last.out_features == 3
