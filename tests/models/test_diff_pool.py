"""DiffPool: clusters by the largest graph, layers, penalties with and without link prediction, names."""

from __future__ import annotations

import pytest
import torch

from cliquepool.models import DiffPoolClassifier
from cliquepool.models.diff_pool import DiffPoolNetwork, DiffPoolSettings, SAGELayers
from cliquepool.models.network_classifier import pooling_parameters
from cliquepool.nn.graph_operators import DenseGraphs, SparseGraphs
from cliquepool.nn.soft_assignments import soft_pool
from tests.helpers.pool_batches import SIZES, nodes_of, small_batch
from tests.helpers.shape_graphs import shapes


def test_both_rows_of_the_table_have_names_of_their_own() -> None:
    assert DiffPoolClassifier().describe()[0] == "DiffPool"
    name, settings = DiffPoolClassifier(link_prediction=False).describe()
    assert name == "DiffPool, no link prediction"
    assert settings["link_prediction"] is False


def test_clusters_are_a_share_of_the_nodes_of_the_largest_graph() -> None:
    model = DiffPoolClassifier(hidden=4, layers=1, epochs=1, patience=None, validation_fraction=0)
    fitted = model.fit(shapes())
    assert fitted.network_.sizes.measured == {"nodes": 7}
    assert [layer.score.out_features for layer in fitted.network_.network.assignments] == [2, 1]
    bounded = DiffPoolNetwork(DiffPoolSettings(ratio=1.0, max_clusters=5), SIZES)
    assert [layer.score.out_features for layer in bounded.assignments] == [5, 5]


def test_the_parameters_of_the_pooling_are_those_of_the_assignments() -> None:
    network = DiffPoolNetwork(DiffPoolSettings(hidden=4, layers=1, pools=1), SIZES)
    # Own and neighbours' weights, a bias, batch norm; then 2 clusters.
    assert pooling_parameters(network) == (3 * 4 + 4 + 3 * 4 + 2 * 4) + (4 * 2 + 2)


def test_layers_follow_the_formula_and_are_put_side_by_side() -> None:
    torch.manual_seed(0)
    batch = small_batch()
    nodes = nodes_of(batch)
    adjacency = torch.zeros(len(nodes.x), len(nodes.x))
    adjacency[tuple(nodes.edge_index)] = 1
    mean = adjacency / adjacency.sum(dim=1, keepdim=True).clamp(min=1)
    layers = SAGELayers(3, 4, 2).eval()
    x, expected = nodes.x, []
    for own, around, norm in zip(layers.own, layers.around, layers.norms, strict=True):
        y = own(x) + around(mean @ x)
        x = (y / y.norm(dim=1, keepdim=True)).relu() / (1 + norm.eps) ** 0.5
        expected.append(x)
    found = layers(nodes.x, SparseGraphs(batch.levels[0]))
    assert torch.allclose(found, torch.cat(expected, dim=1), atol=1e-5)


@pytest.mark.parametrize("link_prediction", [True, False])
def test_the_penalty_has_the_losses_of_every_pooling(link_prediction: bool) -> None:
    torch.manual_seed(0)
    network = DiffPoolNetwork(DiffPoolSettings(hidden=4, link_prediction=link_prediction), SIZES).eval()
    batch = small_batch()
    level = SparseGraphs(batch.levels[0])
    first = soft_pool(level, network.embeddings[0](batch.x, level), network.assignments[0](batch.x, level))
    coarse = DenseGraphs(first.adjacency)
    embedded, scores = network.embeddings[1](first.x, coarse), network.assignments[1](first.x, coarse)
    second = soft_pool(coarse, embedded, scores)
    losses = [pooled.entropy_loss().item() for pooled in (first, second)]
    if link_prediction:
        losses += [pooled.link_loss().item() for pooled in (first, second)]
    outputs, penalty = network(batch)
    assert outputs.shape == (5, 2)
    assert penalty.item() == pytest.approx(sum(losses), rel=1e-5)
