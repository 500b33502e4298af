"""The core's loops as custom operators of torch, which ``torch.compile`` puts into its graph without a break.

Eager code calls `cliquepool.nn.kernels` directly: a custom operator adds tens of microseconds to each call.
This module does not import annotations from __future__: torch before 2.5 derives the schemas of operators
from annotations that are types, not text.
"""

from typing import Any

import torch
from torch import Tensor

from cliquepool.nn import kernels
from cliquepool.nn.incidence import Incidence

__all__ = ["max_lists", "mean_and_max", "relu_normalise", "sum_lists"]

_operator = torch.library.custom_op


def sum_lists(  # noqa: PLR0917 (the core's order)
    lists: Incidence,
    x: Tensor,
    list_scale: Tensor | None,
    row_scale: Tensor | None,
    values: Tensor | None,
    own: float,
) -> Tensor:
    """Return the sum of the rows of each list; see `functional.sum_lists`."""
    transposed = lists.transposed
    result: Tensor = _sum_lists(
        x,
        lists.offsets,
        lists.members,
        transposed.offsets,
        transposed.members,
        list_scale,
        row_scale,
        values,
        own,
    )
    return result


def max_lists(lists: Incidence, x: Tensor) -> Tensor:
    """Return the maximum over the rows of each list."""
    result: Tensor = _max_lists(x, lists.offsets, lists.members)[0]
    return result


def mean_and_max(node_start: Tensor, x: Tensor) -> Tensor:
    """Return the mean and the maximum over the rows of each graph."""
    result: Tensor = _mean_and_max(x, node_start)[0]
    return result


def relu_normalise(x: Tensor) -> Tensor:
    """Apply ReLU and L2-normalise each row."""
    result: Tensor = _relu_normalise(x)[0]
    return result


# ---- sums ----


@_operator("cliquepool::sum_lists", mutates_args=())
def _sum_lists(  # noqa: PLR0917 (operators take tensors one by one)
    x: Tensor,
    offsets: Tensor,
    members: Tensor,
    transposed_offsets: Tensor,  # noqa: ARG001 (for the gradient)
    transposed_members: Tensor,  # noqa: ARG001
    list_scale: Tensor | None,
    row_scale: Tensor | None,
    values: Tensor | None,
    own: float,
) -> Tensor:
    return kernels.sum_lists(Incidence(offsets, members, x.shape[0]), x, list_scale, row_scale, values, own)


@_sum_lists.register_fake
def _(x: Tensor, offsets: Tensor, *_: Any) -> Tensor:
    return x.new_empty(offsets.shape[0] - 1, x.shape[1])


def _keep_for_sum(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ARG001 (torch's order)
    _, offsets, members, transposed_offsets, transposed_members, list_scale, row_scale, values, own = inputs
    ctx.save_for_backward(
        offsets, members, transposed_offsets, transposed_members, list_scale, row_scale, values
    )
    ctx.own = own


def _gradient_of_sum(ctx: Any, gradient: Tensor) -> Any:
    offsets, members, transposed_offsets, transposed_members, list_scale, row_scale, values = (
        ctx.saved_tensors
    )
    of_x = _sum_lists(
        gradient,
        transposed_offsets,
        transposed_members,
        offsets,
        members,
        row_scale,
        list_scale,
        values,
        ctx.own,
    )
    return of_x, *[None] * 8


_sum_lists.register_autograd(_gradient_of_sum, setup_context=_keep_for_sum)


# ---- maxima ----


@_operator("cliquepool::max_lists", mutates_args=())
def _max_lists(x: Tensor, offsets: Tensor, members: Tensor) -> tuple[Tensor, Tensor]:
    return kernels.max_lists(Incidence(offsets, members, x.shape[0]), x)


@_max_lists.register_fake
def _(x: Tensor, offsets: Tensor, members: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    y = x.new_empty(offsets.shape[0] - 1, x.shape[1])
    return y, torch.empty_like(y, dtype=torch.int32)


@_operator("cliquepool::scatter_rows", mutates_args=())
def _scatter(gradient: Tensor, where: Tensor, num_rows: int) -> Tensor:
    return kernels.scatter(gradient, where, num_rows)


@_scatter.register_fake
def _(gradient: Tensor, where: Tensor, num_rows: int) -> Tensor:  # noqa: ARG001
    return gradient.new_empty(num_rows, gradient.shape[1])


def _keep_for_max(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(output[1])
    ctx.num_rows = inputs[0].shape[0]


def _gradient_of_max(ctx: Any, gradient: Tensor, _: Any) -> Any:
    (where,) = ctx.saved_tensors
    return _scatter(gradient, where, ctx.num_rows), None, None


_max_lists.register_autograd(_gradient_of_max, setup_context=_keep_for_max)


# ---- readouts ----


@_operator("cliquepool::mean_and_max", mutates_args=())
def _mean_and_max(x: Tensor, node_start: Tensor) -> tuple[Tensor, Tensor]:
    return kernels.mean_and_max(node_start, x)


@_mean_and_max.register_fake
def _(x: Tensor, node_start: Tensor) -> tuple[Tensor, Tensor]:
    graphs = node_start.shape[0] - 1
    where = torch.empty(graphs, x.shape[1], dtype=torch.int32, device=x.device)
    return x.new_empty(graphs, 2 * x.shape[1]), where


@_operator("cliquepool::mean_and_max_backward", mutates_args=())
def _mean_and_max_backward(node_start: Tensor, where: Tensor, gradient: Tensor, num_rows: int) -> Tensor:
    return kernels.mean_and_max_backward(node_start, where, gradient, num_rows)


@_mean_and_max_backward.register_fake
def _(node_start: Tensor, where: Tensor, gradient: Tensor, num_rows: int) -> Tensor:  # noqa: ARG001
    return gradient.new_empty(num_rows, where.shape[1])


def _keep_for_readout(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(inputs[1], output[1])
    ctx.num_rows = inputs[0].shape[0]


def _gradient_of_readout(ctx: Any, gradient: Tensor, _: Any) -> Any:
    node_start, where = ctx.saved_tensors
    return _mean_and_max_backward(node_start, where, gradient, ctx.num_rows), None


_mean_and_max.register_autograd(_gradient_of_readout, setup_context=_keep_for_readout)


# ---- ReLU and L2 norm ----


@_operator("cliquepool::relu_normalise", mutates_args=())
def _relu_normalise(x: Tensor) -> tuple[Tensor, Tensor]:
    return kernels.relu_normalise(x)


@_relu_normalise.register_fake
def _(x: Tensor) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape), x.new_empty(x.shape[0])


@_operator("cliquepool::relu_normalise_backward", mutates_args=())
def _relu_normalise_backward(y: Tensor, divisor: Tensor, gradient: Tensor) -> Tensor:
    return kernels.relu_normalise_backward(y, divisor, gradient)


@_relu_normalise_backward.register_fake
def _(y: Tensor, divisor: Tensor, gradient: Tensor) -> Tensor:  # noqa: ARG001
    return torch.empty_like(y)


def _keep_for_relu_normalise(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ARG001 (torch's order)
    ctx.save_for_backward(*output)


def _gradient_of_relu_normalise(ctx: Any, gradient: Tensor, _: Any) -> Any:
    y, divisor = ctx.saved_tensors
    return _relu_normalise_backward(y, divisor, gradient)


_relu_normalise.register_autograd(_gradient_of_relu_normalise, setup_context=_keep_for_relu_normalise)
