"""The comparison table as text: words of cells, Markdown, LaTeX, CSV."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Final

from cliquepool.evaluate.comparison_table import REFERENCE
from cliquepool.evaluate.published import SOURCES, footnote
from cliquepool.evaluate.tables import as_markdown, p_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cliquepool.evaluate.comparison_table import Cell, ComparisonTable

__all__ = [
    "CELL_HEADS",
    "SIGNIFICANT",
    "accuracy_words",
    "cell_words",
    "csv_table",
    "explained",
    "latex_table",
    "markdown_details",
    "markdown_overview",
    "notes",
]

CELL_HEADS: Final = (
    "accuracy",
    "− CliquePool",
    "p (Holm)",
    "s an epoch",
    "pooling parameters",
    "peak memory",
    "published",
    "run",
)
SIGNIFICANT: Final = 0.05
_NOTHING: Final = "–"
_LONGEST_REASON: Final = 120
_FIELDS: Final = (
    "published",
    "epoch_seconds",
    "num_pooling_parameters",
    "peak_memory",
)
_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "–": "--",
    "−": "$-$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def accuracy_words(cell: Cell) -> str:
    """Return the figure of a cell, or why there is none."""
    if cell.figure is not None:
        return str(cell.figure)
    return f"failed: {_shortened(cell.note)}" if cell.state == "failed" else cell.state


def cell_words(cell: Cell) -> tuple[str, ...]:
    """Return a cell in words, in the order of `CELL_HEADS`."""
    difference = cell.difference
    return (
        accuracy_words(cell),
        _NOTHING if difference is None else f"{difference.mean:+.2f} ± {difference.std:.2f}",
        _NOTHING if cell.p is None else p_in_words(cell.p).removeprefix("p = ").removeprefix("p "),
        _NOTHING if cell.epoch_seconds is None else f"{cell.epoch_seconds:.3g}",
        _NOTHING if cell.num_pooling_parameters is None else f"{cell.num_pooling_parameters:,}",
        _NOTHING if cell.peak_memory is None else f"{cell.peak_memory / 2**20:,.0f} MiB",
        _NOTHING if cell.published is None else f"{cell.published:.2f}",
        cell.note if cell.state in ("figure", "incomplete") else "",
    )


def markdown_overview(table: ComparisonTable) -> str:
    """Return models by data sets in markdown, with the best figure of each data set bold, and the notes."""
    rows = [
        [line.title, *cells] for line, cells in zip(table.lines, _overview(table, str, _bold), strict=True)
    ]
    heads = ["model", *(column.dataset for column in table.columns)]
    return as_markdown(heads, rows) + "".join(f"\n{note}\n" for note in notes(table))


def markdown_details(table: ComparisonTable) -> str:
    """Return a table in markdown for each data set, with differences, costs and published figures."""
    parts = []
    for column in table.columns:
        rows = [(line.title, *cell_words(table.cell(column, line))) for line in table.lines]
        folds = f" ({column.folds})" if column.folds else ""
        parts.append(f"**{column.dataset}**{folds}\n\n{as_markdown(('model', *CELL_HEADS), rows)}")
    return "\n".join(parts)


def latex_table(table: ComparisonTable) -> str:
    """Return models by data sets as a tabular environment of LaTeX, for the package booktabs."""
    lines = [
        f"\\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(["model", *(_escaped(column.dataset) for column in table.columns)]) + r" \\",
        r"\midrule",
    ]
    for line, cells in zip(table.lines, _overview(table, _escaped, _bold_latex), strict=True):
        lines.append(" & ".join([_escaped(line.title), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in notes(table))]
    return "\n".join(lines) + "\n"


def csv_table(table: ComparisonTable) -> str:
    """Return a line for each model on each data set, with all numbers of its cell; unknown ones are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    heads = ["protocol", "dataset", "folds", "model", "key", "state", "note", "accuracy", "std"]
    writer.writerow([*heads, "difference", "difference_std", "p_holm", *_FIELDS])
    for column in table.columns:
        for line in table.lines:
            cell = table.cell(column, line)
            named = (
                table.protocol,
                column.dataset,
                column.folds,
                line.title,
                line.key,
                cell.state,
                cell.note,
            )
            writer.writerow([*named, *_numbers(cell), *(getattr(cell, name) for name in _FIELDS)])
    return text.getvalue()


def explained(table: ComparisonTable) -> list[str]:
    """Return what the figures are, and the footnote to published ones where they need it."""
    about = (
        f"Accuracy in percent, mean ± standard deviation over the folds, {table.protocol} protocol. "
        f"* differs from CliquePool on the same folds (p < {SIGNIFICANT}, t-test corrected for overlapping "
        "training sets, adjusted by Holm over the models of the data set). "
        f"Published figures, where they are shown, are those of {SOURCES[table.protocol]}."
    )
    footer = footnote([table.protocol], [column.dataset for column in table.columns])
    return [about] if footer is None else [about, footer]


def _titles_by_extent(table: ComparisonTable) -> dict[str, list[str]]:
    """Return the models with a figure by the folds and seeds that were run.

    Where these differ between the data sets of a model, its title is followed by the names of the data sets.
    """
    found: dict[str, list[str]] = {}
    for line in table.lines:
        datasets: dict[str, list[str]] = {}
        for column in table.columns:
            cell = table.cell(column, line)
            if cell.state == "figure":
                datasets.setdefault(cell.note, []).append(column.dataset)
        for extent, names in datasets.items():
            where = f" ({', '.join(names)})" if len(datasets) > 1 else ""
            found.setdefault(extent, []).append(line.title + where)
    return found


def notes(table: ComparisonTable) -> list[str]:
    """Return what a reader has to know: what figures are, their folds and seeds, the reasons of failures."""
    found = explained(table)
    for folds in dict.fromkeys(column.folds for column in table.columns if column.folds):
        names = [column.dataset for column in table.columns if column.folds == folds]
        found.append(f"{', '.join(names)}: {folds}.")
    found += [f"{extent}: {'; '.join(titles)}." for extent, titles in _titles_by_extent(table).items()]
    for column in table.columns:
        for line in table.lines:
            cell = table.cell(column, line)
            if cell.state == "failed":
                found.append(f"{line.title} failed on {column.dataset}: {_shortened(cell.note)}.")
    return found


def _overview(
    table: ComparisonTable, escape: Callable[[str], str], emphasise: Callable[[str], str]
) -> Iterator[list[str]]:
    """Yield the accuracies of each model in words, the best of each data set emphasised."""
    best = {
        column.dataset: max(
            (
                cell.figure.mean
                for line in table.lines
                if (cell := table.cell(column, line)).figure is not None
            ),
            default=None,
        )
        for column in table.columns
    }
    for line in table.lines:
        cells = []
        for column in table.columns:
            cell = table.cell(column, line)
            words = "failed" if cell.state == "failed" else accuracy_words(cell)
            if cell.state == "incomplete":
                words = cell.note
            if cell.p is not None and cell.p < SIGNIFICANT and line.key != REFERENCE:
                words += " *"
            is_best = cell.figure is not None and cell.figure.mean == best[column.dataset]
            cells.append(emphasise(escape(words)) if is_best else escape(words))
        yield cells


def _bold(words: str) -> str:
    return f"**{words}**" if "*" not in words else f"**{words.removesuffix(' *')}** *"


def _bold_latex(words: str) -> str:
    return f"\\textbf{{{words}}}"


def _numbers(cell: Cell) -> list[float | None]:
    figures = [cell.figure, cell.difference]
    pairs = [(None, None) if figure is None else (figure.mean, figure.std) for figure in figures]
    rounded = [None if number is None else round(number, 4) for pair in pairs for number in pair]
    return [*rounded, cell.p]


def _escaped(words: str) -> str:
    return re.sub("|".join(map(re.escape, _LATEX)), lambda found: _LATEX[found[0]], words)


def _shortened(reason: str) -> str:
    line = (reason.splitlines() or [""])[0]
    return line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 1]}…"
