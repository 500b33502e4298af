"""Soft assignments against the formulas of DiffPool and MinCut, written out with dense matrices."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.nn.graph_operators import DenseGraphs, SparseGraphs
from cliquepool.nn.soft_assignments import SoftPooling, soft_pool

PAW = [(0, 1), (1, 2), (0, 2), (2, 3)]


def sparse(*graphs: cp.Graph) -> SparseGraphs:
    data = PooledDataset(GraphDataset.from_graphs(list(graphs)), levels=0)
    return SparseGraphs(data.batch(range(len(graphs))).levels[0])


def paw() -> tuple[SparseGraphs, Tensor]:
    adjacency = torch.zeros(4, 4)
    for i, j in PAW:
        adjacency[i, j] = adjacency[j, i] = 1
    return sparse(cp.Graph.from_edges(PAW)), adjacency


def test_hard_assignments_of_the_paw_by_hand() -> None:
    graphs, _ = paw()
    # Clusters {0, 1, 2} and {3}: three edges within the first, one between them.
    logits = torch.tensor([[0.0, -200.0]] * 3 + [[-200.0, 0.0]])
    pooled = soft_pool(graphs, torch.tensor([[1.0], [2.0], [4.0], [8.0]]), logits)
    assert pooled.x.tolist() == [[[7.0], [8.0]]]
    assert pooled.adjacency.tolist() == [[[6.0, 1.0], [1.0, 0.0]]]
    assert pooled.overlap.tolist() == [[[3.0, 0.0], [0.0, 1.0]]]
    # A - S Sᵀ differs by 1 on the diagonal (4 entries) and on the edge between clusters (2 entries).
    assert pooled.link_loss().item() == pytest.approx(math.sqrt(6) / 16)
    assert pooled.entropy_loss().item() == pytest.approx(0, abs=1e-6)
    # tr(Sᵀ A S) = 6 over the sum of all degrees, 8.
    assert pooled.cut_loss().item() == pytest.approx(-6 / 8)
    norm = math.sqrt(10)
    expected = math.hypot(3 / norm - 1 / math.sqrt(2), 1 / norm - 1 / math.sqrt(2))
    assert pooled.orthogonality_loss().item() == pytest.approx(expected)
    assert pooled.cut_adjacency().tolist() == [[[0.0, 1.0], [1.0, 0.0]]]


def test_soft_assignments_follow_the_dense_formulas() -> None:
    torch.manual_seed(0)
    graphs, adjacency = paw()
    x, logits = torch.randn(4, 3), torch.randn(4, 2)
    s = torch.softmax(logits, dim=1)
    pooled = soft_pool(graphs, x, logits)
    assert torch.allclose(pooled.x[0], s.t() @ x, atol=1e-6)
    assert torch.allclose(pooled.adjacency[0], s.t() @ adjacency @ s, atol=1e-6)
    assert pooled.link_loss().item() == pytest.approx(torch.linalg.norm(adjacency - s @ s.t()).item() / 16)
    assert pooled.entropy_loss().item() == pytest.approx(-(s * s.log()).sum(dim=1).mean().item(), rel=1e-5)
    degrees = torch.diag(adjacency.sum(dim=1))
    cut = torch.trace(s.t() @ adjacency @ s) / torch.trace(s.t() @ degrees @ s)
    assert pooled.cut_loss().item() == pytest.approx(-cut.item(), rel=1e-5)
    overlap = s.t() @ s
    orthogonal = overlap / torch.linalg.norm(overlap) - torch.eye(2) / math.sqrt(2)
    assert pooled.orthogonality_loss().item() == pytest.approx(torch.linalg.norm(orthogonal).item(), rel=1e-5)
    coarse = (s.t() @ adjacency @ s) * (1 - torch.eye(2))
    root = coarse.sum(dim=1).rsqrt()
    assert torch.allclose(pooled.cut_adjacency()[0], root[:, None] * coarse * root, atol=1e-6)


def losses(pooled: SoftPooling) -> Tensor:
    names = ("link_loss", "entropy_loss", "cut_loss", "orthogonality_loss")
    return torch.stack([getattr(pooled, name)() for name in names])


def test_losses_are_means_over_graphs_of_any_sizes() -> None:
    torch.manual_seed(0)
    graphs = [cp.Graph.from_edges(PAW), cp.Graph.from_edges([(0, 1)]), cp.Graph.from_edges([], num_nodes=1)]
    x, logits = torch.randn(7, 3), torch.randn(7, 2)
    parts = zip(graphs, x.split([4, 2, 1]), logits.split([4, 2, 1]), strict=True)
    alone = [soft_pool(sparse(graph), *rows) for graph, *rows in parts]
    together = soft_pool(sparse(*graphs), x, logits)
    assert torch.allclose(together.x, torch.cat([one.x for one in alone]), atol=1e-6)
    assert torch.allclose(
        losses(together), torch.stack([losses(one) for one in alone]).mean(dim=0), atol=1e-6
    )


def test_graphs_without_edges_have_finite_losses_and_gradients() -> None:
    logits = torch.zeros(3, 2, requires_grad=True)
    pooled = soft_pool(sparse(cp.Graph.from_edges([], num_nodes=3)), torch.ones(3, 1), logits)
    (losses(pooled).sum() + pooled.cut_adjacency().sum()).backward()
    assert bool(losses(pooled).isfinite().all())
    assert pooled.cut_loss().item() == 0
    assert logits.grad is not None
    assert bool(logits.grad.isfinite().all())


def test_dense_graphs_are_pooled_again() -> None:
    torch.manual_seed(0)
    graphs, adjacency = paw()
    x, logits = torch.randn(4, 3), torch.randn(4, 2)
    once, again = soft_pool(graphs, x, logits), soft_pool(DenseGraphs(adjacency[None]), x[None], logits[None])
    assert torch.allclose(once.x, again.x, atol=1e-6)
    assert torch.allclose(losses(once), losses(again), atol=1e-6)
