"""The graph isomorphism network against its paper's formulas and PyG's layer."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.models import GINClassifier
from cliquepool.models.gin import GINConvolution, GINNetwork
from cliquepool.nn.network_sizes import NetworkSizes
from tests.helpers.shape_graphs import clique, star

DATA = PooledDataset(GraphDataset.from_graphs([star(3), clique(6)]), levels=0)


def test_a_convolution_adds_each_node_to_the_sum_of_its_neighbours() -> None:
    level = DATA.batch([0]).levels[0]
    x = torch.tensor([[1.0], [10.0], [100.0], [1000.0]])
    convolution = GINConvolution(1, 2, train_eps=True)
    assert convolution.gather(x, level).flatten().tolist() == [1111, 11, 101, 1001]
    with torch.no_grad():
        convolution.eps.fill_(0.5)
    assert convolution.gather(x, level).flatten().tolist() == [1111.5, 16, 151, 1501]


@pytest.mark.parametrize("width", [3, 7], ids=["narrow", "wide"])
@pytest.mark.parametrize("train_eps", [False, True])
def test_a_convolution_equals_that_of_pyg(train_eps: bool, width: int) -> None:
    from torch_geometric.nn import GINConv  # noqa: PLC0415 (slow to import)

    torch.manual_seed(0)
    ours = GINConvolution(width, 5, train_eps=train_eps).eval()
    theirs = GINConv(nn.Sequential(ours.first, ours.rest), train_eps=train_eps)
    level = DATA.batch([0, 1]).levels[0]
    x = torch.randn(level.num_nodes, width)
    if train_eps:
        with torch.no_grad():
            ours.eps.fill_(0.25)
            theirs.eps.fill_(0.25)
    torch.testing.assert_close(ours(x, level), theirs(x, level.edge_index))


def test_scores_add_linear_functions_of_every_layers_sum() -> None:
    settings = GINClassifier(hidden=4, layers=2).settings
    network = GINNetwork(settings, NetworkSizes(1, 3)).eval()
    batch = DATA.batch([0, 1])
    level, x = batch.levels[0], batch.x
    expected = 0
    for convolution, head in zip([None, *network.convolutions], network.heads, strict=True):
        x = x if convolution is None else convolution(x, level)
        expected = expected + head(torch.stack([x[:4].sum(0), x[4:].sum(0)]))
    torch.testing.assert_close(network(batch), expected)
    assert len(network.heads) == 3


def test_mlps_have_two_layers_with_batch_norm_after_each() -> None:
    network = GINNetwork(GINClassifier(hidden=4).settings, NetworkSizes(2, 3))
    assert len(network.convolutions) == 4
    first = network.convolutions[0]
    assert (first.first.in_features, first.first.out_features) == (2, 4)
    kinds = [type(part).__name__ for part in first.rest]
    assert kinds == ["BatchNorm", "ReLU", "Linear", "BatchNorm", "ReLU"]


def test_eps_is_learned_where_asked() -> None:
    fixed, learned = (
        dict(GINNetwork(GINClassifier(train_eps=train).settings, NetworkSizes(2, 3)).named_parameters())
        for train in (False, True)
    )
    assert learned.keys() - fixed.keys() == {f"convolutions.{i}.eps" for i in range(4)}
