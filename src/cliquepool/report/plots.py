"""Plots as SVG made of classes and attributes alone: pages allow no inline styles, and choose the colours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from cliquepool.view.html_page import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from cliquepool.report.runs import ReportedRun

    Curve = npt.NDArray[np.float64]

__all__ = ["MOST_FOLDS_DRAWN", "MOST_LINES", "plot_accuracies", "plot_curves", "plot_figures"]

MOST_LINES: Final = 60
"""The most folds whose curves are drawn one by one; of more, that many, evenly chosen."""
MOST_FOLDS_DRAWN: Final = 100
"""The most folds of a plot of their accuracies."""

_MOST_POINTS: Final = 160
_WIDTH: Final = 480
_HEIGHT: Final = 260
_LEFT: Final = 48
_RIGHT: Final = 12
_TOP: Final = 12
_BOTTOM: Final = 40


@dataclass(frozen=True, slots=True)
class _Axes:
    """A plane of numbers: the range of each axis, and the size of the picture."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    height: int = _HEIGHT
    left: int = _LEFT

    def x(self, value: float) -> float:
        low, high = self.x_range
        return self.left + (value - low) / (high - low or 1) * (_WIDTH - _RIGHT - self.left)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return self.height - _BOTTOM - (value - low) / (high - low or 1) * (self.height - _BOTTOM - _TOP)

    def path(self, xs: Sequence[float], ys: Sequence[float]) -> str:
        points = (f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in zip(xs, ys, strict=True))
        return f"M{'L'.join(points)}"

    def svg(self, label: str, parts: Sequence[str]) -> str:
        return (
            f'<svg class="plot" viewBox="0 0 {_WIDTH} {self.height}" role="img" aria-label="{text(label)}">'
            f"{''.join(parts)}</svg>"
        )

    def x_axis(self, title: str, ticks: Sequence[float], *, grid: bool = False) -> list[str]:
        floor = self.height - _BOTTOM
        middle = (self.left + _WIDTH - _RIGHT) / 2
        return [
            f'<path class="axis" d="M{self.left} {floor}H{_WIDTH - _RIGHT}"/>',
            *(f'<path class="grid" d="M{self.x(tick):.1f} {floor}V{_TOP}"/>' for tick in ticks if grid),
            *(_text(self.x(tick), floor + 16, _number(tick), "middle") for tick in ticks),
            _text(middle, self.height - 6, title, "middle"),
        ]

    def y_axis(self, ticks: Sequence[float]) -> list[str]:
        return [
            part
            for tick in ticks
            for part in (
                f'<path class="grid" d="M{self.left} {self.y(tick):.1f}H{_WIDTH - _RIGHT}"/>',
                _text(self.left - 6, self.y(tick) + 4, _number(tick), "end"),
            )
        ]


# ---- learning curves ----


def plot_curves(run: ReportedRun, names: dict[str, str], label: str, *, scale: float = 1) -> str:
    """Return curves over the epochs: a thin line for each fold, a bold one for their mean.

    `names` are the curves of the records, each with its class in the page. Curves that no record has are left
    out; the result is empty where that leaves none. Marks show the epochs that were kept.
    """
    records = run.summary.records
    found = {
        name: [scale * np.array(record.curves[name]) for record in records if record.curves.get(name)]
        for name in names
    }
    found = {name: curves for name, curves in found.items() if curves}
    if not found:
        return ""
    every = [curve for curves in found.values() for curve in curves]
    longest = max(map(len, every))
    ticks = _ticks(min(curve.min() for curve in every), max(curve.max() for curve in every))
    axes = _Axes((1, max(2, longest)), (ticks[0], ticks[-1]))
    parts = [*axes.x_axis("epoch", _epoch_ticks(longest)), *axes.y_axis(ticks)]
    for name, curves in found.items():
        step = max(1, math.ceil(len(curves) / MOST_LINES))
        thin = "".join(_line(axes, curve) for curve in curves[::step])
        parts.append(f'<path class="fold {names[name]}" d="{thin}"/>')
    parts += [f'<path class="mean {names[name]}" d="{_line(axes, _mean(found[name]))}"/>' for name in found]
    if "validation_accuracy" in found:
        parts += _kept_epochs(run, axes)
    return axes.svg(label, parts)


def _line(axes: _Axes, curve: Curve) -> str:
    kept = _thinned(curve)
    return axes.path((kept + 1).tolist(), curve[kept].tolist())


def _thinned(curve: Curve) -> npt.NDArray[np.int64]:
    """Return the epochs to draw, from 0: of a long curve the lowest and the highest of each stretch."""
    if len(curve) <= _MOST_POINTS:
        return np.arange(len(curve))
    parts = np.array_split(np.arange(len(curve)), _MOST_POINTS // 2 - 1)
    ends = [0, len(curve) - 1]
    extremes = [int(part[pick(curve[part])]) for part in parts for pick in (np.argmin, np.argmax)]
    return np.unique([*ends, *extremes])


def _mean(curves: list[Curve]) -> Curve:
    """Return the mean of curves; of different lengths, over those that have the epoch."""
    total = np.zeros(max(map(len, curves)))
    count = np.zeros(len(total))
    for curve in curves:
        total[: len(curve)] += curve
        count[: len(curve)] += 1
    return total / count


def _kept_epochs(run: ReportedRun, axes: _Axes) -> list[str]:
    summary = run.summary
    if summary.run.protocol == "fair":
        step = max(1, math.ceil(len(summary.records) / MOST_LINES))
        return [
            _dot(
                axes,
                record.best_epoch,
                100 * record.validation_accuracy,
                f"fold {record.fold}, seed {record.seed}: epoch {record.best_epoch}",
            )
            for record in summary.records[::step]
        ]
    if summary.epoch is None or summary.figure is None:
        return []
    return [_dot(axes, summary.epoch, summary.figure.mean, f"epoch {summary.epoch}", "dot large")]


def _epoch_ticks(longest: int) -> list[float]:
    inner = [tick for tick in _ticks(0, longest) if 1 < tick <= longest and tick == int(tick)]
    return [1, *inner]


# ---- accuracies ----


def plot_accuracies(run: ReportedRun) -> str:
    """Return the accuracy of each fold: a dot for each seed, the mean as a line, the interval as a band.

    Empty above `MOST_FOLDS_DRAWN` folds.
    """
    folds = run.summary.run.folds
    if folds > MOST_FOLDS_DRAWN:
        return ""
    points = [(record.fold, run.accuracy_of(record), record.seed) for record in run.summary.records]
    shown = [value for _, value, _ in points]
    if run.interval is not None:
        shown += [run.interval.low, run.interval.high]
    ticks = _ticks(min(shown), max(shown))
    axes = _Axes((0.5, folds + 0.5), (ticks[0], ticks[-1]))
    parts = []
    if run.interval is not None:
        top, bottom = axes.y(run.interval.high), axes.y(run.interval.low)
        width = _WIDTH - _RIGHT - _LEFT
        parts.append(
            f'<rect class="interval" x="{_LEFT}" y="{top:.1f}" width="{width}" height="{bottom - top:.1f}"/>'
        )
    step = max(1, math.ceil(folds / 15))
    parts += [*axes.x_axis("fold", list(range(1, folds + 1, step))), *axes.y_axis(ticks)]
    if run.summary.figure is not None:
        y = axes.y(run.summary.figure.mean)
        parts.append(f'<path class="mean accuracy" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
    parts += [
        _dot(axes, fold, value, f"fold {fold}, seed {seed}: {value:.2f} %") for fold, value, seed in points
    ]
    return axes.svg(f"The accuracy of each fold of {run.name}, in percent", parts)


def plot_figures(runs: Sequence[ReportedRun]) -> str:
    """Return the figures of several runs with their intervals, one below the other; empty below two."""
    shown = [run for run in runs if run.summary.figure is not None]
    if len(shown) < 2:
        return ""
    means = [run.summary.figure.mean for run in shown if run.summary.figure is not None]
    ends = [end for run in shown if run.interval is not None for end in (run.interval.low, run.interval.high)]
    ticks = _ticks(min([*means, *ends]), max([*means, *ends]))
    height = _TOP + _BOTTOM + 22 * len(shown)
    axes = _Axes((ticks[0], ticks[-1]), (len(shown) + 0.5, 0.5), height=height)
    parts = axes.x_axis("accuracy, %", ticks, grid=True)
    for position, (run, mean) in enumerate(zip(shown, means, strict=True), start=1):
        parts.append(_text(_LEFT - 10, axes.y(position) + 4, str(run.number), "end"))
        if run.interval is not None:
            line = axes.path((run.interval.low, run.interval.high), (position, position))
            parts.append(f'<path class="whisker" d="{line}"/>')
        parts.append(_dot(axes, mean, position, f"{run.name}: {run.summary.figure}"))
    return axes.svg("The figure of each run with its 95 % interval; the table has the numbers", parts)


# ---- parts ----


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers, the first at most `low` and the last at least `high`."""
    span = max(high - low, 1e-6, 1e-6 * max(abs(low), abs(high)))
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if span / (power * factor) <= 5)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]


def _number(value: float) -> str:
    return f"{value:.6g}"


def _dot(axes: _Axes, x: float, y: float, title: str, css: str = "dot") -> str:
    radius = 5 if "large" in css else 3.5
    at = f'cx="{axes.x(x):.1f}" cy="{axes.y(y):.1f}" r="{radius}"'
    return f'<circle class="{css}" {at}><title>{text(title)}</title></circle>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(words)}</text>'
