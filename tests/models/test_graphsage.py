"""GraphSAGE with a readout of all layers, against its formulas."""

from __future__ import annotations

import pytest
import torch

import cliquepool as cp
from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.models import GraphSAGEClassifier
from cliquepool.models.graphsage import GraphSAGENetwork, SAGELayers
from cliquepool.nn.network_sizes import NetworkSizes
from tests.helpers.shape_graphs import clique, star

DATA = PooledDataset(
    GraphDataset.from_graphs([star(3), cp.Graph.from_edges([], num_nodes=1), clique(6)]), levels=0
)


@pytest.mark.parametrize("hidden", [3, 16], ids=["wide features", "narrow features"])
def test_layers_are_those_of_pyg_with_relu_side_by_side(hidden: int) -> None:
    from torch_geometric.nn import SAGEConv  # noqa: PLC0415 (slow to import)

    torch.manual_seed(0)
    encoded = FeatureEncoder.fit(DATA.dataset).encode(DATA.dataset)
    layers = SAGELayers(encoded.width, hidden, 2)
    batch = DATA.batch([0, 1, 2], encoded)
    x, expected = batch.x, []
    for convolution in layers.convolutions:
        theirs = SAGEConv(x.shape[1], hidden)
        theirs.lin_l.load_state_dict(convolution.neighbours.state_dict())
        theirs.lin_r.load_state_dict(convolution.own.state_dict())
        x = theirs(x, batch.levels[0].edge_index).relu()
        expected.append(x)
    torch.testing.assert_close(layers(batch), torch.cat(expected, dim=1))
    assert layers.out_features == 2 * hidden


def test_the_readout_is_the_maximum_over_nodes_of_every_layer() -> None:
    network = GraphSAGENetwork(GraphSAGEClassifier(hidden=4).settings, NetworkSizes(1, 2)).eval()
    batch = DATA.batch([0, 1])
    x = network.layers(batch)
    expected = network.head(torch.stack([x[:4].amax(0), x[4]]))
    torch.testing.assert_close(network(batch), expected)
    assert x.shape == (5, 12)
