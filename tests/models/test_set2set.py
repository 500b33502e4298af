"""The Set2Set readout over GraphSAGE."""

from __future__ import annotations

import pytest
import torch

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.models import Set2SetClassifier
from cliquepool.models.set2set import Set2SetNetwork
from cliquepool.nn.network_sizes import NetworkSizes
from tests.helpers.shape_graphs import clique, star

GRAPHS = [star(3), cp.Graph.from_edges([], num_nodes=1), cp.Graph.from_edges([], num_nodes=0), clique(5)]
DATA = PooledDataset(GraphDataset.from_graphs(GRAPHS), levels=0)


def network(steps: int = 4) -> Set2SetNetwork:
    torch.manual_seed(0)
    settings = Set2SetClassifier(hidden=4, layers=2, steps=steps).settings
    return Set2SetNetwork(settings, NetworkSizes(1, 3)).eval()


def test_a_readout_has_twice_the_features_of_all_layers() -> None:
    assert network().head[0].in_features == 2 * 2 * 4
    assert network()(DATA.batch([0, 1, 2, 3])).shape == (4, 3)


@pytest.mark.parametrize("steps", [1, 3])
def test_the_readout_follows_its_formulas(steps: int) -> None:
    """On one graph: q = LSTM(q*), a = softmax(x q), r = sum of a x, q* = [q, r]."""
    model = network(steps)
    batch = DATA.batch([0])
    x = model.layers(batch)
    query = torch.zeros(1, 16)
    state = (torch.zeros(1, 1, 8), torch.zeros(1, 1, 8))
    for _ in range(steps):
        q, state = model.readout.lstm(query[None], state)
        attention = torch.softmax(x @ q[0, 0], dim=0)
        query = torch.cat([q[0], (attention[:, None] * x).sum(0, keepdim=True)], dim=1)
    torch.testing.assert_close(model(batch), model.head(query))
