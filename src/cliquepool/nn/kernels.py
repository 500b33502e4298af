"""The compiled core's loops on torch tensors, forward and backward, without autograd.

For tensors on the CPU in 32 or 64 bits; `cliquepool.nn.functional` gives them gradients, and takes torch's
own operations for any other tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor

from cliquepool import _core

if TYPE_CHECKING:
    from cliquepool.nn.batch import Lists

__all__ = [
    "max_of_lists",
    "mean_and_max_back",
    "mean_and_max_of",
    "rectified",
    "rectified_and_read",
    "rectified_and_read_back",
    "rectified_back",
    "runs_in_core",
    "scattered",
    "sum_of_lists",
]

_CORE_TYPES: Final = (torch.float32, torch.float64)
_EPSILON: Final = 1e-12  # as in torch.nn.functional.normalize


def runs_in_core(x: Tensor) -> bool:
    """Whether the core has a loop for this tensor."""
    return x.is_cpu and x.dtype in _CORE_TYPES


def _array(tensor: Tensor | None) -> Any:
    return None if tensor is None else tensor.detach().numpy()


def _rows(tensor: Tensor) -> Any:
    return tensor.detach().contiguous().numpy()


def sum_of_lists(  # noqa: PLR0917 (the core's order)
    lists: Lists,
    x: Tensor,
    list_scale: Tensor | None = None,
    row_scale: Tensor | None = None,
    values: Tensor | None = None,
    own: float = 0.0,
) -> Tensor:
    """The sum of the rows of each list, as `functional.sum_lists` explains."""
    y = x.new_empty(len(lists), x.shape[1])
    _core.sum_lists(
        *lists.arrays,
        _rows(x),
        _array(list_scale),
        _array(row_scale),
        _array(values),
        own,
        torch.get_num_threads(),
        y.numpy(),
    )
    return y


def max_of_lists(lists: Lists, x: Tensor) -> tuple[Tensor, Tensor]:
    """The largest of the rows of each list, and in which row each was."""
    y = x.new_empty(len(lists), x.shape[1])
    where = torch.empty(y.shape, dtype=torch.int32)
    _core.max_lists(*lists.arrays, _rows(x), torch.get_num_threads(), y.numpy(), where.numpy())
    return y, where


def scattered(gradient: Tensor, where: Tensor, num_rows: int) -> Tensor:
    """Each entry of a gradient added up where its maximum was."""
    to = gradient.new_zeros(num_rows, gradient.shape[1])
    _core.scatter(where.numpy(), _rows(gradient), to.numpy())
    return to


def mean_and_max_of(node_start: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """The mean and the maximum over the rows of each graph, and in which row each maximum was."""
    graphs = node_start.numel() - 1
    y = x.new_empty(graphs, 2 * x.shape[1])
    where = torch.empty(graphs, x.shape[1], dtype=torch.int32)
    _core.mean_and_max(node_start.numpy(), _rows(x), y.numpy(), where.numpy())
    return y, where


def mean_and_max_back(node_start: Tensor, where: Tensor, gradient: Tensor, num_rows: int) -> Tensor:
    """The gradient of the rows, from that of their means and maxima."""
    to = gradient.new_empty(num_rows, where.shape[1])
    _core.mean_and_max_backward(node_start.numpy(), where.numpy(), _rows(gradient), to.numpy())
    return to


def rectified(x: Tensor) -> tuple[Tensor, Tensor]:
    """What is positive, each row divided by its length; and what it was divided by."""
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    divisor = x.new_empty(x.shape[0])
    _core.rectify_and_normalise(_rows(x), _EPSILON, y.numpy(), divisor.numpy())
    return y, divisor


def rectified_back(y: Tensor, divisor: Tensor, gradient: Tensor) -> Tensor:
    """The gradient of the rows, from that of what `rectified` made of them."""
    to = torch.empty_like(y)
    _core.rectify_and_normalise_backward(
        y.detach().numpy(), divisor.numpy(), _EPSILON, _rows(gradient), to.numpy()
    )
    return to


def rectified_and_read(node_start: Tensor, z: Tensor, read: Tensor, first: int) -> tuple[Tensor, Tensor]:
    """`rectified` in place, and `mean_and_max_of` that into `read`, from the column `first` on.

    Gives what rows were divided by, and in which row each maximum was.
    """
    divisor = z.new_empty(z.shape[0])
    where = torch.empty(read.shape[0], z.shape[1], dtype=torch.int32)
    _core.rectify_and_read(
        node_start.numpy(), z.numpy(), _EPSILON, divisor.numpy(), read.numpy(), first, where.numpy()
    )
    return divisor, where


def rectified_and_read_back(  # noqa: PLR0917 (as they came out, then gradients)
    node_start: Tensor, y: Tensor, divisor: Tensor, where: Tensor, of_read: Tensor, first: int, of_y: Tensor
) -> Tensor:
    """Make of what else flows to y, in place, the gradient of z; gives the sum of its rows."""
    sums = of_y.new_empty(of_y.shape[1])
    _core.rectify_and_read_backward(
        node_start.numpy(),
        y.numpy(),
        divisor.numpy(),
        _EPSILON,
        where.numpy(),
        of_read.numpy(),
        first,
        of_y.numpy(),
        sums.numpy(),
    )
    return sums
