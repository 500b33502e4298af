"""`replace_pools`: clique pools instead of the stride-2 max pools of an existing network."""

from __future__ import annotations

import copy
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor, nn

from cliquepool.nn.windows import CliqueMaxPool1d, CliqueMaxPool2d, CliqueMaxPool3d

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["replace_pools"]

_CLIQUE_POOLS: Final = {
    nn.MaxPool1d: CliqueMaxPool1d,
    nn.MaxPool2d: CliqueMaxPool2d,
    nn.MaxPool3d: CliqueMaxPool3d,
}


def replace_pools(model: nn.Module, input_shape: Sequence[int] | None = None) -> nn.Module:
    """Replace the stride-2 max pools of a network by clique pools, the n-th of ``2**(n-1) + 1`` a side.

    All ``MaxPool1d``, ``MaxPool2d`` and ``MaxPool3d`` modules of the network must have kernel 2 and stride 2;
    pools that are called as functions are not found. Returns a deep copy with the same weights; `model` is
    not changed.

    n clique pools shorten a side by ``2**n - 1`` pixels, where n pools of stride 2 halve it n times: both
    lead from a side of ``2**n`` to one pixel, and from most other sides to different sizes. With
    `input_shape`, the shape of an input with its batch, both networks are run on zeros, and the pools are
    numbered in the order in which they run; a ValueError is raised when the last pools, or the networks,
    give different shapes. Without it, pools are numbered in the order in which they were registered, and no
    shape is compared.

    >>> model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.MaxPool2d(2), nn.ReLU(), nn.MaxPool2d(2))
    >>> replace_pools(model, input_shape=(1, 1, 4, 4))
    Sequential(
      (0): Conv2d(1, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
      (1): CliqueMaxPool2d(1, window=2)
      (2): ReLU()
      (3): CliqueMaxPool2d(2, window=3)
    )
    """
    names = _pool_names(model)
    if input_shape is None:
        return _with_clique_pools(model, names)
    before = _Run(model, names, input_shape)
    _expect_one_run_each(before, names)
    order = list(before.pooled)
    replaced = _with_clique_pools(model, order)
    try:
        after = _Run(replaced, order, input_shape)
    except RuntimeError as error:
        raise ValueError(
            f"expected a network that takes inputs of shape {tuple(input_shape)} with clique pools too, "
            f"whose last pool gives {before.pooled[order[-1]]} as with stride 2; "
            f"got the error: {error}. {_ADVICE}"
        ) from error
    _expect_equal_ends(before, after, order[-1])
    return replaced


_ADVICE: Final = (
    "Clique pools lead to the same end from sides of 2^n pixels, with n pools and padded convolutions"
)


def _pool_names(model: nn.Module) -> list[str]:
    """Return the names of the pools in the order of registration; raise ValueError unless all halve."""
    names: dict[int, str] = {}
    for name, module in model.named_modules(remove_duplicate=False):
        if not isinstance(module, tuple(_CLIQUE_POOLS)):
            continue
        if id(module) in names:
            raise ValueError(
                f"expected a separate pool module at every position, "
                f"got the same one as {_quoted(names[id(module)])} and {_quoted(name)}"
            )
        wrong = _not_halving(module)
        if wrong:
            raise ValueError(
                f"{_quoted(name)}: expected a max pool of kernel 2 and stride 2 without padding, "
                f"got {type(module).__name__} with {wrong}"
            )
        names[id(module)] = name
    if not names:
        raise ValueError(
            "expected a network with MaxPool1d, MaxPool2d or MaxPool3d modules, "
            f"got {type(model).__name__} without any"
        )
    return list(names.values())


def _not_halving(pool: Any) -> str:
    """Return the first setting that differs from a pool of kernel 2 and stride 2; "" if none does."""
    expected = {"kernel_size": 2, "stride": 2, "padding": 0, "dilation": 1}
    for name, value in expected.items():
        got = getattr(pool, name)
        if any(g != value for g in (got if isinstance(got, tuple) else (got,))):
            return f"{name}={got}"
    for name in ("ceil_mode", "return_indices"):
        if getattr(pool, name):
            return f"{name}=True"
    return ""


def _with_clique_pools(model: nn.Module, names: Sequence[str]) -> nn.Module:
    replaced = copy.deepcopy(model)
    for number, name in enumerate(names, start=1):
        pool = replaced.get_submodule(name)
        clique_pool = next(new for old, new in _CLIQUE_POOLS.items() if isinstance(pool, old))(number)
        clique_pool.train(pool.training)
        if not name:
            return clique_pool
        parent, _, child = name.rpartition(".")
        setattr(replaced.get_submodule(parent), child, clique_pool)
    return replaced


class _Run:
    """A run of a network on zeros: the sides after each pool, in the order of their runs, and the output."""

    def __init__(self, model: nn.Module, names: Iterable[str], input_shape: Sequence[int]) -> None:
        self.pooled: dict[str, tuple[int, ...]] = {}
        self.runs: Counter[str] = Counter()
        # A copy in evaluation mode: the running means of the network must not change.
        model = copy.deepcopy(model).eval()
        for name in names:
            model.get_submodule(name).register_forward_hook(partial(self._note, name))
        some = next((p for p in model.parameters() if p.is_floating_point()), torch.empty(0))
        with torch.no_grad():
            self.output = model(torch.zeros(*input_shape, dtype=some.dtype, device=some.device))

    def _note(self, name: str, _module: nn.Module, _inputs: Any, output: Tensor) -> None:
        self.pooled[name] = tuple(output.shape[2:])
        self.runs[name] += 1


def _expect_one_run_each(run: _Run, names: Sequence[str]) -> None:
    for name in names:
        if run.runs[name] != 1:
            raise ValueError(f"{_quoted(name)}: expected a pool that runs once, got {run.runs[name]} runs")


def _expect_equal_ends(before: _Run, after: _Run, last: str) -> None:
    if before.pooled[last] != after.pooled[last]:
        raise ValueError(
            f"{_quoted(last)}: expected the last pool to give {before.pooled[last]} as with stride 2, "
            f"got {after.pooled[last]} with clique pools. {_ADVICE}"
        )
    expected, got = (getattr(run.output, "shape", None) for run in (before, after))
    if expected != got:
        raise ValueError(
            f"expected an output of shape {tuple(expected or ())} as with stride 2, "
            f"got {tuple(got or ())} with clique pools. {_ADVICE}"
        )


def _quoted(name: str) -> str:
    return repr(name) if name else "the network itself"
