"""MinCut: numbers of clusters, the penalty of all poolings, its parameters."""

from __future__ import annotations

import pytest
import torch

from cliquepool.models import MinCutClassifier
from cliquepool.models.min_cut import MinCutNetwork, MinCutSettings, SkipConvolution
from cliquepool.models.network_classifier import pooling_parameters
from cliquepool.nn.graph_operators import DenseGraphs, SparseGraphs
from cliquepool.nn.soft_assignments import soft_pool
from tests.helpers.pool_batches import SIZES, nodes_of, small_batch
from tests.helpers.shape_graphs import shapes


def test_clusters_are_a_share_of_the_mean_number_of_nodes() -> None:
    model = MinCutClassifier(hidden=4, epochs=1, patience=None, validation_fraction=0).fit(shapes())
    assert model.network_.sizes.measured == {"nodes": 5}
    assert [layer.out_features for layer in model.network_.network.assignments] == [3, 2]
    assert model.num_pooling_parameters_ == 5 * 3 + 5 * 2


def test_convolutions_follow_the_formula() -> None:
    torch.manual_seed(0)
    batch = small_batch()
    nodes = nodes_of(batch)
    adjacency = torch.zeros(len(nodes.x), len(nodes.x))
    adjacency[tuple(nodes.edge_index)] = 1
    degrees = adjacency.sum(dim=1)
    scale = torch.where(degrees > 0, degrees.rsqrt(), 0.0)
    convolution = SkipConvolution(3, 4).eval()
    around = (scale[:, None] * adjacency * scale) @ nodes.x @ convolution.around.weight.t()
    expected = (around + convolution.own(nodes.x)) / (1 + convolution.norm.eps) ** 0.5
    assert torch.allclose(convolution(nodes.x, SparseGraphs(batch.levels[0])), expected.relu(), atol=1e-5)


def test_the_penalty_has_both_losses_of_every_pooling() -> None:
    torch.manual_seed(0)
    network = MinCutNetwork(MinCutSettings(hidden=4), SIZES).eval()
    batch = small_batch()
    level = SparseGraphs(batch.levels[0])
    x = network.convolutions[0](batch.x, level)
    first = soft_pool(level, x, network.assignments[0](x))
    coarse = DenseGraphs(first.cut_adjacency())
    x = network.convolutions[1](first.x, coarse)
    second = soft_pool(coarse, x, network.assignments[1](x))
    losses = [loss for one in (first, second) for loss in (one.cut_loss(), one.orthogonality_loss())]
    outputs, penalty = network(batch)
    assert outputs.shape == (5, 2)
    assert penalty.item() == pytest.approx(sum(loss.item() for loss in losses), rel=1e-5)
    assert pooling_parameters(network) == 5 * 4 + 5 * 2
