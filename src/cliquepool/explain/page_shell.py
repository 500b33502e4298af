"""The frame of a self-contained HTML page: style, script and data inline, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files
from typing import Any

__all__ = ["html_page", "text"]


def html_page(title: str, body: str, *, script: str, data: Any) -> str:
    """Return a page that a browser shows without a network.

    The content-security policy allows this style and this script, by their hashes, and forbids everything
    else: the browser itself proves that nothing is fetched. `data` is JSON that the script reads, never code.
    """
    style, code = _asset("page.css"), _asset(script)
    # "<" begins a tag in any case; nothing else ends a script element.
    content = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(code)}'",
            f"style-src '{_hash(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="data">{content}</script>\n'
        f"<script>{code}</script>\n</body>\n</html>\n"
    )


def text(value: object) -> str:
    """Return a value as text of a page: what looks like a tag is shown, not obeyed."""
    return escape(str(value), quote=True)


def _asset(name: str) -> str:
    return (files("cliquepool.explain") / "assets" / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
