"""How many threads a call uses, and how it tells what it is doing."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable

from cliquepool.errors import InputError

__all__ = ["OnProgress", "thread_count"]

_MOST_THREADS = 1024

# Told about twenty times a second, in the calling thread: what is being done, how much is done, of how much.
OnProgress = Callable[[str, int, int], None]


def thread_count(threads: int | None) -> int:
    """`threads`, or by default one for each core this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = operator.index(threads)
    if not 1 <= count <= _MOST_THREADS:
        raise InputError(f"threads: expected an integer from 1 to {_MOST_THREADS} or None, got {threads!r}")
    return count
