"""The comparison table as a web page in one file: sortable tables and the critical-difference diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cliquepool.evaluate.comparison_table import REFERENCE
from cliquepool.evaluate.comparison_words import CELL_HEADS, SIGNIFICANT, cell_words, notes
from cliquepool.evaluate.critical_difference import critical_difference_svg, ranks_in_words
from cliquepool.evaluate.ranks import mean_ranks
from cliquepool.view.html_page import html_page, text
from cliquepool.view.html_tables import TABLE_SCRIPT, HtmlCell, HtmlColumn, HtmlRow, sortable_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cliquepool.evaluate.comparison_table import Cell, Column, ComparisonTable, Line
    from cliquepool.evaluate.summary import Figure

__all__ = ["comparison_page"]

_TITLE: Final = "Graph classifiers compared"
_FRAME: Final = '<div class="scroll" tabindex="0" role="region" aria-label="Diagram of mean ranks">'


def comparison_page(table: ComparisonTable) -> str:
    """Return the page. It needs no network; columns sort by mouse and keyboard; it has a dark mode."""
    sections = [_overview(table), _ranks(table), *(_details(table, column) for column in table.columns)]
    listed = "".join(f"<li>{text(note)}</li>" for note in notes(table))
    body = (
        f"<header><h1>{_TITLE}</h1>\n"
        f"<p>{len(table.lines)} models on {len(table.columns)} data sets, {table.protocol} protocol. "
        "Press the head of a column to sort by it.</p></header>\n"
        f"<main>{''.join(sections)}"
        f'<section aria-labelledby="notes"><h2 id="notes">Notes</h2>\n<ul>{listed}</ul></section></main>'
    )
    return html_page(_TITLE, body, assets=("evaluate/compare.css", TABLE_SCRIPT))


def _overview(table: ComparisonTable) -> str:
    rows = [[_accuracy(table.cell(column, line)) for column in table.columns] for line in table.lines]
    heads = [
        HtmlColumn(column.dataset, (column.dataset, f"{column.dataset} std"), css="number")
        for column in table.columns
    ]
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
        shown = f"<p>{text(ranks_in_words(ranks))}</p>\n{_FRAME}{drawn}</div>\n"
    return _section("ranks", "Critical difference", shown)


def _details(table: ComparisonTable, column: Column) -> str:
    """Return the section of a data set, with all columns of its cells."""
    rows = [_detail_cells(table.cell(column, line)) for line in table.lines]
    folds = f"<p>Folds: {text(column.folds)}.</p>\n" if column.folds else ""
    heads = [
        *(HtmlColumn(head, (head, f"{head} std"), css="number") for head in CELL_HEADS[:2]),
        *(HtmlColumn(head, css="number") for head in CELL_HEADS[2:-1]),
        HtmlColumn(CELL_HEADS[-1]),
    ]
    shown = _table(f"{column.dataset}: accuracy, differences and costs", heads, table.lines, rows)
    identity = f"data-{''.join(sign if sign.isalnum() else '-' for sign in column.dataset)}"
    return _section(identity, column.dataset, folds + shown)


def _section(identity: str, title: str, content: str) -> str:
    identity = text(identity)
    head = f'<h2 id="{identity}">{text(title)}</h2>'
    return f'<section aria-labelledby="{identity}">{head}\n{content}</section>\n'


def _table(
    caption: str, heads: Sequence[HtmlColumn], lines: Sequence[Line], rows: Sequence[Sequence[HtmlCell]]
) -> str:
    """Return a table of models; `rows` has the cells of each line."""
    found = [
        HtmlRow(HtmlCell(line.title), cells, css="ours" if line.key == REFERENCE else "")
        for line, cells in zip(lines, rows, strict=True)
    ]
    return sortable_table(caption, [HtmlColumn("model"), *heads], found)


def _accuracy(cell: Cell) -> HtmlCell:
    """Return a cell of the overview; the reason of a failure is its tooltip."""
    if cell.figure is None:
        words = cell.note if cell.state == "incomplete" else cell.state
        return HtmlCell(words, css="missing", tip=cell.note if cell.state == "failed" else "")
    is_marked = cell.p is not None and cell.p < SIGNIFICANT
    return _figure(cell.figure, f"{cell.figure}{' *' if is_marked else ''}")


def _detail_cells(cell: Cell) -> list[HtmlCell]:
    words = cell_words(cell)
    numbers = (cell.p, cell.epoch_seconds, cell.num_pooling_parameters, cell.peak_memory, cell.published)
    reason = cell.note if cell.state == "failed" else ""
    return [
        _figure(cell.figure, words[0]) if cell.figure else HtmlCell(words[0], css="missing", tip=reason),
        _figure(cell.difference, words[1]) if cell.difference else HtmlCell(words[1], css="number"),
        *(HtmlCell(said, number, css="number") for said, number in zip(words[2:-1], numbers, strict=True)),
        HtmlCell(words[-1]),
    ]


def _figure(figure: Figure, words: str) -> HtmlCell:
    parts = (round(figure.mean, 4), round(figure.std, 4))
    return HtmlCell(words, figure.mean, parts=parts, css="number")
