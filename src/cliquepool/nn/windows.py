"""The clique pools of images, chains and volumes: windows that slide by one pixel.

On the CPU, maxima over contiguous images run in the compiled core where that is faster, with the same values,
indices and gradients as torch's max pools, bit for bit. All else runs in torch's pools.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (everyone calls it so)

from cliquepool import _core
from cliquepool.grid import pool_window

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "CliqueMaxPool1d",
    "CliqueMaxPool2d",
    "CliqueMaxPool3d",
    "CliqueMeanPool1d",
    "CliqueMeanPool2d",
    "CliqueMeanPool3d",
    "max_windows",
    "mean_windows",
]

_CORE_TYPES: Final = (torch.float32, torch.float64)
_MAX_PIXELS: Final = 2**31  # indices are 32-bit integers
_SIDES: Final = {1: "length", 2: "height, width", 3: "depth, height, width"}
_MAX_POOLS: Final[dict[int, Callable[..., Tensor]]] = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_MEAN_POOLS: Final[dict[int, Callable[..., Tensor]]] = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
# The least work, in comparisons, for which the core is faster than torch, whose cost for each window is that
# of _COST_OF_A_WINDOW more comparisons.
_WORTH_THE_CORE: Final = 1 << 17
_COST_OF_A_WINDOW: Final = 16
# The least window for which averaging side by side is faster than all sides at once (benchmarks/windows.py).
_WIDE_MEAN: Final = 9


def max_windows(x: Tensor, window: tuple[int, ...]) -> Tensor:
    """Return the maximum over each window, windows sliding by one: ``max_pool(x, window, stride=1)``.

    `x` is a batch of images with channels, (N, C, ...), and the window has a length for each of their sides.
    Among equal pixels the gradient flows to the first in row-major order; among NaN to the last, as in torch.
    """
    if _runs_in_core(x, window):
        result: Tensor = _MaxWindows.apply(x, window)  # type: ignore[no-untyped-call]
        return result
    return _MAX_POOLS[len(window)](x, window, stride=1)


def _runs_in_core(x: Tensor, window: tuple[int, ...]) -> bool:
    if torch.compiler.is_compiling():
        return False  # torch.compile cannot see into the core
    if x.device.type != "cpu" or x.dtype not in _CORE_TYPES or not x.is_contiguous():
        return False
    sides = x.shape[2:]
    if math.prod(sides) >= _MAX_PIXELS:
        return False
    if not all(1 <= w <= side for w, side in zip(window, sides, strict=True)):
        return False  # torch raises the error
    windows = x.shape[0] * x.shape[1] * math.prod(_pooled(sides, window))
    return windows * (_COST_OF_A_WINDOW + math.prod(window)) >= _WORTH_THE_CORE


def _pooled(sides: tuple[int, ...], window: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(side - w + 1 for side, w in zip(sides, window, strict=True))


def _images(x: Tensor) -> Any:
    """Return a view of shape (number, depth, height, width), as the core takes it."""
    array = x.detach().numpy()
    return array.reshape(-1, *(1,) * (5 - array.ndim), *array.shape[2:])


class _MaxWindows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, window: tuple[int, ...]) -> Tensor:
        y = x.new_empty((*x.shape[:2], *_pooled(x.shape[2:], window)))
        where = torch.empty_like(y, dtype=torch.int32) if ctx.needs_input_grad[0] else None
        depth, height, width = (1,) * (3 - len(window)) + window
        indices = None if where is None else _images(where)
        _core.window_max(_images(x), (depth, height, width), torch.get_num_threads(), _images(y), indices)
        if where is not None:
            ctx.save_for_backward(where)
            ctx.shape = x.shape
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (where,) = ctx.saved_tensors
        if not torch.is_grad_enabled():  # no gradient of the gradient is needed
            return _scatter(gradients[0], where, ctx.shape), None
        return _ScatterWindows.apply(gradients[0], where, ctx.shape), None  # type: ignore[no-untyped-call]


def _scatter(gradient: Tensor, where: Tensor, shape: torch.Size) -> Tensor:
    g = _images(gradient.contiguous())
    # np.zeros gets zeroed pages from the system: none is written before the core writes to it.
    to = np.zeros(shape, dtype=g.dtype)
    _core.window_max_backward(
        _images(where), g, torch.get_num_threads(), to.reshape(-1, *(1,) * (5 - to.ndim), *shape[2:])
    )
    return torch.from_numpy(to)


class _ScatterWindows(torch.autograd.Function):
    """Adds each entry of a gradient to the pixel of its maximum; the backward pass gathers from there."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, where: Tensor, shape: torch.Size) -> Tensor:
        ctx.save_for_backward(where)
        return _scatter(gradient, where, shape)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (where,) = ctx.saved_tensors
        return gradients[0].flatten(2).gather(2, where.flatten(2).long()).view(where.shape), None, None


def mean_windows(x: Tensor, window: tuple[int, ...]) -> Tensor:
    """Return the mean over each window, windows sliding by one: ``avg_pool(x, window, stride=1)``.

    Large windows are averaged along one side after the other, which rounds differently.
    """
    pool = _MEAN_POOLS[x.dim() - 2]
    if max(window) < _WIDE_MEAN:
        return pool(x, window, stride=1)
    for axis in range(len(window) - 1, -1, -1):
        if window[axis] > 1:
            x = pool(x, tuple(w if a == axis else 1 for a, w in enumerate(window)), stride=1)
    return x


class _WindowPool(nn.Module):
    """The base of the pools of all dimensions: their window, and the validation of the input."""

    dimensions: ClassVar[int]

    def __init__(self, number: int | None = None, *, window: int | None = None) -> None:
        super().__init__()
        if (number is None) == (window is None):
            raise ValueError(
                f"expected the number of the pool or a window, got number={number!r}, window={window!r}"
            )
        self.number = number
        self.window = pool_window(number) if number is not None else operator.index(window)  # type: ignore[arg-type]
        if self.window < 1:
            raise ValueError(f"window: expected an integer of at least 1, got {window!r}")

    def _pool(self, x: Tensor, pool: Callable[[Tensor, tuple[int, ...]], Tensor]) -> Tensor:
        """Pool a batch of images, or a single image, by windows that are clipped to its sides."""
        if x.dim() not in {self.dimensions + 1, self.dimensions + 2} or not all(x.shape[-self.dimensions :]):
            names = _SIDES[self.dimensions]
            raise ValueError(
                f"expected images of shape (batch, channels, {names}) or (channels, {names}) with pixels, "
                f"got shape {tuple(x.shape)}"
            )
        window = tuple(min(self.window, side) for side in x.shape[-self.dimensions :])
        return pool(x, window) if x.dim() == self.dimensions + 2 else pool(x[None], window)[0]

    def extra_repr(self) -> str:
        """Return the window, and the number of the pool where it was given."""
        return f"window={self.window}" if self.number is None else f"{self.number}, window={self.window}"


class _CliqueMaxPool(_WindowPool):
    def forward(self, x: Tensor) -> Tensor:
        """Return the maximum over each window."""
        return self._pool(x, max_windows)


class _CliqueMeanPool(_WindowPool):
    def forward(self, x: Tensor) -> Tensor:
        """Return the mean over each window."""
        return self._pool(x, mean_windows)


class CliqueMaxPool1d(_CliqueMaxPool):
    """Like `CliqueMaxPool2d`, of chains, (N, C, L): maxima over windows of ``2**(n-1) + 1`` pixels."""

    dimensions = 1


class CliqueMaxPool2d(_CliqueMaxPool):
    """The n-th clique pool of images, (N, C, H, W): maxima over windows of ``2**(n-1) + 1`` pixels a side.

    The windows slide by one pixel, without padding: they are the pools of the n-th level of
    `cliquepool.clique_hierarchy` of the grid of pixels (`grid_graph`). A side that is shorter than the window
    is pooled whole, as in the grid. `window` gives the length of the window instead of the pool's number.

    Values and gradients are those of ``torch.nn.functional.max_pool2d(x, window, stride=1)``, bit for bit.

    >>> x = torch.arange(32.0 * 32).reshape(1, 1, 32, 32)
    >>> for n in range(1, 6):
    ...     x = CliqueMaxPool2d(n)(x)
    ...     print(*x.shape[2:])
    31 31
    29 29
    25 25
    17 17
    1 1
    >>> CliqueMaxPool2d(4)
    CliqueMaxPool2d(4, window=9)
    """

    dimensions = 2


class CliqueMaxPool3d(_CliqueMaxPool):
    """Like `CliqueMaxPool2d`, of volumes, (N, C, D, H, W)."""

    dimensions = 3


class CliqueMeanPool1d(_CliqueMeanPool):
    """Like `CliqueMeanPool2d`, of chains, (N, C, L): means over windows of ``2**(n-1) + 1`` pixels."""

    dimensions = 1


class CliqueMeanPool2d(_CliqueMeanPool):
    """The n-th clique pool of images, (N, C, H, W): means over windows of ``2**(n-1) + 1`` pixels a side.

    The windows are those of `CliqueMaxPool2d`. Means are equal to ``torch.nn.functional.avg_pool2d(x, window,
    stride=1)`` up to rounding, not bit for bit: large windows are averaged along one side after the other.

    >>> CliqueMeanPool2d(1)(torch.tensor([[[1.0, 2.0], [3.0, 6.0]]]))
    tensor([[[3.]]])
    """

    dimensions = 2


class CliqueMeanPool3d(_CliqueMeanPool):
    """Like `CliqueMeanPool2d`, of volumes, (N, C, D, H, W)."""

    dimensions = 3
