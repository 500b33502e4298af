"""PATCHY-SAN: its network against the paper's convolutions, its batches, and what it saves."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import cliquepool as cp
from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.models import PatchySANClassifier
from cliquepool.models.patchy_san import FieldDataset, PatchySANNetwork
from cliquepool.nn.network_sizes import NetworkSizes
from tests.helpers.shape_graphs import clique, described, path, shapes, star

DATA = GraphDataset.from_graphs([star(3), cp.Graph.from_edges([], num_nodes=1), clique(6), path(14)])
ENCODED = FeatureEncoder.fit(DATA).encode(DATA)


def network(fields: int, *, size: int = 4, features: int = 6) -> PatchySANNetwork:
    torch.manual_seed(0)
    settings = PatchySANClassifier(field=size).settings
    return PatchySANNetwork(settings, NetworkSizes(features, 3, {"fields": fields})).eval()


def test_batches_have_the_fields_of_their_nodes() -> None:
    data = FieldDataset(DATA, 3)
    batch = data.batch([2, 1, 0])
    assert batch.num_graphs == 3
    assert batch.fields.shape == (11, 3)
    assert batch.fields[6].tolist() == [6, -1, -1]
    assert batch.fields[:6].min() == 0
    assert batch.fields[:6].max() == 5
    assert batch.fields[7].tolist()[0] == 7
    assert batch.to("cpu").fields.tolist() == batch.fields.tolist()


@pytest.mark.parametrize("fields", [3, 12])
def test_the_first_convolution_reads_one_field_at_a_time(fields: int) -> None:
    """As written in the paper: a convolution with the field's size as its width and stride."""
    model = network(fields, features=ENCODED.width)
    batch = FieldDataset(DATA, 4).batch([3, 0, 1], ENCODED)
    rows = torch.nn.functional.pad(batch.x, (0, 0, 0, 1))
    sequence = rows[model.first_fields(batch).flatten(1)].transpose(1, 2)
    weight = model.of_field.weight.view(16, 4, -1).transpose(1, 2)
    expected = torch.nn.functional.conv1d(sequence, weight, model.of_field.bias, stride=4)
    torch.testing.assert_close(model.read_fields(batch).transpose(1, 2), expected)
    assert model(batch).shape == (3, 3)


def test_the_second_convolution_reads_ten_fields_or_all() -> None:
    assert tuple(network(12).of_fields[0].weight.shape) == (8, 16, 10)
    assert network(12).head[0].in_features == 8 * 3
    assert tuple(network(3).of_fields[0].weight.shape) == (8, 16, 3)
    assert [network(3).head[0].in_features, network(3).head[0].out_features] == [8, 128]


def test_there_are_as_many_fields_as_training_graphs_have_nodes_on_average() -> None:
    data = PooledDataset(DATA, levels=0)
    assert PatchySANClassifier()._measure(data, np.array([0, 2])) == {"fields": 5}
    assert PatchySANClassifier()._measure(data, np.array([1])) == {"fields": 1}


def test_missing_fields_are_minus_one() -> None:
    first = network(3).first_fields(FieldDataset(DATA, 4).batch([1, 0]))
    assert first[0].tolist() == [[0, -1, -1, -1], [-1] * 4, [-1] * 4]
    assert first[1, 0].tolist()[0] == 1


def test_fields_are_computed_once_for_a_data_set() -> None:
    data = shapes()
    model = PatchySANClassifier(field=3, epochs=1, patience=None, validation_fraction=0)
    prepared = model.prepare(data)
    assert model._levels_of(_graphs(prepared), model.settings) is prepared
    other = PatchySANClassifier(field=4)
    assert other._levels_of(_graphs(prepared), other.settings).fields.shape[1] == 4
    assert model.preparation != other.preparation
    assert model.fit(prepared).predict(PooledDataset(data, levels=0)).tolist() == model.predict(data).tolist()


def _graphs(data: PooledDataset) -> object:
    from cliquepool.models.graphs import Graphs  # noqa: PLC0415 (not public)

    return Graphs.of(data)


def test_labels_and_attributes_make_no_difference_to_the_order_under_relabelling() -> None:
    data = described()
    model = PatchySANClassifier(field=5, epochs=3, patience=None, validation_fraction=0).fit(data)
    moved = GraphDataset.from_graphs(
        [_reversed(data.graph(i)) for i in range(len(data))],
        node_labels=[data[i].node_label_values[data[i].node_labels][::-1].tolist() for i in range(len(data))],
        node_attributes=[data[i].node_attributes[::-1] for i in range(len(data))],
    )
    np.testing.assert_allclose(model.predict_proba(moved), model.predict_proba(data), rtol=1e-4, atol=1e-5)


def _reversed(graph: cp.Graph) -> cp.Graph:
    sources = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    last = graph.num_nodes - 1
    return cp.Graph.from_edges(np.stack([last - sources, last - graph.indices], axis=1), graph.num_nodes)
