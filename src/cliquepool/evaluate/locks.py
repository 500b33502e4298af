"""Locks between processes."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from filelock import lock_descriptor, unlock_descriptor

from cliquepool.evaluate.errors import AtWorkElsewhere
from cliquepool.files import naming_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["alone", "in_turn"]


@contextlib.contextmanager
def alone(path: Path, otherwise: str) -> Iterator[None]:
    """Hold a lock on a file, which the system releases when this process ends, killed or not.

    The file and its folder are created, and the file is removed at the end. Raises AtWorkElsewhere with the
    message `otherwise` where another process holds the lock.
    """
    with naming_errors(path):
        handle = _locked(path, otherwise)
    try:
        yield
    finally:
        if os.name == "nt":  # Windows cannot remove an open file, ours or that of the next process
            os.close(handle)
        with contextlib.suppress(OSError):
            path.unlink()
        if os.name != "nt":
            os.close(handle)


def _locked(path: Path, otherwise: str) -> int:
    """Open and lock the file at `path`.

    A process that held the lock before may have removed the file after we opened it: then our lock is on a
    file that no other process can open, and we start again. (`filelock.FileLock` reports that as held.)
    """
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except FileNotFoundError:  # the folder was removed again
            continue
        try:
            is_locked = lock_descriptor(handle, blocking=False)
            if is_locked and _is_at(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if not is_locked:
            raise AtWorkElsewhere(otherwise)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def in_turn(handle: int) -> Iterator[None]:
    """Hold a lock on an open file, waiting for other processes, which hold it for a moment only."""
    lock_descriptor(handle)
    try:
        yield
    finally:
        unlock_descriptor(handle)
