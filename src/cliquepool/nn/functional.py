"""Sums and maxima of feature rows over lists of rows, with gradients.

On the CPU they run in the compiled core; anywhere else, or in other precisions than 32 and 64 bits, through
torch's own operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor

from cliquepool import _core

if TYPE_CHECKING:
    from cliquepool.data.batch import Level, Lists

__all__ = ["max_lists", "mean_and_max", "rectify_and_normalise", "sum_chain", "sum_lists", "sum_neighbours"]

_CORE_TYPES: Final = (torch.float32, torch.float64)
_EPSILON: Final = 1e-12  # as in torch.nn.functional.normalize


def _runs_in_core(x: Tensor) -> bool:
    return x.device.type == "cpu" and x.dtype in _CORE_TYPES


def _array(tensor: Tensor | None) -> Any:
    return None if tensor is None else tensor.detach().numpy()


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
        None if scale is None else scale.to(x.dtype) for scale in (list_scale, row_scale, values)
    )
    if _runs_in_core(x):
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
        y = x.new_empty(len(lists), x.shape[1])
        _core.sum_lists(
            *lists.arrays,
            _array(x.contiguous()),
            _array(list_scale),
            _array(row_scale),
            _array(values),
            own,
            torch.get_num_threads(),
            y.numpy(),
        )
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        lists, list_scale, row_scale, values, own = ctx.arguments
        back = sum_lists(
            lists.transposed, gradients[0], list_scale=row_scale, row_scale=list_scale, values=values, own=own
        )
        return back, None, None, None, None, None


def sum_chain(chain: tuple[Lists, ...], x: Tensor, *, list_scale: Tensor | None = None) -> Tensor:
    """Sum over the first lists, then over the next ones, and so on; the last sums are scaled."""
    for lists in chain[:-1]:
        x = sum_lists(lists, x)
    return sum_lists(chain[-1], x, list_scale=list_scale)


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
    if _runs_in_core(x):
        result: Tensor = _MaxLists.apply(x, lists)  # type: ignore[no-untyped-call]
        return result
    index = lists.list_of_member[:, None].expand(-1, x.shape[1])
    zeros = x.new_zeros(len(lists), x.shape[1])
    return zeros.scatter_reduce(0, index, x[lists.index], "amax", include_self=False)


class _MaxLists(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, lists: Lists) -> Tensor:
        y = x.new_empty(len(lists), x.shape[1])
        where = torch.empty(y.shape, dtype=torch.int32)
        _core.max_lists(
            *lists.arrays, _array(x.contiguous()), torch.get_num_threads(), y.numpy(), where.numpy()
        )
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
        to = gradient.new_zeros(num_rows, gradient.shape[1])
        _core.scatter(where.numpy(), _array(gradient.contiguous()), to.numpy())
        return to

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (where,) = ctx.saved_tensors
        found = where >= 0
        return torch.gather(gradients[0], 0, where.clamp(min=0).long()) * found, None, None


def mean_and_max(node_start: Tensor, x: Tensor) -> Tensor:
    """The mean and the maximum over each graph's nodes, side by side; zeros for a graph without nodes."""
    if _runs_in_core(x):
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
        graphs = node_start.numel() - 1
        y = x.new_empty(graphs, 2 * x.shape[1])
        where = torch.empty(graphs, x.shape[1], dtype=torch.int32)
        _core.mean_and_max(node_start.numpy(), _array(x.contiguous()), y.numpy(), where.numpy())
        ctx.save_for_backward(where, node_start)
        ctx.num_rows = x.shape[0]
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        where, node_start = ctx.saved_tensors
        to = gradients[0].new_empty(ctx.num_rows, where.shape[1])
        _core.mean_and_max_backward(
            node_start.numpy(), where.numpy(), _array(gradients[0].contiguous()), to.numpy()
        )
        return to, None


def rectify_and_normalise(x: Tensor) -> Tensor:
    """``normalize(relu(x))``, each row divided by its length, in one pass."""
    if _runs_in_core(x):
        result: Tensor = _RectifyAndNormalise.apply(x)  # type: ignore[no-untyped-call]
        return result
    return torch.nn.functional.normalize(x.relu(), eps=_EPSILON)


class _RectifyAndNormalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = torch.empty_like(x, memory_format=torch.contiguous_format)
        divisor = x.new_empty(x.shape[0])
        _core.rectify_and_normalise(_array(x.contiguous()), _EPSILON, y.numpy(), divisor.numpy())
        ctx.save_for_backward(y, divisor)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        y, divisor = ctx.saved_tensors
        to = torch.empty_like(y)
        _core.rectify_and_normalise_backward(
            _array(y), divisor.numpy(), _EPSILON, _array(gradients[0].contiguous()), to.numpy()
        )
        return to
