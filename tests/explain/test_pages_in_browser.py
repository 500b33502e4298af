"""The pages of explanations and vocabularies in a real browser: switches, keyboard, phone, hostile labels."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.explain import Explanation, explain, vocabulary
from cliquepool.view import show
from tests.explain.test_page import HOSTILE
from tests.helpers.browser import opened

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.data import GraphDataset

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def why(model: Any, graphs: GraphDataset) -> Explanation:
    return explain(model, graphs[1], level=1, labels={0: HOSTILE}, classes={0: HOSTILE, 1: "dense"})


@pytest.fixture(scope="module")
def file(why: Explanation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "why.html"
    why.save(path)
    return path


def shown(page: Any, index: int) -> float:
    """Return the score that the page shows in brackets."""
    text = page.locator(f'output[data-score="{index}"]').inner_text()
    return float(text.split("(")[1].rstrip(")").replace("−", "-"))


def test_switches_show_the_answer_of_the_model(why: Explanation, file: Path) -> None:
    with opened(file) as page:
        assert shown(page, 1) == pytest.approx(why.answer.scores["dense"], abs=1e-3)
        for pool in (0, 2):
            page.locator(f'input[data-pool="{pool}"]').uncheck()
        assert shown(page, 1) == pytest.approx(why.what_if([0, 2]).scores["dense"], abs=1e-3)
        assert page.url.endswith("#off=0,2")
        page.get_by_role("button", name="All off").click()
        everything = why.what_if(range(len(why.pools)))
        assert shown(page, 1) == pytest.approx(everything.scores["dense"], abs=1e-3)
        assert page.locator(".node.masked").count() == why.graph.num_nodes


def test_pages_work_inside_a_page_that_indents_them(why: Explanation, tmp_path: Path) -> None:
    frames = indent(f"{why._repr_html_()}\n{show(why.graph.graph(0))._repr_html_()}", "    ")
    outer = tmp_path / "notebook.html"
    outer.write_text(f'<!doctype html>\n<link rel="icon" href="data:,">\n<div>\n{frames}\n</div>\n', "utf-8")
    with opened(outer) as page:
        inner = page.frame_locator("iframe").nth(0)
        inner.locator('input[data-pool="0"]').uncheck()
        assert shown(inner, 1) == pytest.approx(why.what_if([0]).scores["dense"], abs=1e-3)
        page.locator("iframe").nth(1).scroll_into_view_if_needed()  # frames out of sight do not draw
        page.frame_locator("iframe").nth(1).locator("html[data-ready]").wait_for(state="attached")


def test_the_keyboard_reaches_every_switch(why: Explanation, file: Path) -> None:
    with opened(file) as page:
        page.locator("button[data-all=off]").focus()
        reached = []
        for _ in why.pools:
            page.keyboard.press("Tab")
            page.keyboard.press("Space")
            reached.append(page.evaluate("document.activeElement.dataset.pool"))
        assert sorted(map(int, reached)) == list(range(len(why.pools)))
        assert page.locator("tr.off").count() == len(why.pools)


def test_a_link_keeps_the_switches_and_another_class_can_be_explained(why: Explanation, file: Path) -> None:
    with opened(file) as page:
        page.evaluate("location.hash = '#off=1'")
        page.reload()
        assert page.locator("tr.off").count() == 1
        other = 1 - why.target
        page.locator("#target").select_option(str(other))
        top = page.locator("tbody tr [data-value]").first.inner_text()
        value = why.contributions.of_pools[:, other]
        assert abs(float(top.replace("−", "-"))) == pytest.approx(abs(value).max(), abs=1e-3)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_are_text_and_a_phone_needs_no_scrolling_aside(scheme: str, file: Path) -> None:
    size = {"width": 390, "height": 844}
    with opened(file, viewport=size, color_scheme=scheme, reduced_motion="reduce") as page:
        assert page.locator("img").count() == 0
        assert HOSTILE in page.inner_text("body")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_words_sort_and_filter(model: Any, graphs: GraphDataset, tmp_path: Path) -> None:
    words = vocabulary(model, graphs[:8], method="delete", labels={0: HOSTILE})
    words.save(tmp_path / "words.html")
    with opened(tmp_path / "words.html") as page:
        page.get_by_role("button", name="graphs").click()
        cells = page.locator("tbody tr td:nth-child(5)").all_inner_texts()
        assert [int(cell) for cell in cells] == sorted((int(cell) for cell in cells), reverse=True)
        page.locator("#level").select_option("1")
        visible = page.locator("tbody tr:visible").count()
        assert visible == sum(word.key.level == 1 for word in words.words)
        assert page.locator("img").count() == 0
