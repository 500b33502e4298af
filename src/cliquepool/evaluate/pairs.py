"""Paired comparisons of two models from the records of their folds: the difference, and its significance."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.records import read_records
from cliquepool.evaluate.splits import HELD_OUT
from cliquepool.evaluate.summary import Figure, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.evaluate.records import FoldRecord
    from cliquepool.evaluate.summary import RunSummary

    Accuracies = npt.NDArray[np.float64]

__all__ = [
    "PairedComparison",
    "accuracies_by_fold",
    "corrected_t_test",
    "holm",
    "paired_comparison",
    "recorded_pairs",
]

_MOST_FLIPPED: Final = 20
_ROUNDING: Final = 1e-9  # of accuracies in percent
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """The comparison of two runs on the same folds. Accuracies are in percent, one for each fold.

    The accuracy of a fold with several seeds is the mean over them. A p-value is the probability of a
    difference at least as large, in either direction, if both models were equally good.

    Attributes
    ----------
    first, second : RunSummary
        The two runs.
    first_accuracies, second_accuracies : tuple of float
        The accuracy on each test fold.
    t_test : float or None
        The p-value of the paired t-test, as in the paper. It assumes independent folds, which they are not:
        any two of them share most of their training samples. None if all differences are equal.
    corrected_t_test : float or None
        The p-value of the same test with the variance corrected for the overlap of training sets (Nadeau
        and Bengio 2003).
    sign_flips : float or None
        The p-value of the exact sign-flip test: the share of all 2ⁿ ways to swap the two models in n folds
        that give a difference at least as large. Never below 2 in 2ⁿ. None for more than 20 folds.
    """

    first: RunSummary
    second: RunSummary
    first_accuracies: tuple[float, ...]
    second_accuracies: tuple[float, ...]
    t_test: float | None
    corrected_t_test: float | None
    sign_flips: float | None

    @property
    def seconds_an_epoch(self) -> tuple[float | None, float | None]:
        """The median time of an epoch of training of each model; None where records have no times."""
        return _median(self.first, "seconds"), _median(self.second, "seconds")

    @property
    def processor_seconds_an_epoch(self) -> tuple[float | None, float | None]:
        """The same in processor time, which depends less on other processes."""
        return _median(self.first, "processor_seconds"), _median(self.second, "processor_seconds")

    @property
    def difference(self) -> Figure:
        """The second accuracy minus the first: mean and standard deviation over the folds."""
        differences = np.subtract(self.second_accuracies, self.first_accuracies)
        return Figure(float(differences.mean()), float(differences.std()))


def paired_comparison(
    first: Iterable[FoldRecord], second: Iterable[FoldRecord], *, differ_in: str = "arch"
) -> PairedComparison:
    """Compare two models by the records of their folds under the fair protocol.

    Records have to be pairs: of the same data set, folds, seeds and splits, with all settings equal but the
    one named `differ_in`. Raises EvaluationError if they are not, or if a fold is missing.
    """
    one, other = _whole_run("first", first), _whole_run("second", second)
    _expect_pairs(one, other, differ_in)
    accuracies, others = accuracies_by_fold(one), accuracies_by_fold(other)
    differences = others - accuracies
    return PairedComparison(
        one,
        other,
        tuple(accuracies.tolist()),
        tuple(others.tolist()),
        _t_test(differences, 0.0),
        corrected_t_test(differences),
        _sign_flips(differences),
    )


def recorded_pairs(path: str | PathLike[str]) -> PairedComparison:
    """Compare the two models of a records file, in its order; see `paired_comparison`."""
    runs = [summary.records for summary in summarise(read_records([path]))]
    if len(runs) != 2:
        raise EvaluationError(f"{path}: expected the records of two runs, got {len(runs)}")
    return paired_comparison(*runs)


def _whole_run(which: str, records: Iterable[FoldRecord]) -> RunSummary:
    summaries = summarise(records)
    if len(summaries) != 1:
        raise EvaluationError(f"expected the records of one run as the {which}, got {len(summaries)} runs")
    summary = summaries[0]
    if summary.missing:
        fold, seed = summary.missing[0]
        raise EvaluationError(
            f"expected all folds of {summary.run.model}, got {summary.extent}: fold {fold}, seed {seed} "
            "is missing"
        )
    if summary.run.protocol != "fair":
        raise EvaluationError(
            f"expected runs under the fair protocol, whose test folds are read once, "
            f"got {summary.run.model} under {summary.run.protocol}"
        )
    return summary


def _expect_pairs(one: RunSummary, other: RunSummary, differ_in: str) -> None:
    for name in ("dataset", "fingerprint", "folds", "split_seed", "splits"):
        mine, theirs = getattr(one.run, name), getattr(other.run, name)
        if mine != theirs:
            raise EvaluationError(f"expected pairs of folds, got runs of {name} {mine} and {theirs}")
    if one.seeds != other.seeds:
        raise EvaluationError(
            f"expected pairs of folds, got seeds {_listed(one.seeds)} and {_listed(other.seeds)}"
        )
    for mine, theirs in zip(one.records, other.records, strict=True):
        if mine.split_sha256 != theirs.split_sha256:
            raise EvaluationError(f"expected pairs of folds, got two splits of fold {mine.fold}")
    settings, others = _settings(one), _settings(other)
    differing = sorted(
        name
        for name in settings.keys() | others.keys()
        if settings.get(name, _MISSING) != others.get(name, _MISSING)
    )
    if differing != [differ_in]:
        raise EvaluationError(
            f"expected settings that differ in {differ_in} alone, got ones that differ in "
            f"{', '.join(differing) or 'nothing'}"
        )


def _settings(summary: RunSummary) -> dict[str, Any]:
    """Return the settings of a run with a single candidate."""
    candidates: list[dict[str, Any]] = json.loads(summary.run.candidates)
    if len(candidates) == 1:
        return candidates[0]
    raise EvaluationError(
        f"expected one choice of settings, got {len(candidates)} to choose from for {summary.run.model}"
    )


def _median(summary: RunSummary, curve: str) -> float | None:
    values = [value for record in summary.records for value in record.curves.get(curve, ())]
    return float(np.median(values)) if values else None


def _listed(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds))


def corrected_t_test(differences: Accuracies) -> float | None:
    """Return the p-value of differences on the test folds, corrected as Nadeau and Bengio (2003) do."""
    # The ratio of test samples to training samples; a part of the other folds is held out.
    return _t_test(differences, 1 / ((len(differences) - 1) * (1 - HELD_OUT)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number, by Holm (1979), in the same order.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = highest
    return adjusted


def accuracies_by_fold(summary: RunSummary) -> Accuracies:
    """Return the accuracy of a whole run on each test fold, in percent: the mean over its seeds."""
    accuracies = np.array([record.test_accuracy for record in summary.records], dtype=np.float64)
    by_fold: Accuracies = 100 * accuracies.reshape(len(summary.seeds), -1).mean(axis=0)
    return by_fold


def _t_test(differences: Accuracies, ratio: float) -> float | None:
    """Return the two-sided p-value of a mean of 0; `ratio` is that of test samples to training samples."""
    from scipy.stats import t  # noqa: PLC0415 (slow to import)

    count = len(differences)
    variance = float(differences.var(ddof=1))
    if variance < _ROUNDING**2:
        return None
    statistic = float(differences.mean()) / np.sqrt(variance * (1 / count + ratio))
    return float(2 * t.sf(abs(statistic), count - 1))


def _sign_flips(differences: Accuracies) -> float | None:
    count = len(differences)
    if count > _MOST_FLIPPED:
        return None
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    # Sums of the same numbers in another order may differ by rounding.
    found = abs(float(differences.sum())) - 1e-9
    return float((np.abs(sums) >= found).mean())
