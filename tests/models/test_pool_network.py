"""The network around poolings: its shape, its readouts, and the selection of nodes for PyG's poolings."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from cliquepool.models.network_classifier import pooling_parameters
from cliquepool.models.pool_network import (
    Nodes,
    PoolNetwork,
    PoolSettings,
    RatioSettings,
    SelectTop,
    jumping_readout,
)
from tests.helpers.pool_batches import SIZES, nodes_of, small_batch


class FirstNodes(nn.Module):
    """Keeps the first node of each graph, and no edges."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(hidden))
        self.seen: list[int] = []

    def forward(self, nodes: Nodes) -> Nodes:
        self.seen.append(len(nodes.x))
        first = torch.cat([torch.tensor([True]), nodes.batch.diff() > 0])
        return Nodes(nodes.x[first] * self.scale, nodes.edge_index[:, :0], None, nodes.batch[first])


def test_graphs_are_pooled_between_each_two_convolutions() -> None:
    network = PoolNetwork(PoolSettings(hidden=8), SIZES, FirstNodes)
    batch = small_batch()
    assert network(batch).shape == (5, 2)
    assert [pool.seen for pool in network.pools] == [[batch.levels[0].num_nodes], [5]]
    assert network.head[0].in_features == 2 * 8 * 3
    assert pooling_parameters(network) == 2 * 8


def test_readouts_are_means_and_maxima_of_each_graph() -> None:
    x = torch.tensor([[1.0, 5.0], [3.0, 1.0], [7.0, 7.0]])
    read = jumping_readout(x, torch.tensor([0, 0, 2]), 3)
    assert read.tolist() == [[2.0, 3.0, 3.0, 5.0], [0.0] * 4, [7.0] * 4]


def test_the_share_of_nodes_is_above_0_and_up_to_1() -> None:
    assert RatioSettings(ratio=1).ratio == 1
    for ratio in (0, 1.1):
        with pytest.raises(ValueError, match="ratio"):
            RatioSettings(ratio=ratio)


def test_the_highest_scores_are_selected_with_their_tangents() -> None:
    selected = SelectTop(0.5)(torch.tensor([[0.1], [3.0], [-2.0], [0.4]]), torch.tensor([0, 0, 0, 1]))
    assert selected.node_index.tolist() == [0, 1, 3]
    assert torch.allclose(selected.weight, torch.tensor([0.1, 3.0, 0.4]).tanh())


def test_edges_weigh_1_unless_a_pooling_says_otherwise() -> None:
    nodes = nodes_of(small_batch())
    assert nodes.weight.tolist() == [1.0] * nodes.edge_index.shape[1]
    assert nodes._replace(edge_weight=nodes.weight * 2).weight.tolist() == [2.0] * nodes.edge_index.shape[1]
