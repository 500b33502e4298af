"""Sums and maxima over lists: equal to dense matrices, with gradients, in every precision."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from cliquepool.nn import Incidence
from cliquepool.nn.functional import (
    max_lists,
    mean_and_max,
    relu_normalise,
    sum_chain,
    sum_lists,
    sum_neighbours,
)
from tests.helpers.dense_matrices import adjacency, matrix_of
from tests.helpers.small_batches import drawn, samples, small_batch
from tests.helpers.torch_lists import FOUR, STARTS, lists_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.helpers.small_graphs import Sample

WIDTHS = (1, 3, 4, 16, 17, 64, 65, 128, 200)
TOLERANCE = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 0.1, torch.float16: 0.02}


@st.composite
def ragged(draw: st.DrawFn, least_targets: int = 0) -> Incidence:
    """Any lists, empty ones and repeated members among them."""
    num_targets = draw(st.integers(least_targets, 6))
    one = st.lists(st.integers(0, num_targets - 1), max_size=5) if num_targets else st.just([])
    return lists_of(draw(st.lists(one, max_size=6)), num_targets)


@st.composite
def symmetric(draw: st.DrawFn) -> Incidence:
    """Lists that are their own transpose."""
    num_nodes = draw(st.integers(0, 6))
    pairs = list(itertools.combinations(range(num_nodes), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    around = [sorted({u + v - w for u, v in edges if w in (u, v)}) for w in range(num_nodes)]
    both = lists_of(around, num_nodes)
    return Incidence(both.offsets, both.members, num_nodes)


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def close(a: Tensor, b: Tensor, dtype: torch.dtype | None = None) -> bool:
    tolerance = TOLERANCE[dtype or a.dtype]
    return a.shape == b.shape and torch.allclose(
        a.double(), b.double(), rtol=tolerance, atol=tolerance, equal_nan=True
    )


# ---- sums ----


@given(ragged(), st.booleans(), st.booleans(), st.sampled_from(list(TOLERANCE)), st.sampled_from(WIDTHS))
def test_sums_over_lists_are_products_with_their_matrix(
    lists: Incidence, scale_lists: bool, scale_rows: bool, dtype: torch.dtype, width: int
) -> None:
    x = drawn(lists.num_targets, width, dtype=dtype)
    of_lists = drawn(len(lists), seed=1, dtype=dtype) if scale_lists else None
    of_rows = drawn(lists.num_targets, seed=2, dtype=dtype) if scale_rows else None
    matrix = matrix_of(lists)
    if of_lists is not None:
        matrix = of_lists.double()[:, None] * matrix
    if of_rows is not None:
        matrix = matrix * of_rows.double()
    y = sum_lists(lists, x, list_scale=of_lists, row_scale=of_rows)
    assert y.dtype == dtype
    assert close(y, matrix @ x.double())


@given(symmetric(), st.booleans(), st.sampled_from([0.0, 1.0, -2.5]), st.sampled_from(list(TOLERANCE)))
def test_sums_with_values_and_oneself_are_products_with_a_weighted_matrix(
    lists: Incidence, with_scales: bool, own: float, dtype: torch.dtype
) -> None:
    n = len(lists)
    weight = drawn(n, n, seed=3, dtype=dtype)
    weight = weight + weight.T
    values = weight[lists.list_of_member, lists.index]
    scale = drawn(n, seed=4, dtype=dtype) if with_scales else None
    matrix = weight.double() * matrix_of(lists) + own * torch.eye(n, dtype=torch.float64)
    if scale is not None:
        matrix = scale.double()[:, None] * matrix * scale.double()
    x = drawn(n, 5, dtype=dtype)
    y = sum_lists(lists, x, list_scale=scale, row_scale=scale, values=values, own=own)
    assert close(y, matrix @ x.double())


@settings(max_examples=25)
@given(ragged(1), st.booleans(), st.booleans())
def test_gradients_of_sums_are_right(lists: Incidence, scale_lists: bool, scale_rows: bool) -> None:
    x = drawn(lists.num_targets, 3).requires_grad_()
    of_lists = drawn(len(lists), seed=1) if scale_lists else None
    of_rows = drawn(lists.num_targets, seed=2) if scale_rows else None

    def summed(x: Tensor) -> Tensor:
        return sum_lists(lists, x, list_scale=of_lists, row_scale=of_rows)

    assert torch.autograd.gradcheck(summed, (x,))
    assert torch.autograd.gradgradcheck(summed, (x,))


@settings(max_examples=25)
@given(symmetric(), st.booleans())
def test_gradients_of_sums_with_values_and_oneself_are_right(lists: Incidence, with_values: bool) -> None:
    n = len(lists)
    weight = drawn(n, n, seed=3)
    values = (weight + weight.T)[lists.list_of_member, lists.index] if with_values else None
    scale, other = drawn(n, seed=4), drawn(n, seed=5)
    x = drawn(n, 2).requires_grad_()

    def summed(x: Tensor) -> Tensor:
        return sum_lists(lists, x, list_scale=scale, row_scale=other, values=values, own=1.5)

    if n:
        assert torch.autograd.gradcheck(summed, (x,))
        assert torch.autograd.gradgradcheck(summed, (x,))


def test_values_of_lists_that_are_not_their_own_transpose_are_refused() -> None:
    lists = lists_of([[0, 1]], 2)
    with pytest.raises(ValueError, match="values: expected lists that are their own transpose"):
        sum_lists(lists, drawn(2, 1), values=drawn(2))


@given(samples(), st.booleans(), st.sampled_from([0.0, 1.0, 0.5]), st.booleans())
def test_sums_over_neighbours_are_the_same_through_twin_classes(
    graphs: list[Sample], by_classes: bool, own: float, scaled: bool
) -> None:
    for level in small_batch(graphs, by_classes=by_classes).levels:
        n = level.num_nodes
        x = drawn(n, 3).requires_grad_()
        scales = (drawn(n, seed=1), drawn(n, seed=2)) if scaled else (None, None)
        A = adjacency(level) + own * torch.eye(n, dtype=torch.float64)
        if scales[0] is not None and scales[1] is not None:
            A = scales[0][:, None] * A * scales[1]
        y = sum_neighbours(level, x, list_scale=scales[0], row_scale=scales[1], own=own)
        assert close(y, A @ x)
        g = drawn(n, 3, seed=6)
        assert close(torch.autograd.grad(y, x, g)[0], A.T @ g)


@given(ragged(), st.data())
def test_a_chain_of_sums_is_a_product_of_matrices(first: Incidence, data: st.DataObject) -> None:
    count = len(first)
    part = st.lists(st.integers(0, count - 1), max_size=4) if count else st.just([])
    second = lists_of(data.draw(st.lists(part, max_size=4)), count)
    x, scale = drawn(first.num_targets, 4), drawn(len(second), seed=1)
    expected = scale[:, None] * (matrix_of(second) @ matrix_of(first) @ x)
    assert close(sum_chain((first, second), x, list_scale=scale), expected)


# ---- maxima ----


def largest_rows(lists: Incidence, x: Tensor) -> Tensor:
    """The maxima by torch, list by list."""
    y = torch.zeros(len(lists), x.shape[1], dtype=x.dtype)
    for row, (begin, end) in enumerate(itertools.pairwise(lists.offsets.tolist())):
        if end > begin:
            y[row] = x[lists.index[begin:end]].amax(dim=0)
    return y


@given(ragged(), st.sampled_from(list(TOLERANCE)), st.sampled_from(WIDTHS))
def test_maxima_over_lists_are_exact(lists: Incidence, dtype: torch.dtype, width: int) -> None:
    x = drawn(lists.num_targets, width, dtype=dtype)
    assert max_lists(lists, x).tolist() == largest_rows(lists, x).tolist()


@settings(max_examples=25)
@given(ragged(1))
def test_gradients_of_maxima_are_right(lists: Incidence) -> None:
    x = drawn(lists.num_targets, 3).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: max_lists(lists, x), (x,))
    assert torch.autograd.gradgradcheck(lambda x: max_lists(lists, x), (x,))


def test_the_gradient_of_equal_maxima_flows_to_the_first() -> None:
    x = torch.tensor([[1.0, 2.0], [1.0, 3.0], [1.0, 3.0]], requires_grad=True)
    max_lists(lists_of([[2, 1, 0], []], 3), x).backward(torch.tensor([[1.0, 10.0], [5.0, 5.0]]))
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0], [1.0, 10.0]]


# ---- readouts ----


def read_out(sizes: list[int], x: Tensor) -> Tensor:
    """The mean and the maximum by torch, graph by graph."""
    rows = [
        torch.cat([part.mean(dim=0), part.amax(dim=0)]) if len(part) else x.new_zeros(2 * x.shape[1])
        for part in x.split(sizes)
    ]
    return torch.stack(rows) if rows else x.new_zeros(0, 2 * x.shape[1])


graph_sizes = st.lists(st.integers(0, 5), max_size=6)


@given(graph_sizes, st.sampled_from(list(TOLERANCE)), st.sampled_from(WIDTHS))
def test_readouts_are_the_mean_and_maximum_of_each_graph(
    sizes: list[int], dtype: torch.dtype, width: int
) -> None:
    x = drawn(sum(sizes), width, dtype=dtype)
    start = torch.tensor([0, *sizes]).cumsum(0)
    y = mean_and_max(start, x)
    assert y.dtype == dtype
    assert close(y, read_out(sizes, x.double()), dtype)
    assert y[:, width:].tolist() == read_out(sizes, x)[:, width:].tolist()


def test_first_and_last_graphs_without_nodes_are_read_out_as_zeros() -> None:
    y = mean_and_max(torch.tensor([0, 0, 2, 2, 2]), torch.tensor([[-4.0], [-2.0]]))
    assert y.tolist() == [[0.0, 0.0], [-3.0, -2.0], [0.0, 0.0], [0.0, 0.0]]


@settings(max_examples=25)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(any))
def test_gradients_of_readouts_are_right(sizes: list[int]) -> None:
    x = drawn(sum(sizes), 3).requires_grad_()
    start = torch.tensor([0, *sizes]).cumsum(0)
    assert torch.autograd.gradcheck(lambda x: mean_and_max(start, x), (x,))


# ---- rectified and normalised rows ----


def rectified(x: Tensor) -> Tensor:
    return torch.nn.functional.normalize(x.relu())


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("width", WIDTHS)
def test_rows_are_rectified_and_normalised_as_torch_does(width: int, dtype: torch.dtype) -> None:
    x = drawn(7, width, dtype=dtype)
    x[2] = -1  # a row of zeros after it is rectified
    x[3] = 0
    x.requires_grad_()
    y, expected = relu_normalise(x), rectified(x)
    assert close(y, expected)
    g = drawn(7, width, seed=1, dtype=dtype)
    assert close(torch.autograd.grad(y, x, g)[0], torch.autograd.grad(expected, x, g)[0])


def test_rows_without_a_positive_entry_become_zeros_and_pass_no_gradient() -> None:
    x = torch.tensor([[-1.0, 0.0], [0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    y = relu_normalise(x)
    assert torch.allclose(y, torch.tensor([[0.0, 0.0], [0.0, 0.0], [0.6, 0.8]]))
    y.sum().backward()
    assert x.grad is not None
    assert x.grad[:2].tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("shape", [(5, 1), (4, 3), (3, 17), (1, 70)])
def test_gradients_of_rectified_and_normalised_rows_are_right(shape: tuple[int, int]) -> None:
    x = drawn(*shape)
    x = torch.where(x.abs() < 0.05, 0.5, x).requires_grad_()  # away from the kink
    assert torch.autograd.gradcheck(relu_normalise, (x,))


def test_rows_that_are_very_short_are_divided_by_no_less_than_epsilon() -> None:
    x = torch.tensor([[1e-15, 1e-14]], dtype=torch.float64, requires_grad=True)
    assert close(relu_normalise(x), rectified(x))
    (mine,) = torch.autograd.grad(relu_normalise(x).sum(), x)
    (theirs,) = torch.autograd.grad(rectified(x).sum(), x)
    assert close(mine, theirs)


# ---- in every layout, precision and number of threads ----

EVERY: dict[str, Callable[[Tensor], Tensor]] = {
    "sum": lambda x: sum_lists(FOUR, x, list_scale=torch.ones(4) / 3, row_scale=torch.arange(4.0)),
    "max": lambda x: max_lists(FOUR, x),
    "readout": lambda x: mean_and_max(STARTS, x),
    "rectify": relu_normalise,
}
every = pytest.mark.parametrize("call", EVERY.values(), ids=EVERY)


@every
def test_rows_that_do_not_lie_end_to_end_give_the_same(call: Callable[[Tensor], Tensor]) -> None:
    x = drawn(4, 6, dtype=torch.float32)
    for other in (x.T.contiguous().T, torch.stack([x, -x], dim=2)[:, :, 0], x.repeat(1, 2)[:, :6]):
        assert not other.is_contiguous()
        a, b = x.clone().requires_grad_(), other.detach().requires_grad_()
        y, z = call(a), call(b)
        assert z.tolist() == y.tolist()
        g = torch.arange(1.0, y.numel() + 1).reshape(y.shape[::-1]).T  # nor does the gradient
        (mine,), (theirs,) = torch.autograd.grad(y, a, g.contiguous()), torch.autograd.grad(z, b, g)
        assert mine.tolist() == theirs.tolist()


@every
def test_broadcast_gradients_are_taken(call: Callable[[Tensor], Tensor]) -> None:
    x = drawn(4, 3).requires_grad_()
    (summed,) = torch.autograd.grad(call(x).sum(), x)
    y = call(x)
    (ones,) = torch.autograd.grad(y, x, torch.ones_like(y))
    assert summed.tolist() == ones.tolist()


@every
@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf")])
def test_nan_and_infinity_come_through_as_torch_lets_them(
    call: Callable[[Tensor], Tensor], odd: float
) -> None:
    x = drawn(4, 5, dtype=torch.float32)
    x[1, 2] = odd
    x[3, 0] = odd
    expected = {
        "sum": lambda: (
            (torch.ones(4) / 3)[:, None]
            * torch.stack(
                [(x * torch.arange(4.0)[:, None])[part].sum(0) for part in ([0, 1], [2, 3, 1], [], [3])]
            )
        ),
        "max": lambda: largest_rows(FOUR, x),
        "readout": lambda: read_out([1, 3], x),
        "rectify": lambda: rectified(x),
    }
    (name,) = (name for name, other in EVERY.items() if other is call)
    assert close(call(x), expected[name]())


@every
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_other_precisions_agree_with_the_core(call: Callable[[Tensor], Tensor], dtype: torch.dtype) -> None:
    x = drawn(4, 9, dtype=dtype)
    a, b = x.clone().requires_grad_(), x.float().requires_grad_()
    y, z = call(a), call(b)
    assert y.dtype == dtype
    assert close(y, z, dtype)
    g = drawn(*y.shape, seed=3, dtype=dtype)
    (mine,), (theirs,) = torch.autograd.grad(y, a, g), torch.autograd.grad(z, b, g.float())
    assert close(mine, theirs, dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_results_do_not_depend_on_the_number_of_threads(
    threads: Callable[[int], None], dtype: torch.dtype
) -> None:
    random = np.random.default_rng(0)
    lists = Incidence(
        torch.arange(0, 120_001, 12),
        torch.from_numpy(random.integers(3000, size=120_000, dtype=np.int32)),
        3000,
    )
    x = drawn(3000, 200, dtype=dtype)  # enough additions to be worth several threads
    found = []
    for count in (1, 2, 3):
        threads(count)
        found.append((sum_lists(lists, x), max_lists(lists, x)))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            assert a.numpy().tobytes() == b.numpy().tobytes()
