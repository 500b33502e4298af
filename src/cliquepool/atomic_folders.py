"""Folders that appear whole or not at all.

A folder is written beside its target under another name, synced to the disk, and then renamed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import lock_descriptor

from cliquepool.files import naming_errors, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    StrPath = str | os.PathLike[str]

__all__ = ["appearing_folder", "expect_free"]

_LOCK: Final = "lock"
_PARTIAL: Final = ".partial"
_LONGEST_BEGINNING: Final = 50


@contextlib.contextmanager
def appearing_folder(path: StrPath) -> Iterator[Path]:
    """Make a folder that appears at `path` when the block ends; yield where to write it meanwhile.

    The block syncs its files itself. One that raises leaves nothing. What killed processes left beside `path`
    is removed. Raises OSError that names `path` where it exists (an empty folder is replaced).
    """
    target = Path(os.path.realpath(path))
    expect_free(target)
    with naming_errors(target):
        _remove_abandoned_folders(target)
        partial, lock = _make_beside(target)
    try:
        yield partial
        with naming_errors(target):
            os.close(lock)  # Windows renames no folder with an open file
            lock = -1
            (partial / _LOCK).unlink()
            sync_folder(partial)
            if target.is_dir():
                target.rmdir()
            partial.rename(target)
            sync_folder(target.parent)
    except BaseException:
        if lock >= 0:
            os.close(lock)
        shutil.rmtree(partial, ignore_errors=True)
        raise


def expect_free(path: StrPath) -> None:
    """Raise OSError if a folder cannot be written at `path`: something is there, or no folder above it."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"cannot write: there is no folder {target.parent}", str(path))
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists():
        raise FileExistsError(errno.EEXIST, "cannot write: it exists already; remove it first", str(path))


def _make_beside(target: Path) -> tuple[Path, int]:
    """Create a partial folder with a lock file, locked as long as its writer lives."""
    while True:
        partial = target.with_name(f".{target.name[:_LONGEST_BEGINNING]}.{secrets.token_hex(8)}{_PARTIAL}")
        try:
            partial.mkdir()
            lock = os.open(partial / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        except (FileExistsError, FileNotFoundError):  # another process took the name, or removed the folder
            continue
        with contextlib.suppress(OSError):  # a file system without locks
            lock_descriptor(lock, blocking=False)
        return partial, lock


def _remove_abandoned_folders(target: Path) -> None:
    """Remove the partial folders that killed processes left when writing `target`."""
    with contextlib.suppress(OSError):
        for folder in target.parent.glob(f".{_escaped(target.name[:_LONGEST_BEGINNING])}.*{_PARTIAL}"):
            with contextlib.suppress(OSError):
                if folder.is_dir() and not folder.is_symlink() and _is_abandoned(folder):
                    shutil.rmtree(folder)


def _escaped(name: str) -> str:
    """Return a pattern of `Path.glob` that matches this name alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _is_abandoned(folder: Path) -> bool:
    """Return whether the writer of a partial folder has ended."""
    try:
        handle = os.open(folder / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        # Its writer was killed, or begins, or ends just now: only an empty folder is surely of no use.
        folder.rmdir()
        return False
    try:
        return lock_descriptor(handle, blocking=False)
    finally:
        os.close(handle)
