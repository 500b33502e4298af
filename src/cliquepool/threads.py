"""How many threads a call uses, and how it tells what it is doing."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["OnProgress", "thread_count"]

# Told about twenty times a second, in the calling thread: what is being done, how much of it is done, of how much.
OnProgress = Callable[[str, int, int], None]


def thread_count(threads: int | None) -> int:
    """`threads`, or by default one for each core this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise ValueError(f"threads: expected an integer from 1 to 1024 or None, got {threads!r}")
    return threads
