"""Tables of self-contained pages: columns sort by mouse and keyboard, and the table copies as text.

The script is ``view/tables.js``; without scripts a table is an ordinary one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cliquepool.view.html_page import text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TABLE_SCRIPT", "HtmlCell", "HtmlColumn", "HtmlRow", "sortable_table"]

TABLE_SCRIPT: Final = "view/tables.js"
"""The script that pages with such tables need, for `html_page`."""

_FORMATS: Final = {"markdown": "Markdown", "latex": "LaTeX", "csv": "CSV"}


@dataclass(frozen=True, slots=True)
class HtmlColumn:
    """The head of a column.

    `parts` are the names of its columns in CSV, where it has several, such as mean and standard deviation.
    """

    head: str
    parts: tuple[str, ...] = ()
    css: str = ""


@dataclass(frozen=True, slots=True)
class HtmlCell:
    """A cell: its words, the number that it is sorted by, and its values in CSV where these are several.

    A cell without a number in a column of numbers comes last in either order. `markup` is HTML to show in
    place of the words, which stay what is copied; whoever makes it escapes what is in it.
    """

    words: str
    number: float | None = None
    parts: tuple[float | str | None, ...] = ()
    css: str = ""
    tip: str = ""
    markup: str = ""


@dataclass(frozen=True, slots=True)
class HtmlRow:
    """A row: its head and its cells. `css` are classes of the row."""

    head: HtmlCell
    cells: Sequence[HtmlCell]
    css: str = ""


def sortable_table(
    caption: str, columns: Sequence[HtmlColumn], rows: Sequence[HtmlRow], *, css: str = ""
) -> str:
    """Return a table with a button in each head, and buttons that copy it as Markdown, LaTeX or CSV.

    The first column has the heads of the rows.
    """
    heads = "".join(_column(column) for column in columns)
    body = "".join(
        f"<tr{_attribute('class', row.css)}>{_cell('th', row.head)}"
        f"{''.join(_cell('td', cell) for cell in row.cells)}</tr>\n"
        for row in rows
    )
    label = text(caption)
    return (
        f'<div class="table"><div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table{_attribute('class', css)}><caption>{label}</caption>\n<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>\n{body}</tbody></table></div>\n{_tools(caption)}</div>\n"
    )


def _column(column: HtmlColumn) -> str:
    parts = _json("data-parts", column.parts)
    css = _attribute("class", column.css)
    return (
        f'<th scope="col" aria-sort="none"{css}{parts}>'
        f'<button type="button">{text(column.head)}</button></th>'
    )


def _cell(tag: str, cell: HtmlCell) -> str:
    scope = ' scope="row"' if tag == "th" else ""
    value = "" if cell.number is None else f' data-value="{float(cell.number)!r}"'
    parts = _json("data-parts", cell.parts)
    words = _attribute("data-words", cell.words) if cell.markup else ""
    css, tip = _attribute("class", cell.css), _attribute("title", cell.tip)
    return f"<{tag}{scope}{css}{value}{parts}{words}{tip}>{cell.markup or text(cell.words)}</{tag}>"


def _tools(caption: str) -> str:
    buttons = "".join(
        f'<button type="button" class="plain" data-copy="{key}" '
        f'aria-label="{text(f"Copy as {name}: {caption}")}">{name}</button>'
        for key, name in _FORMATS.items()
    )
    return f'<div class="tools" hidden><span>Copy as</span>{buttons}<output></output></div>'


def _attribute(name: str, value: str) -> str:
    return f' {name}="{text(value)}"' if value else ""


def _json(name: str, values: tuple[Any, ...]) -> str:
    return _attribute(name, json.dumps(values) if values else "")
