"""The number of threads of a call, and the type of its progress callback."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable

from cliquepool.errors import InputError

__all__ = ["OnProgress", "thread_count"]

_MOST_THREADS = 1024

# Called about twenty times a second in the calling thread with the activity, the amount done and the total.
OnProgress = Callable[[str, int, int], None]


def thread_count(threads: int | None) -> int:
    """Return `threads`, or by default one for each core that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = operator.index(threads)
    if not 1 <= count <= _MOST_THREADS:
        raise InputError(f"threads: expected an integer from 1 to {_MOST_THREADS} or None, got {threads!r}")
    return count
