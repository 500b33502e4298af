"""GraphClassifier: a graph's scores depend on the graph alone; settings are those of the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from torch import nn
from torch_geometric.nn import GINConv

from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.nn import (
    PRESETS,
    ClassifierSettings,
    CliquePool,
    GraphClassifier,
    PyGConvolution,
)
from cliquepool.nn.functional import relu_normalise
from tests.helpers.small_batches import MIXED, kept, pooled, samples
from tests.helpers.small_graphs import Sample, graphs_and_orders

SMALL = ClassifierSettings(convolution="gcn", hidden=8, mlp=(7,), dropout=0)


def network(features: int = 5, classes: int = 3, seed: int = 0, **settings_: Any) -> GraphClassifier:
    torch.manual_seed(seed)
    made = GraphClassifier(SMALL.model_copy(update=settings_), features, classes)
    return made.eval()


def scores(net: GraphClassifier, data: PooledDataset, chosen: list[int]) -> torch.Tensor:
    encoder = FeatureEncoder.fit(data.dataset, kind="both", standardise=False)
    with torch.no_grad():
        found: torch.Tensor = net(data.batch(chosen, encoder.encode(data.dataset)))
    return found


@pytest.mark.parametrize(
    "settings_",
    [
        {},
        {"convolution": "sage", "reduce": "attention"},
        {"convolution": "gin", "reduce": "share", "readout": ("sum",)},
        {"reduce": "max", "batch_norm": True},
        {"normalise": False, "reduce": "sum", "batch_norm": True},
        {"convolution": "sage", "layers": 3, "batch_norm": True},
        {"layers": 2, "reduce": "attention"},
    ],
    ids=str,
)
@settings(max_examples=15)
@given(data=st.data(), by_classes=st.booleans())
def test_scores_of_a_batch_are_those_of_its_graphs_one_by_one(
    settings_: dict[str, Any], data: st.DataObject, by_classes: bool
) -> None:
    drawn = data.draw(samples())
    chosen = data.draw(st.lists(st.integers(0, len(drawn) - 1), max_size=6))
    everything, net = kept(pooled(drawn), by_classes=by_classes), network(features_of(drawn), **settings_)
    together = scores(net, everything, chosen)
    assert together.shape == (len(chosen), 3)
    for row, graph in zip(together, chosen, strict=True):
        assert torch.allclose(row, scores(net, everything, [graph])[0], rtol=1e-4, atol=1e-5)


def features_of(drawn: list[Sample]) -> int:
    return FeatureEncoder.fit(pooled(drawn).dataset, kind="both", standardise=False).width


@settings(max_examples=25)
@given(samples())
def test_scores_are_the_same_however_levels_are_kept(drawn: list[Sample]) -> None:
    net, chosen = network(features_of(drawn)), [*range(len(drawn))]
    plain, by_classes = (scores(net, kept(pooled(drawn), by_classes=way), chosen) for way in (False, True))
    assert torch.allclose(plain, by_classes, rtol=1e-4, atol=1e-5)


@settings(max_examples=25)
@given(graphs_and_orders(10))
def test_scores_do_not_depend_on_node_order(given_: tuple[Sample, list[int]]) -> None:
    sample, order = given_
    labels = [v % 3 for v in range(sample.num_nodes)]
    moved = [0] * sample.num_nodes
    for v, place in enumerate(order):
        moved[place] = labels[v]
    both = [(sample, labels), (sample.relabelled(order), moved)]
    found = []
    for one, named in both:
        dataset = GraphDataset.from_graphs([one.graph()], [0], node_labels=[named])
        encoder = FeatureEncoder.fit(dataset)
        net = network(encoder.width)
        with torch.no_grad():
            found.append(net(PooledDataset(dataset, 2).batch([0], encoder.encode(dataset))))
    assert torch.allclose(*found, rtol=1e-4, atol=1e-5)


def test_the_network_is_its_layers_one_after_the_other() -> None:
    data, net = pooled(MIXED), network()
    encoder = FeatureEncoder.fit(data.dataset, kind="both")
    batch = data.batch(range(len(MIXED)), encoder.encode(data.dataset))
    x, read = batch.x, []
    for place, convolution in enumerate(net.convolutions):
        level = batch.levels[place]
        x = relu_normalise(convolution(x, level))
        parts = [x[level.batch == graph] for graph in range(len(MIXED))]
        read.append(
            torch.stack(
                [torch.cat([p.mean(0), p.amax(0)]) if len(p) else torch.zeros(2 * x.shape[1]) for p in parts]
            )
        )
        if place < 2:
            x = CliquePool()(x, level)
    embedded = torch.cat(read, dim=1)
    assert embedded.shape == (len(MIXED), 3 * 2 * 8)
    assert torch.allclose(net.embed(batch), embedded, atol=1e-5)
    assert torch.allclose(net(batch), net.head(embedded), atol=1e-5)


def test_all_convolutions_of_a_level_are_read_out_and_pooled_side_by_side() -> None:
    data, net = pooled(MIXED), network(layers=2, batch_norm=True)
    encoder = FeatureEncoder.fit(data.dataset, kind="both")
    batch = data.batch(range(len(MIXED)), encoder.encode(data.dataset))
    x, read = batch.x, []
    for index, level in enumerate(batch.levels):
        first, second = net.positions(index)
        below = relu_normalise(net.norms[first](net.convolutions[first](x, level)))
        above = relu_normalise(net.norms[second](net.convolutions[second](below, level)))
        both = torch.cat([below, above], dim=1)
        read.append(net.readout(both, level))
        x = CliquePool()(both, level) if index < 2 else both
    assert read[0].shape == (len(MIXED), 2 * 2 * 8)
    assert torch.allclose(net.embed(batch), torch.cat(read, dim=1), atol=1e-5)


def test_graphs_without_nodes_all_get_the_same_scores() -> None:
    data, net = pooled(MIXED), network()
    empty = [place for place, sample in enumerate(MIXED) if sample.num_nodes == 0]
    assert len(empty) == 2
    assert scores(net, data, empty[:1]).tolist() == scores(net, data, empty[1:]).tolist()


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("pools", [0, 1, 2])
def test_there_are_as_many_convolutions_on_every_level(pools: int, layers: int) -> None:
    net = network(pools=pools, layers=layers)
    assert len(net.convolutions) == layers * (pools + 1)
    assert scores(net, pooled(MIXED, pools), [0, 1]).shape == (2, 3)


def test_the_head_drops_before_every_layer_and_rectifies_between_them() -> None:
    head = network(mlp=(9, 8), dropout=0.3).head
    assert [type(layer).__name__ for layer in head] == [
        *("Dropout", "Linear", "ReLU", "Dropout", "Linear", "ReLU", "Dropout", "Linear"),
    ]
    assert [layer.out_features for layer in head if isinstance(layer, nn.Linear)] == [9, 8, 3]


def test_any_convolution_can_be_put_in() -> None:
    torch.manual_seed(0)
    net = GraphClassifier(
        SMALL, 5, 3, convolution=lambda a, b: PyGConvolution(GINConv(nn.Linear(a, b)))
    ).eval()
    data = pooled(MIXED)
    together = scores(net, data, [0, 1, 3])
    for row, graph in zip(together, [0, 1, 3], strict=True):
        assert torch.allclose(row, scores(net, data, [graph])[0], atol=1e-5)


def test_all_weights_get_a_gradient() -> None:
    for settings_ in (
        {},
        {"convolution": "sage"},
        {"convolution": "gin", "batch_norm": True},
        {"reduce": "attention"},
        {"layers": 2, "reduce": "attention"},
    ):
        net, data = network(**settings_).train(), pooled(MIXED)
        encoder = FeatureEncoder.fit(data.dataset, kind="both")
        batch = data.batch(range(len(MIXED)), encoder.encode(data.dataset))
        nn.functional.cross_entropy(net(batch), batch.y).backward()
        for name, parameter in net.named_parameters():
            assert parameter.grad is not None, name
            assert torch.isfinite(parameter.grad).all(), name
            assert parameter.grad.abs().sum() > 0, name


# ---- settings ----


def test_presets_are_the_papers_settings() -> None:
    paper = {
        "paper-enzymes": ("sage", 128, 2, 1000),
        "paper-dd": ("gcn", 64, 2, 100),
        "paper-proteins": ("gcn", 64, 2, 500),
        "paper-collab": ("gcn", 64, 1, 200),
    }
    for name, (convolution, hidden, pools, epochs) in paper.items():
        preset = PRESETS[name]
        assert (preset.convolution, preset.hidden, preset.pools, preset.epochs) == (
            *(convolution, hidden, pools, epochs),
        )
        assert (preset.learning_rate, preset.weight_decay, preset.batch_size) == (1e-4, 1e-3, 32)
        assert preset.normalise
        assert preset.reduce == "mean"
        assert preset.dropout == 0
        assert preset.recorded().keys().isdisjoint(ClassifierSettings.added_later)  # as version 0.1.0
    assert list(PRESETS) == ["default", *paper]
    assert len(PRESETS) == 5
    assert repr(PRESETS).startswith("PRESETS(default, paper-enzymes, ")


def test_the_names_of_version_0_1_0_still_work_and_warn() -> None:
    for name in ("enzymes", "dd", "proteins", "collab"):
        assert name in PRESETS
        with pytest.warns(DeprecationWarning, match=f"preset '{name}' is now 'paper-{name}'"):
            assert PRESETS[name] == PRESETS[f"paper-{name}"]
    assert "mutag" not in PRESETS
    with pytest.raises(KeyError, match="mutag"):
        PRESETS["mutag"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"hidden": 0},
        {"pools": -1},
        {"convolution": "gat"},
        {"reduce": "median"},
        {"readout": ()},
        {"readout": ("mean", "mean")},
        {"readout": ("median",)},
        {"dropout": 1.0},
        {"width": 3},
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ClassifierSettings(**wrong)


def test_settings_never_change_and_come_back_from_json() -> None:
    preset = PRESETS["paper-enzymes"]
    with pytest.raises(ValidationError):
        preset.hidden = 3  # type: ignore[misc]
    assert ClassifierSettings.model_validate_json(preset.model_dump_json()) == preset
    with pytest.raises(TypeError):
        PRESETS["mine"] = preset  # type: ignore[index]


def test_weights_start_as_glorot_and_bengio_draw_them() -> None:
    layer = network(features=40, hidden=50).convolutions[0]
    bound = float(np.sqrt(6 / 90))
    assert layer.weight.abs().max() <= bound
    assert layer.weight.abs().max() > 0.9 * bound
    assert layer.bias.tolist() == [0.0] * 50
