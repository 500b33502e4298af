"""Ctrl-C in processes that this one starts: it belongs to the parent alone."""

from __future__ import annotations

import contextlib
import signal
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["interrupts_blocked"]


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C, also in processes and threads started inside: they inherit the block."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    # The tracker starts with the first process, and unblocks Ctrl-C when it has: start it before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
