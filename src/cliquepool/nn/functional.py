"""Sums and maxima of feature rows over lists of rows, with gradients.

float32 and float64 tensors on the CPU run in the compiled core; all others in torch's own operations, which
never read a value from the device. Under ``torch.compile`` the core's loops are custom operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.compiler import is_compiling

from cliquepool.nn import compiled_ops, kernels

if TYPE_CHECKING:
    from cliquepool.nn.batch import Level
    from cliquepool.nn.incidence import Incidence

__all__ = ["max_lists", "mean_and_max", "relu_normalise", "sum_chain", "sum_lists", "sum_neighbours"]


def _wants_gradient(x: Tensor) -> bool:
    return x.requires_grad and torch.is_grad_enabled()


def sum_lists(
    lists: Incidence,
    x: Tensor,
    *,
    list_scale: Tensor | None = None,
    row_scale: Tensor | None = None,
    values: Tensor | None = None,
    own: float = 0.0,
) -> Tensor:
    """Return the sum of the rows of each list.

    Row j is multiplied by ``row_scale[j]``, and as member e by ``values[e]``; the sum of list i is multiplied
    by ``list_scale[i]``. `own` times row i is added to list i. `values` is for lists that are their own
    transpose, and equal in both directions. Gradients flow to `x` alone.
    """
    if values is not None and lists.by_target is not None:
        raise ValueError("values: expected lists that are their own transpose")
    list_scale, row_scale, values = (
        scale if scale is None or scale.dtype == x.dtype else scale.to(x.dtype)
        for scale in (list_scale, row_scale, values)
    )
    if kernels.runs_in_core(x):
        if is_compiling():
            return compiled_ops.sum_lists(lists, x, list_scale, row_scale, values, own)
        if not _wants_gradient(x):
            return kernels.sum_lists(lists, x, list_scale, row_scale, values, own)
        result: Tensor = _SumLists.apply(x, lists, list_scale, row_scale, values, own)  # type: ignore[no-untyped-call]
        return result
    scaled = x if row_scale is None else x * row_scale[:, None]
    rows = scaled[lists.index]
    if values is not None:
        rows = rows * values[:, None]
    y = x.new_zeros(len(lists), x.shape[1]).index_add_(0, lists.list_of_member, rows)
    if own:
        y = y + own * scaled
    return y if list_scale is None else y * list_scale[:, None]


class _SumLists(torch.autograd.Function):
    @staticmethod
    def forward(  # noqa: PLR0917 (torch passes them so)
        ctx: Any,
        x: Tensor,
        lists: Incidence,
        list_scale: Tensor | None,
        row_scale: Tensor | None,
        values: Tensor | None,
        own: float,
    ) -> Tensor:
        ctx.arguments = (lists, list_scale, row_scale, values, own)
        return kernels.sum_lists(lists, x, list_scale, row_scale, values, own)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        lists, list_scale, row_scale, values, own = ctx.arguments
        of_x = sum_lists(
            lists.transposed, gradients[0], list_scale=row_scale, row_scale=list_scale, values=values, own=own
        )
        return of_x, None, None, None, None, None


def sum_chain(
    chain: tuple[Incidence, ...],
    x: Tensor,
    *,
    list_scale: Tensor | None = None,
    row_scale: Tensor | None = None,
) -> Tensor:
    """Sum over each of the lists in turn; `row_scale` is for the first sum, `list_scale` for the last."""
    for lists in chain[:-1]:
        x, row_scale = sum_lists(lists, x, row_scale=row_scale), None
    return sum_lists(chain[-1], x, list_scale=list_scale, row_scale=row_scale)


def sum_neighbours(
    level: Level,
    x: Tensor,
    *,
    list_scale: Tensor | None = None,
    row_scale: Tensor | None = None,
    own: float = 0.0,
) -> Tensor:
    """Return the sum over each node's neighbours plus `own` times the node; by twin classes if kept so.

    The result has a row for each node or, where the level has `own` nodes, for each of these.
    """
    summed = _sum_neighbours(level, x, list_scale, row_scale, own)
    return summed if level.own is None else summed[level.own]


def _sum_neighbours(
    level: Level, x: Tensor, list_scale: Tensor | None, row_scale: Tensor | None, own: float
) -> Tensor:
    if level.neighbours is not None:
        return sum_lists(level.neighbours, x, list_scale=list_scale, row_scale=row_scale, own=own)
    assert level.class_of_node is not None
    assert level.quotient is not None
    of_classes = sum_lists(level.class_of_node.transposed, x, row_scale=row_scale)
    around = sum_lists(level.quotient, of_classes, own=1.0)
    y = sum_lists(level.class_of_node, around, list_scale=list_scale)
    if own == 1.0:
        return y
    # The sum over a class includes the node itself once.
    for scale in (list_scale, row_scale):
        if scale is not None:
            x = x * scale[:, None].to(x.dtype)
    return torch.add(y, x, alpha=own - 1.0)


def max_lists(lists: Incidence, x: Tensor) -> Tensor:
    """Return the maximum over the rows of each list, feature by feature; zero for an empty list.

    Among equal rows the gradient flows to the first (off the CPU, to all in equal shares).
    """
    if kernels.runs_in_core(x):
        if is_compiling():
            return compiled_ops.max_lists(lists, x)
        if not _wants_gradient(x):
            return kernels.max_lists(lists, x)[0]
        result: Tensor = _MaxLists.apply(x, lists)  # type: ignore[no-untyped-call]
        return result
    index = lists.list_of_member[:, None].expand(-1, x.shape[1])
    zeros = x.new_zeros(len(lists), x.shape[1])
    return zeros.scatter_reduce(0, index, x[lists.index], "amax", include_self=False)


class _MaxLists(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, lists: Incidence) -> Tensor:
        y, where = kernels.max_lists(lists, x)
        ctx.save_for_backward(where)
        ctx.num_rows = x.shape[0]
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (where,) = ctx.saved_tensors
        return _Scatter.apply(gradients[0], where, ctx.num_rows), None  # type: ignore[no-untyped-call]


class _Scatter(torch.autograd.Function):
    """Adds each entry of a gradient to the row of its maximum; the backward pass gathers from these rows."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, where: Tensor, num_rows: int) -> Tensor:
        ctx.save_for_backward(where)
        return kernels.scatter(gradient, where, num_rows)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (where,) = ctx.saved_tensors
        found = where >= 0
        return torch.gather(gradients[0], 0, where.clamp(min=0).long()) * found, None, None


def mean_and_max(node_start: Tensor, x: Tensor) -> Tensor:
    """Return the mean and the maximum over each graph's nodes, side by side; zeros where it has none."""
    if kernels.runs_in_core(x):
        if is_compiling():
            return compiled_ops.mean_and_max(node_start, x)
        if not _wants_gradient(x):
            return kernels.mean_and_max(node_start, x)[0]
        result: Tensor = _MeanAndMax.apply(x, node_start)  # type: ignore[no-untyped-call]
        return result
    counts = node_start.diff()
    graphs = torch.repeat_interleave(torch.arange(len(counts), device=x.device), counts, output_size=len(x))
    zeros = x.new_zeros(len(counts), x.shape[1])
    mean = zeros.index_add(0, graphs, x) / counts.clamp(min=1)[:, None].to(x.dtype)
    index = graphs[:, None].expand(-1, x.shape[1])
    return torch.cat([mean, zeros.scatter_reduce(0, index, x, "amax", include_self=False)], dim=1)


class _MeanAndMax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, node_start: Tensor) -> Tensor:
        y, where = kernels.mean_and_max(node_start, x)
        ctx.save_for_backward(where, node_start)
        ctx.num_rows = x.shape[0]
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        where, node_start = ctx.saved_tensors
        return kernels.mean_and_max_backward(node_start, where, gradients[0], ctx.num_rows), None


def relu_normalise(x: Tensor) -> Tensor:
    """Apply ReLU and L2-normalise each row, in one pass: ``normalize(relu(x))``."""
    if kernels.runs_in_core(x):
        if is_compiling():
            return compiled_ops.relu_normalise(x)
        if not _wants_gradient(x):
            return kernels.relu_normalise(x)[0]
        result: Tensor = _ReluNormalise.apply(x)  # type: ignore[no-untyped-call]
        return result
    return torch.nn.functional.normalize(x.relu(), eps=1e-12)


class _ReluNormalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y, divisor = kernels.relu_normalise(x)
        ctx.save_for_backward(y, divisor)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        y, divisor = ctx.saved_tensors
        return kernels.relu_normalise_backward(y, divisor, gradients[0])
