"""A page in an installed Chromium, driven by playwright, that records requests and errors."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    OpenPage = Callable[..., AbstractContextManager[Any]]

__all__ = ["accessibility_problems", "launched", "opened"]


@contextmanager
def launched() -> Iterator[OpenPage]:
    """Start a browser for several tests; yield a function that opens a file in it, as `opened` does.

    The test is skipped where Chromium or playwright is not installed.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])

        @contextmanager
        def open_page(file: Path, *, folder: Path | None = None, **options: Any) -> Iterator[Any]:
            url = file.as_uri()
            problems: list[str] = []

            def allowed(request: str) -> bool:
                return request == url or (folder is not None and request.startswith(f"{folder.as_uri()}/"))

            context = browser.new_context(**options)
            page = context.new_page()
            page.on("request", lambda request: None if allowed(request.url) else problems.append(request.url))
            page.on(
                "console", lambda message: None if message.type == "log" else problems.append(message.text)
            )
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.goto(url)
            try:
                yield page
            finally:
                context.close()
            assert problems == []

        try:
            yield open_page
        finally:
            browser.close()


@contextmanager
def opened(file: Path, **options: Any) -> Iterator[Any]:
    """Open a file in a new page; fail if it fetches anything or if the console has an error.

    With ``folder``, files of it may be fetched. Other options are those of the context, such as ``viewport``
    and ``color_scheme``.
    """
    with launched() as open_page, open_page(file, **options) as page:
        yield page


def accessibility_problems(page: Any, within: str = "html") -> list[str]:
    """Return what axe-core finds wrong with a page; skip the test where it is not installed."""
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    page.evaluate(files(package).joinpath("axe.min.js").read_text(encoding="utf-8"))
    # A page opened from a file may neither fetch its style sheets nor talk to its frames.
    found = page.evaluate("(within) => axe.run(within, {preload: false, iframes: false})", within)
    return [
        f"{problem['id']}: {node['html']}" for problem in found["violations"] for node in problem["nodes"]
    ]
