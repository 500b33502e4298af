"""The page in a real browser: the whole walk by mouse and by keyboard, with no request and no error."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from tests.helpers.browser import accessibility_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

HOSTILE = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", '"><svg onload=alert(1)>', "{{7*7}}"]
# Two triangles that share node 2, a star of five leaves at node 4, and an isolated node.
EDGES = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4), *((4, leaf) for leaf in range(5, 10))]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = cp.Graph.from_edges(np.array(EDGES), num_nodes=11)
    names = [*HOSTILE, *(f"leaf {v}" for v in range(4, 11))]
    path = tmp_path_factory.mktemp("page") / "page.html"
    colour = {"side": ["left"] * 5 + ["right"] * 6, "score": np.linspace(-1, 1, 11)}
    cp.view.show(cp.clique_hierarchy(graph), labels=names, colour=colour, title=HOSTILE[0]).save(path)
    return path


@pytest.fixture
def open_page(browser: Any, file: Path) -> Iterator[Callable[..., Any]]:
    """Open the page; after the test, expect no request but the page itself, and no error."""
    contexts, requests, errors = [], [], []

    def opened(address: str = "", **options: Any) -> Any:
        context = browser.new_context(viewport={"width": 1100, "height": 700}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        page.goto(file.as_uri() + address)
        page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
    assert {url.partition("#")[0] for url in requests if not url.startswith(("blob:", "data:"))} == {
        file.as_uri()
    }


def position(page: Any, key: str) -> tuple[float, float]:
    """Return where an item is drawn, in pixels of the page."""
    x, y = page.evaluate(
        """(key) => {
          const view = window.cliquepool, {x, y, k} = view.stage.transform;
          const item = view.visible.byKey.get(key), box = view.stage.canvas.getBoundingClientRect();
          return [box.left + x + k * item.x, box.top + y + k * item.y];
        }""",
        key,
    )
    return x, y


def keys(page: Any) -> set[str]:
    return set(page.evaluate("[...window.cliquepool.visible.byKey.keys()]"))


def test_labels_are_shown_as_text(open_page: Callable[..., Any]) -> None:
    page = open_page()
    assert page.title() == HOSTILE[0]
    assert page.locator("h1").text_content() == HOSTILE[0]
    cells = page.locator("tbody td:first-child").all_text_contents()
    assert {HOSTILE[2], HOSTILE[3]} <= set(cells)
    assert page.locator("img, svg, #app script").count() == 0


def test_the_browser_itself_refuses_to_fetch(browser: Any, file: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(file.as_uri())
    blocked = page.evaluate(
        """async () => {
          const seen = [];
          const note = (event) => seen.push(event.effectiveDirective);
          document.addEventListener("securitypolicyviolation", note);
          await fetch("data:text/plain,x").catch(() => {});
          const script = document.createElement("script");
          script.textContent = "window.hacked = 1";
          document.body.append(script);
          await new Promise((done) => setTimeout(done, 100));
          return [seen.sort(), window.hacked];
        }"""
    )
    assert blocked == [["connect-src", "script-src-elem"], None]
    context.close()


def test_the_walk_by_mouse(open_page: Callable[..., Any]) -> None:
    page = open_page("#l=1")
    before = keys(page)
    pool = next(key for key in sorted(before) if key.startswith("n1."))
    page.mouse.click(*position(page, pool))
    assert page.locator(".details h2").text_content() == pool.replace("n1.", "pool ")
    assert f"s={pool}" in page.url
    page.wait_for_timeout(500)
    page.mouse.dblclick(*position(page, pool))
    assert pool not in keys(page)
    assert f"o={pool}" in page.url
    page.get_by_role("button", name="Undo").click()
    assert keys(page) == before
    page.get_by_role("slider").fill("0")
    assert all(key[1] == "0" for key in keys(page))
    page.get_by_label("Colour").select_option("side")
    assert "c=0" in page.url
    page.get_by_label("Pools").select_option("3")
    assert "hidden by the filter" in page.locator(".status").text_content()


def test_the_walk_by_keyboard(open_page: Callable[..., Any]) -> None:
    page = open_page("#l=1")
    page.locator(".picture").focus()
    before = keys(page)
    page.keyboard.press("ArrowRight")
    chosen = page.evaluate("window.cliquepool.state.selected")
    assert chosen in before
    page.keyboard.press("Enter")
    assert chosen not in keys(page)
    page.keyboard.press("Backspace")
    assert chosen in keys(page)
    page.keyboard.press("u")
    assert chosen not in keys(page)
    page.keyboard.press("PageDown")
    assert page.evaluate("window.cliquepool.state.level") == 0
    page.keyboard.press("+")
    page.keyboard.press("Escape")
    assert page.evaluate("window.cliquepool.state.selected") is None
    page.keyboard.press("/")
    page.keyboard.type("<script")
    assert page.locator(".hits li").all_text_contents() == [HOSTILE[1]]
    page.keyboard.press("Enter")
    assert page.locator(".details h2").text_content() == HOSTILE[1]


def test_search_opens_the_way_down_to_a_node(open_page: Callable[..., Any]) -> None:
    page = open_page(f"#l={len(cp.clique_hierarchy(cp.Graph.from_edges(np.array(EDGES), num_nodes=11)))}")
    page.get_by_role("combobox", name="Search names").fill("leaf 7")
    page.keyboard.press("Enter")
    assert "n0.7" in keys(page)
    assert page.locator(".details h2").text_content() == "leaf 7"


def test_a_bundle_says_how_many_it_holds_and_opens(open_page: Callable[..., Any]) -> None:
    page = open_page("#l=0")
    total = "window.cliquepool.visible.items.reduce((sum, item) => sum + item.count, 0)"
    assert page.evaluate(total) == 11
    row = page.locator("tbody tr", has_text="5 nodes")
    row.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(total) == 11
    assert {f"n0.{leaf}" for leaf in range(5, 10)} <= keys(page)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_levels_morph_into_each_other_and_end_at_their_places(
    open_page: Callable[..., Any], motion: str
) -> None:
    places = "window.cliquepool.visible.items.map(({key, x, y}) => [key, x, y])"
    page = open_page("#l=1", reduced_motion=motion)
    moves = page.evaluate(
        """async () => {
          const view = window.cliquepool, moves = [];
          for (const level of [0, 1, 0]) {
            view.change({ level });
            moves.push(view.morph !== null);
          }
          while (view.morph) await new Promise(requestAnimationFrame);
          return moves;
        }"""
    )
    assert moves == [motion == "no-preference"] * 3
    assert page.evaluate(places) == open_page("#l=0").evaluate(places)


def test_the_table_sorts_by_numbers(open_page: Callable[..., Any]) -> None:
    page = open_page("#l=0")
    page.get_by_role("button", name="Holds").click()
    counts = [int(text) for text in page.locator("tbody td:nth-child(3)").all_text_contents()]
    assert counts == sorted(counts, reverse=True)
    assert page.locator("th").nth(2).get_attribute("aria-sort") == "descending"


def test_pictures_are_downloaded(open_page: Callable[..., Any], tmp_path: Path) -> None:
    page = open_page("#l=0")
    for kind, begin in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download as {kind}").click()
        download.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(begin)
    assert b"<script" not in (tmp_path / "SVG").read_bytes()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_system_until_the_reader_chooses(
    open_page: Callable[..., Any], scheme: str
) -> None:
    page = open_page(color_scheme=scheme, reduced_motion="reduce")
    assert page.locator("html").get_attribute("data-theme") == scheme
    page.keyboard.press("d")
    assert page.locator("html").get_attribute("data-theme") != scheme


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(open_page: Callable[..., Any], scheme: str) -> None:
    page = open_page("#l=1", color_scheme=scheme)
    page.locator(".picture").focus()
    page.keyboard.press("ArrowRight")
    assert accessibility_problems(page) == []


def test_the_page_fits_a_phone(browser: Any, file: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_a_notebook_frame_shows_the_page(browser: Any, tmp_path: Path) -> None:
    shown = cp.view.show(cp.Graph.from_edges([(0, 1), (1, 2)]))
    (tmp_path / "notebook.html").write_text(f"<!doctype html>{shown._repr_html_()}", encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "notebook.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached", timeout=60_000)
    assert "Level 0" in frame.locator(".status").text_content()
    assert errors == []
    context.close()
