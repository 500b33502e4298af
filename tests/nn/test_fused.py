"""The fused operation gives the results and gradients of the layers one by one."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.nn import ClassifierSettings, GraphClassifier
from cliquepool.nn import network as network_module
from cliquepool.nn.fused import can_fuse
from cliquepool.nn.precompute import precompute_gathered
from tests.helpers.small_batches import small_batch


@pytest.mark.parametrize("convolution", ["gcn", "sage", "gin"])
@pytest.mark.parametrize("reduce", ["mean", "share"])
@pytest.mark.parametrize("features", ["both", "labels", "attributes", "degree"])
def test_all_layers_at_once_give_the_same_as_one_by_one(
    convolution: str, reduce: str, features: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    graphs = [nx.gnp_random_graph(n, 0.4, seed=n) for n in (0, 1, 9, 12)] + [nx.complete_graph(30)]
    dataset = GraphDataset.from_graphs(
        graphs,
        [0, 1, 0, 1, 0],
        node_labels=[rng.integers(0, 90, len(g)).tolist() for g in graphs],
        node_attributes=[rng.normal(size=(len(g), 3)) for g in graphs],
    )
    data = PooledDataset(dataset, levels=2)
    encoded = FeatureEncoder.fit(dataset, kind=features).encode(dataset)  # type: ignore[arg-type]
    read = ("max", "sum", "mean") if reduce == "share" else ("mean", "max")
    settings = ClassifierSettings(hidden=16, dropout=0, convolution=convolution, reduce=reduce, readout=read)  # type: ignore[arg-type]
    model = GraphClassifier(settings, encoded.width, 2)
    precomputed = precompute_gathered(model.convolutions[0], data, encoded)
    assert (precomputed.precomputed is None) == (encoded.width > 16)
    batch = data.batch(np.arange(5), encoded)

    def scores_and_gradients() -> list[torch.Tensor]:
        model.zero_grad()
        scores = model(batch)
        torch.nn.functional.cross_entropy(scores, batch.y).backward()
        return [scores.detach(), *(weight.grad for weight in model.parameters() if weight.grad is not None)]

    assert network_module.can_fuse(model, batch)
    fused = scores_and_gradients()
    monkeypatch.setattr(network_module, "can_fuse", lambda *_: False)
    one_by_one = scores_and_gradients()
    batch = data.batch(np.arange(5), precomputed)
    one_by_one_precomputed = scores_and_gradients()
    monkeypatch.undo()
    fused_precomputed = scores_and_gradients()
    assert len(one_by_one) == 1 + len(list(model.parameters()))
    for other in (fused, one_by_one_precomputed, fused_precomputed):
        for a, b in zip(one_by_one, other, strict=True):
            torch.testing.assert_close(a, b)


@pytest.mark.parametrize("convolution", ["gcn", "sage", "gin"])
def test_a_second_backward_pass_over_a_kept_graph_gives_the_same_gradients(convolution: str) -> None:
    batch = small_batch(by_classes=False)
    settings = ClassifierSettings(hidden=16, dropout=0, convolution=convolution)
    model = GraphClassifier(settings, batch.nodes.num_features, 3)
    assert can_fuse(model, batch)
    loss = model(batch).square().sum()
    found = []
    for retain_graph in (True, False):
        model.zero_grad()
        loss.backward(retain_graph=retain_graph)
        found.append([weight.grad for weight in model.parameters()])
    for first, second in zip(*found, strict=True):
        assert first is not None
        assert torch.equal(first, second)


def test_only_supported_layers_and_gradients_are_fused() -> None:
    batch = small_batch(by_classes=False)
    model = GraphClassifier(ClassifierSettings(convolution="gcn", hidden=4), batch.nodes.num_features, 2)
    assert can_fuse(model, batch)
    assert not can_fuse(model.double(), batch)
    with torch.no_grad():
        assert not can_fuse(model.float(), batch)
    others = (
        {"reduce": "max"},
        {"reduce": "attention"},
        {"normalise": False},
        {"batch_norm": True},
        {"layers": 2},
    )
    for other in others:
        settings = ClassifierSettings(hidden=4, **other)  # type: ignore[arg-type]
        assert not can_fuse(GraphClassifier(settings, batch.nodes.num_features, 2), batch)
    model.convolutions[1] = torch.nn.Linear(4, 4)
    assert not can_fuse(model, batch)
    model = GraphClassifier(ClassifierSettings(convolution="gcn", hidden=4), batch.nodes.num_features, 2)
    assert batch.nodes.dense is not None
    batch.nodes.dense.requires_grad_()
    assert not can_fuse(model, batch)
