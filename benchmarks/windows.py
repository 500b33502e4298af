"""Clique pools of images beside torch's own pools of the same windows, on one thread each.

Each is measured forward alone, as in prediction, and forward with its gradient, as in training. Ours is what
the layers run: the compiled core, or torch itself where `cliquepool.nn.windows` leaves the work to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F  # noqa: N812

from benchmarks.measuring import Measured, measure
from benchmarks.reporting import milliseconds, times
from cliquepool.nn import CliqueMaxPool2d, CliqueMeanPool2d, windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

# Images (number, channels, side), and the window: the five pools of the paper's network, and others.
SHAPES = {
    "32x64x32, 2": (32, 64, 32, 2),
    "32x128x31, 3": (32, 128, 31, 3),
    "16x256x29, 5": (16, 256, 29, 5),
    "32x128x25, 9": (32, 128, 25, 9),
    "64x512x17, 17": (64, 512, 17, 17),
    "32x64x17, 17": (32, 64, 17, 17),
    "32x64x25, 17": (32, 64, 25, 17),
    "32x128x25, 17": (32, 128, 25, 17),
    "32x64x33, 17": (32, 64, 33, 17),
    "1x8x17, 17": (1, 8, 17, 17),
}
BARS = {name: 3.0 for name in SHAPES if name.endswith(", 17") and not name.startswith("1x8")}
ROUNDS = 2


def pooling(who: str, kind: str, gradient: str, *numbers: str) -> Task:
    """Pool images, and with `gradient` go back; whether the core runs is the answer."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    images, channels, side, size = map(int, numbers)
    pool = _pools(size)[who, kind]
    backward = gradient == "backward"
    x = torch.randn(images, channels, side, side, requires_grad=backward)
    g = torch.randn_like(pool(x).detach())
    in_core = kind == "max" and windows._runs_in_core(x, (size, size))

    def run(x: torch.Tensor) -> bool:
        y = pool(x)
        if backward:
            torch.autograd.grad(y, x, g)
        return in_core

    return lambda: x, run


def _pools(size: int) -> dict[tuple[str, str], Callable[[Any], Any]]:
    return {
        ("ours", "max"): CliqueMaxPool2d(window=size),
        ("ours", "mean"): CliqueMeanPool2d(window=size),
        ("torch", "max"): lambda x: F.max_pool2d(x, size, stride=1),
        ("torch", "mean"): lambda x: F.avg_pool2d(x, size, stride=1),
    }


def run(report: Report) -> None:
    for kind, title in (("max", "Maxima over windows"), ("mean", "Means over windows")):
        rows, bars = [], []
        for name in report.wanted(SHAPES):
            found = {gradient: _in_turn(kind, name, gradient) for gradient in ("forward", "backward")}
            cells = []
            for measured in found.values():
                ours, torchs = measured["ours"], measured["torch"]
                cells += [milliseconds(torchs.seconds), milliseconds(ours.seconds), times(torchs.per(ours))]
            who = "core" if found["forward"]["ours"].answer else "torch"
            rows.append((name, who, *cells) if kind == "max" else (name, *cells))
            ratio = found["backward"]["torch"].per(found["backward"]["ours"])
            if kind == "max" and name in BARS:
                bars.append((f"maxima and gradients, {name}, times faster than torch", BARS[name], ratio))
            report.keep(
                "windows",
                kind=kind,
                shape=name,
                **{
                    f"{gradient}_{who}_seconds": measured.seconds
                    for gradient, both in found.items()
                    for who, measured in both.items()
                },
            )
        if not rows:
            continue
        columns = ["images, window", *(["by"] if kind == "max" else [])]
        columns += ["torch", "cliquepool", "×", "torch, both ways", "cliquepool", "×"]
        note = "Images by number x channels x side, float32. Both ways: with the gradient of the images."
        report.table(title, columns, rows, note)
        for claim, bar, ratio in bars:
            report.at_least(claim, bar, ratio or float("nan"))


def _in_turn(kind: str, name: str, gradient: str) -> dict[str, Measured]:
    """Ours and torch's in turn, the faster of all rounds: what else runs then slows both alike."""
    numbers = [str(number) for number in SHAPES[name]]
    fastest: dict[str, Measured] = {}
    for _ in range(ROUNDS):
        for who in ("ours", "torch"):
            measured = measure("benchmarks.windows:pooling", who, kind, gradient, *numbers, repeat=3)
            if measured.seconds is None:
                raise SystemExit(f"{name}, {who}: {measured.answer}")
            before = fastest.setdefault(who, measured)
            if before.seconds is not None and measured.seconds < before.seconds:
                fastest[who] = measured
    return fastest
