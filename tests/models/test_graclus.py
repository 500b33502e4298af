"""Graclus pooling: pairs with the means of their features, weighted coarse edges, no parameters."""

from __future__ import annotations

import torch

import cliquepool as cp
from cliquepool.models.graclus import GraclusPool
from tests.helpers.pool_batches import batch_of, nodes_of, small_batch


def test_pairs_have_the_means_of_their_features_and_summed_edges() -> None:
    # Two triangles, joined by an edge between their tips 2 and 3: 0-1 and 4-5 have the highest cut.
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]
    nodes = nodes_of(batch_of([cp.Graph.from_edges(edges)]), torch.arange(6.0)[:, None])
    pooled = GraclusPool()(nodes)
    assert pooled.x.view(-1).tolist() == [0.5, 2.5, 4.5]
    assert pooled.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert pooled.weight.tolist() == [2.0, 2.0, 2.0, 2.0]


def test_every_graph_is_left_with_at_least_half_of_its_nodes() -> None:
    nodes = nodes_of(small_batch())
    once = GraclusPool()(nodes)
    again = GraclusPool()(once)
    # A star has one edge in a matching; the cycle has a maximal matching of two or three edges.
    assert torch.bincount(once.batch).tolist() in ([4, 2, 3, 2, 1], [4, 2, 4, 2, 1])
    assert (torch.bincount(again.batch) * 2 >= torch.bincount(once.batch)).all()
    assert not list(GraclusPool().parameters())
