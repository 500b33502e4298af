"""Confidence intervals of figures, corrected for folds that share most of their training samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from cliquepool.evaluate.pairs import accuracies_by_fold
from cliquepool.evaluate.splits import HELD_OUT

if TYPE_CHECKING:
    from cliquepool.evaluate.summary import RunSummary

__all__ = ["Interval", "figure_interval", "fold_accuracies"]

_LEVEL: Final = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of an accuracy in percent, and its level."""

    low: float
    high: float
    level: float = _LEVEL

    def __str__(self) -> str:
        return f"{self.low:.2f} to {self.high:.2f}"


def fold_accuracies(summary: RunSummary) -> tuple[float, ...]:
    """Return the accuracies, in percent, whose mean is the figure of a run: one for each fold.

    That is the mean over the seeds; under `paper`, of the epoch at which the mean over all folds was highest.
    Empty while a fold is missing.
    """
    if summary.figure is None:
        return ()
    if summary.epoch is None:
        return tuple(accuracies_by_fold(summary).tolist())
    at = [record.curves["validation_accuracy"][summary.epoch - 1] for record in summary.records]
    by_fold = 100 * np.array(at).reshape(len(summary.seeds), -1).mean(axis=0)
    return tuple(by_fold.tolist())


def figure_interval(summary: RunSummary, level: float = _LEVEL) -> Interval | None:
    """Return the confidence interval of the figure of a run; None while a fold is missing.

    It is that of the t-distribution over the folds. Training sets of two folds overlap, so that the folds are
    not independent; the variance of their mean is corrected for that as Nadeau and Bengio (2003) do: by the
    ratio of test to training samples added to one over the number of folds. Seeds repeat the same folds, so
    they are averaged first. None as well where all folds have the same accuracy, which tells no spread.
    """
    from scipy.stats import t  # noqa: PLC0415 (slow to import)

    accuracies = np.array(fold_accuracies(summary))
    count = len(accuracies)
    if count < 2 or float(np.ptp(accuracies)) < 1e-9:
        return None
    held_out = HELD_OUT if summary.run.protocol == "fair" else 0.0
    ratio = 1 / ((count - 1) * (1 - held_out))
    error = float(np.sqrt(accuracies.var(ddof=1) * (1 / count + ratio)))
    half = float(t.ppf((1 + level) / 2, count - 1)) * error
    mean = float(accuracies.mean())
    return Interval(max(0.0, mean - half), min(100.0, mean + half), level)
