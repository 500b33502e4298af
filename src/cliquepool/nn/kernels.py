"""The compiled core's loops on torch tensors, forward and backward, without autograd.

For float32 and float64 tensors on the CPU. `cliquepool.nn.functional` adds gradients, and uses torch's own
operations for all other tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor

from cliquepool import _core

if TYPE_CHECKING:
    from cliquepool.nn.incidence import Incidence

__all__ = [
    "max_lists",
    "mean_and_max",
    "mean_and_max_backward",
    "relu_normalise",
    "relu_normalise_backward",
    "relu_normalise_readout",
    "relu_normalise_readout_backward",
    "runs_in_core",
    "scatter",
    "sum_lists",
]

_CORE_TYPES: Final = (torch.float32, torch.float64)
_EPSILON: Final = 1e-12  # as in torch.nn.functional.normalize


def runs_in_core(x: Tensor) -> bool:
    """Return whether the core has a loop for this tensor."""
    return x.is_cpu and x.dtype in _CORE_TYPES


def _array(tensor: Tensor | None) -> Any:
    return None if tensor is None else tensor.detach().numpy()


def _rows(tensor: Tensor) -> Any:
    return tensor.detach().contiguous().numpy()


def sum_lists(  # noqa: PLR0917 (the core's order)
    lists: Incidence,
    x: Tensor,
    list_scale: Tensor | None = None,
    row_scale: Tensor | None = None,
    values: Tensor | None = None,
    own: float = 0.0,
) -> Tensor:
    """Return the sum of the rows of each list; see `functional.sum_lists`."""
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


def max_lists(lists: Incidence, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the maximum over the rows of each list, and the row of each maximum."""
    y = x.new_empty(len(lists), x.shape[1])
    where = torch.empty(y.shape, dtype=torch.int32)
    _core.max_lists(*lists.arrays, _rows(x), torch.get_num_threads(), y.numpy(), where.numpy())
    return y, where


def scatter(gradient: Tensor, where: Tensor, num_rows: int) -> Tensor:
    """Add each entry of a gradient to the row that its maximum came from."""
    to = gradient.new_zeros(num_rows, gradient.shape[1])
    _core.scatter(where.numpy(), _rows(gradient), to.numpy())
    return to


def mean_and_max(node_start: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean and the maximum over the rows of each graph, and the row of each maximum."""
    graphs = node_start.numel() - 1
    y = x.new_empty(graphs, 2 * x.shape[1])
    where = torch.empty(graphs, x.shape[1], dtype=torch.int32)
    _core.mean_and_max(node_start.numpy(), _rows(x), y.numpy(), where.numpy())
    return y, where


def mean_and_max_backward(node_start: Tensor, where: Tensor, gradient: Tensor, num_rows: int) -> Tensor:
    """Return the gradient of the rows, given that of their means and maxima."""
    to = gradient.new_empty(num_rows, where.shape[1])
    _core.mean_and_max_backward(node_start.numpy(), where.numpy(), _rows(gradient), to.numpy())
    return to


def relu_normalise(x: Tensor) -> tuple[Tensor, Tensor]:
    """Apply ReLU, L2-normalise each row, and return the norms too."""
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    divisor = x.new_empty(x.shape[0])
    _core.relu_normalise(_rows(x), _EPSILON, y.numpy(), divisor.numpy())
    return y, divisor


def relu_normalise_backward(y: Tensor, divisor: Tensor, gradient: Tensor) -> Tensor:
    """Return the gradient of the rows, given the outputs of `relu_normalise` and their gradient."""
    to = torch.empty_like(y)
    _core.relu_normalise_backward(y.detach().numpy(), divisor.numpy(), _EPSILON, _rows(gradient), to.numpy())
    return to


def relu_normalise_readout(node_start: Tensor, z: Tensor, read: Tensor, first: int) -> tuple[Tensor, Tensor]:
    """Apply `relu_normalise` to `z` in place, and write `mean_and_max` of it to `read` from column `first`.

    Returns the norms, and the row of each maximum.
    """
    divisor = z.new_empty(z.shape[0])
    where = torch.empty(read.shape[0], z.shape[1], dtype=torch.int32)
    _core.relu_normalise_readout(
        node_start.numpy(), z.numpy(), _EPSILON, divisor.numpy(), read.numpy(), first, where.numpy()
    )
    return divisor, where


def relu_normalise_readout_backward(  # noqa: PLR0917 (the results of the forward pass, then gradients)
    node_start: Tensor, y: Tensor, divisor: Tensor, where: Tensor, of_read: Tensor, first: int, of_y: Tensor
) -> Tensor:
    """Add the gradient of the readout to `of_y`, turn it into that of `z` in place; return column sums."""
    sums = of_y.new_empty(of_y.shape[1])
    _core.relu_normalise_readout_backward(
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
