"""Layers on other devices: on "meta", where reading a value is an error, and without the core's loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch_geometric.data import Batch
from torch_geometric.loader import DataLoader

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.nn import (
    GCN,
    PRESETS,
    SAGE,
    CliqueCoarsening,
    CliqueLift,
    CliquePool,
    GraphClassifier,
    Level,
    kernels,
)
from cliquepool.nn.functional import max_lists, mean_and_max, relu_normalise, sum_chain, sum_lists
from tests.helpers.example_networks import Documented, Ours
from tests.helpers.pyg_graphs import PAPER_FIGURE, with_edge_values
from tests.helpers.small_batches import small_batch
from tests.helpers.small_graphs import Sample, cycle, path

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = (PAPER_FIGURE, path(3), Sample(0, []), cycle(5), Sample(3, []))


def loaded(workers: int = 0) -> Any:
    parts = [CliqueCoarsening()(with_edge_values(sample, seed)) for seed, sample in enumerate(SAMPLES)]
    for part in parts:
        part.x = part.x.float()
    (batch,) = DataLoader(parts, batch_size=len(parts), num_workers=workers)
    return batch


class NothingToTheHost(TorchDispatchMode):
    """Fails where a value of a tensor is read, or its size depends on one, or it leaves its device."""

    READS = ("_local_scalar_dense", "nonzero", "masked_select", "unique", "_unique2", "is_nonzero", "equal")

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        assert name not in self.READS, f"{name} reads values"
        result = func(*args, **(kwargs or {}))
        if name in {"_to_copy", "copy_"}:
            assert result.device == args[0].device, f"{name} moves a tensor"
        return result


networks = pytest.mark.parametrize("make", [Documented, Ours])


@networks
def test_a_batch_runs_on_meta_where_no_value_can_be_read(make: Callable[[], nn.Module]) -> None:
    batch = loaded()
    expected = make()(batch)
    network = make().to("meta")
    result = network(batch.to("meta"))
    assert result.device.type == "meta"
    assert result.shape == expected.shape
    result.sum().backward()
    assert all(p.grad is not None for p in network.parameters())


@networks
def test_single_data_run_on_meta(make: Callable[[], nn.Module]) -> None:
    data = CliqueCoarsening()(with_edge_values(PAPER_FIGURE))
    data.x = data.x.float()
    assert make().to("meta")(data.to("meta")).shape[0] == 1


@networks
@pytest.mark.parametrize("workers", [0, 1])
def test_a_forward_pass_reads_no_value_and_moves_nothing(
    make: Callable[[], nn.Module], workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "runs_in_core", lambda _: False)  # as on a GPU
    network, batch = make(), loaded(workers)
    with NothingToTheHost():
        network(batch).sum().backward()
    assert all(parameter.grad is not None for parameter in network.parameters())


@networks
def test_torchs_own_operations_give_the_same(
    make: Callable[[], nn.Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    network, batch = make(), loaded()
    in_core = network(batch)
    of_weights = torch.autograd.grad(in_core.square().sum(), list(network.parameters()))
    monkeypatch.setattr(kernels, "runs_in_core", lambda _: False)
    in_torch = network(batch)
    torch.testing.assert_close(in_torch, in_core, rtol=1e-3, atol=1e-4)
    again = torch.autograd.grad(in_torch.square().sum(), list(network.parameters()))
    torch.testing.assert_close(again, of_weights, rtol=1e-3, atol=1e-4)


def test_moving_there_and_back_keeps_the_levels() -> None:
    batch = loaded()
    before = [batch.level(place).edge_index.clone() for place in range(3)]
    batch = batch.to("cpu").contiguous()
    assert all(torch.equal(batch.level(place).edge_index, before[place]) for place in range(3))
    assert batch.clone().to("meta").membership_1.is_meta


def test_levels_that_were_never_unpacked_are_not_on_meta() -> None:
    parts = [CliqueCoarsening()(with_edge_values(sample)) for sample in (path(3), path(4))]
    for part in parts:
        assert part.to("meta").level(1).num_graphs == 1
    with pytest.raises(cp.GraphError, match='got some on "meta"; batch'):
        Batch.from_data_list(parts)


@pytest.mark.parametrize("by_classes", [False, True])
@pytest.mark.parametrize("preset", ["paper-proteins", "paper-enzymes"])
def test_the_papers_classifiers_run_on_meta_and_without_the_core(
    preset: str, by_classes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = small_batch([PAPER_FIGURE, path(4), cycle(3)], by_classes=by_classes)
    torch.manual_seed(0)
    network = GraphClassifier(PRESETS[preset], batch.x.shape[1], 2)
    batch.nodes.dense = None if batch.nodes.dense is None else batch.nodes.dense.float()
    expected = network(batch)
    monkeypatch.setattr(kernels, "runs_in_core", lambda _: False)
    with NothingToTheHost():
        result = network(batch)
        result.sum().backward()
    torch.testing.assert_close(result, expected, rtol=1e-3, atol=1e-4)
    monkeypatch.undo()
    elsewhere = network.to("meta")(batch.to("meta"))
    assert elsewhere.shape == expected.shape
    elsewhere.sum().backward()


@pytest.mark.parametrize("by_classes", [False, True])
def test_every_operation_runs_on_meta(by_classes: bool) -> None:
    batch = small_batch([PAPER_FIGURE, cycle(4)], by_classes=by_classes).to("meta")
    for place, level in enumerate(batch.levels):
        x = torch.empty(level.num_nodes, 3, device="meta", requires_grad=True)
        outputs = [GCN.gather(x, level), SAGE.gather(x, level), mean_and_max(level.node_start, x)]
        outputs.append(relu_normalise(x))
        if place + 1 < len(batch.levels):
            pooled = [CliquePool(reduce)(x, level) for reduce in ("mean", "max", "sum")]  # type: ignore[arg-type]
            assert {y.shape[0] for y in pooled} == {batch.levels[place + 1].num_nodes}
            outputs += [*pooled, CliqueLift()(pooled[0], level), sum_chain(level.pools, x)]
            outputs += [max_lists(level.pools[0], x), sum_lists(level.pools[0], x)]
        for y in outputs:
            assert y.is_meta
            y.sum().backward(retain_graph=True)
        assert level.batch.shape == (level.num_nodes,)


def test_a_level_is_not_made_of_edges_without_values() -> None:
    nothing = torch.empty(2, 3, dtype=torch.long, device="meta")
    with pytest.raises(cp.GraphError):
        Level.from_edge_index(nothing, torch.tensor([0, 3]))


def test_batches_of_a_pooled_data_set_print_in_one_line() -> None:
    dataset = GraphDataset.from_graphs([sample.graph() for sample in (PAPER_FIGURE, cycle(4))])
    batch = PooledDataset(dataset, levels=1).batch(np.arange(2))
    assert repr(batch) == "Batch(2 graphs, nodes 14 -> 8, 1 features)"
    assert repr(batch.levels[1]) == "Level(2 graphs, 8 nodes, 10 edges, not pooled)"
    by_classes = small_batch([cycle(3)], by_classes=True).levels[0]
    assert repr(by_classes) == "Level(1 graphs, 3 nodes, edges by 1 twin classes, 1 pools)"
    assert repr(batch.nodes) == "NodeInput(1 features)"
