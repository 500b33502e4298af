"""`cliquepool datasets`: the data sets that need no download, with their sizes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a working folder with a data set."""
    rings_and_stars(name="RINGS").save(tmp_path / "RINGS.safetensors")
    return tmp_path


def test_datasets_are_listed_with_their_sizes(folder: Path, succeeded: Callable[..., str]) -> None:
    (folder / "BAD.zip").write_bytes(b"no zip")
    found = {one["name"]: one for one in json.loads(succeeded("datasets", "--json"))}
    assert (found["RINGS"]["graphs"], found["RINGS"]["classes"]) == (40, 2)
    data = rings_and_stars()
    assert found["RINGS"]["nodes"] == pytest.approx(data.num_nodes / 40)
    assert "error" in found["BAD"]
    table = succeeded("datasets")
    assert [line for line in table.splitlines() if line.split()[:3] == ["RINGS", "40", "2"]]
