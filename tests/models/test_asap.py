"""ASAP: features and edges of the kept clusters as PyG computes them; gradients of the weights of edges."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.nn import ASAPooling

from cliquepool.models.asap import ASAPool
from cliquepool.models.pool_network import SelectTop
from tests.helpers.pool_batches import nodes_of, small_batch


@pytest.mark.filterwarnings("ignore:Sparse")  # of the format that PyG multiplies sparse matrices in
def test_clusters_are_those_of_pyg() -> None:
    torch.manual_seed(0)
    nodes = nodes_of(small_batch())
    ours, pygs = ASAPool(3, 0.5), ASAPooling(3, 0.5)
    pygs.select = SelectTop(0.5)
    for mine, theirs in ((ours.query, pygs.lin), (ours.attention, pygs.att), (ours.fitness, pygs.gnn_score)):
        theirs.load_state_dict(mine.state_dict())
    pooled = ours(nodes)
    x, edge_index, weight, batch, _ = pygs(nodes.x, nodes.edge_index, nodes.weight, batch=nodes.batch)
    assert torch.allclose(pooled.x, x, atol=1e-6)
    assert torch.equal(pooled.batch, batch)
    order = (edge_index[0] * len(x) + edge_index[1]).argsort()
    assert torch.equal(pooled.edge_index, edge_index[:, order])
    assert pooled.edge_weight is not None
    assert torch.allclose(pooled.edge_weight, weight[order], atol=1e-6)


def test_the_weights_of_edges_have_gradients() -> None:
    torch.manual_seed(0)
    pool = ASAPool(3, 0.5)
    pooled = pool(nodes_of(small_batch()))
    assert pooled.edge_weight is not None
    pooled.edge_weight.square().sum().backward()
    assert pool.attention.weight.grad is not None
    assert pool.attention.weight.grad.abs().sum() > 0
