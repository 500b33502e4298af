"""EdgePool: equal to PyG's loop over edges; scores and contracted features by hand."""

from __future__ import annotations

import networkx as nx
import pytest
import torch
from torch_geometric.nn import EdgePooling

import cliquepool as cp
from cliquepool.models.edge_pool import EdgePool
from tests.helpers.pool_batches import batch_of, nodes_of, small_batch
from tests.helpers.shape_graphs import path


@pytest.mark.parametrize("seed", range(5))
def test_contracts_the_edges_that_pygs_loop_contracts(seed: int) -> None:
    torch.manual_seed(seed)
    # No two nodes have the same neighbours: the scores of edges to them would be equal.
    irregular = cp.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 2), (3, 5), (1, 6)])
    nodes = nodes_of(batch_of([irregular, path(7), irregular]))
    ours, pygs = EdgePool(3), EdgePooling(3)
    pygs.lin.load_state_dict(ours.score.state_dict())
    pooled = ours(nodes)
    x, edge_index, batch, info = pygs(nodes.x, nodes.edge_index, nodes.batch)
    # PyG numbers clusters by score; ours are ordered by their smallest nodes.
    first_nodes = [int(torch.nonzero(info.cluster == cluster)[0, 0]) for cluster in range(len(x))]
    order = torch.tensor(first_nodes).argsort()
    assert torch.allclose(pooled.x, x[order], atol=1e-6)
    assert torch.equal(pooled.batch, batch[order])
    edges = order.argsort()[edge_index[:, edge_index[0] != edge_index[1]]]
    assert set(map(tuple, pooled.edge_index.t().tolist())) == set(map(tuple, edges.t().tolist()))


def test_contracts_nearly_the_same_edges_as_pygs_loop_where_scores_lie_close_together() -> None:
    torch.manual_seed(0)
    graph = cp.Graph.from_networkx(nx.gnp_random_graph(150, 0.5, seed=0))
    nodes = nodes_of(batch_of([graph]))
    ours, pygs = EdgePool(3), EdgePooling(3)
    pygs.lin.load_state_dict(ours.score.state_dict())
    found, expected = ours(nodes).x, pygs(nodes.x, nodes.edge_index, nodes.batch)[0]
    same = (torch.cdist(found, expected).amin(dim=1) < 1e-5).sum()
    assert same > 0.8 * len(expected)


def test_scores_are_softmaxes_over_the_edges_to_a_node() -> None:
    pool = EdgePool(1)
    with torch.no_grad():
        pool.score.weight.copy_(torch.tensor([[1.0, 10.0]]))
        pool.score.bias.fill_(3.0)
    # A path 0-1-2 with features 0, 1, 2: node 1 is reached with raw scores 0 + 10 + 3 and 2 + 10 + 3.
    x, edge_index = torch.tensor([[0.0], [1.0], [2.0]]), torch.tensor([[0, 1, 2, 1], [1, 0, 1, 2]])
    share = 1 / (1 + torch.tensor(2.0).exp().item())
    assert pool.scores(x, edge_index).tolist() == pytest.approx([share, 1.0, 1 - share, 1.0], abs=1e-5)


def test_nodes_without_a_partner_keep_their_features() -> None:
    nodes = nodes_of(small_batch())
    pooled = EdgePool(3)(nodes)
    assert torch.equal(pooled.x[pooled.batch >= 3], nodes.x[nodes.batch >= 3])
    assert torch.bincount(pooled.batch).tolist()[:2] == [4, 2]
