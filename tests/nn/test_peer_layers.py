"""The parts that networks of the comparison share."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import cliquepool as cp
from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.nn.peer_layers import BatchNorm, PyGInput, linear, mlp, sum_features, sum_nodes
from tests.helpers.shape_graphs import clique, described, star


def test_inputs_of_pyg_are_those_of_the_first_level() -> None:
    graphs = [star(2), cp.Graph.from_edges([], num_nodes=1), clique(5)]
    batch = PooledDataset(GraphDataset.from_graphs(graphs), levels=1).batch([2, 1, 0])
    given = PyGInput.of(batch)
    assert given.x.shape == (9, 1)
    assert given.batch.tolist() == [0] * 5 + [1] + [2] * 3
    assert given.num_graphs == 3
    edges = {tuple(edge) for edge in given.edge_index.t().tolist()}
    assert edges == {(i, j) for i in range(5) for j in range(5) if i != j} | {(6, 7), (7, 6), (6, 8), (8, 6)}
    assert given.edge_attr is None


def test_nodes_are_summed_by_graph() -> None:
    graphs = [star(2), cp.Graph.from_edges([], num_nodes=1), cp.Graph.from_edges([], num_nodes=0)]
    batch = PooledDataset(GraphDataset.from_graphs(graphs), levels=0).batch([1, 2, 0])
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    assert sum_nodes(x, batch.levels[0]).tolist() == [[1, 2], [0, 0], [15, 18]]


@pytest.mark.parametrize("kind", ["labels", "attributes", "both", "degree"])
def test_features_are_multiplied_and_summed_as_if_dense(kind: Any) -> None:
    data = described()
    batch = PooledDataset(data, levels=0).batch([3, 0, 7], FeatureEncoder.fit(data, kind=kind).encode(data))
    torch.testing.assert_close(sum_features(batch), sum_nodes(batch.x, batch.levels[0]))
    layer = torch.nn.Linear(batch.x.shape[1], 4)
    torch.testing.assert_close(linear(layer, batch.nodes), layer(batch.x))
    torch.testing.assert_close(linear(layer, batch.x), layer(batch.x))


def test_batch_norm_takes_a_single_row_while_training() -> None:
    norm = BatchNorm(2)
    rows = torch.tensor([[1.0, -2.0], [3.0, 6.0]])
    expected = torch.nn.BatchNorm1d(2)(rows)
    torch.testing.assert_close(norm(rows), expected)
    mean, variance = norm.running_mean.clone(), norm.running_var.clone()
    torch.testing.assert_close(norm(rows[:1]), (rows[:1] - mean) / (variance + norm.eps).sqrt())
    assert norm(rows[:0]).shape == (0, 2)
    torch.testing.assert_close(norm.running_mean, mean)
    assert norm.eval()(rows).shape == (2, 2)


def test_batch_norm_of_a_single_row_has_gradients() -> None:
    norm = BatchNorm(3)
    norm(torch.ones(1, 3)).sum().backward()
    assert norm.bias.grad.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, ["Linear", "ReLU", "Linear"]),
        ({"dropout": 0.5}, ["Linear", "ReLU", "Dropout", "Linear"]),
        ({"dropout": 0.5, "batch_norm": True}, ["Linear", "BatchNorm", "ReLU", "Dropout", "Linear"]),
    ],
)
def test_norms_and_dropout_of_an_mlp_are_between_its_layers(
    parts: dict[str, object], expected: list[str]
) -> None:
    network = mlp([2, 3, 4], **parts)
    assert [type(layer).__name__ for layer in network] == expected
    assert network(torch.zeros(5, 2)).shape == (5, 4)
