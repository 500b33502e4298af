"""Arithmetic that treats denormal numbers as zeros, while a network is trained.

The weights and moments of units that no longer learn decay towards zero, and on the way become denormal
numbers, on which some processors calculate ten times slower. As zeros they cost nothing, and numbers below
1e-38 make no difference to what a network learns.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from cliquepool import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["flushing_denormals"]

_SOFT_PAUSE = 1  # omp_pause_soft


@contextmanager
def flushing_denormals() -> Iterator[None]:
    """Treat denormal numbers as zeros in this thread and in those that torch and the core start from it.

    Afterwards, also after an exception, the mode is as it was before. Where the core does not know how to set
    the mode of this processor, nothing changes.

    >>> with flushing_denormals():
    ...     float(torch.tensor(1e-40) * 1)
    0.0
    >>> float(torch.tensor(1e-40) * 1) > 0
    True
    """
    before = _core.denormal_mode()
    try:
        _set_mode(_core.FLUSH_DENORMALS)
        yield
    finally:
        _set_mode(before)


def _set_mode(mode: int) -> None:
    """Set the mode of this thread and of torch's workers."""
    _core.set_denormal_mode(mode)
    if torch.get_num_threads() > 1:
        _renew_workers()


def _renew_workers() -> None:
    """Let torch's OpenMP end its worker threads: those it starts next inherit the mode of this thread.

    GNU's OpenMP, which torch has on Linux, keeps its workers, and they keep the mode they began with. LLVM's
    and Intel's hand the mode on at every parallel loop on x86, and lose nothing by a pause. An OpenMP
    without this function (torch 2.4 brings one) keeps its workers, and only the calling thread flushes. The
    core's own threads take the mode of their caller every time.
    """
    try:
        pause = ctypes.CDLL(None).omp_pause_resource_all
    except (AttributeError, OSError, TypeError):  # no such function; on Windows no way to look for it
        return
    pause(_SOFT_PAUSE)
