"""Sparse HGC against the formulas of Cangea et al.: convolution, gate, number of kept nodes, readout."""

from __future__ import annotations

import math

import torch
from torch_geometric.nn import TopKPooling

from cliquepool.models import SparseHGCClassifier
from cliquepool.models.network_classifier import pooling_parameters
from cliquepool.models.sparse_hgc import GatedTopK, SparseHGCNetwork, SparseHGCSettings
from tests.helpers.pool_batches import SIZES, nodes_of, small_batch


def test_nodes_are_kept_by_projection_and_gated_by_its_tangent() -> None:
    torch.manual_seed(0)
    nodes = nodes_of(small_batch())
    pool = TopKPooling(3, 0.8)
    pool.select = GatedTopK(3, 0.8)
    with torch.no_grad():
        pool.select.weight.copy_(torch.tensor([[1.0, -2.0, 2.0]]))
    x, edge_index, _, batch, kept, _ = pool(nodes.x, nodes.edge_index, batch=nodes.batch)
    y = nodes.x @ torch.tensor([1.0, -2.0, 2.0]) / 3
    assert torch.allclose(x, (nodes.x * y.tanh()[:, None])[kept])
    for graph, count in enumerate(torch.bincount(nodes.batch).tolist()):
        mine = torch.nonzero(nodes.batch == graph).view(-1)
        chosen = kept[batch == graph].tolist()
        assert len(chosen) == math.ceil(0.8 * count)
        assert set(chosen) == set(mine[y[mine].argsort(descending=True)[: len(chosen)]].tolist())
    position = {node: index for index, node in enumerate(kept.tolist())}
    expected = {
        (position[i], position[j])
        for i, j in nodes.edge_index.t().tolist()
        if i in position and j in position
    }
    assert set(map(tuple, edge_index.t().tolist())) == expected


def test_nodes_are_kept_by_large_projections_whose_tangents_are_equal() -> None:
    select = GatedTopK(1, 1 / 3)
    with torch.no_grad():
        select.weight.fill_(1.0)
    kept = select(torch.arange(1.0, 13.0)[:, None], torch.zeros(12, dtype=torch.long))
    assert kept.node_index.tolist() == [8, 9, 10, 11]


def test_the_first_block_follows_the_formula() -> None:
    torch.manual_seed(0)
    network = SparseHGCNetwork(SparseHGCSettings(layers=1, hidden=4, ratio=1.0, dropout=0.0), SIZES).eval()
    batch = small_batch()
    nodes, num_nodes = nodes_of(batch), batch.levels[0].num_nodes
    looped = torch.eye(num_nodes)
    looped[tuple(nodes.edge_index)] = 1
    convolution = network.convolutions[0]
    mean = looped @ nodes.x / looped.sum(dim=1, keepdim=True)
    x = (convolution.lin_l(mean) + convolution.lin_r(nodes.x)).relu()
    p = network.pools[0].select.weight.view(-1)
    x = x * (x @ p / p.norm()).tanh()[:, None]
    rows = [x[nodes.batch == graph] for graph in range(5)]
    read = torch.stack([torch.cat([of_one.mean(dim=0), of_one.amax(dim=0)]) for of_one in rows])
    assert torch.allclose(network(batch), network.head(read), atol=1e-5)


def test_readouts_of_all_blocks_are_added() -> None:
    network = SparseHGCNetwork(SparseHGCSettings(hidden=4), SIZES)
    assert network.head[0].in_features == 2 * 4
    assert pooling_parameters(network) == 3 * 4
    assert SparseHGCClassifier().settings.ratio == 0.8
