"""The clique pools of images, chains and volumes: windows that slide by one pixel.

On the CPU, maxima over contiguous images run in the compiled core wherever that is faster, with the values,
places and gradients of torch's own max pools, bit for bit; anywhere else, torch's own run.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, ClassVar, Final

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
_MAX_POOLS: Final[dict[int, Callable[..., Tensor]]] = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_MEAN_POOLS: Final[dict[int, Callable[..., Tensor]]] = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
# From here on one side after the other is faster than all at once (benchmarks/windows.py).
_WIDE_MEAN: Final = 5


def max_windows(x: Tensor, window: tuple[int, ...]) -> Tensor:
    """The largest pixel of each window, windows sliding by one: ``max_pool(x, window, stride=1)``.

    `x` is a batch of images with channels, (N, C, ...), and the window has a length for each side of them. Of
    equal pixels the gradient flows to the first in row-major order; of several NaN to the last, as in torch.
    """
    sides = x.shape[2:]
    if _runs_in_core(x, window):
        result: Tensor = _MaxWindows.apply(x, window)  # type: ignore[no-untyped-call]
        return result
    return _MAX_POOLS[len(sides)](x, window, stride=1)


def _runs_in_core(x: Tensor, window: tuple[int, ...]) -> bool:
    return (
        x.device.type == "cpu"
        and x.dtype in _CORE_TYPES
        and x.is_contiguous()
        and x.numel() > 0
        and 1 < max(window)
        and all(w <= side for w, side in zip(window, x.shape[2:], strict=True))
        and x[0, 0].numel() < 2**31
    )


def _images(x: Tensor) -> Any:
    """As the core takes them: number, depth, height, width."""
    ones = [1] * (5 - x.dim())
    return x.detach().reshape(-1, *ones, *x.shape[2:]).numpy()


class _MaxWindows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, window: tuple[int, ...]) -> Tensor:
        pooled = [side - w + 1 for side, w in zip(x.shape[2:], window, strict=True)]
        y = x.new_empty(*x.shape[:2], *pooled)
        where = torch.empty(y.shape, dtype=torch.int32) if ctx.needs_input_grad[0] else None
        whole = (1,) * (3 - len(window)) + window
        assert len(whole) == 3
        places = None if where is None else _images(where)
        _core.window_max(_images(x), whole, torch.get_num_threads(), _images(y), places)
        if where is not None:
            ctx.save_for_backward(where)
            ctx.shape = x.shape
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (where,) = ctx.saved_tensors
        return _ScatterWindows.apply(gradients[0], where, ctx.shape), None  # type: ignore[no-untyped-call]


class _ScatterWindows(torch.autograd.Function):
    """Sends each entry of a gradient to where its maximum was; its own gradient comes back from there."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, where: Tensor, shape: torch.Size) -> Tensor:
        ctx.save_for_backward(where)
        to = gradient.new_empty(shape)
        _core.window_max_backward(
            _images(where), _images(gradient.contiguous()), torch.get_num_threads(), _images(to)
        )
        return to

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (where,) = ctx.saved_tensors
        return gradients[0].flatten(2).gather(2, where.flatten(2).long()).view(where.shape), None, None


def mean_windows(x: Tensor, window: tuple[int, ...]) -> Tensor:
    """The mean of each window, windows sliding by one: ``avg_pool(x, window, stride=1)``.

    Large windows are averaged along one side after the other, which rounds otherwise than all at once.
    """
    pool = _MEAN_POOLS[x.dim() - 2]
    if max(window) < _WIDE_MEAN:
        return pool(x, window, stride=1)
    for axis in range(len(window) - 1, -1, -1):
        if window[axis] > 1:
            x = pool(x, tuple(w if a == axis else 1 for a, w in enumerate(window)), stride=1)
    return x


class _WindowPool(nn.Module):
    """What the pools of all dimensions share: their window, and what a batch must look like."""

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
        """Pool a batch of images, or one without a batch, by windows that are no longer than its sides."""
        if x.dim() not in {self.dimensions + 1, self.dimensions + 2} or not all(x.shape[-self.dimensions :]):
            sides = ["length", "height", "width"][-self.dimensions :] if self.dimensions < 3 else []
            names = ", ".join(sides or ["depth", "height", "width"])
            raise ValueError(
                f"expected images of shape (batch, channels, {names}) or (channels, {names}) with pixels, "
                f"got shape {tuple(x.shape)}"
            )
        window = tuple(min(self.window, side) for side in x.shape[-self.dimensions :])
        return pool(x, window) if x.dim() == self.dimensions + 2 else pool(x[None], window)[0]

    def extra_repr(self) -> str:
        """The window, and the pool's number where it was made by it."""
        return f"window={self.window}" if self.number is None else f"{self.number}, window={self.window}"


class _CliqueMaxPool(_WindowPool):
    def forward(self, x: Tensor) -> Tensor:
        """The largest pixel of each window."""
        return self._pool(x, max_windows)


class _CliqueMeanPool(_WindowPool):
    def forward(self, x: Tensor) -> Tensor:
        """The mean of each window."""
        return self._pool(x, mean_windows)


class CliqueMaxPool1d(_CliqueMaxPool):
    """The n-th clique pool of chains, (N, C, L): maxima over windows of ``2**(n-1) + 1``. See `CliqueMaxPool2d`."""

    dimensions = 1


class CliqueMaxPool2d(_CliqueMaxPool):
    """The n-th clique pool of images, (N, C, H, W): maxima over windows of ``2**(n-1) + 1`` pixels a side.

    The windows slide by one pixel, without padding: the pools that `cliquepool.clique_hierarchy` finds in the
    grid of pixels (`grid_graph`), on its n-th level. A side that is shorter than the window is pooled whole,
    as in the grid. With `window` instead of the pool's number, any window does.

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
    """The n-th clique pool of volumes, (N, C, D, H, W): maxima over ``2**(n-1) + 1`` a side. See `CliqueMaxPool2d`."""

    dimensions = 3


class CliqueMeanPool1d(_CliqueMeanPool):
    """The n-th clique pool of chains, (N, C, L): means over windows of ``2**(n-1) + 1``. See `CliqueMeanPool2d`."""

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
    """The n-th clique pool of volumes, (N, C, D, H, W): means over ``2**(n-1) + 1`` a side. See `CliqueMeanPool2d`."""

    dimensions = 3
