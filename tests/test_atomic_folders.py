"""Folders that appear whole or not at all: nothing is replaced, nothing is left behind."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from cliquepool.atomic_folders import appearing_folder, expect_free

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path) -> None:
    with appearing_folder(folder) as partial:
        (partial / "content").write_text("whole")


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_appears_when_the_block_ends(tmp_path: Path) -> None:
    with appearing_folder(tmp_path / "a") as partial:
        (partial / "content").write_text("whole")
        assert not (tmp_path / "a").exists()
        assert partial.name.startswith(".a.")
    assert entries(tmp_path) == ["a"]
    assert entries(tmp_path / "a") == ["content"]


def test_a_block_that_raises_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), appearing_folder(tmp_path / "a"):
        raise ZeroDivisionError
    assert entries(tmp_path) == []


def test_a_folder_that_exists_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    expect_free(tmp_path / "a")
    write(tmp_path / "a")  # an empty folder is
    with pytest.raises(FileExistsError, match="exists already") as error:
        write(tmp_path / "a")
    assert error.value.filename == str(tmp_path / "a")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write(tmp_path / "missing" / "a")
    with pytest.raises(FileExistsError):
        expect_free(tmp_path / "a" / "content")


def test_what_killed_processes_left_is_removed_and_a_living_writer_is_not(tmp_path: Path) -> None:
    script = (
        "import os, sys; from cliquepool.atomic_folders import appearing_folder\n"
        "with appearing_folder(sys.argv[1]) as partial:\n"
        "    (partial / 'content').write_text('half'); os._exit(1)"
    )
    target = tmp_path / "a[1]*"
    subprocess.run([sys.executable, "-c", script, str(target)], check=False, timeout=240)
    (left,) = entries(tmp_path)
    assert left.endswith(".partial")
    with appearing_folder(target) as outer:
        assert entries(tmp_path) == [outer.name]
        assert outer.name != left
        write(tmp_path / "b")
        with pytest.raises(ZeroDivisionError), appearing_folder(target):
            raise ZeroDivisionError
        assert entries(tmp_path) == [outer.name, "b"]
    assert entries(tmp_path) == ["a[1]*", "b"]
