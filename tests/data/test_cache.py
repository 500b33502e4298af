"""The cache: found by content, written whole, checked when read, and never in the way."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data.cache import cache_folder, read_cached
from cliquepool.data.tu import read_tu
from tests.helpers.tu_files import TRIANGLE_AND_EDGE, write_folder, write_zip

reuses_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "TOY", TRIANGLE_AND_EDGE)


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.mark.parametrize("packed", [False, True])
def test_the_second_time_comes_from_the_cache(tmp_path: Path, source: Path, packed: bool) -> None:
    if packed:
        source = write_zip(tmp_path / "TOY.zip", TRIANGLE_AND_EDGE, zipfile.ZIP_LZMA)
    told: list[str] = []

    def progress(what: str, done: int, total: int) -> None:
        told.append(what)

    first = read_cached(source, tmp_path / "cache", progress=progress)
    assert len(told) == 3
    second = read_cached(source, tmp_path / "cache", progress=progress)
    assert len(told) == 3
    assert first.fingerprint == second.fingerprint == read_tu(source).fingerprint
    assert second.name == "TOY"
    assert len(entries(tmp_path / "cache")) == 1


def test_another_content_is_another_entry(tmp_path: Path, source: Path) -> None:
    first = read_cached(source, tmp_path / "cache")
    (source / "TOY_graph_labels.txt").write_text("1\n5\n")
    second = read_cached(source, tmp_path / "cache")
    assert first.classes.tolist() == [-1, 1]
    assert second.classes.tolist() == [1, 5]
    assert len(entries(tmp_path / "cache")) == 2


def test_another_version_is_another_entry(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_cached(source, tmp_path / "cache")
    monkeypatch.setattr(cp, "__version__", "999")
    read_cached(source, tmp_path / "cache")
    assert len(entries(tmp_path / "cache")) == 2


@reuses_folder
@given(st.integers(0, 10**6), st.integers(0, 255), st.booleans())
def test_a_damaged_entry_is_made_again(
    tmp_path: Path, source: Path, place: int, change: int, cut: bool
) -> None:
    expected = read_cached(source, tmp_path / "cache").fingerprint
    (entry,) = entries(tmp_path / "cache")
    data = bytearray(entry.read_bytes())
    data[place % len(data)] ^= change
    entry.write_bytes(data[: place % len(data)] if cut else data)
    assert read_cached(source, tmp_path / "cache").fingerprint == expected
    assert read_cached(source, tmp_path / "cache").fingerprint == expected
    assert entries(tmp_path / "cache") == [entry]


def test_an_entry_in_the_place_of_another_is_not_believed(tmp_path: Path, source: Path) -> None:
    read_cached(source, tmp_path / "cache")
    (entry,) = entries(tmp_path / "cache")
    (source / "TOY_graph_labels.txt").write_text("1\n5\n")
    read_cached(source, tmp_path / "cache")
    (new,) = (path for path in entries(tmp_path / "cache") if path != entry)
    entry.replace(new)
    assert read_cached(source, tmp_path / "cache").classes.tolist() == [1, 5]


def test_a_cache_that_cannot_be_written_to_is_no_error(tmp_path: Path, source: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert len(read_cached(source, tmp_path / "file" / "cache")) == 2


def test_bad_sources_are_reported_and_not_cached(tmp_path: Path, source: Path) -> None:
    (source / "TOY_A.txt").write_text("1, 9\n")
    with pytest.raises(cp.GraphError, match=r"TOY_A.txt line 1: expected node ids from 1 to 5"):
        read_cached(source, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
    with pytest.raises(cp.GraphError, match="none: expected a zip file or a folder"):
        read_cached(tmp_path / "none", tmp_path / "cache")


def test_the_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", os.path.join("home", "me"))  # noqa: PTH118 (as a shell has it)
    monkeypatch.setenv("USERPROFILE", os.path.join("home", "me"))  # noqa: PTH118
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("CLIQUEPOOL_CACHE", raising=False)
    assert cache_folder() == Path("home", "me", ".cache", "cliquepool")
    monkeypatch.setenv("XDG_CACHE_HOME", "caches")
    assert cache_folder() == Path("caches", "cliquepool")
    monkeypatch.setenv("CLIQUEPOOL_CACHE", "own")
    assert cache_folder() == Path("own")
    assert cache_folder("given") == Path("given")
