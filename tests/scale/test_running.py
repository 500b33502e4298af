"""Networks over parts have the outputs, statistics and gradients of the whole graph."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import cliquepool as cp
from cliquepool.nn import (
    GCN,
    GIN,
    SAGE,
    ClassifierSettings,
    CliqueLift,
    CliquePool,
    GraphClassifier,
    Readout,
)
from tests.helpers.small_graphs import Sample, graphs, grid, path
from tests.helpers.whole_graphs import whole_batch

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.nn import Batch

WIDTH = 3


def loss(output: Tensor) -> Tensor:
    return nn.functional.cross_entropy(output, torch.tensor([1]))


def features_of(num_nodes: int, seed: int) -> Any:
    # Few different numbers: nodes with equal features have equal maxima.
    return np.random.default_rng(seed).integers(-2, 3, (num_nodes, WIDTH)).astype(np.float64)


def assert_equal(whole: nn.Module, batch: Batch, h: cp.Hierarchy, num_parts: int, x: Any) -> None:
    """Compare a step of training, then inference, with features exchanged or computed again."""
    parted, parts = copy.deepcopy(whole), cp.scale.partition(h, num_parts)
    torch.manual_seed(7)
    output = whole(batch)
    loss(output).backward()
    torch.manual_seed(7)
    found = cp.scale.accumulate_gradients(parted, parts, x, loss)
    torch.testing.assert_close(found.output, output.detach(), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(found.loss, loss(output).detach(), rtol=1e-9, atol=1e-9)
    for (name, p), q in zip(whole.named_parameters(), parted.parameters(), strict=True):
        assert (p.grad is None) == (q.grad is None), name
        torch.testing.assert_close(
            q.grad, p.grad, rtol=1e-8, atol=1e-9, msg=lambda text, name=name: f"{name}: {text}"
        )
    for b, c in zip(whole.buffers(), parted.buffers(), strict=True):
        torch.testing.assert_close(c, b)
    whole.eval()
    parted.eval()
    with torch.no_grad():
        output = whole(batch)
    torch.testing.assert_close(cp.scale.run(parted, parts, x), output, rtol=1e-9, atol=1e-9)
    recomputed = cp.scale.run(parted, parts, x, recompute=h)
    torch.testing.assert_close(recomputed, output, rtol=1e-9, atol=1e-9)


def perturbed(model: nn.Module) -> nn.Module:
    """Return the model in float64, with parameters of which none is zero."""
    torch.manual_seed(3)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.7)
    return model.double()


network_settings = st.builds(
    ClassifierSettings,
    convolution=st.sampled_from(["gcn", "sage", "gin"]),
    reduce=st.sampled_from(["mean", "max", "sum", "share", "attention"]),
    layers=st.integers(1, 2),
    pools=st.integers(0, 2),
    hidden=st.sampled_from([2, 4]),
    batch_norm=st.booleans(),
    normalise=st.booleans(),
    readout=st.sampled_from([("mean", "max"), ("sum",), ("max", "sum", "mean")]),
    dropout=st.sampled_from([0.0, 0.5]),
    composition=st.just(False),
    mlp=st.just((4,)),
)


@given(graphs(9), network_settings, st.integers(1, 6), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_classifiers_over_parts_are_those_of_the_whole_graph(
    sample: Sample, chosen: ClassifierSettings, num_parts: int, seed: int
) -> None:
    x = features_of(sample.num_nodes, seed)
    h = cp.clique_hierarchy(sample.graph(), levels=chosen.pools)
    whole = perturbed(GraphClassifier(chosen, WIDTH, 2))
    batch = whole_batch(sample.graph(), chosen.pools, x)
    assert_equal(whole, batch, h, num_parts, x)


class UNet(nn.Module):
    """Down by pools and up again by lifts, with residuals, jumps, batch norm and dropout between."""

    def __init__(self) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList([SAGE(WIDTH, 4), GIN(4, 4), GCN(4, 4), GCN(8, 2)])
        self.linear = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
        self.norm = nn.BatchNorm1d(4, momentum=None)
        self.pool, self.lift = CliquePool("max"), CliqueLift()
        self.readout = Readout(("mean", "max"))

    def forward(self, batch: Batch) -> Tensor:
        first, second, third, last = self.convolutions
        levels = batch.levels
        x = self.norm(first(batch.nodes, levels[0]))
        x = torch.add(x, self.linear(x))
        y = second(self.pool(x, levels[0]), levels[1])
        y = torch.add(y, third(y, levels[1]))
        up = torch.cat([x, self.lift(y, levels[0])], dim=1)
        return self.readout(last(up, levels[0]), levels[0]) + self.readout(y, levels[1])[:, ::2]

    def describe(self, plan: cp.scale.Plan) -> None:
        first, second, third, last = self.convolutions
        x = plan.normalise(self.norm, plan.convolve(first, plan.input))
        x = plan.rows(torch.add, x, plan.rows(self.linear, x))
        y = plan.convolve(second, plan.pool(self.pool, x))
        y = plan.rows(torch.add, y, plan.convolve(third, y))
        up = plan.rows(side_by_side, x, plan.lift(self.lift, y))
        plan.read(self.readout, plan.convolve(last, up))
        plan.read(self.readout, y)
        plan.finish(lambda reads: reads[0] + reads[1][:, ::2])


def side_by_side(x: Tensor, y: Tensor) -> Tensor:
    return torch.cat([x, y], dim=1)


@pytest.mark.parametrize("sample", [grid(5, 4, diagonals=True), path(12)], ids=["grid", "path"])
def test_a_network_of_ones_own_runs_by_its_description(sample: Sample) -> None:
    x = features_of(sample.num_nodes, 5)
    whole = perturbed(UNet())
    h = cp.clique_hierarchy(sample.graph(), levels=1)
    assert_equal(whole, whole_batch(sample.graph(), 1, x), h, 3, x)


SMALL = grid(5, 5, diagonals=True)
SMALL_PARTS = cp.scale.partition(cp.clique_hierarchy(SMALL.graph(), levels=2), 3)
SMALL_X = features_of(25, 0)


def small_model(**changed: Any) -> GraphClassifier:
    return GraphClassifier(ClassifierSettings(**{"composition": False, "hidden": 4, **changed}), WIDTH, 2)


def test_random_layers_draw_the_same_numbers_forward_and_backward() -> None:
    class Dropping(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.convolution, self.drop = GCN(WIDTH, 4), nn.Dropout(0.5)

        def describe(self, plan: cp.scale.Plan) -> None:
            x = plan.rows(self.drop, plan.convolve(self.convolution, plan.input))
            plan.read(Readout(("sum",)), x)
            plan.finish(lambda reads: reads[0])

    model = Dropping().double()
    torch.manual_seed(1)
    found = cp.scale.accumulate_gradients(model, SMALL_PARTS, SMALL_X, lambda output: output[0, 0])
    # The output is linear in the weight and the bias: the gradient gives it back, with the same rows dropped.
    weight, bias = model.convolution.weight, model.convolution.bias
    assert weight.grad is not None
    assert bias.grad is not None
    again = (weight.grad[:, 0] @ weight[:, 0]).item() + (bias.grad[0] * bias[0]).item()
    assert again == pytest.approx(found.loss.item(), rel=1e-9)
    before = torch.random.get_rng_state()
    cp.scale.run(model, SMALL_PARTS, SMALL_X)
    assert torch.equal(before, torch.random.get_rng_state())


def test_gradients_are_added_and_nothing_else_is_left(tmp_path: Path) -> None:
    model = small_model()
    for _ in range(2):
        once = [None if p.grad is None else p.grad.clone() for p in model.parameters()]
        cp.scale.accumulate_gradients(model, SMALL_PARTS, SMALL_X, loss, folder=tmp_path)
    for p, first in zip(model.parameters(), once, strict=True):
        assert p.grad is not None
        assert first is not None
        assert p.grad.shape == first.shape
    assert list(tmp_path.iterdir()) == []


def test_an_executor_gives_the_same_bytes() -> None:
    model = small_model(batch_norm=True).eval()
    with ThreadPoolExecutor(2) as executor:
        found = cp.scale.run(model, SMALL_PARTS, SMALL_X, executor=executor)
    assert torch.equal(found, cp.scale.run(model, SMALL_PARTS, SMALL_X))


@pytest.mark.slow
def test_processes_give_the_same_bytes() -> None:
    model, other = (small_model(dropout=0.0) for _ in range(2))
    other.load_state_dict(model.state_dict())
    found = cp.scale.accumulate_gradients(model, SMALL_PARTS, SMALL_X, loss, executor=2)
    assert torch.equal(found.output, cp.scale.accumulate_gradients(other, SMALL_PARTS, SMALL_X, loss).output)
    for p, q in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(p.grad, q.grad)  # type: ignore[arg-type]
        assert not p.is_shared()


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    h = cp.clique_hierarchy(SMALL.graph(), levels=2)
    parts = cp.scale.partition(h, 3, tmp_path)
    model = small_model().eval()
    with cp.scale.Cluster(workers=2) as cluster:
        found = cp.scale.run(model, parts, SMALL_X, executor=cluster)
        assert torch.equal(found, cp.scale.run(model, parts, SMALL_X))
        (tmp_path / "part-00001.safetensors").unlink()
        (tmp_path / "part-00001.safetensors").symlink_to(tmp_path / "part-00000.safetensors")
        with pytest.raises(cp.GraphError, match="part 1"):
            cp.scale.run(model, parts, SMALL_X, executor=cluster)


def test_the_composition_of_the_graph_is_read() -> None:
    model = GraphClassifier(ClassifierSettings(hidden=4), WIDTH, 2, composition=5).double().eval()
    batch = whole_batch(SMALL.graph(), 2, SMALL_X)
    batch.composition = torch.ones(1, 5, dtype=torch.float64)
    found = cp.scale.run(model, SMALL_PARTS, SMALL_X, composition=batch.composition)
    torch.testing.assert_close(found, model(batch).detach())
    with pytest.raises(cp.InputError, match="composition: expected one where the network reads it"):
        cp.scale.run(model, SMALL_PARTS, SMALL_X)


def test_mapped_features_are_read_by_part(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", SMALL_X)
    model = small_model().eval()
    found = cp.scale.run(model, SMALL_PARTS, np.load(tmp_path / "x.npy", mmap_mode="r"))
    assert torch.equal(found, cp.scale.run(model, SMALL_PARTS, torch.from_numpy(SMALL_X)))


def test_progress_is_reported_by_stage() -> None:
    said: list[tuple[str, int, int]] = []
    cp.scale.accumulate_gradients(
        small_model(), SMALL_PARTS, SMALL_X, loss, progress=lambda *words: said.append(words)
    )
    assert said == [(what, done, 5) for what in ("running", "gradients") for done in range(5)]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (
            np.ones((24, WIDTH)),
            "features: expected a row for each of 25 nodes of the graph, got shape (24, 3)",
        ),
        (np.ones(25), "features: expected a row for each of 25 nodes of the graph, got shape (25,)"),
        (np.ones((25, 9)), "features: expected 3 of each node, got 9"),
        (np.full((25, WIDTH), "a"), "features: expected numbers, got an array of <U1"),
    ],
)
def test_features_of_another_shape_are_refused(x: Any, message: str) -> None:
    with pytest.raises(cp.GraphError) as raised:
        cp.scale.run(small_model(), SMALL_PARTS, x)
    assert str(raised.value) == message


def test_networks_that_parts_cannot_run_are_refused() -> None:
    with pytest.raises(cp.InputError, match="parts: expected 4 levels for this network, got 3"):
        cp.scale.run(small_model(pools=3), SMALL_PARTS, SMALL_X)
    with pytest.raises(
        cp.InputError, match=r"expected one of float32 or float64 on the CPU, got torch\.bfloat16"
    ):
        cp.scale.run(small_model().bfloat16(), SMALL_PARTS, SMALL_X)
    with pytest.raises(cp.InputError, match="loss: expected a single number, got shape"):
        cp.scale.accumulate_gradients(small_model(), SMALL_PARTS, SMALL_X, lambda output: output)


def test_a_damaged_part_is_named_and_gradients_stay(tmp_path: Path) -> None:
    parts = cp.scale.partition(cp.clique_hierarchy(SMALL.graph(), levels=2), 3, tmp_path)
    damaged = tmp_path / "part-00002.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:-20])
    model = small_model()
    with pytest.raises(cp.GraphError, match="part 2 "):
        cp.scale.accumulate_gradients(model, parts, SMALL_X, loss)
    assert all(p.grad is None for p in model.parameters())
