"""HTML as a list of its elements, after a check that tags are closed in order."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

__all__ = ["HtmlReader"]

_WITHOUT_END = {"meta", "line", "path", "polyline", "rect"}


class HtmlReader(HTMLParser):
    """Reads a whole page, checks that tags are closed in order, and keeps elements with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, Any]]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in _WITHOUT_END:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def values(self, name: str) -> list[str]:
        """Return all values of an attribute."""
        return [attributes[name] for _, attributes in self.found if name in attributes]
