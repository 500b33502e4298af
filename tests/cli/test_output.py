"""Files that commands read and write: what cannot be read, and the permissions of what is written."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from tests.helpers.commands import refused_line
from tests.helpers.small_images import bars
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TRAIN = ("train", "RINGS", "--folds", "2", "--seeds", "1", "--epochs", "1", "--jobs", "1")
IMAGES = ("images", "train", "--data", "bars.safetensors", "--epochs", "1", "--width", "1/64")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "graph.txt").write_text("0 1\n1 2\n0 2\n2 3\n")
    rings_and_stars(name="RINGS").save(tmp_path / "RINGS.safetensors")
    bars().save(tmp_path / "bars.safetensors")
    return tmp_path


@pytest.fixture
def umask() -> Iterator[int]:
    mask = 0o026
    before = os.umask(mask)
    yield mask
    os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_files_have_the_permissions_of_the_umask(
    folder: Path, umask: int, succeeded: Callable[..., str]
) -> None:
    there = set(folder.rglob("*"))
    succeeded("pool", "graph.txt", "--out", "h.safetensors", "--picture", "h.png")
    succeeded("pool", "graph.txt", "--picture", "h.svg")
    succeeded(*TRAIN, "--out", "records.jsonl", "--save", "rings.model")
    succeeded("predict", "rings.model", "RINGS", "--out", "classes.csv")
    succeeded("report", "records.jsonl", "--out", "report")
    succeeded(*IMAGES, "--threads", "1", "--checkpoint", "vgg.checkpoint", "--save", "vgg.model")
    written = {
        path for path in set(folder.rglob("*")) - there if path.is_file() and "cache" not in path.parts
    }
    names = {path.name for path in written}
    assert {"h.safetensors", "h.png", "h.svg", "records.jsonl", "rings.model", "classes.csv"} <= names
    assert {"table.md", "vgg.checkpoint", "vgg.model"} <= names
    wrong = {
        path.name: oct(stat.S_IMODE(path.stat().st_mode))
        for path in written
        if stat.S_IMODE(path.stat().st_mode) != 0o666 & ~umask
    }
    assert wrong == {}


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "no such file" in refused_line("pool", tmp_path / "missing.txt")
    assert "got a directory" in refused_line("cliques", tmp_path)
    junk = tmp_path / "junk.txt"
    junk.write_bytes(bytes(range(256)) * 10)
    assert "line 1" in refused_line("pool", junk)
    ragged = tmp_path / "ragged.txt"
    ragged.write_text("1 2\n3 4\n5\n")
    assert "line 3" in refused_line("pool", ragged)
    cut = tmp_path / "cut.gz"
    cut.write_bytes(b"\x1f\x8b\x08\x00")
    assert "gzip" in refused_line("pool", cut)
    assert "expected" in refused_line("pool", ragged, "--format", "mtx")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(graph_file: Path) -> None:
    graph_file.chmod(0)
    assert "permission denied" in refused_line("pool", graph_file)
