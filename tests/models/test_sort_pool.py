"""SortPooling against its paper: convolution, order, ties, padding, and the number of nodes kept."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.models import SortPoolClassifier
from cliquepool.models.sort_pool import DGCNNConvolution, SortPoolNetwork, first_nodes, sort_nodes
from cliquepool.nn.network_sizes import NetworkSizes
from tests.helpers.shape_graphs import clique, path, star

DATA = PooledDataset(GraphDataset.from_graphs([star(3), clique(6)]), levels=0)


def test_a_convolution_averages_over_each_node_and_its_neighbours() -> None:
    convolution = DGCNNConvolution(1, 1)
    with torch.no_grad():
        convolution.linear.weight.fill_(0.5)
    x = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
    expected = torch.tensor([[10 / 4], [3 / 2], [4 / 2], [5 / 2]]) * 0.5
    torch.testing.assert_close(convolution(x, DATA.batch([0]).levels[0]), expected.tanh())


def test_nodes_are_sorted_by_their_last_feature_and_ties_by_those_before() -> None:
    x = torch.tensor([[0.0, 1, 5], [0, 2, 7], [1, 3, 5], [2, 3, 5], [9, 0, 6], [0, 0, 8]])
    assert sort_nodes(x, torch.tensor([0, 0, 0, 0, 0, 1])).tolist() == [1, 4, 3, 2, 0, 5]


@given(
    rows=st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3).map(tuple), min_size=1, max_size=12),
    seed=st.integers(0, 99),
)
def test_sorted_rows_do_not_depend_on_the_order_of_nodes(rows: list[tuple[int, ...]], seed: int) -> None:
    x = torch.tensor(rows, dtype=torch.float32)
    graph = torch.arange(len(rows)) * 2 // len(rows)
    for part in (graph == 0, graph == 1):
        nodes = part.nonzero().view(-1)
        expected = sorted((rows[i][::-1] for i in nodes.tolist()), reverse=True)
        found = [tuple(x[i].tolist())[::-1] for i in sort_nodes(x, graph).tolist() if part[i]]
        assert found == expected
    shuffled = torch.from_numpy(np.random.default_rng(seed).permutation(len(rows)))
    first, second = (y[sort_nodes(y, torch.zeros_like(graph))] for y in (x, x[shuffled]))
    assert torch.equal(first, second)


def test_the_first_nodes_are_kept_and_small_graphs_padded_with_zeros() -> None:
    level = DATA.batch([0, 1]).levels[0]
    x = torch.arange(1.0, 11)[:, None].requires_grad_()
    first = first_nodes(x, level, 5)
    assert first[..., 0].tolist() == [[1, 2, 3, 4, 0], [5, 6, 7, 8, 9]]
    first.sum().backward()
    assert x.grad.flatten().tolist() == [1] * 9 + [0]


@pytest.mark.parametrize(("sizes", "k"), [(range(11, 21), 14), ([30] * 5, 29), ([3, 4, 5], 10)])
def test_more_than_k_nodes_are_in_three_of_five_training_graphs(sizes: list[int], k: int) -> None:
    graphs = [path(size - 1) for size in sizes] + [path(100)]
    data = PooledDataset(GraphDataset.from_graphs(graphs), levels=0)
    training = np.arange(len(graphs) - 1)
    assert SortPoolClassifier()._measure(data, training) == {"k": k}


def test_channels_are_those_of_the_paper() -> None:
    network = SortPoolNetwork(SortPoolClassifier().settings, NetworkSizes(7, 2, {"k": 30}))
    shapes = [tuple(c.linear.weight.shape) for c in network.convolutions]
    assert shapes == [(32, 7), (32, 32), (32, 32), (1, 32)]
    assert tuple(network.of_node.weight.shape) == (16, 97)
    assert tuple(network.of_pairs[1].weight.shape) == (32, 16, 5)
    assert [network.head[0].in_features, network.head[0].out_features] == [32 * 11, 128]
    assert network.head[2].p == 0.5


def test_a_node_of_a_pair_that_is_padded_counts_as_zeros() -> None:
    """The largest output of a pair is taken, so a padding row can count only where ReLU of its bias does."""
    torch.manual_seed(1)
    network = SortPoolNetwork(SortPoolClassifier().settings, NetworkSizes(1, 2, {"k": 10})).eval()
    empty = PooledDataset(GraphDataset.from_graphs([cp.Graph.from_edges([], num_nodes=0)]), levels=0)
    rows = network.of_node.bias.relu().expand(1, 10, 16).transpose(1, 2)
    torch.testing.assert_close(network(empty.batch([0])), network.head(network.of_pairs(rows)))
