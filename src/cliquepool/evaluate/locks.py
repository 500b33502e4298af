"""One process at a time."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from cliquepool.evaluate.errors import EvaluationError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["alone", "in_turn"]


@contextlib.contextmanager
def alone(path: Path, otherwise: str) -> Iterator[None]:
    """Hold a lock on a file, which the system frees when this process ends in whatever way.

    Raises EvaluationError saying `otherwise` where another process has it. On Windows nothing is locked.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise EvaluationError(otherwise) from None
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def in_turn(handle: int) -> Iterator[None]:
    """Hold a lock on an open file, after waiting for others to let go of it; what they do is short."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_UN)
