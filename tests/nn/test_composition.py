"""The head reads compositions that are standardised on the training graphs, which files keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
import torch

from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.data.composition import composition_width, graph_compositions
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from cliquepool.nn import ClassifierSettings, GraphClassifier
from cliquepool.nn.composition import Composition
from cliquepool.training.graphs import train

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = ClassifierSettings(hidden=4, mlp=(4,), epochs=2, composition=True)


def rings(count: int = 24) -> GraphDataset:
    """Cycles of two sizes: their nodes all look alike, and only the number of them tells the class."""
    graphs = [nx.cycle_graph(30 if i % 2 else 12) for i in range(count)]
    return GraphDataset.from_graphs(graphs, [i % 2 for i in range(count)])


def test_columns_have_mean_0_and_deviation_1_on_the_measured_graphs_and_are_bounded() -> None:
    graphs = [nx.path_graph(n) for n in (2, 3, 4, 5, 4000)]
    data = PooledDataset(GraphDataset.from_graphs(graphs, [0] * 5), levels=1)
    encoder = FeatureEncoder.fit(data.dataset)
    features = encoder.encode(data.dataset)
    layer = Composition(composition_width(encoder, 2), 2)
    found = layer.added_to(features, encoder, data, measure_on=np.arange(4)).of_graphs
    assert found is not None
    rows = graph_compositions(data, encoder, features, 2)
    varying = rows[:4].std(axis=0) > 1e-6
    assert varying.tolist() == [True, True, False, False, True]
    np.testing.assert_allclose(found[:4].mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(found[:4].std(axis=0)[varying], 1, rtol=1e-5)
    assert found[4].tolist() == [5, 5, 0, 0, 5]
    again = layer.added_to(features, encoder, data).of_graphs
    np.testing.assert_array_equal(again, found)
    assert repr(layer) == "Composition(5)"


def test_mean_and_deviation_are_those_of_the_training_graphs() -> None:
    data = PooledDataset(rings(), levels=2)
    ids = np.arange(24)
    network = train(data, ids[:8], ids[8:], SETTINGS, seed=0).network
    rows = graph_compositions(data, network.encoder, network.encoder.encode(data.dataset), 3)
    assert isinstance(network.network, GraphClassifier)
    assert network.network.composition is not None
    np.testing.assert_allclose(network.network.composition.shift, rows[:8].mean(axis=0), rtol=1e-5)


def test_a_batch_without_composition_is_refused() -> None:
    data = PooledDataset(rings(4), levels=2)
    encoder = FeatureEncoder.fit(data.dataset)
    network = GraphClassifier(SETTINGS, encoder.width, 2, composition=3)
    with pytest.raises(ValueError, match="expected a batch with the composition of its graphs"):
        network(data.batch([0], encoder.encode(data.dataset)))


def test_composition_tells_apart_what_means_and_maxima_cannot(tmp_path: Path) -> None:
    data = rings()
    blind, seeing = (
        CliquePoolClassifier(
            composition=way,
            hidden=8,
            mlp=(8,),
            epochs=60,
            learning_rate=0.01,
            dropout=0,
            validation_fraction=0,
        ).fit(data)
        for way in (False, True)
    )
    assert blind.score(data) == 0.5
    assert seeing.score(data) == 1
    seeing.save(tmp_path / "m.safetensors")
    read = CliquePoolClassifier.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(read.predict_proba(data), seeing.predict_proba(data))
    one_by_one = [read.predict_proba(data[[graph]])[0] for graph in range(4)]
    np.testing.assert_allclose(one_by_one, seeing.predict_proba(data)[:4], atol=1e-6)


def test_a_regressor_reads_it_too(tmp_path: Path) -> None:
    data = rings()
    y = np.diff(data.node_start).astype(float)
    model = CliquePoolRegressor(
        composition=True, hidden=4, mlp=(8,), epochs=80, learning_rate=0.02, dropout=0, validation_fraction=0
    ).fit(data, y)
    assert model.score(data, y) > 0.9
    model.save(tmp_path / "m.safetensors")
    read = CliquePoolRegressor.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(read.predict(data), model.predict(data))


def test_the_composition_moves_with_the_batch() -> None:
    data = PooledDataset(rings(4), levels=2)
    network = train(data, [0, 1], [2, 3], SETTINGS, seed=0).network
    batch = data.batch([0, 2], network.features(data))
    assert batch.composition is not None
    assert batch.composition.shape[0] == 2
    moved = batch.to("meta").composition
    assert moved is not None
    assert moved.device == torch.device("meta")
