"""Errors of torch that say that memory ran out, as a MemoryError that says what to do."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["memory_errors_explained"]


@contextmanager
def memory_errors_explained(doing: str) -> Iterator[None]:
    """Raise MemoryError, saying what to change, where torch runs out of memory inside the context.

    On a CPU torch raises a RuntimeError with the allocator's words, on a graphics card one of its own.

    >>> with memory_errors_explained("training"):
    ...     torch.empty(1 << 58)
    Traceback (most recent call last):
    MemoryError: out of memory while training (1152921504.6 GB asked for): use smaller batches or a smaller...
    """
    try:
        yield
    except RuntimeError as error:
        words = str(error)
        if not isinstance(error, torch.OutOfMemoryError) and "can't allocate memory" not in words:
            raise
        asked = re.search(r"allocate (\d+) bytes", words)
        how_much = f" ({int(asked[1]) / 1e9:.1f} GB asked for)" if asked else ""
        raise MemoryError(
            f"out of memory while {doing}{how_much}: use smaller batches or a smaller network"
        ) from error
