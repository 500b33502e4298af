"""The comparison table as a web page in one file: sortable tables and the critical-difference diagram."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from cliquepool.evaluate.comparison_table import REFERENCE
from cliquepool.evaluate.comparison_words import CELL_HEADS, SIGNIFICANT, accuracy_words, cell_words, notes
from cliquepool.evaluate.critical_difference import critical_difference_svg, ranks_in_words
from cliquepool.evaluate.ranks import mean_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cliquepool.evaluate.comparison_table import Cell, Column, ComparisonTable, Line

__all__ = ["comparison_page"]

_TITLE: Final = "Graph classifiers compared"


def comparison_page(table: ComparisonTable) -> str:
    """Return the page. It needs no network; columns sort by mouse and keyboard; it has a dark mode."""
    assets = files("cliquepool.evaluate").joinpath("page")
    style = assets.joinpath("compare.css").read_text(encoding="utf-8")
    script = assets.joinpath("compare.js").read_text(encoding="utf-8")
    sections = [_overview(table), _ranks(table), *(_details(table, column) for column in table.columns)]
    listed = "".join(f"<li>{escape(note)}</li>" for note in notes(table))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{_TITLE}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_TITLE}</h1>\n"
        f"<p>{len(table.lines)} models on {len(table.columns)} data sets, {table.protocol} protocol. "
        "Press the head of a column to sort by it.</p>\n"
        f"{''.join(sections)}"
        f'<section aria-labelledby="notes"><h2 id="notes">Notes</h2>\n<ul>{listed}</ul></section>\n'
        f"</main>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _overview(table: ComparisonTable) -> str:
    rows = [[_accuracy(table.cell(column, line)) for column in table.columns] for line in table.lines]
    heads = [column.dataset for column in table.columns]
    return _section(
        "overview", "Accuracy", _table("Accuracy by model and data set", heads, table.lines, rows)
    )


def _ranks(table: ComparisonTable) -> str:
    ranks = mean_ranks(table)
    if ranks is None:
        shown = "<p>There are no mean ranks yet: two data sets with the same two models are needed.</p>\n"
    else:
        ours = next((line.title for line in table.lines if line.key == REFERENCE), "")
        drawn = critical_difference_svg(ranks, ours)
        shown = f'<p>{escape(ranks_in_words(ranks))}</p>\n<div class="scroll">{drawn}</div>\n'
    return _section("ranks", "Critical difference", shown)


def _details(table: ComparisonTable, column: Column) -> str:
    """Return the section of a data set, with all columns of its cells."""
    rows = [_detail_cells(table.cell(column, line)) for line in table.lines]
    folds = f"<p>Folds: {escape(column.folds)}.</p>\n" if column.folds else ""
    shown = _table(f"{column.dataset}: accuracy, differences and costs", CELL_HEADS, table.lines, rows)
    identity = f"data-{''.join(sign if sign.isalnum() else '-' for sign in column.dataset)}"
    return _section(identity, column.dataset, folds + shown)


def _section(identity: str, title: str, content: str) -> str:
    identity = escape(identity)
    head = f'<h2 id="{identity}">{escape(title)}</h2>'
    return f'<section aria-labelledby="{identity}">{head}\n{content}</section>\n'


def _table(caption: str, heads: Sequence[str], lines: Sequence[Line], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose columns can be sorted; `rows` has the cells of each line, in HTML."""
    buttons = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{escape(head)}</button></th>'
        for head in ("model", *heads)
    )
    body = []
    for line, cells in zip(lines, rows, strict=True):
        ours = ' class="ours"' if line.key == REFERENCE else ""
        body.append(f'<tr{ours}><th scope="row">{escape(line.title)}</th>{"".join(cells)}</tr>\n')
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption>\n<thead><tr>{buttons}</tr></thead>\n"
        f"<tbody>\n{''.join(body)}</tbody></table></div>\n"
    )


def _accuracy(cell: Cell) -> str:
    """Return a cell of the overview; the reason of a failure is its tooltip."""
    if cell.figure is None:
        words = cell.note if cell.state == "incomplete" else cell.state
        return _cell(words, None, cell.note if cell.state == "failed" else "", is_missing=True)
    is_marked = cell.p is not None and cell.p < SIGNIFICANT
    return _cell(f"{cell.figure}{' *' if is_marked else ''}", cell.figure.mean)


def _detail_cells(cell: Cell) -> list[str]:
    figure, difference = cell.figure, cell.difference
    numbers = (
        None if figure is None else figure.mean,
        None if difference is None else difference.mean,
        cell.p,
        cell.epoch_seconds,
        cell.num_pooling_parameters,
        cell.peak_memory,
        cell.published,
        None,
    )
    shown = [_cell(words, number) for words, number in zip(cell_words(cell)[1:], numbers[1:], strict=True)]
    reason = cell.note if cell.state == "failed" else ""
    return [_cell(accuracy_words(cell), numbers[0], reason, is_missing=figure is None), *shown]


def _cell(words: str, number: float | None, tip: str = "", *, is_missing: bool = False) -> str:
    """Return a cell with the number that it is sorted by; cells without one come last."""
    value = "" if number is None else f' data-value="{number!r}"'
    title = f' title="{escape(tip)}"' if tip else ""
    missing = ' class="missing"' if is_missing else ""
    return f"<td{missing}{value}{title}>{escape(words)}</td>"
