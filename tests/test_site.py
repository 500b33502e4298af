"""The built documentation in a real browser: colours, phone, search, and no request to other machines.

`make test-docs` builds the pages first; without them the tests are skipped.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers.browser import accessibility_problems, launched
from tests.test_docs import documented_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.browser import OpenPage

ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs" / "_build" / "html"
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}

INVENTORY = SITE / "objects.inv"


def is_built() -> bool:
    """Return whether there are pages, of the reference as it is now."""
    lists = (ROOT / "docs" / "reference").glob("*.rst")
    return INVENTORY.is_file() and INVENTORY.stat().st_mtime > max(page.stat().st_mtime for page in lists)


pytestmark = pytest.mark.skipif(not is_built(), reason="the documentation is not built: make test-docs")


@pytest.fixture(scope="module")
def open_page() -> Iterator[OpenPage]:
    with launched() as found:
        yield found


def inventory() -> set[str]:
    """Return the names that other projects can link to."""
    *_, packed = INVENTORY.read_bytes().split(b"\n", 4)
    lines = zlib.decompress(packed).decode().splitlines()
    return {line.split()[0] for line in lines if " py:" in line}


def test_every_name_of_the_reference_is_in_the_inventory() -> None:
    assert set(documented_names()) - inventory() == set()


def overflow(page: Any) -> int:
    """Return by how many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.browser
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_landing_page_shows_the_live_picture_in_its_colours(
    open_page: OpenPage, scheme: str, size: dict[str, int]
) -> None:
    with open_page(SITE / "index.html", folder=SITE, viewport=size, color_scheme=scheme) as page:
        frame = page.frame_locator("iframe.live")
        frame.locator("html[data-ready]").wait_for(state="attached", timeout=60_000)
        assert page.locator("html").get_attribute("data-theme") == scheme
        assert frame.locator("html").get_attribute("data-theme") == scheme
        assert page.locator(".sd-card").count() == 4
        assert page.locator("button.copybtn").count() == 2
        assert overflow(page) <= 0


@pytest.mark.browser
def test_no_page_scrolls_aside_on_a_phone(open_page: OpenPage) -> None:
    pages = [*SITE.glob("*.html"), *SITE.glob("reference/*.html"), *SITE.glob("generated/gallery/*.html")]
    pages.append(SITE / "generated" / "reference" / "cliquepool.models.CliquePoolClassifier.html")
    with open_page(SITE / "index.html", folder=SITE, viewport=PHONE) as page:
        wide = {}
        for file in sorted(pages):
            page.goto(file.as_uri())
            if overflow(page) > 0:
                wide[file.name] = overflow(page)
    assert wide == {}


@pytest.mark.browser
def test_search_works_without_a_server(open_page: OpenPage) -> None:
    with open_page(SITE / "search.html", folder=SITE) as page:
        page.goto(f"{(SITE / 'search.html').as_uri()}?q=receptive_field")
        results = page.locator("#search-results li a")
        results.first.wait_for(timeout=30_000)
        assert any("Hierarchy" in text for text in results.all_inner_texts())


@pytest.mark.browser
@pytest.mark.parametrize("name", ["index", "pyg", "reference/cliquepool"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong_with_the_contents(open_page: OpenPage, scheme: str, name: str) -> None:
    """The bars around them are the theme's."""
    with open_page(SITE / f"{name}.html", folder=SITE, viewport=WIDE, color_scheme=scheme) as page:
        assert accessibility_problems(page, "#main-content article") == []
