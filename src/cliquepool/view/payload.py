"""Compact binary parts of a page: integers as varints, arrays after a JSON header, deflated.

A part is what `pack` returns: the length of the header in four bytes, the header, then the arrays one after
another; all of it deflated. `web/src/payload.ts` reads it with the browser's DecompressionStream.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from cliquepool.ragged import Ragged

__all__ = ["first_uses", "half_edges", "member_steps", "pack", "steps", "varints"]

_BEST: Final = 9
_BITS: Final = 7
_LONGEST: Final = 5  # bytes, for 32 bits


def varints(values: npt.NDArray[Any]) -> bytes:
    """Encode integers from 0 to 2³² − 1, seven bits in each byte, the lowest first.

    >>> varints(np.array([1, 300])).hex()
    '01ac02'
    """
    numbers = np.asarray(values, dtype=np.uint64)
    lengths = np.ones(len(numbers), dtype=np.int64)
    for position in range(1, _LONGEST):
        lengths += numbers >> np.uint64(_BITS * position) > 0
    ends = np.cumsum(lengths)
    encoded = np.zeros(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    begins = ends - lengths
    for position in range(_LONGEST):
        there = lengths > position
        low = (numbers[there] >> np.uint64(_BITS * position)) & np.uint64(0x7F)
        more = (lengths[there] > position + 1).astype(np.uint64) << np.uint64(_BITS)
        encoded[begins[there] + position] = (low | more).astype(np.uint8)
    return encoded.tobytes()


def steps(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the differences of consecutive integers as non-negative ones: 2d, or −2d − 1 where d < 0.

    >>> steps(np.array([5, 7, 6])).tolist()
    [10, 4, 1]
    """
    change = np.diff(np.asarray(values, dtype=np.int64), prepend=0)
    encoded: npt.NDArray[np.int64] = np.where(change < 0, -2 * change - 1, 2 * change)
    return encoded


def first_uses(groups: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Encode group numbers that are given in the order of first use: 0 for a new group, else how far back.

    >>> first_uses(np.array([0, 1, 0, 2, 2])).tolist()
    [0, 0, 2, 0, 1]
    """
    groups = np.asarray(groups, dtype=np.int64)
    highest = np.maximum.accumulate(groups) if len(groups) else groups
    before = np.concatenate([[-1], highest[:-1]]) if len(groups) else groups
    encoded: npt.NDArray[np.int64] = np.where(groups > before, 0, before + 1 - groups)
    return encoded


def member_steps(lists: Ragged) -> npt.NDArray[np.int64]:
    """Return each list of ascending integers as the first one, then the distances to the next, less 1."""
    members = lists.members.astype(np.int64)
    encoded = np.diff(members, prepend=0) - 1
    first = lists.offsets[:-1][lists.sizes > 0]
    encoded[first] = members[first]
    return encoded


def half_edges(rows: Ragged) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the neighbours with a higher number of each node: their counts, then the distances between them.

    The first distance is from the node itself; each is less 1.
    """
    sources = rows.list_of_member
    later = rows.members > sources
    sources, targets = sources[later].astype(np.int64), rows.members[later].astype(np.int64)
    before = np.concatenate([[0], targets[:-1]]) if len(targets) else targets
    starts = np.diff(sources, prepend=-1) > 0
    distances = np.where(starts, targets - sources, targets - before) - 1
    return np.bincount(sources, minlength=len(rows)), distances


def pack(header: Mapping[str, Any], arrays: Mapping[str, bytes]) -> bytes:
    """Return a part of a page: a header, which must be JSON, and named arrays, deflated.

    The same input gives the same bytes.
    """
    named = [[name, len(content)] for name, content in arrays.items()]
    text = json.dumps({**header, "arrays": named}, separators=(",", ":"), allow_nan=False).encode()
    return zlib.compress(len(text).to_bytes(4, "little") + text + b"".join(arrays.values()), _BEST)
