"""Pools of images: what torch's pools give and what clique pooling of the grid gives, bit for bit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

import cliquepool as cp
from cliquepool import _core
from cliquepool.nn import (
    CliqueMaxPool1d,
    CliqueMaxPool2d,
    CliqueMaxPool3d,
    CliqueMeanPool1d,
    CliqueMeanPool2d,
    CliqueMeanPool3d,
    Incidence,
    grid_graph,
    windows,
)
from cliquepool.nn.functional import max_lists
from cliquepool.nn.windows import max_windows, mean_windows

if TYPE_CHECKING:
    from collections.abc import Iterator

TORCH_MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
TORCH_MEAN = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
MAX_POOLS = {1: CliqueMaxPool1d, 2: CliqueMaxPool2d, 3: CliqueMaxPool3d}
MEAN_POOLS = {1: CliqueMeanPool1d, 2: CliqueMeanPool2d, 3: CliqueMeanPool3d}
BITS = {torch.float32: torch.int32, torch.float64: torch.int64}
KINDS = ("numbers", "ties", "zeros of both signs", "some NaN", "infinities")


@pytest.fixture(scope="module", autouse=True)
def _small_images_too() -> Iterator[None]:
    """Run everything in the core that it can run, also what torch would do as fast."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_WORTH_THE_CORE", 1)
        yield


def drawn(shape: tuple[int, ...], kind: str, seed: int, dtype: torch.dtype = torch.float32) -> Tensor:
    random = torch.Generator().manual_seed(seed)
    x = torch.randn(shape, generator=random, dtype=torch.float64)
    if kind == "ties":
        x = x.round()
    elif kind == "zeros of both signs":
        x = torch.copysign(torch.zeros_like(x), x)
    elif kind == "some NaN":
        x = torch.where(torch.rand(shape, generator=random) < 0.1, torch.nan, x)
    elif kind == "infinities":
        x = torch.where(x < 0, -torch.inf, torch.where(x > 1.5, torch.inf, x.round()))
    return x.to(dtype)


@st.composite
def images(draw: st.DrawFn) -> Tensor:
    dimensions = draw(st.integers(1, 3))
    sides = draw(st.tuples(*[st.integers(1, {1: 40, 2: 20, 3: 7}[dimensions])] * dimensions))
    shape = (draw(st.integers(1, 2)), draw(st.integers(1, 2)), *sides)
    dtype = draw(st.sampled_from(list(BITS)))
    return drawn(shape, draw(st.sampled_from(KINDS)), draw(st.integers(0, 2**31)), dtype)


def same_bits(a: Tensor, b: Tensor) -> bool:
    bits = BITS[a.dtype]
    return a.dtype == b.dtype and torch.equal(a.contiguous().view(bits), b.contiguous().view(bits))


def with_gradient(pool: object, x: Tensor, g: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """What a pool gives, and what comes back through it."""
    x = x.clone().requires_grad_()
    y = pool(x)  # type: ignore[operator]
    if g is None:
        g = drawn(tuple(y.shape), "numbers", seed=7, dtype=y.dtype)
    return y.detach(), torch.autograd.grad(y, x, g)[0]


# ---- torch ----


@settings(max_examples=200)
@given(images(), st.data())
def test_maxima_and_gradients_are_those_of_torch_bit_for_bit(x: Tensor, data: st.DataObject) -> None:
    window = data.draw(st.tuples(*[st.integers(1, side) for side in x.shape[2:]]))
    ours = with_gradient(lambda x: max_windows(x, window), x)
    torchs = with_gradient(lambda x: TORCH_MAX[x.dim() - 2](x, window, stride=1), x)
    assert same_bits(ours[0], torchs[0])
    assert same_bits(ours[1], torchs[1])
    assert same_bits(max_windows(x, window), ours[0])  # no gradient asked for, no places kept


@settings(max_examples=100)
@given(images(), st.data())
def test_places_are_those_of_torch(x: Tensor, data: st.DataObject) -> None:
    window = data.draw(st.tuples(*[st.integers(1, side) for side in x.shape[2:]]))
    y, expected = TORCH_MAX[x.dim() - 2](x, window, stride=1, return_indices=True)
    where = torch.empty(y.shape, dtype=torch.int32)
    whole = (1,) * (3 - len(window)) + window
    _core.window_max(
        windows._images(x),
        whole,  # type: ignore[arg-type]
        1,
        windows._images(y),
        windows._images(where),
    )
    assert where.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "shape", [(3, 5, 32, 32), (2, 3, 17, 17), (2, 2, 25, 33), (2, 3, 300), (1, 2, 9, 12, 10)]
)
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_the_pools_of_the_paper_are_those_of_torch(shape: tuple[int, ...], number: int) -> None:
    x = drawn(shape, "ties", seed=number)
    window = tuple(min(2 ** (number - 1) + 1, side) for side in shape[2:])
    ours = with_gradient(MAX_POOLS[len(window)](number), x)
    torchs = with_gradient(lambda x: TORCH_MAX[len(window)](x, window, stride=1), x)
    assert same_bits(ours[0], torchs[0])
    assert same_bits(ours[1], torchs[1])


def test_threads_change_nothing() -> None:
    x = drawn((4, 64, 40, 40), "ties", seed=1)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = with_gradient(CliqueMaxPool2d(4), x)
        torch.set_num_threads(3)
        together = with_gradient(CliqueMaxPool2d(4), x)
    finally:
        torch.set_num_threads(before)
    assert same_bits(alone[0], together[0])
    assert same_bits(alone[1], together[1])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_other_precisions_are_left_to_torch(dtype: torch.dtype) -> None:
    x = drawn((2, 2, 9, 9), "ties", seed=0, dtype=dtype)
    assert not windows._runs_in_core(x, (3, 3))
    assert torch.equal(CliqueMaxPool2d(2)(x), F.max_pool2d(x, 3, stride=1))


def test_channels_last_is_left_to_torch_and_stays_so() -> None:
    x = drawn((2, 3, 9, 9), "ties", seed=0).to(memory_format=torch.channels_last)
    assert not windows._runs_in_core(x, (3, 3))
    y = CliqueMaxPool2d(2)(x)
    assert y.is_contiguous(memory_format=torch.channels_last)
    assert same_bits(y, F.max_pool2d(x, 3, stride=1))


def test_a_pool_that_is_compiled_is_left_to_torch_and_the_same() -> None:
    x = drawn((4, 16, 40, 40), "ties", seed=3)
    assert windows._runs_in_core(x, (5, 5))
    compiled = with_gradient(torch.compile(CliqueMaxPool2d(3), backend="eager", fullgraph=True), x)
    plain = with_gradient(CliqueMaxPool2d(3), x)
    assert same_bits(compiled[0], plain[0])
    assert same_bits(compiled[1], plain[1])


def test_a_batch_without_images_stays_one() -> None:
    assert CliqueMaxPool2d(3)(torch.empty(0, 3, 9, 9)).shape == (0, 3, 5, 5)


@settings(max_examples=10)
@given(st.integers(0, 100))
def test_gradients_of_gradients_are_right(seed: int) -> None:
    x = drawn((1, 2, 4, 5), "numbers", seed, torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: max_windows(x, (3, 2)), (x,))
    assert torch.autograd.gradgradcheck(lambda x: max_windows(x, (3, 2)), (x,))


def test_gradients_that_are_not_contiguous_come_through() -> None:
    x = drawn((2, 2, 6, 6), "numbers", seed=0)
    g = drawn((2, 2, 4, 4), "numbers", seed=1).transpose(2, 3)
    ours = with_gradient(CliqueMaxPool2d(2), x, g)
    torchs = with_gradient(lambda x: F.max_pool2d(x, 3, stride=1), x, g)
    assert same_bits(ours[1], torchs[1])


@settings(max_examples=60)
@given(images().filter(lambda x: bool(x.isfinite().all())), st.data())
def test_means_and_their_gradients_are_those_of_torch_up_to_rounding(x: Tensor, data: st.DataObject) -> None:
    window = data.draw(st.tuples(*[st.integers(1, side) for side in x.shape[2:]]))
    tolerance = 1e-5 if x.dtype == torch.float32 else 1e-13
    ours = with_gradient(lambda x: mean_windows(x, window), x)
    torchs = with_gradient(lambda x: TORCH_MEAN[x.dim() - 2](x, window, stride=1), x)
    for a, b in zip(ours, torchs, strict=True):
        assert torch.allclose(a, b, rtol=tolerance, atol=tolerance)


# ---- clique pooling of the grid ----


def pool_lists(pooling: cp.Pooling) -> Incidence:
    def lists(ragged: cp.Ragged, targets: int, back: Incidence | None = None) -> Incidence:
        return Incidence(torch.tensor(ragged.offsets), torch.tensor(ragged.members), targets, back)

    pools, nodes = pooling.num_pools, pooling.graph.num_nodes
    return lists(pooling.pools, nodes, lists(pooling.memberships, pools))


@st.composite
def small_images(draw: st.DrawFn) -> Tensor:
    dimensions = draw(st.integers(1, 3))
    sides = draw(st.tuples(*[st.integers(1, {1: 20, 2: 9, 3: 4}[dimensions])] * dimensions))
    dtype = draw(st.sampled_from(list(BITS)))
    kind = draw(st.sampled_from([kind for kind in KINDS if kind != "some NaN"]))
    return drawn((1, 3, *sides), kind, draw(st.integers(0, 2**31)), dtype)


@settings(max_examples=50)
@given(small_images(), st.booleans())
def test_window_pools_are_the_clique_pools_of_the_grid_level_by_level(x: Tensor, in_core: bool) -> None:
    channels, dimensions = x.shape[1], x.dim() - 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_WORTH_THE_CORE", 1 if in_core else math.inf)
        for number, pooling in enumerate(cp.clique_hierarchy(grid_graph(x.shape[2:])), start=1):
            y, back = with_gradient(MAX_POOLS[dimensions](number), x)
            lists = pool_lists(pooling)
            rows = x.reshape(channels, -1).T
            g = drawn(tuple(y.shape), "numbers", seed=7, dtype=y.dtype).reshape(channels, -1).T
            general, general_back = with_gradient(lambda rows, lists=lists: max_lists(lists, rows), rows, g)
            assert same_bits(y.reshape(channels, -1).T, general)
            assert same_bits(back.reshape(channels, -1).T, general_back)
            means = MEAN_POOLS[dimensions](number)(x).reshape(channels, -1).T
            if x.isfinite().all():
                expected = torch.from_numpy(pooling.reduce(rows.double().numpy()))
                assert torch.allclose(means.double(), expected, rtol=1e-4, atol=1e-5)
            x = y


def test_a_side_that_is_shorter_than_the_window_is_pooled_whole() -> None:
    x = drawn((1, 1, 3, 20), "numbers", seed=0)
    shapes = [tuple(x.shape[2:])]
    for number in range(1, 6):
        x = CliqueMaxPool2d(number)(x)
        shapes.append(tuple(x.shape[2:]))
    assert shapes == [(3, 20), (2, 19), (1, 17), (1, 13), (1, 5), (1, 1)]


# ---- the modules ----


@pytest.mark.parametrize("pools", [MAX_POOLS, MEAN_POOLS])
def test_an_image_without_a_batch_is_pooled_alone(pools: dict[int, type[CliqueMaxPool2d]]) -> None:
    for dimensions, pool in pools.items():
        x = drawn((2, 3, *[6] * dimensions), "numbers", seed=0)
        assert torch.equal(pool(2)(x[1]), pool(2)(x)[1])


def test_a_window_does_as_well_as_a_number() -> None:
    x = drawn((1, 2, 12, 12), "numbers", seed=0)
    assert same_bits(CliqueMaxPool2d(4)(x), CliqueMaxPool2d(window=9)(x))
    assert same_bits(CliqueMaxPool2d(window=4)(x), F.max_pool2d(x, 4, stride=1))
    assert repr(CliqueMaxPool2d(window=4)) == "CliqueMaxPool2d(window=4)"
    assert repr(CliqueMeanPool3d(3)) == "CliqueMeanPool3d(3, window=5)"


@pytest.mark.parametrize("arguments", [{}, {"number": 1, "window": 2}])
def test_one_of_number_and_window_is_expected(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected the number of the pool or a window, got number="):
        CliqueMaxPool2d(**arguments)


def test_numbers_and_windows_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="number of the pool: expected an integer from 1 to 62, got 0"):
        CliqueMaxPool2d(0)
    with pytest.raises(ValueError, match="window: expected an integer of at least 1, got 0"):
        CliqueMeanPool1d(window=0)


@pytest.mark.parametrize("shape", [(4, 4), (1, 1, 1, 4, 4), (1, 1, 0, 4)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    expected = r"expected images of shape \(batch, channels, height, width\) .* got shape"
    with pytest.raises(ValueError, match=expected):
        CliqueMaxPool2d(1)(torch.zeros(shape))


def test_the_core_guards_against_what_would_crash_it() -> None:
    x, y = torch.zeros(1, 1, 4, 4).numpy(), torch.zeros(1, 1, 3, 3).numpy()
    where = torch.zeros(1, 1, 3, 3, dtype=torch.int32).numpy()
    with pytest.raises(cp.GraphError, match="window of at least 1 and at most the image"):
        _core.window_max(x, (1, 5, 2), 1, y, None)
    with pytest.raises(cp.GraphError, match="window of at least 1 and at most the image"):
        _core.window_max(x, (0, 2, 2), 1, y, None)
    with pytest.raises(cp.GraphError, match="one output for each window"):
        _core.window_max(x, (1, 3, 3), 1, y, None)
    with pytest.raises(cp.GraphError, match="indices that are in the image"):
        _core.window_max_backward(where + 16, y, 1, x)
    with pytest.raises(cp.GraphError, match="one index for each gradient"):
        _core.window_max_backward(where[:, :, :2].copy(), y, 1, x)
