"""The report in a real browser: sorting, copying, dark, phone, print, and not a single request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.report import html_report
from tests.helpers.browser import accessibility_problems, launched
from tests.helpers.fold_records import enzymes_paper_run, enzymes_run
from tests.helpers.reported_runs import DATA, HOSTILE, predicted_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.helpers.browser import OpenPage

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def open_page() -> Iterator[OpenPage]:
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    loss = {"curves": {"loss": [1.0, 0.5], "validation_accuracy": [0.25, 0.5]}}
    records = [
        *predicted_run(model=HOSTILE, **loss),
        *enzymes_run(10),
        *enzymes_paper_run(),
        *enzymes_run(10, model="other")[:7],
    ]
    html_report(records, datasets=[DATA]).save(path)
    return path


def figures(page: Any) -> Any:
    return page.get_by_role("region", name="Figures of all runs")


def runs(page: Any) -> list[str]:
    return [name[0] for name in figures(page).locator("tbody th").all_inner_texts()]


def test_figures_sort_by_number_from_the_keyboard_and_missing_ones_come_last(
    open_page: OpenPage, file: Path
) -> None:
    with open_page(file) as page:
        assert runs(page) == ["1", "2", "3", "4"]
        figures(page).get_by_role("button", name="run").focus()
        page.keyboard.press("Tab")  # to the accuracy
        page.keyboard.press("Enter")
        assert runs(page) == ["1", "2", "3", "4"]  # 75.0, 54.5, 50.0, none
        page.keyboard.press("Space")
        assert runs(page) == ["3", "2", "1", "4"]
        head = figures(page).locator("thead th").nth(1)
        assert head.get_attribute("aria-sort") == "ascending"


def test_tables_copy_as_csv_with_every_number(open_page: OpenPage, file: Path) -> None:
    with open_page(file, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.get_by_role("button", name="Copy as CSV: Figures of all runs").press("Enter")
        page.get_by_text("Copied as CSV.").wait_for()
        lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0] == 'run,accuracy,std,low,high,folds × seeds,"published, %",seconds of all folds'
    assert lines[1] == f'"1: {HOSTILE} on TOY, fair",75,0,,,3 folds × 1 seed,,4.5'
    assert lines[4] == '"4: other on ENZYMES, fair",,,,,7 of 10 folds × 1 seed,,10.5'


def test_without_a_clipboard_the_text_is_shown_to_copy_by_hand(open_page: OpenPage, file: Path) -> None:
    with open_page(file) as page:
        page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        page.get_by_role("button", name="Copy as Markdown: Settings").click()
        area = page.get_by_label("The table as Markdown")
        assert area.input_value().startswith("| setting | differs |")
        assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_in_either_scheme_shows_text_only_and_needs_no_scrolling_aside(
    open_page: OpenPage, file: Path, scheme: str
) -> None:
    size = {"width": 390, "height": 844}
    with open_page(file, viewport=size, color_scheme=scheme, reduced_motion="reduce") as page:
        assert page.locator("img").count() == 0
        assert HOSTILE in page.inner_text("body")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for summary in page.locator("summary").all():
            summary.press("Enter")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_links_lead_to_the_runs_and_print_is_light(open_page: OpenPage, file: Path) -> None:
    with open_page(file, color_scheme="dark") as page:
        figures(page).get_by_role("link").nth(1).click()
        assert page.url.endswith("#run-2")
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not page.locator(".tools").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong_with_everything_open(open_page: OpenPage, file: Path, scheme: str) -> None:
    with open_page(file, viewport={"width": 390, "height": 844}, color_scheme=scheme) as page:
        for summary in page.locator("summary").all():
            summary.press("Enter")
        assert accessibility_problems(page) == []
