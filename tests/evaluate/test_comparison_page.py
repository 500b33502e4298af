"""The page of a comparison: one file, no network, tables that can be sorted and read aloud."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from cliquepool.evaluate.comparison_page import comparison_page
from cliquepool.evaluate.comparison_table import Cell, Column, ComparisonTable, Line
from cliquepool.evaluate.summary import Figure

LINES = (Line("gin", "GIN"), Line("clique-pool", "CliquePool"), Line("x", "<b>own</b>"))
COLUMNS = (Column("MUTAG", "own folds, seed 0"), Column("DD", ""))
CELLS = {
    (column.dataset, line.key): Cell("figure", "10 folds × 1 seed", Figure(60.0 + number, 2.0), p=0.01)
    for column in COLUMNS
    for number, line in enumerate(LINES)
} | {("DD", "x"): Cell("failed", 'out of "memory"')}
PAGE = comparison_page(ComparisonTable("fair", LINES, COLUMNS, CELLS))
EMPTY = {"meta", "line", "polyline"}


class Reader(HTMLParser):
    """Checks that tags are closed in order, and keeps elements with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, Any]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read() -> Reader:
    reader = Reader()
    reader.feed(PAGE)
    reader.close()
    assert reader.open == []
    return reader


def test_the_page_needs_no_other_file() -> None:
    found = read().found
    assert not [attributes for _, attributes in found if {"src", "href"} & attributes.keys()]
    assert "url(" not in PAGE
    assert "@import" not in PAGE
    assert PAGE.count("http") == PAGE.count("http://www.w3.org/2000/svg")


def test_every_column_has_a_button_to_sort_by_and_every_section_a_name() -> None:
    found = read().found
    heads = [attributes for tag, attributes in found if tag == "th" and attributes["scope"] == "col"]
    assert len(heads) == 3 + 2 * 9
    assert all(attributes["aria-sort"] == "none" for attributes in heads)
    assert sum(tag == "button" for tag, _ in found) == len(heads)
    ids = [attributes["id"] for tag, attributes in found if tag == "h2"]
    assert len(set(ids)) == len(ids)
    assert [attributes["aria-labelledby"] for tag, attributes in found if tag == "section"] == ids
    assert sum(tag == "caption" for tag, _ in found) == 3


def test_cells_have_the_numbers_that_they_are_sorted_by_and_failures_their_reasons() -> None:
    found = read().found
    values = [attributes.get("data-value") for tag, attributes in found if tag == "td"]
    assert values[:6] == ["60.0", "60.0", "61.0", "61.0", "62.0", None]
    assert {attributes.get("title") for _, attributes in found} >= {'out of "memory"'}
    assert "<b>" not in PAGE
    assert "critical difference" in PAGE
    assert ("prefers-color-scheme: dark") in PAGE
