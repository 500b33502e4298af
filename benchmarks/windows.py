"""Clique pools of images on one thread, compared with torch's pools of the same windows.

Measured are the forward pass alone, as in prediction, and forward and backward, as in training. Ours is what
the layers run: the compiled core, or torch where `cliquepool.nn.windows` uses torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F  # noqa: N812

from benchmarks.measuring import in_turn, measure
from benchmarks.reporting import milliseconds, times
from cliquepool.nn import CliqueMaxPool2d, CliqueMeanPool2d, windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

# Images (number, channels, side), and the window: the five pools of the paper's network, and others.
SHAPES = {
    "32x64x32:2": (32, 64, 32, 2),
    "32x128x31:3": (32, 128, 31, 3),
    "16x256x29:5": (16, 256, 29, 5),
    "32x128x25:9": (32, 128, 25, 9),
    "64x512x17:17": (64, 512, 17, 17),
    "32x64x17:17": (32, 64, 17, 17),
    "32x64x25:17": (32, 64, 25, 17),
    "32x128x25:17": (32, 128, 25, 17),
    "32x64x33:17": (32, 64, 33, 17),
    "1x8x17:17": (1, 8, 17, 17),
}
OF_MEANS = ("32x64x32:2", "32x128x31:3", "16x256x29:5", "32x128x25:9", "32x64x33:17")
BARS = {name: 3.0 for name in SHAPES if name.endswith(":17") and not name.startswith("1x")}
ENOUGH_SECONDS = 1.5  # for each way
LEAST_ROUNDS = 3


def side_by_side(kind: str, *numbers: str) -> Task:
    """Pool images with ours and torch's alternately; the answer is the fastest time of each."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    images, channels, side, size = map(int, numbers)
    pools = _pools(kind, size)
    x = torch.randn(images, channels, side, side)
    g = torch.randn(images, channels, side - size + 1, side - size + 1)

    def run(x: torch.Tensor) -> dict[str, Any]:
        learning = x.clone().requires_grad_()
        return {
            "in_core": windows._runs_in_core(x, (size, size)),
            "forward": _fastest({who: lambda p=p: p(x) for who, p in pools.items()}),
            "both ways": _fastest(
                {who: lambda p=p: torch.autograd.grad(p(learning), learning, g) for who, p in pools.items()}
            ),
        }

    return lambda: x, run


def _pools(kind: str, size: int) -> dict[str, Callable[[torch.Tensor], torch.Tensor]]:
    if kind == "max":
        return {"torch": lambda x: F.max_pool2d(x, size, stride=1), "ours": CliqueMaxPool2d(window=size)}
    return {"torch": lambda x: F.avg_pool2d(x, size, stride=1), "ours": CliqueMeanPool2d(window=size)}


def _fastest(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the CPU seconds of the fastest run of each."""
    tasks: dict[str, Task] = {who: (lambda: None, lambda _, call=call: call()) for who, call in calls.items()}
    found = in_turn(tasks, LEAST_ROUNDS, ENOUGH_SECONDS)
    return {who: seconds for who, (seconds, _) in found.items()}


def run(report: Report) -> None:
    bars = beside_torch(report, "max", "Maxima over windows", report.wanted(SHAPES))
    beside_torch(report, "mean", "Means over windows", report.wanted(OF_MEANS))
    for name, bar in BARS.items():
        claim = f"maxima and their gradients, {name}: times faster than torch"
        report.at_least(claim, bar, bars.get(name, float("nan")))


def beside_torch(report: Report, kind: str, title: str, names: list[str]) -> dict[str, float]:
    """Compare; return how many times faster ours is, forward and backward."""
    rows, ratios = [], {}
    for name in names:
        measured = measure("benchmarks.windows:side_by_side", kind, *map(str, SHAPES[name]), repeat=1)
        if measured.seconds is None:
            raise SystemExit(f"{name}: {measured.answer}")
        found = measured.answer
        cells = []
        for way in ("forward", "both ways"):
            ours, torchs = found[way]["ours"], found[way]["torch"]
            ratios[name] = torchs / ours
            cells += [milliseconds(torchs), milliseconds(ours), times(ratios[name])]
        by = "core" if kind == "max" and found["in_core"] else "torch"
        rows.append((name, by, *cells))
        report.keep("windows", kind=kind, shape=name, by=by, **found)
    if rows:
        columns = ["images:window", "by", "torch", "ours", "×", "torch, both ways", "ours", "×"]
        note = "Number x channels x side, float32. Both ways: with the gradient of the images."
        report.table(title, columns, rows, note)
    return ratios
