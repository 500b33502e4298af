"""Zip archives: what is wrong with one is a GraphError in one line, and unpacking keeps to a budget."""

from __future__ import annotations

import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import cliquepool as cp
from cliquepool.data import read_tu

TEXTS = {
    "TOY_A.txt": "1, 2\n2, 1\n",
    "TOY_graph_indicator.txt": "1\n1\n",
    "TOY_graph_labels.txt": "1\n",
}
METHODS = {
    "stored": zipfile.ZIP_STORED,
    "deflate": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "LZMA": zipfile.ZIP_LZMA,
}


def write_zip(path: Path, method: int = zipfile.ZIP_DEFLATED, **others: str) -> bytearray:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in (TEXTS | {f"TOY_{part}.txt": text for part, text in others.items()}).items():
            archive.writestr(name, text)
    return bytearray(path.read_bytes())


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_the_same(method: str, tmp_path: Path) -> None:
    lines = "".join(f"{n % 7}\n" for n in range(2))
    write_zip(tmp_path / "TOY.zip", METHODS[method], node_labels=lines)
    assert (
        repr(read_tu(tmp_path / "TOY.zip"))
        == "GraphDataset(TOY: 1 graph, 2 nodes, 1 edge, 1 class, 2 node labels)"
    )


@pytest.mark.parametrize("method", METHODS)
def test_long_files_come_back_whole(method: str, tmp_path: Path) -> None:
    count = 60_000
    indicator = "".join(f"{n + 1}\n" for n in range(count))
    with zipfile.ZipFile(tmp_path / "TOY.zip", "w", METHODS[method]) as archive:
        archive.writestr("TOY_A.txt", "")
        archive.writestr("TOY_graph_indicator.txt", indicator)
        archive.writestr("TOY_graph_labels.txt", indicator)
    dataset = read_tu(tmp_path / "TOY.zip")
    assert dataset.classes.tolist() == list(range(1, count + 1))


def central_entry(content: bytearray) -> int:
    """Find the first entry of the central directory."""
    return content.index(b"PK\1\2")


def change(content: bytearray, offset: int, form: str, value: int) -> None:
    struct.pack_into(form, content, central_entry(content) + offset, value)


def unknown_version(content: bytearray) -> None:
    change(content, 6, "<H", 99)


def unknown_method(content: bytearray) -> None:
    change(content, 10, "<H", 77)


def encrypted(content: bytearray) -> None:
    change(content, 8, "<H", 1)


def patched(content: bytearray) -> None:
    change(content, 8, "<H", 0x20)


def outside(content: bytearray) -> None:
    change(content, 42, "<I", 2**31)


def shorter_than_it_is(content: bytearray) -> None:
    change(content, 24, "<I", 3)


def longer_than_it_is(content: bytearray) -> None:
    change(content, 24, "<I", 300)


def other_checksum(content: bytearray) -> None:
    change(content, 16, "<I", 1)


def another_disk(content: bytearray) -> None:
    """Say in its last record that the directory begins behind the end of the file."""
    end = content.rindex(b"PK\5\6")
    struct.pack_into("<HHI", content, end + 4, 1, 1, 0)
    struct.pack_into("<I", content, end + 16, 2**31)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "spoil",
    [
        unknown_version,
        unknown_method,
        encrypted,
        patched,
        outside,
        shorter_than_it_is,
        longer_than_it_is,
        other_checksum,
        another_disk,
    ],
)
def test_archives_that_cannot_be_read_are_reported_in_one_line(
    method: str, spoil: object, tmp_path: Path
) -> None:
    path = tmp_path / "TOY.zip"
    content = write_zip(path, METHODS[method])
    assert callable(spoil)
    spoil(content)
    path.write_bytes(content)
    with pytest.raises(cp.GraphError) as caught:
        read_tu(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "expected" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sizes_that_are_declared_are_compared_with_the_budget_before_anything_is_unpacked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "TOY.zip"
    content = write_zip(path, node_labels="1\n" * 10**6)
    assert len(content) < 5000
    with pytest.raises(cp.BudgetExceeded, match="max_bytes reached while reading") as caught:
        read_tu(path, budget=cp.Budget(max_bytes=10**6))
    assert caught.value.reached > 2 * 10**6


def test_what_is_kept_is_compared_with_the_budget(tmp_path: Path) -> None:
    write_zip(tmp_path / "TOY.zip", node_labels="1\n" * 10**5)
    with pytest.raises(cp.BudgetExceeded, match="max_bytes reached while reading"):
        read_tu(tmp_path / "TOY.zip", budget=cp.Budget(max_bytes=3 * 10**5))  # of text, but not of numbers
    with pytest.raises(cp.GraphError, match="expected 2 lines"):
        read_tu(tmp_path / "TOY.zip")
    with pytest.raises(cp.BudgetExceeded, match="max_seconds"):
        read_tu(tmp_path / "TOY.zip", budget=cp.Budget(max_seconds=0))


def test_columns_of_labels_are_compared_with_the_budget_before_they_are_written_out(tmp_path: Path) -> None:
    count = 20_000
    labels = "".join(f"{n}, {n}\n" for n in range(count))
    indicator = "1\n" * count
    with zipfile.ZipFile(tmp_path / "TOY.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (TEXTS | {"TOY_graph_indicator.txt": indicator}).items():
            archive.writestr(name, text)
        archive.writestr("TOY_node_labels.txt", labels)
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        read_tu(tmp_path / "TOY.zip")


UNPACK = """
import resource, sys
import cliquepool as cp
from cliquepool.data import read_tu
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300 * 2**20,) * 2)
try:
    read_tu(sys.argv[1], budget=cp.Budget(max_bytes=2**30))
except cp.GraphError as error:
    print(error)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the memory that Linux tells")
@pytest.mark.parametrize("method", METHODS)
def test_little_that_unpacks_to_much_is_read_in_little_memory(method: str, tmp_path: Path) -> None:
    """Hundreds of megabytes of blanks: one line, which is refused when it is longer than any line is."""
    path = tmp_path / "TOY.zip"
    with zipfile.ZipFile(path, "w", METHODS[method] or zipfile.ZIP_DEFLATED) as archive:
        for name, text in TEXTS.items():
            archive.writestr(name, text)
        with archive.open("TOY_node_labels.txt", "w") as member:
            for _ in range(400):
                member.write(b" " * 2**20)
    assert path.stat().st_size < 10**6
    done = subprocess.run(
        [sys.executable, "-c", UNPACK, str(path)], capture_output=True, text=True, check=True
    )
    assert "TOY_node_labels.txt: expected lines of text" in done.stdout
