"""The frame of a self-contained HTML page: style, script and data inline, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["content_policy", "html_page", "text"]


def html_page(title: str, body: str, *, assets: Sequence[str] = (), data: Any = None) -> str:
    """Return a page that a browser shows without a network.

    `assets` are styles and scripts, such as ``"explain/explanation.js"``: files of the folder ``assets`` of a
    package. The style that all pages share comes before them. The content-security policy allows these, by
    their hashes, and forbids everything else: the browser itself proves that nothing is fetched. `data` is
    JSON that a script reads, never code.
    """
    style = "\n".join(map(_read, ("view/page.css", *(name for name in assets if name.endswith(".css")))))
    code = "\n".join(_read(name) for name in assets if name.endswith(".js"))
    content = ""
    if data is not None:
        # "<" begins a tag in any case; nothing else ends a script element.
        encoded = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
        content = f'<script type="application/json" id="data">{encoded}</script>\n'
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{content_policy(code, style)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f"{content}<script>{code}</script>\n</body>\n</html>\n"
    )


def text(value: object) -> str:
    """Return a value as text of a page: what looks like a tag is shown, not obeyed."""
    return escape(str(value), quote=True)


def content_policy(script: str, style: str, *more: str) -> str:
    """Return a policy that allows this script and this style, and nothing else but what `more` allows."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            *more,
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _read(name: str) -> str:
    package, _, file = name.partition("/")
    return files("cliquepool").joinpath(package, "assets", file).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
