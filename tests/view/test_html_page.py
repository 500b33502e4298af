from __future__ import annotations

import base64
import hashlib
import re

import pytest

from cliquepool.view.html_page import html_page, text


def test_the_policy_names_the_hashes_of_style_and_script_and_nothing_else() -> None:
    page = html_page("title", "<p>body</p>", assets=["explain/explanation.js"], data={})
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    allowed = dict(part.split(" ", 1) for part in policy[1].split("; "))
    assert allowed["default-src"] == "'none'"
    for name, tag in (("style-src", "style"), ("script-src", "script")):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert allowed[name] == f"'sha256-{digest}'"
    assert not re.search(r"""(?:src|href)=["']|url\(|@import|\sstyle=|\son\w+=""", page)


@pytest.mark.parametrize("label", ["</script><script>alert(1)</script>", "<!--", "a & b", '"'])
def test_data_and_text_cannot_leave_their_place(label: str) -> None:
    page = html_page(label, text(label), assets=["explain/explanation.js"], data={"label": label})
    assert page.count("<script") == 2
    assert "<!--" not in page


def test_numbers_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        html_page("title", "", assets=["explain/explanation.js"], data=[float("nan")])
