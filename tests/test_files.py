"""Files are written whole or not at all, with the user's permissions, and errors name them."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

import cliquepool as cp
from cliquepool.files import naming_errors, replacing, write_bytes, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

posix = pytest.mark.skipif(os.name == "nt", reason="permissions and locks of POSIX")


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@posix
def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path, umask: int) -> None:
    write_text(tmp_path / "new", "text")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o666 & ~umask


@posix
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path, umask: int) -> None:
    write_text(tmp_path / "file", "old")
    (tmp_path / "file").chmod(0o604)
    write_text(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o604


def test_a_block_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "old")

    def fail() -> None:
        with replacing(tmp_path / "file") as file:
            file.write(b"half of the new")
            file.flush()
            assert len(names_in(tmp_path)) == 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert names_in(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_partial_files_have_names_that_cannot_be_guessed(tmp_path: Path) -> None:
    seen = set()
    for _ in range(5):
        with replacing(tmp_path / "file"):
            (name,) = (name for name in names_in(tmp_path) if name != "file")
            seen.add(name)
    assert len(seen) == 5
    assert all(len(name) >= len(".file..partial") + 16 for name in seen)


def test_long_names_can_be_written(tmp_path: Path) -> None:
    write_text(tmp_path / ("n" * 250), "text")
    assert names_in(tmp_path) == ["n" * 250]


@posix
def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "text"


def test_the_content_is_synced_before_it_is_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    sync, move = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append("sync"), sync(handle)))
    monkeypatch.setattr(Path, "replace", lambda a, b: (steps.append("move"), move(a, b)))
    write_text(tmp_path / "file", "text")
    assert steps[:2] == ["sync", "move"]
    assert steps[2:] == ([] if os.name == "nt" else ["sync"])  # of the folder


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_device_is_an_error_that_names_it() -> None:
    with pytest.raises(OSError, match="cannot write: No space left") as caught:
        write_bytes("/dev/full", b"x" * 10**6)
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == "/dev/full"
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)  # a device is not replaced by a file


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_text(target, "old")

    def fail() -> None:
        with replacing(target):
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="cannot write: No space left on device") as caught:
        fail()
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(target))
    assert target.read_text() == "old"
    assert names_in(tmp_path) == ["file"]


@posix
def test_a_file_size_limit_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    program = (
        "import resource, signal, sys\n"
        "from cliquepool.files import write_bytes\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    write_bytes(sys.argv[1], bytes(10**6))\n"
        "except OSError as error:\n"
        "    print(error.filename, error.strerror)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "file")], capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith(f"{tmp_path / 'file'} cannot write: ")
    assert names_in(tmp_path) == []


def test_a_missing_folder_and_a_folder_are_errors_that_name_the_file(tmp_path: Path) -> None:
    missing = tmp_path / "none" / "file"
    with pytest.raises(FileNotFoundError) as caught:
        write_text(missing, "text")
    assert caught.value.filename == str(missing)
    with pytest.raises(OSError, match="cannot write") as other:
        write_text(tmp_path, "text")
    assert other.value.filename == str(tmp_path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_what_is_read_only_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    protected = tmp_path / "protected"
    protected.write_text("mine")
    protected.chmod(0o444)
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o555)
    for path in (protected, folder / "file"):
        with pytest.raises(PermissionError) as caught:
            write_text(path, "text")
        assert caught.value.filename == str(path)
    assert protected.read_text() == "mine"


def test_an_error_is_named_once(tmp_path: Path) -> None:
    def fail() -> None:
        with naming_errors(tmp_path / "outer"), naming_errors(tmp_path / "inner"):
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(OSError, match="cannot write") as caught:
        fail()
    assert caught.value.filename == str(tmp_path / "inner")
    assert caught.value.strerror == "cannot write: Input/output error"


def test_a_picture_that_fails_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure  # noqa: PLC0415 (slow to import)

    from cliquepool.view import draw_hierarchy  # noqa: PLC0415 (it imports matplotlib)

    def fill_disk(_: Figure, file: IO[bytes], **__: object) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    picture = tmp_path / "picture.png"
    picture.write_bytes(b"old")
    monkeypatch.setattr(Figure, "savefig", fill_disk)
    hierarchy = cp.clique_hierarchy(cp.Graph.from_edges([(0, 1)]))
    with pytest.raises(OSError, match="cannot write: No space left") as caught:
        draw_hierarchy(hierarchy, picture)
    assert caught.value.filename == str(picture)
    assert picture.read_bytes() == b"old"
    assert names_in(tmp_path) == ["picture.png"]


WRITER = """
import sys
from cliquepool.files import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"partial")
    file.flush()
    print("open", flush=True)
    sys.stdin.read()
"""


@posix
def test_what_a_killed_process_left_is_removed_but_not_what_another_writes(tmp_path: Path) -> None:
    target = tmp_path / "file"
    command = [sys.executable, "-c", WRITER, str(target)]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as killed,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as alive,
    ):
        for process in (killed, alive):
            assert process.stdout is not None
            assert process.stdout.readline() == b"open\n"
        killed.kill()
        killed.wait()
        assert len(names_in(tmp_path)) == 2
        write_text(target, "first")
        assert len(names_in(tmp_path)) == 2  # the file, and what is still written
        assert target.read_text() == "first"
        alive.communicate()
    assert target.read_text() == "partial"
    assert names_in(tmp_path) == ["file"]
