"""Tables made from records: our figures beside published ones, each under its protocol."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cliquepool.evaluate.published import PUBLISHED, SOURCES, published
from cliquepool.evaluate.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cliquepool.evaluate.records import FoldRecord, Protocol
    from cliquepool.evaluate.summary import RunSummary

__all__ = ["HEADS", "Compared", "Row", "comparison", "markdown_table", "table_rows"]

HEADS: Final = ("data set", "model", "paper protocol", "published", "fair protocol", "published", "run")


@dataclass(frozen=True, slots=True)
class Row:
    """A model with its settings on a data set, under either protocol or both."""

    dataset: str
    model: str
    settings: str
    runs: dict[Protocol, RunSummary]

    def cells(self) -> tuple[str, ...]:
        """The row as text, in the order of `HEADS`."""
        return (
            self.dataset,
            f"{self.model} ({self.settings})" if self.settings else self.model,
            self._ours("paper"),
            self._published("paper"),
            self._ours("fair"),
            self._published("fair"),
            self._extent(),
        )

    def _extent(self) -> str:
        extents = {protocol: summary.extent for protocol, summary in self.runs.items()}
        if len(set(extents.values())) == 1:
            return next(iter(extents.values()))
        return "; ".join(f"{protocol}: {extent}" for protocol, extent in extents.items())

    def _ours(self, protocol: Protocol) -> str:
        summary = self.runs.get(protocol)
        if summary is None:
            return "–"
        return summary.extent if summary.figure is None else str(summary.figure)

    def _published(self, protocol: Protocol) -> str:
        figure = published(protocol, self.model, self.dataset)
        return "–" if figure is None else f"{figure:.2f}"


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure with what it is of: a model, a protocol, and who measured it."""

    model: str
    protocol: Protocol
    accuracy: str
    source: str


def comparison(summary: RunSummary) -> list[Compared]:
    """A run, what the paper has of its model, and what was published under its protocol."""
    run = summary.run
    ours = summary.extent if summary.figure is None else str(summary.figure)
    found = [Compared(run.model, run.protocol, ours, f"this run, {summary.extent}")]
    for protocol, models in PUBLISHED.items():
        for model, figures in models.items():
            if run.dataset in figures and (protocol == run.protocol or model == run.model):
                found.append(Compared(model, protocol, f"{figures[run.dataset]:.2f}", SOURCES[protocol]))
    return sorted(found, key=lambda one: (one.model != run.model, one.protocol != run.protocol))


def table_rows(records: Iterable[FoldRecord]) -> list[Row]:
    """One row for each model, settings and data set; no figure where folds are missing.

    Where a model has several settings on one data set, the row says in what they differ from the first.
    """
    grouped: dict[tuple[Any, ...], dict[Protocol, RunSummary]] = {}
    for summary in summarise(records):
        run = summary.run
        same = (run.dataset, run.fingerprint, run.model, run.candidates, run.folds, run.split_seed)
        grouped.setdefault(same, {})[run.protocol] = summary
    firsts: dict[tuple[str, str], str] = {}
    rows = []
    for (dataset, _, model, candidates, *_), runs in grouped.items():
        first = firsts.setdefault((dataset, model), candidates)
        rows.append(Row(dataset, model, _difference(first, candidates), runs))
    return rows


def markdown_table(rows: Sequence[Row]) -> str:
    """Rows as a table in markdown."""
    lines = [HEADS, ("---",) * len(HEADS), *(row.cells() for row in rows)]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n" for cells in lines)


def _difference(first: str, candidates: str) -> str:
    """In what settings differ from others, in words; nothing where they do not."""
    mine, others = json.loads(candidates), json.loads(first)
    if len(mine) > 1 or len(others) > 1:
        return f"best of {len(mine)} settings" if len(mine) > 1 else "" if mine == others else "one setting"
    return ", ".join(
        f"{name} {value}" for name, value in mine[0].items() if others[0].get(name, _NOTHING) != value
    )


_NOTHING: Final = object()
