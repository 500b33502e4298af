"""Graphs as linear operators: sparse, weighted and dense ones compute the same."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.nn.graph_operators import DenseGraphs, GraphOperator, SparseGraphs, WeightedGraphs
from cliquepool.nn.matching import Clusters

EDGES = [[(0, 1), (1, 2), (0, 2), (2, 3)], [(0, 1), (1, 2), (2, 3)]]
LEVEL = (
    PooledDataset(
        GraphDataset.from_graphs([cp.Graph.from_edges(edges, num_nodes=4) for edges in EDGES]), levels=0
    )
    .batch([0, 1])
    .levels[0]
)
DENSE = torch.zeros(2, 4, 4)
for _graph, _edges in enumerate(EDGES):
    for _i, _j in _edges:
        DENSE[_graph, _i, _j] = DENSE[_graph, _j, _i] = 1


def flat(x: Tensor) -> Tensor:
    return x.reshape(-1, *x.shape[2:])


@pytest.mark.parametrize("graphs", [SparseGraphs(LEVEL), WeightedGraphs.of(LEVEL)])
def test_graphs_end_to_end_compute_what_dense_ones_do(graphs: GraphOperator) -> None:
    torch.manual_seed(0)
    dense = DenseGraphs(DENSE)
    x, s = torch.randn(2, 4, 3), torch.rand(2, 4, 2)
    for name in ("multiply", "mean_of_neighbours", "normalised_multiply"):
        assert torch.allclose(getattr(graphs, name)(flat(x)), flat(getattr(dense, name)(x)), atol=1e-6), name
    assert torch.allclose(graphs.project(flat(s), flat(x)), dense.project(s, x), atol=1e-6)
    assert torch.allclose(graphs.mean_and_max(flat(x)), dense.mean_and_max(x), atol=1e-6)
    assert torch.allclose(graphs.sum(flat(s[..., 0])), dense.sum(s[..., 0]))
    assert torch.equal(graphs.degrees, flat(dense.degrees))
    assert torch.equal(graphs.squared_norms, dense.squared_norms)
    assert graphs.sizes.tolist() == dense.sizes.tolist() == [4, 4]


def test_nodes_without_neighbours_get_zero() -> None:
    dense = DenseGraphs(torch.zeros(1, 3, 3))
    x = torch.ones(1, 3, 2, requires_grad=True)
    dense.normalised_multiply(x).sum().backward()
    assert dense.mean_of_neighbours(x).abs().sum() == 0
    assert x.grad is not None
    assert bool(x.grad.isfinite().all())


def test_coarsening_keeps_graphs_apart_and_sums_weights() -> None:
    graphs = WeightedGraphs.of(LEVEL)
    clusters = Clusters(torch.tensor([0, 0, 0, 1, 2, 2, 3, 3]), 4)
    coarse = graphs.coarsened(clusters, loops=True)
    assert coarse.sizes.tolist() == [2, 2]
    assert coarse.degrees.tolist() == [7.0, 1.0, 3.0, 3.0]
    assert graphs.coarsened(clusters).degrees.tolist() == [1.0, 1.0, 1.0, 1.0]
