"""The runs of a report: names that differ, figures with their intervals, and what is missing."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cliquepool.errors import InputError
from cliquepool.evaluate.intervals import figure_interval, fold_accuracies
from cliquepool.evaluate.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cliquepool.evaluate.intervals import Interval
    from cliquepool.evaluate.records import FoldRecord
    from cliquepool.evaluate.summary import RunSummary

__all__ = ["ReportedRun", "reported_runs"]


@dataclass(frozen=True)
class ReportedRun:
    """A run of a report; `number` counts from 1, and `name` differs from that of every other run."""

    number: int
    name: str
    summary: RunSummary

    @property
    def anchor(self) -> str:
        """The id of the section of this run."""
        return f"run-{self.number}"

    @property
    def has_predictions(self) -> bool:
        """Whether all records keep the predicted classes of their test samples."""
        return all(record.predictions is not None for record in self.summary.records)

    @property
    def judged_by(self) -> str:
        """The samples that the figure is of."""
        return "test" if self.summary.run.protocol == "fair" else "validation"

    @cached_property
    def interval(self) -> Interval | None:
        """The 95 % confidence interval of the figure."""
        return figure_interval(self.summary)

    @cached_property
    def accuracies(self) -> tuple[float, ...]:
        """The accuracy of each fold, in percent; empty while one is missing."""
        return fold_accuracies(self.summary)

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The settings that were tried, in the order in which they were recorded."""
        return self.summary.records[0].candidates

    @property
    def splits_sha256(self) -> str:
        """A hash of the splits of all folds and seeds on record."""
        splits = [[record.seed, record.fold, record.split_sha256] for record in self.summary.records]
        return hashlib.sha256(json.dumps(splits).encode()).hexdigest()

    @property
    def splits_name(self) -> str:
        """The source of the folds, in words."""
        named = self.summary.records[0].splits
        return f"drawn with seed {self.summary.run.split_seed}" if named is None else named.name

    def accuracy_of(self, record: FoldRecord) -> float:
        """Return the accuracy of a fold that counts for the figure, in percent.

        Under `paper`, of an incomplete run, that is the one of its own best epoch.
        """
        if record.test_accuracy is not None:
            return 100 * record.test_accuracy
        if self.summary.epoch is None:
            return 100 * record.validation_accuracy
        return 100 * record.curves["validation_accuracy"][self.summary.epoch - 1]


def reported_runs(records: Iterable[FoldRecord]) -> list[ReportedRun]:
    """Group records into runs, in the order of their first records, and name them.

    Raises InputError where there are no records.
    """
    summaries = summarise(records)
    if not summaries:
        raise InputError("records: expected records of folds, got none")
    names = [_name(summary) for summary in summaries]
    counts = Counter(names)
    seen: Counter[str] = Counter()
    runs = []
    for number, (name, summary) in enumerate(zip(names, summaries, strict=True), start=1):
        seen[name] += 1
        own = name if counts[name] == 1 else f"{name} ({seen[name]})"
        runs.append(ReportedRun(number, own, summary))
    return runs


def _name(summary: RunSummary) -> str:
    return f"{summary.run.model} on {summary.run.dataset}, {summary.run.protocol}"
