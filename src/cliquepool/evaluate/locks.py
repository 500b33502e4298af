"""One process at a time."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from cliquepool.evaluate.errors import EvaluationError
from cliquepool.files import lock, naming_errors, unlock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["alone", "in_turn"]


@contextlib.contextmanager
def alone(path: Path, otherwise: str) -> Iterator[None]:
    """Hold a lock on a file, which the system frees when this process ends in whatever way.

    The file and its folder are made, and the file is removed at the end. Raises EvaluationError saying
    `otherwise` where another process has the lock.
    """
    with naming_errors(path):
        handle = _locked(path, otherwise)
    try:
        yield
    finally:
        if os.name == "nt":  # which removes no open file: neither ours nor one that another has locked since
            os.close(handle)
        with contextlib.suppress(OSError):
            path.unlink()
        if os.name != "nt":
            os.close(handle)


def _locked(path: Path, otherwise: str) -> int:
    """Open and lock the file that is at `path` once it is locked.

    Whoever had the lock before may have removed the file between our opening and our locking it: then the
    lock is on a file that nobody else will find, and we begin again.
    """
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except FileNotFoundError:  # the folder was removed again
            continue
        try:
            try:
                lock(handle)
            except OSError:
                raise EvaluationError(otherwise) from None
            if _is_at(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def in_turn(handle: int) -> Iterator[None]:
    """Hold a lock on an open file, after waiting for others to let go of it; what they do is short."""
    lock(handle, wait=True)
    try:
        yield
    finally:
        unlock(handle)
