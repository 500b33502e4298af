"""The page of a comparison: one file, no network, tables that can be sorted and read aloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.evaluate.comparison_page import comparison_page
from cliquepool.evaluate.comparison_table import Cell, Column, ComparisonTable, Line
from cliquepool.evaluate.summary import Figure
from tests.helpers.browser import accessibility_problems, launched
from tests.helpers.html_reader import HtmlReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.helpers.browser import OpenPage

LINES = (Line("gin", "GIN"), Line("clique-pool", "CliquePool"), Line("x", "<b>own</b>"))
COLUMNS = (Column("MUTAG", "own folds, seed 0"), Column("DD", ""))
CELLS = {
    (column.dataset, line.key): Cell("figure", "10 folds × 1 seed", Figure(60.0 + number, 2.0), p=0.01)
    for column in COLUMNS
    for number, line in enumerate(LINES)
} | {("DD", "x"): Cell("failed", 'out of "memory"')}
PAGE = comparison_page(ComparisonTable("fair", LINES, COLUMNS, CELLS))
POLICY = "default-src 'none'"


def test_the_page_needs_no_other_file() -> None:
    found = HtmlReader(PAGE).found
    assert not [attributes for _, attributes in found if {"src", "href"} & attributes.keys()]
    assert "url(" not in PAGE
    assert "@import" not in PAGE
    assert PAGE.count("http") == PAGE.count("http://www.w3.org/2000/svg") + PAGE.count("http-equiv")
    assert [content for _, content in found if content.get("content", "").startswith(POLICY)]


def test_every_column_has_a_button_to_sort_by_and_every_section_a_name() -> None:
    found = HtmlReader(PAGE).found
    heads = [attributes for tag, attributes in found if tag == "th" and attributes["scope"] == "col"]
    assert len(heads) == 3 + 2 * 9
    assert all(attributes["aria-sort"] == "none" for attributes in heads)
    assert sum(tag == "button" and "data-copy" not in attributes for tag, attributes in found) == len(heads)
    ids = [attributes["id"] for tag, attributes in found if tag == "h2"]
    assert len(set(ids)) == len(ids)
    assert [attributes["aria-labelledby"] for tag, attributes in found if tag == "section"] == ids
    assert sum(tag == "caption" for tag, _ in found) == 3


def test_cells_have_the_numbers_that_they_are_sorted_by_and_failures_their_reasons() -> None:
    found = HtmlReader(PAGE).found
    values = [attributes.get("data-value") for tag, attributes in found if tag == "td"]
    assert values[:6] == ["60.0", "60.0", "61.0", "61.0", "62.0", None]
    assert {attributes.get("title") for _, attributes in found} >= {'out of "memory"'}
    assert "<b>" not in PAGE
    assert "critical difference" in PAGE
    assert "prefers-color-scheme: dark" in PAGE


# ---- in a browser ----


@pytest.fixture(scope="module")
def open_page() -> Iterator[OpenPage]:
    with launched() as found:
        yield found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


def titles(page: Any) -> list[str]:
    return page.locator("table").first.locator("tbody th").all_inner_texts()


@pytest.mark.browser
def test_columns_sort_by_keyboard_with_missing_figures_last(open_page: OpenPage, file: Path) -> None:
    with open_page(file) as page:
        page.locator("table").first.locator("thead button").nth(1).focus()
        page.keyboard.press("Tab")
        for order in ("descending", "ascending"):
            page.keyboard.press("Enter")
            heads = page.locator("table").first.locator("thead th")
            assert [head.get_attribute("aria-sort") for head in heads.all()] == ["none", "none", order]
            models = ["CliquePool", "GIN"] if order == "descending" else ["GIN", "CliquePool"]
            assert titles(page) == [*models, "<b>own</b>"]
        page.locator("table").first.locator("thead button").first.press("Space")
        assert titles(page) == sorted(titles(page), key=str.casefold)


@pytest.mark.browser
def test_tables_copy_as_text_in_the_order_that_is_shown(open_page: OpenPage, file: Path) -> None:
    with open_page(file, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.get_by_role("button", name="DD", exact=True).first.click()

        def copied(name: str) -> list[str]:
            page.get_by_role("button", name=f"Copy as {name}: Accuracy by model and data set").press("Enter")
            page.get_by_text(f"Copied as {name}.").wait_for()
            return page.evaluate("navigator.clipboard.readText()").splitlines()

        assert copied("Markdown")[:3] == [
            "| model | MUTAG | DD |",
            "| --- | --- | --- |",
            "| CliquePool | 61.00 ± 2.00 * | 61.00 ± 2.00 * |",
        ]
        assert copied("LaTeX")[4] == r"CliquePool & 61.00 $\pm$ 2.00 * & 61.00 $\pm$ 2.00 * \\"
        assert copied("CSV") == [
            "model,MUTAG,MUTAG std,DD,DD std",
            "CliquePool,61,2,61,2",
            "GIN,60,2,60,2",
            "<b>own</b>,62,2,,",
        ]


@pytest.mark.browser
def test_long_titles_are_inside_the_diagram_of_ranks(open_page: OpenPage, tmp_path: Path) -> None:
    long = (Line("gin", "A model with 3 convolutions a level and a long name"), *LINES[1:])
    cells = {**CELLS, ("DD", "x"): CELLS["MUTAG", "x"]}
    file = tmp_path / "table.html"
    file.write_text(comparison_page(ComparisonTable("fair", long, COLUMNS, cells)), encoding="utf-8")
    with open_page(file) as page:
        edges = page.evaluate(
            """() => [...document.querySelectorAll("svg.ranks text")].map((text) => {
              const {x, width} = text.getBBox();
              return [text.textContent, x, text.ownerSVGElement.viewBox.baseVal.width - x - width];
            })"""
        )
        assert any(words.startswith(long[0].title) for words, _, _ in edges)
        assert [words for words, left, right in edges if min(left, right) < 0] == []


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_the_page_without_scrolling_aside(open_page: OpenPage, file: Path, scheme: str) -> None:
    with open_page(file, viewport={"width": 390, "height": 844}, color_scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong(open_page: OpenPage, file: Path, scheme: str) -> None:
    with open_page(file, viewport={"width": 390, "height": 844}, color_scheme=scheme) as page:
        assert accessibility_problems(page) == []
