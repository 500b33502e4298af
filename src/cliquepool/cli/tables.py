"""Tables that fit the terminal: columns are wrapped, or rows are stacked; text is never truncated."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["Column", "FittingTable"]

_GAP: Final = 3
_NARROW_GAP: Final = 2
_INDENT: Final = 2
# A longer word, such as a path, may be broken anywhere; a shorter one only if the terminal is narrower.
_LONGEST_WORD: Final = 24
_NARROWEST_VALUE: Final = 8


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its header, and the layout of its cells."""

    head: str
    right: bool = False
    """Whether cells are right-aligned, as numbers are."""
    wraps: bool = False
    """Whether cells may have several lines, broken between words."""
    style: str = ""


@dataclass(slots=True)
class FittingTable:
    """A table for rich to print, as wide as its text or as the console, whichever is less.

    If the text is wider than the console, columns that wrap are made narrower. If even their longest words do
    not fit, each row is printed as a block of lines, one for each header and its cell. No cell is truncated.
    """

    columns: Sequence[Column]
    rows: list[tuple[Text, ...]] = field(default_factory=list)
    gap: int = _GAP

    def add_row(self, *cells: str | Text, style: str = "") -> None:
        """Add a row of one cell for each column; `style` is for cells that are not `Text`."""
        if len(cells) != len(self.columns):
            raise ValueError(f"expected {len(self.columns)} cells, got {len(cells)}")
        self.rows.append(
            tuple(
                cell if isinstance(cell, Text) else Text(cell, style or column.style)
                for column, cell in zip(self.columns, cells, strict=True)
            )
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        fitted = self._fit(options.max_width)
        lines = self._stacked(options.max_width) if fitted is None else self._beside(*fitted)
        for line in lines:
            line.rstrip()
            line.no_wrap, line.overflow = True, "ignore"
            yield line

    def _fit(self, width: int) -> tuple[list[int], int] | None:
        """Return the widths of the columns and the gap between them; None if they do not fit."""
        columns = [[row[index] for row in self.rows] for index in range(len(self.columns))]
        heads = [Text(column.head) for column in self.columns]
        widest = [
            max(cell.cell_len for cell in [head, *cells]) for head, cells in zip(heads, columns, strict=True)
        ]
        gaps = len(self.columns) - 1
        if sum(widest) + self.gap * gaps <= width:
            return widest, self.gap
        least = [
            max(_longest_word([head]), self._least(column, cells))
            for head, column, cells in zip(heads, self.columns, columns, strict=True)
        ]
        room = width - _NARROW_GAP * gaps
        if sum(least) > room:
            return None
        widths = list(widest)
        while sum(widths) > room:
            spare = [now if now > low else -1 for now, low in zip(widths, least, strict=True)]
            widths[spare.index(max(spare))] -= 1
        return widths, _NARROW_GAP

    def _least(self, column: Column, cells: Sequence[Text]) -> int:
        """Return the least width of the cells of a column."""
        if not column.wraps:
            return max((cell.cell_len for cell in cells), default=0)
        # A column without a header cannot be stacked, so its words may be broken.
        return min(_longest_word(cells), _LONGEST_WORD if column.head else _NARROWEST_VALUE)

    def _beside(self, widths: list[int], gap: int) -> Iterator[Text]:
        heads = tuple(Text(column.head, "dim") for column in self.columns)
        for row in [heads, *self.rows] if any(column.head for column in self.columns) else self.rows:
            wrapped = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
            for number in range(max(map(len, wrapped))):
                line = Text()
                for index, (part, width) in enumerate(zip(wrapped, widths, strict=True)):
                    cell = part[number] if number < len(part) else Text()
                    cell.rstrip()
                    missing = " " * (width - cell.cell_len)
                    line.append(" " * gap if index else "")
                    line.append(missing if self.columns[index].right else "")
                    line.append_text(cell)
                    line.append("" if self.columns[index].right else missing)
                yield line

    def _stacked(self, width: int) -> Iterator[Text]:
        """Yield each row as a block: its first cell, and below it the others that are not empty."""
        head_width = max((len(column.head) for column in self.columns[1:]), default=0)
        room = max(width - _INDENT - head_width - 2, _NARROWEST_VALUE)
        for number, row in enumerate(self.rows):
            if number:
                yield Text()
            title = Text.assemble(
                (f"{self.columns[0].head} " if row[0].plain.isdigit() else "", "dim"), row[0]
            )
            yield from _wrapped(title, width)
            for column, cell in zip(self.columns[1:], row[1:], strict=True):
                for part, text in enumerate(_wrapped(cell, room) if cell.plain else []):
                    head = column.head if part == 0 else ""
                    yield Text.assemble(" " * _INDENT, (f"{head:<{head_width}}  ", "dim"), text)


def _longest_word(cells: Sequence[Text]) -> int:
    return max((Text(word).cell_len for cell in cells for word in cell.plain.split()), default=0)


def _wrapped(text: Text, width: int) -> list[Text]:
    """Break text into lines between words; break words that are wider than a line anywhere.

    Like rich's wrapping, but some versions of that lose characters that are two columns wide.
    """
    breaks: list[int] = []
    used = 0
    for word in re.finditer(r"\S+\s*", text.plain):
        bare = word[0].rstrip()
        if used and used + cell_len(bare) > width:
            breaks.append(word.start())
            used = 0
        for position, character in enumerate(bare, start=word.start()):
            if used and used + cell_len(character) > width:
                breaks.append(position)
                used = 0
            used += cell_len(character)
        used += len(word[0]) - len(bare)
    return list(text.divide(breaks))
