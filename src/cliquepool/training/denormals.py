"""Flush denormal numbers to zero while a network is trained.

The weights and moments of units that no longer learn decay towards zero and become denormal numbers, on which
some processors compute ten times slower. Flushed to zero they cost nothing, and numbers below 1e-38 make no
difference to what a network learns.
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
    """Flush denormal numbers to zero in this thread and in those that torch and the core start from it.

    The mode of before is restored at the end, also after an exception. On processors whose mode the core
    cannot set, nothing changes.

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
    """Let torch's OpenMP end its worker threads: new ones inherit the mode of this thread.

    GNU's OpenMP, which torch uses on Linux, keeps its workers, and these keep the mode they started with.
    LLVM's and Intel's copy the mode at every parallel loop on x86, and a pause does not harm them. An OpenMP
    without this function, as in torch 2.4, keeps its workers, and only the calling thread flushes. The
    threads of the core copy the mode of their caller every time.
    """
    try:
        pause = ctypes.CDLL(None).omp_pause_resource_all
    except (AttributeError, OSError, TypeError):  # no such function, or Windows, where CDLL(None) fails
        return
    pause(_SOFT_PAUSE)
