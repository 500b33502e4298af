"""The bundle of the viewer: built from the sources that are there, small, and without code of others."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

import pytest

from cliquepool.view.page import bundle_text

WEB = Path(__file__).parents[2] / "web"


@pytest.mark.skipif(not WEB.is_dir(), reason="needs the sources")
@pytest.mark.parametrize("name", ["viewer.js", "viewer.css"])
def test_the_bundle_is_as_new_as_its_sources(name: str) -> None:
    digest = hashlib.sha256()
    for file in sorted((WEB / "src").iterdir(), key=lambda file: file.name):
        digest.update(f"{file.name}\n".encode() + file.read_bytes().replace(b"\r\n", b"\n"))
    written = re.match(r"/\* sources (\w+) \*/", bundle_text(name))
    assert written, "expected the hash of the sources"
    assert written[1] == digest.hexdigest(), "run make web"


def test_the_bundle_is_at_most_200_kilobytes_gzipped() -> None:
    assert len(gzip.compress(bundle_text("viewer.js").encode())) <= 200_000


def test_the_bundle_names_no_other_site_and_contains_no_markup_of_text() -> None:
    script = bundle_text("viewer.js")
    addresses = set(re.findall(r"https?://[\w./-]+", script)) - {"http://www.w3.org/2000/svg"}
    assert addresses == set()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", script)


@pytest.mark.skipif(not WEB.is_dir(), reason="needs the sources")
def test_the_notices_name_everything_that_the_script_imports() -> None:
    imported = {
        name
        for file in (WEB / "src").glob("*.ts")
        for name in re.findall(r'from "([^."][^"]*)"', file.read_text("utf-8"))
    }
    assert imported == set(), "list it in the notices"
    assert "no code of other projects" in bundle_text("NOTICES.txt")
