"""Pages: self-contained, with a policy under which nothing is fetched, and text only as text."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from typing import TYPE_CHECKING

import pytest

from cliquepool.view.page import Page, bundle_text

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("<b>Title</b>", "graph", {"head": b"early"}, {"labels": b"late"})


def test_the_policy_allows_this_script_and_this_style_alone() -> None:
    text = PAGE.html()
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', text)[0])
    assert policy.startswith("default-src 'none'; ")
    for tag, content in (("script", bundle_text("viewer.js")), ("style", bundle_text("viewer.css"))):
        found = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert found == [content]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy
    assert "unsafe" not in policy
    assert "http:" not in policy


def test_titles_are_text() -> None:
    assert "<title>&lt;b&gt;Title&lt;/b&gt;</title>" in PAGE.html()
    assert "<b>" not in PAGE.html()


def test_late_parts_stand_behind_the_script() -> None:
    text = PAGE.html()
    early, late = (text.index(f'id="part-{name}"') for name in ("head", "labels"))
    assert early < text.index("<script>") < late


def test_a_notebook_shows_the_page_in_a_frame_of_its_own() -> None:
    frame = PAGE._repr_html_()
    source = re.findall(r'srcdoc="([^"]*)"', frame)
    assert [html.unescape(one) for one in source] == [PAGE.html()]
    assert 'sandbox="allow-scripts allow-downloads"' in frame
    assert len(frame.splitlines()) == 1, "a tool that indents HTML would change the script"


def test_a_page_is_saved_whole_or_not_at_all(tmp_path: Path) -> None:
    PAGE.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == PAGE.html()
    with pytest.raises(FileNotFoundError):
        PAGE.save(tmp_path / "missing" / "page.html")
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
