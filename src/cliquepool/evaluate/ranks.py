"""Mean ranks of models over data sets, and the critical difference between them (Demšar 2006)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cliquepool.evaluate.comparison_table import ComparisonTable, Line

__all__ = ["LEVEL", "MeanRanks", "mean_ranks"]

LEVEL: Final = 0.05
"""The level of significance."""
_FEWEST_MODELS: Final = 2
_FEWEST_DATASETS: Final = 2
_MOST_DATASETS: Final = 12  # all subsets of them are tried


@dataclass(frozen=True, slots=True)
class MeanRanks:
    """The mean rank of each model over data sets, 1 the best, and their differences.

    Attributes
    ----------
    titles : tuple of str
        The models, best first.
    ranks : tuple of float
        The mean rank of each; models of equal accuracy on a data set share the mean of their ranks.
    datasets : tuple of str
        The data sets on which all of these models have figures.
    friedman : float or None
        The p-value of Friedman's test that all models are equally good; None for fewer than three models.
    critical_difference : float
        The difference of two mean ranks that is significant by the test of Nemenyi.
    """

    titles: tuple[str, ...]
    ranks: tuple[float, ...]
    datasets: tuple[str, ...]
    friedman: float | None
    critical_difference: float

    def groups(self) -> list[tuple[int, int]]:
        """Return the first and last positions of the largest groups without a significant difference.

        >>> MeanRanks(("a", "b", "c"), (1.0, 1.5, 2.4), ("x", "y"), None, 1.0).groups()
        [(0, 1), (1, 2)]
        """
        found: list[tuple[int, int]] = []
        for first, rank in enumerate(self.ranks):
            last = max(
                position
                for position, other in enumerate(self.ranks)
                if other - rank < self.critical_difference
            )
            if last > first and (not found or last > found[-1][1]):
                found.append((first, last))
        return found


def mean_ranks(table: ComparisonTable) -> MeanRanks | None:
    """Return the mean ranks over the most figures that models and data sets have in common.

    Ranks need the figures of every model on every data set. Of all sets of data sets, the one is taken that
    has the most figures together with the models that were run on all of it; None if there are not at least
    two data sets and two models.
    """
    chosen = max(
        _complete_parts(table), key=lambda part: (len(part[0]) * len(part[1]), len(part[0])), default=None
    )
    if chosen is None:
        return None
    from scipy.stats import friedmanchisquare, rankdata, studentized_range  # noqa: PLC0415 (slow to import)

    datasets, lines = chosen
    means = np.array(
        [[_mean(table, dataset, line) for line in lines] for dataset in datasets], dtype=np.float64
    )
    means = np.round(means, 9)
    ranks = rankdata(-means, axis=1).mean(axis=0)
    models_differ = bool((np.ptp(means, axis=1) > 0).any())
    order = sorted(range(len(lines)), key=lambda position: (ranks[position], lines[position].title))
    models = len(lines)
    quantile = float(studentized_range.ppf(1 - LEVEL, models, np.inf)) / math.sqrt(2)
    return MeanRanks(
        tuple(lines[position].title for position in order),
        tuple(float(ranks[position]) for position in order),
        tuple(datasets),
        float(friedmanchisquare(*means.T).pvalue) if models > 2 and models_differ else None,
        quantile * math.sqrt(models * (models + 1) / (6 * len(datasets))),
    )


def _complete_parts(table: ComparisonTable) -> Iterator[tuple[Sequence[str], list[Line]]]:
    """Yield sets of data sets with the models that have figures on all of them."""
    names = [
        column.dataset
        for column in table.columns
        if any(table.cell(column, line).figure is not None for line in table.lines)
    ][:_MOST_DATASETS]
    for count in range(_FEWEST_DATASETS, len(names) + 1):
        for datasets in combinations(names, count):
            lines = [
                line
                for line in table.lines
                if all(table.cells[dataset, line.key].figure is not None for dataset in datasets)
            ]
            if len(lines) >= _FEWEST_MODELS:
                yield datasets, lines


def _mean(table: ComparisonTable, dataset: str, line: Line) -> float:
    figure = table.cells[dataset, line.key].figure
    assert figure is not None
    return figure.mean
