"""DiffPool with deterministic clusters: a quarter of the nodes, summed features, no parameters."""

from __future__ import annotations

import torch

import cliquepool as cp
from cliquepool.models.diff_pool_det import DiffPoolDetNetwork, DiffPoolDetSettings, repeated_matching
from cliquepool.models.network_classifier import pooling_parameters
from cliquepool.nn.graph_operators import WeightedGraphs
from tests.helpers.pool_batches import SIZES, batch_of, small_batch


def test_two_matchings_leave_a_quarter_of_the_nodes_of_a_clique() -> None:
    graph = cp.Graph.from_edges([(i, j) for i in range(16) for j in range(i)])
    graphs = WeightedGraphs.of(batch_of([graph, graph]).levels[0])
    clusters = repeated_matching(graphs, 2)
    assert clusters.count == 8
    assert clusters.sizes.tolist() == [4] * 8
    assert repeated_matching(graphs, 1).count == 16


def test_coarse_graphs_are_products_with_the_assignments() -> None:
    batch = small_batch()
    graphs = WeightedGraphs.of(batch.levels[0])
    clusters = repeated_matching(graphs, 2)
    s = torch.nn.functional.one_hot(clusters.of_node, clusters.count).float()
    adjacency = torch.zeros(len(s), len(s))
    adjacency[tuple(graphs.edge_index)] = 1
    coarse = graphs.coarsened(clusters, loops=True)
    x = torch.randn(clusters.count, 2)
    assert torch.allclose(coarse.multiply(x), s.t() @ adjacency @ s @ x, atol=1e-5)
    assert torch.allclose(clusters.sum(batch.x), s.t() @ batch.x, atol=1e-5)


def test_the_pooling_has_no_parameters() -> None:
    network = DiffPoolDetNetwork(DiffPoolDetSettings(hidden=4), SIZES)
    assert pooling_parameters(network) == 0
    assert network(small_batch()).shape == (5, 2)
