"""SAGPool: scores by a graph convolution, the share of nodes, the gate."""

from __future__ import annotations

import math

import torch

from cliquepool.models.sag_pool import SAGPool
from tests.helpers.pool_batches import batch_of, nodes_of
from tests.helpers.shape_graphs import path, star


def test_nodes_are_kept_by_a_convolution_and_gated_by_its_tangent() -> None:
    torch.manual_seed(0)
    # No clique: its nodes have equal scores.
    nodes = nodes_of(batch_of([star(4), path(6), star(2), path(0)]))
    pool = SAGPool(3, 0.5)
    looped = torch.eye(len(nodes.x))
    looped[tuple(nodes.edge_index)] = 1
    scale = looped.sum(dim=1).rsqrt()
    convolution = pool.pool.gnn
    score = (scale[:, None] * looped * scale) @ nodes.x @ convolution.lin.weight.t() + convolution.bias
    pooled = pool(nodes)
    start = 0
    for graph, count in enumerate(torch.bincount(nodes.batch).tolist()):
        of_graph = score.view(-1)[start : start + count]
        kept = of_graph.topk(math.ceil(count / 2)).indices.sort().values + start
        assert torch.allclose(pooled.x[pooled.batch == graph], nodes.x[kept] * score[kept].tanh(), atol=1e-6)
        start += count


def test_the_pooling_has_the_parameters_of_one_convolution() -> None:
    assert sum(parameter.numel() for parameter in SAGPool(64, 0.5).parameters()) == 65
