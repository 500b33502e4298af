"""k-MIS pooling: the chosen nodes by score and walks, clusters within k steps, gated means."""

from __future__ import annotations

import pytest
import torch

import cliquepool as cp
from cliquepool.models.k_mis import KMISPool
from tests.helpers.pool_batches import batch_of, nodes_of, small_batch

PATH = cp.Graph.from_edges([(i, i + 1) for i in range(6)])


@pytest.mark.parametrize(
    ("k", "clusters"), [(1, [[0, 1], [2, 3], [4, 5, 6]]), (2, [[0, 1, 2], [3, 4, 5, 6]])]
)
def test_nodes_join_the_first_chosen_within_k_steps(k: int, clusters: list[list[int]]) -> None:
    # The score falls along the path so fast that the number of walks does not matter.
    x = torch.linspace(0, -30, 7)[:, None]
    pool = KMISPool(1, k)
    with torch.no_grad():
        pool.score.weight.fill_(1.0)
        pool.score.bias.fill_(0.0)
    pooled = pool(nodes_of(batch_of([PATH]), x))
    gated = x * x.sigmoid()
    assert torch.allclose(pooled.x, torch.stack([gated[members].mean(dim=0) for members in clusters]))
    joined = [[i, i + 1] for i in range(len(clusters) - 1)]
    assert sorted(pooled.edge_index.t().tolist()) == sorted([*joined, *[pair[::-1] for pair in joined]])


def test_equal_scores_prefer_nodes_of_low_degree() -> None:
    pool = KMISPool(3, 1)
    with torch.no_grad():
        pool.score.weight.zero_()
    pooled = pool(nodes_of(small_batch()))
    # All four leaves of the star, one node of the clique; nodes without edges stay.
    counts = torch.bincount(pooled.batch).tolist()
    assert [counts[0], counts[1], *counts[3:]] == [4, 1, 2, 1]
    assert counts[2] in {2, 3}
