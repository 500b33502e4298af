"""Denormal numbers count as zeros while a network is trained, on every thread, and not afterwards."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch.nn.modules.module import register_module_forward_hook

from cliquepool import _core
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.nn import ClassifierSettings
from cliquepool.nn.image_settings import ImageSettings
from cliquepool.training.compute import Compute
from cliquepool.training.denormals import flushing_denormals
from cliquepool.training.graphs import train
from cliquepool.training.images import train_images
from cliquepool.training.loop import using_threads
from tests.helpers.small_graphs import cycle, path
from tests.helpers.small_images import bars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(
    _core.FLUSH_DENORMALS == 0, reason="the core cannot set the mode of this processor"
)

DENORMAL = 1e-40  # as a 32-bit float
MANY = 1 << 20  # enough for torch to share them out


class Stopped(Exception):
    pass


@pytest.fixture(autouse=True)
def exact() -> Iterator[None]:
    """Begin with denormal numbers that are numbers, and leave the mode as it was."""
    before = _core.denormal_mode()
    _core.set_denormal_mode(0)
    yield
    _core.set_denormal_mode(before)


def zeros_of_torch(count: int) -> int:
    """How many of so many denormal numbers torch makes zeros."""
    # Compared as integers, as a comparison would take denormal numbers for zeros too.
    made = torch.full((count,), DENORMAL) * 1.0
    return int((made.view(torch.int32) == 0).sum())


def zeros_of_core(threads: int) -> float:
    """The share of denormal numbers that a loop of the core makes zeros, where threads share it out."""
    rows, width = 1 << 16, 64
    x = np.full((rows, width), DENORMAL, dtype=np.float32)
    y = np.empty_like(x)
    half = np.full(rows, 0.5, dtype=np.float32)
    lists = np.arange(rows + 1, dtype=np.int64), np.arange(rows, dtype=np.int32)
    _core.sum_lists(*lists, x, half, None, None, 0.0, threads, y)
    return float((y.view(np.int32) == 0).mean())


def test_denormals_are_zeros_inside_and_numbers_outside() -> None:
    assert (zeros_of_torch(1), zeros_of_core(1)) == (0, 0.0)
    with flushing_denormals():
        assert (zeros_of_torch(1), zeros_of_core(1)) == (1, 1.0)
    assert (zeros_of_torch(1), zeros_of_core(1)) == (0, 0.0)


def test_mode_is_put_back_after_an_exception() -> None:
    with pytest.raises(Stopped), flushing_denormals():
        raise Stopped
    assert _core.denormal_mode() == 0
    assert zeros_of_torch(1) == 0


def test_nested_use_ends_with_the_outermost() -> None:
    with flushing_denormals():
        with flushing_denormals():
            assert zeros_of_torch(1) == 1
        assert zeros_of_torch(1) == 1
    assert zeros_of_torch(1) == 0


def test_mode_that_was_set_before_stays() -> None:
    assert torch.set_flush_denormal(True)
    found = _core.denormal_mode()
    assert found == _core.FLUSH_DENORMALS
    with flushing_denormals():
        pass
    assert _core.denormal_mode() == found


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have another OpenMP")
def test_workers_of_torch_follow() -> None:
    if not hasattr(ctypes.CDLL(None), "omp_pause_resource_all"):
        pytest.skip("the OpenMP of this torch cannot renew its workers")
    with using_threads(2):
        assert zeros_of_torch(MANY) == 0
        with flushing_denormals():
            assert zeros_of_torch(MANY) == MANY
            leaf = torch.full((MANY,), 1e-20, requires_grad=True)
            (leaf * torch.full((MANY,), DENORMAL * 1e20)).backward(torch.full((MANY,), 1e-20))
            assert leaf.grad is not None
            assert not leaf.grad.view(torch.int32).any()
        assert zeros_of_torch(MANY) == 0


def test_threads_of_the_core_follow() -> None:
    assert zeros_of_core(2) == 0.0
    with flushing_denormals():
        assert zeros_of_core(2) == 1.0
    assert zeros_of_core(2) == 0.0


def train_on_graphs(**how: Any) -> None:
    samples = [cycle(4 + i % 3) if i % 2 else path(3 + i % 3) for i in range(12)]
    dataset = GraphDataset.from_graphs([s.graph() for s in samples], [i % 2 for i in range(12)])
    settings = ClassifierSettings(hidden=4, mlp=(4,), epochs=2, batch_size=4)
    train(PooledDataset(dataset, settings.pools), np.arange(8), np.arange(8, 12), settings, seed=0, **how)


def train_on_images(**how: Any) -> None:
    settings = ImageSettings(arch="vgg", width=1 / 64, epochs=2, batch_size=8)
    cpu = Compute.choose("cpu")
    ids = {"train": np.arange(8), "validation": np.arange(8, 12)}
    train_images(bars(12), **ids, settings=settings, seed=0, compute=cpu, **how)


@pytest.fixture
def modes() -> Iterator[set[int]]:
    """The modes that were set whenever a layer went forward, or its output's gradient came back."""
    seen: set[int] = set()

    def see(*of_backward: object) -> None:
        del of_backward
        seen.add(_core.denormal_mode())

    def watch(module: torch.nn.Module, inputs: Any, output: Any) -> None:
        del module, inputs
        see()
        if isinstance(output, torch.Tensor) and output.requires_grad:
            output.register_hook(see)

    hook = register_module_forward_hook(watch)
    yield seen
    hook.remove()


every_training = pytest.mark.parametrize("training", [train_on_graphs, train_on_images])


@every_training
@pytest.mark.parametrize("threads", [1, 2])
def test_trainings_flush_denormals(training: Callable[..., None], threads: int, modes: set[int]) -> None:
    told: list[int] = []
    training(threads=threads, on_epoch=lambda _: told.append(zeros_of_torch(1)))
    assert modes == {_core.FLUSH_DENORMALS}
    assert told == [1, 1]
    assert _core.denormal_mode() == 0
    assert zeros_of_torch(MANY) == 0


@every_training
def test_trainings_that_break_off_put_the_mode_back(training: Callable[..., None]) -> None:
    def stop(_: object) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        training(threads=2, on_epoch=stop)
    assert _core.denormal_mode() == 0
    assert zeros_of_torch(MANY) == 0
