"""Self-contained pages: one HTML file with the script, the style and the data, and nothing that is fetched.

A page names an app of the script (`web/src/main.ts`), which draws what the parts of the page describe. The
content-security policy lets the browser run this one script and load nothing at all.
"""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from cliquepool.files import write_text
from cliquepool.view.html_page import content_policy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

__all__ = ["Page", "bundle_text", "framed"]

_NO_SCRIPT: Final = "This page draws its picture with JavaScript, which is switched off in this browser."
_FRAME_HEIGHT: Final = 640
_PICTURES: Final = "img-src data: blob:"  # those that the page makes itself


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A page of its own: made by `show`, to be saved or displayed in a notebook.

    Attributes
    ----------
    title : str
        The title of the page, shown as text.
    app : str
        The name of what the script draws.
    parts : mapping of str to bytes
        The data, as `cliquepool.view.payload.pack` returns it.
    later : mapping of str to bytes
        More data, which stands behind the script and is read after the first picture.
    """

    title: str
    app: str
    parts: Mapping[str, bytes]
    later: Mapping[str, bytes] = field(default_factory=dict)

    def html(self) -> str:
        """Return the page as HTML. The same page gives the same text."""
        script, style = bundle_text("viewer.js"), bundle_text("viewer.css")
        policy = content_policy(script, style, _PICTURES)
        blocks = [
            "<!doctype html>",
            f'<html lang="en" data-app="{html.escape(self.app)}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="referrer" content="no-referrer">',
            '<link rel="icon" href="data:,">',
            f"<title>{html.escape(self.title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            f"<noscript>{_NO_SCRIPT}</noscript>",
            '<div id="app"></div>',
            *(_part(name, content) for name, content in self.parts.items()),
            f"<script>{script}</script>",
            *(_part(name, content) for name, content in self.later.items()),
            '<script type="application/octet-stream" id="end"></script>',
            "</body>",
            "</html>",
            "",
        ]
        return "\n".join(blocks)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file atomically. It needs no server, no internet and no notebook."""
        write_text(path, self.html())

    def _repr_html_(self) -> str:
        return framed(self.title, self.html())

    def __repr__(self) -> str:
        size = sum(map(len, (*self.parts.values(), *self.later.values())))
        return f"Page({self.title!r}, {size:,} bytes of data)"


def framed(title: str, page: str, height: int = _FRAME_HEIGHT) -> str:
    """Return a frame that shows a whole page inside another one, such as a notebook, and keeps it apart.

    It is a single line: tools that indent the lines of HTML would change the script, which the policy of the
    page knows by its hash.
    """
    source = html.escape(page, quote=True).replace("\n", "&#10;")
    return (
        f'<iframe title="{html.escape(title)}" srcdoc="{source}" sandbox="allow-scripts allow-downloads" '
        f'style="width: 100%; height: {height}px; border: 0"></iframe>'
    )


@cache
def bundle_text(name: str) -> str:
    """Return a file of the script's bundle, which `make web` builds."""
    return resources.files("cliquepool.view").joinpath("bundle", name).read_text(encoding="utf-8")


def _part(name: str, content: bytes) -> str:
    encoded = base64.b64encode(content).decode()
    return f'<script type="application/octet-stream" id="part-{html.escape(name)}">{encoded}</script>'
