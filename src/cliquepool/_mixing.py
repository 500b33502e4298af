"""A hash of 64-bit words that is the same on every machine: colours and keys of structures are made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]

__all__ = ["STEP", "mix"]

# The increment and the multipliers of SplitMix64 (Steele, Lea, Flood 2014); digests depend on them.
STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)


def mix(words: Words, kind: int = 1) -> Words:
    """Apply a bijection of 64-bit words, another for each kind.

    >>> mix(np.array([0, 1], dtype=np.uint64))
    array([16294208416658607535, 10451216379200822465], dtype=uint64)
    """
    words = words + np.uint64(kind * int(STEP) % 2**64)
    words ^= words >> np.uint64(30)
    words *= _FIRST
    words ^= words >> np.uint64(27)
    words *= _SECOND
    words ^= words >> np.uint64(31)
    return words
