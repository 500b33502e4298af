"""Tables from records: our figures and published ones, each under its protocol."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from cliquepool.evaluate.published import (
    PUBLISHED,
    PUBLISHED_IMAGES,
    PUBLISHED_IMAGES_P,
    SOURCES,
    footnote,
    published,
)
from cliquepool.evaluate.split_files import ERRICA
from cliquepool.evaluate.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cliquepool.evaluate.pairs import PairedComparison
    from cliquepool.evaluate.records import FoldRecord, Protocol
    from cliquepool.evaluate.summary import RunSummary

__all__ = [
    "HEADS",
    "PAIR_HEADS",
    "PAIR_TESTS",
    "Compared",
    "Row",
    "as_markdown",
    "comparison",
    "markdown_pairs",
    "markdown_table",
    "p_in_words",
    "pair_extent",
    "pair_rows",
    "table_rows",
]

HEADS: Final = ("data set", "model", "paper protocol", "published", "fair protocol", "published", "run")
PAIR_HEADS: Final = ("network", "accuracy", "s an epoch", "of processor", "in the paper")
PAIR_TESTS: Final = {
    "t_test": "paired t-test, as in the paper",
    "corrected_t_test": "the same, corrected for what training sets share",
    "sign_flips": "exact, by swapping the networks fold by fold",
}
"""The tests of a paired comparison, as tables name them."""


@dataclass(frozen=True, slots=True)
class Row:
    """A model with its settings on a data set, under either protocol or both."""

    dataset: str
    model: str
    settings: str
    runs: dict[Protocol, RunSummary]

    def cells(self) -> tuple[str, ...]:
        """Return the row as text, in the order of `HEADS`."""
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
    """A figure with its model, its protocol and its source."""

    model: str
    protocol: Protocol
    accuracy: str
    source: str


def comparison(summary: RunSummary) -> list[Compared]:
    """Return a run, published figures of its model, and those of other models under its protocol."""
    run, splits = summary.run, summary.records[0].splits
    on_their_folds = splits is not None and splits.name == ERRICA
    ours = summary.extent if summary.figure is None else str(summary.figure)
    found = [Compared(run.model, run.protocol, ours, f"this run, {summary.extent}")]
    for protocol, models in PUBLISHED.items():
        for model, figures in models.items():
            if run.dataset in figures and (protocol == run.protocol or model == run.model):
                source = SOURCES[protocol] + (
                    "" if protocol == "paper" or on_their_folds else ", other folds"
                )
                found.append(Compared(model, protocol, f"{figures[run.dataset]:.2f}", source))
    return sorted(found, key=lambda one: (one.model != run.model, one.protocol != run.protocol))


def table_rows(records: Iterable[FoldRecord]) -> list[Row]:
    """Return one row for each model, settings and data set; without a figure while folds are missing.

    If a model has several settings on one data set, the row says how they differ from the first.
    """
    grouped: dict[tuple[Any, ...], dict[Protocol, RunSummary]] = {}
    for summary in summarise(records):
        run = summary.run
        same = (
            run.dataset,
            run.fingerprint,
            run.model,
            run.candidates,
            run.folds,
            run.split_seed,
            run.splits,
        )
        grouped.setdefault(same, {})[run.protocol] = summary
    firsts: dict[tuple[str, str], str] = {}
    rows = []
    for (dataset, _, model, candidates, *_), runs in grouped.items():
        first = firsts.setdefault((dataset, model), candidates)
        rows.append(Row(dataset, model, _difference(first, candidates), runs))
    return rows


def markdown_table(rows: Sequence[Row]) -> str:
    """Return the rows as a table in markdown, with a footnote where published figures need one."""
    note = footnote(["paper"], [row.dataset for row in rows])
    table = as_markdown(HEADS, [row.cells() for row in rows])
    return table if note is None else f"{table}\n{note}\n"


def pair_rows(compared: PairedComparison) -> list[tuple[str, ...]]:
    """Return the rows of two networks and of their difference, in the order of `PAIR_HEADS`."""
    rows = []
    for summary, wall, processor in zip(
        (compared.first, compared.second),
        compared.seconds_an_epoch,
        compared.processor_seconds_an_epoch,
        strict=True,
    ):
        times = ("–" if time is None else f"{time:.3g}" for time in (wall, processor))
        theirs = PUBLISHED_IMAGES.get(summary.run.model, "–")
        rows.append((summary.run.model, str(summary.figure), *times, theirs))
    found = f"{compared.difference.mean:+.2f} ± {compared.difference.std:.2f}"
    return [*rows, ("difference", found, "", "", f"p = {PUBLISHED_IMAGES_P}")]


def pair_extent(compared: PairedComparison) -> str:
    """Return what was run to compare two networks, in words."""
    settings = json.loads(compared.first.run.candidates)[0]
    width = Fraction(settings["width"]).limit_denominator(1000)
    return f"{compared.first.extent}, width {width}, {settings['epochs']} epochs, {settings['arithmetic']}"


def markdown_pairs(compared: PairedComparison) -> str:
    """Return a paired comparison as tables in markdown: the networks, and the tests of their difference."""
    tests = [(words, p_in_words(getattr(compared, name))) for name, words in PAIR_TESTS.items()]
    return (
        f"**{compared.first.run.dataset}**: {pair_extent(compared)}.\n\n"
        f"{as_markdown(PAIR_HEADS, pair_rows(compared))}\n"
        f"{as_markdown(('test of the difference', ''), tests)}"
    )


def p_in_words(p: float | None) -> str:
    """Return a p-value in words.

    >>> p_in_words(0.0213), p_in_words(1e-9), p_in_words(None)
    ('p = 0.021', 'p < 0.001', 'no p')
    """
    if p is None:
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def as_markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in markdown."""
    lines = [heads, ("---",) * len(heads), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n" for cells in lines)


def _difference(first: str, candidates: str) -> str:
    """Return how candidates differ from the first ones, in words; empty if they do not."""
    mine, others = json.loads(candidates), json.loads(first)
    if len(mine) > 1 or len(others) > 1:
        return f"best of {len(mine)} settings" if len(mine) > 1 else "" if mine == others else "one setting"
    return ", ".join(
        f"{name} {value}" for name, value in mine[0].items() if others[0].get(name, _NOTHING) != value
    )


_NOTHING: Final = object()
