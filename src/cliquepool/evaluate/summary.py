"""Figures from records: one for each run, none while folds are missing."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from cliquepool.evaluate.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from cliquepool.evaluate.records import FoldRecord, RunKey

__all__ = ["Figure", "RunSummary", "summarise"]

_MOST_UNITS: Final = 1_000_000
_ROUNDING: Final = 1e-5  # curves have five decimals in records: two equal means may differ by as much


@dataclass(frozen=True, slots=True)
class Figure:
    """An accuracy in percent: its mean over the folds, and their standard deviation."""

    mean: float
    std: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.std:.2f}"


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The records of one run, and its figure.

    Attributes
    ----------
    run : RunKey
        Protocol, data set, model and the rest.
    records : tuple of FoldRecord
        In the order of seeds and folds.
    seeds : tuple of int
        The seeds that have records.
    missing : tuple of (fold, seed)
        The units without a record.
    figure : Figure or None
        None while a fold is missing.
    epoch : int or None
        Under `paper`, the epoch at which the mean over the folds was highest.
    """

    run: RunKey
    records: tuple[FoldRecord, ...]
    seeds: tuple[int, ...]
    missing: tuple[tuple[int, int], ...]
    figure: Figure | None
    epoch: int | None

    @property
    def seconds(self) -> float:
        """The sum of the times of all folds."""
        return sum(record.seconds for record in self.records)

    @property
    def extent(self) -> str:
        """The number of folds and seeds, in words."""
        seeds = f" × {len(self.seeds)} seed{'s' if len(self.seeds) > 1 else ''}"
        if not self.missing:
            return f"{self.run.folds} folds{seeds}"
        return f"{len(self.records)} of {self.run.folds * len(self.seeds)} folds{seeds}"


def summarise(records: Iterable[FoldRecord]) -> list[RunSummary]:
    """Group records into runs, in the order of their first records, and compute the figure of each."""
    runs: dict[RunKey, dict[tuple[int, int], FoldRecord]] = defaultdict(dict)
    for record in records:
        known = runs[record.run].setdefault((record.seed, record.fold), record)
        if known is not record:
            raise EvaluationError(
                f"expected one record of each fold, got two of fold {record.fold}, seed {record.seed} "
                f"of {record.model} on {record.dataset} under {record.protocol}"
            )
    return [_summary(run, found) for run, found in runs.items()]


def _summary(run: RunKey, found: dict[tuple[int, int], FoldRecord]) -> RunSummary:
    seeds = tuple(sorted({seed for seed, _ in found}))
    if len(seeds) * run.folds > _MOST_UNITS:
        raise EvaluationError(
            f"expected up to {_MOST_UNITS:,} folds of all seeds, got {run.folds:,} folds and {len(seeds):,} "
            f"seeds of {run.model} on {run.dataset}"
        )
    every = [(seed, fold) for seed in seeds for fold in range(1, run.folds + 1)]
    missing = tuple((fold, seed) for seed, fold in every if (seed, fold) not in found)
    records = tuple(found[unit] for unit in every if unit in found)
    figure, epoch = None, None
    if not missing:
        figure, epoch = (
            _paper_figure(records, seeds) if run.protocol == "paper" else _fair_figure(records, seeds)
        )
    return RunSummary(run, records, seeds, missing, figure, epoch)


def _paper_figure(records: tuple[FoldRecord, ...], seeds: tuple[int, ...]) -> tuple[Figure, int]:
    """Return the maximum of the mean curve, which is not the mean of the maxima, and its first epoch."""
    lengths = {len(record.curves["validation_accuracy"]) for record in records}
    if len(lengths) != 1:
        raise EvaluationError(f"expected curves of as many epochs in every fold, got {sorted(lengths)}")
    curves = np.array([record.curves["validation_accuracy"] for record in records])
    by_fold = curves.reshape(len(seeds), -1, curves.shape[1]).mean(axis=0)
    mean = by_fold.mean(axis=0)
    best = int((mean >= mean.max() - _ROUNDING).argmax())
    return _figure(by_fold[:, best]), best + 1


def _fair_figure(records: tuple[FoldRecord, ...], seeds: tuple[int, ...]) -> tuple[Figure, None]:
    accuracies = np.array([record.test_accuracy for record in records], dtype=np.float64)
    return _figure(accuracies.reshape(len(seeds), -1).mean(axis=0)), None


def _figure(accuracies: npt.NDArray[np.float64]) -> Figure:
    return Figure(100 * float(accuracies.mean()), 100 * float(accuracies.std()))
