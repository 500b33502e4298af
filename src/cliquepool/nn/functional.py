"""Sums and maxima of feature rows over lists of rows, with gradients.

On the CPU they run in the compiled core; anywhere else, or in other precisions than 32 and 64 bits, through
torch's own operations, which never ask the device for a number. Under ``torch.compile`` the core's loops are
custom operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.compiler import is_compiling

from cliquepool.nn import compiled_ops, kernels

if TYPE_CHECKING:
    from cliquepool.nn.batch import Level, Lists

__all__ = ["max_lists", "mean_and_max", "rectify_and_normalise", "sum_chain", "sum_lists", "sum_neighbours"]


def _wants_gradient(x: Tensor) -> bool:
    return x.requires_grad and torch.is_grad_enabled()


def sum_lists(
    lists: Lists,
    x: Tensor,
    *,
    list_scale: Tensor | None = None,
    row_scale: Tensor | None = None,
    values: Tensor | None = None,
    own: float = 0.0,
) -> Tensor:
    """The sum of the rows of each list.

    Row j counts ``row_scale[j]`` times, and ``values[e]`` times as member e; the sum of list i counts
    ``list_scale[i]`` times. With `own`, row i itself is added to list i that many times. `values` is for
    lists that are their own transpose, and the same in both directions. Gradients flow to `x` alone.
    """
    if values is not None and lists.back is not None:
        raise ValueError("values: expected lists that are their own transpose")
    list_scale, row_scale, values = (
        scale if scale is None or scale.dtype == x.dtype else scale.to(x.dtype)
        for scale in (list_scale, row_scale, values)
    )
    if kernels.runs_in_core(x):
        if is_compiling():
            return compiled_ops.sum_lists(lists, x, list_scale, row_scale, values, own)
        if not _wants_gradient(x):
            return kernels.sum_of_lists(lists, x, list_scale, row_scale, values, own)
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
        lists: Lists,
        list_scale: Tensor | None,
        row_scale: Tensor | None,
        values: Tensor | None,
        own: float,
    ) -> Tensor:
        ctx.arguments = (lists, list_scale, row_scale, values, own)
        return kernels.sum_of_lists(lists, x, list_scale, row_scale, values, own)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        lists, list_scale, row_scale, values, own = ctx.arguments
        back = sum_lists(
            lists.transposed, gradients[0], list_scale=row_scale, row_scale=list_scale, values=values, own=own
        )
        return back, None, None, None, None, None


def sum_chain(
    chain: tuple[Lists, ...],
    x: Tensor,
    *,
    list_scale: Tensor | None = None,
    row_scale: Tensor | None = None,
) -> Tensor:
    """Sum over the first lists, then over the next ones, and so on; rows are scaled first, sums last."""
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
    """The sum over each node's neighbours, and `own` times itself; through twin classes where kept so."""
    if level.neighbours is not None:
        return sum_lists(level.neighbours, x, list_scale=list_scale, row_scale=row_scale, own=own)
    assert level.class_of_node is not None
    assert level.quotient is not None
    of_classes = sum_lists(level.class_of_node.transposed, x, row_scale=row_scale)
    around = sum_lists(level.quotient, of_classes, own=1.0)
    y = sum_lists(level.class_of_node, around, list_scale=list_scale)
    if own == 1.0:
        return y
    # Through the classes a node has met itself once.
    for scale in (list_scale, row_scale):
        if scale is not None:
            x = x * scale[:, None].to(x.dtype)
    return torch.add(y, x, alpha=own - 1.0)


def max_lists(lists: Lists, x: Tensor) -> Tensor:
    """The largest of the rows of each list, feature by feature; zero for an empty list.

    Where rows are equal the gradient flows to the first of them (off the CPU, to all in equal shares).
    """
    if kernels.runs_in_core(x):
        if is_compiling():
            return compiled_ops.max_lists(lists, x)
        if not _wants_gradient(x):
            return kernels.max_of_lists(lists, x)[0]
        result: Tensor = _MaxLists.apply(x, lists)  # type: ignore[no-untyped-call]
        return result
    index = lists.list_of_member[:, None].expand(-1, x.shape[1])
    zeros = x.new_zeros(len(lists), x.shape[1])
    return zeros.scatter_reduce(0, index, x[lists.index], "amax", include_self=False)


class _MaxLists(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, lists: Lists) -> Tensor:
        y, where = kernels.max_of_lists(lists, x)
        ctx.save_for_backward(where)
        ctx.num_rows = x.shape[0]
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (where,) = ctx.saved_tensors
        return _Scatter.apply(gradients[0], where, ctx.num_rows), None  # type: ignore[no-untyped-call]


class _Scatter(torch.autograd.Function):
    """Sends each entry of a gradient to where its maximum was; its own gradient comes back from there."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, where: Tensor, num_rows: int) -> Tensor:
        ctx.save_for_backward(where)
        return kernels.scattered(gradient, where, num_rows)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (where,) = ctx.saved_tensors
        found = where >= 0
        return torch.gather(gradients[0], 0, where.clamp(min=0).long()) * found, None, None


def mean_and_max(node_start: Tensor, x: Tensor) -> Tensor:
    """The mean and the maximum over each graph's nodes, side by side; zeros for a graph without nodes."""
    if kernels.runs_in_core(x):
        if is_compiling():
            return compiled_ops.mean_and_max(node_start, x)
        if not _wants_gradient(x):
            return kernels.mean_and_max_of(node_start, x)[0]
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
        y, where = kernels.mean_and_max_of(node_start, x)
        ctx.save_for_backward(where, node_start)
        ctx.num_rows = x.shape[0]
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        where, node_start = ctx.saved_tensors
        return kernels.mean_and_max_back(node_start, where, gradients[0], ctx.num_rows), None


def rectify_and_normalise(x: Tensor) -> Tensor:
    """``normalize(relu(x))``, each row divided by its length, in one pass."""
    if kernels.runs_in_core(x):
        if is_compiling():
            return compiled_ops.rectify_and_normalise(x)
        if not _wants_gradient(x):
            return kernels.rectified(x)[0]
        result: Tensor = _RectifyAndNormalise.apply(x)  # type: ignore[no-untyped-call]
        return result
    return torch.nn.functional.normalize(x.relu(), eps=1e-12)


class _RectifyAndNormalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y, divisor = kernels.rectified(x)
        ctx.save_for_backward(y, divisor)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        y, divisor = ctx.saved_tensors
        return kernels.rectified_back(y, divisor, gradients[0])
