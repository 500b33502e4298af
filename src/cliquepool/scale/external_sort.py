"""Sorting of more 64-bit keys than memory holds: sorted runs in a file, then merged."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, Final, Self

import numpy as np

from cliquepool.files import naming_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]

__all__ = ["ExternalSort"]

_LEAST_BLOCK: Final = 512  # keys of a run that are read at once, however many runs there are


class ExternalSort:
    """Sorts distinct keys: `add` takes them in blocks, `merged` yields them in ascending order, each once.

    Each block becomes a run in one file. `memory` is the number of bytes that merging may take.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ExternalSort(pathlib.Path(folder, "runs"), memory=2**20) as keys:
    ...         keys.add(np.array([5, 1, 9], np.uint64))
    ...         keys.add(np.array([1, 7], np.uint64))
    ...         np.concatenate(list(keys.merged())).tolist()
    [1, 5, 7, 9]
    """

    def __init__(self, path: Path, memory: int) -> None:
        self._path = path
        self._memory = memory
        self._only_run: Keys | None = None  # a single run stays in memory
        self._ends: list[int] = []  # of each run in the file, in keys
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()
            self._path.unlink(missing_ok=True)

    def add(self, keys: Keys) -> None:
        """Add keys, which are sorted in place."""
        keys.sort()
        run = _distinct(keys)
        if self._only_run is None and not self._ends:
            self._only_run = run
            return
        if self._only_run is not None:
            self._spill(self._only_run)
            self._only_run = None
        self._spill(run)

    def merged(self) -> Iterator[Keys]:
        """Yield all keys in ascending order, in blocks; may be called several times, after the last `add`."""
        if self._only_run is not None:
            yield self._only_run
            return
        if self._file is None:
            return
        with naming_errors(self._path):
            self._file.flush()
        begins = [0, *self._ends[:-1]]
        # The blocks, their concatenation, and the sorted distinct keys are in memory at once.
        block = max(self._memory // (4 * 8 * len(begins)), _LEAST_BLOCK)
        runs = [_Run(self._file, begin, end, block) for begin, end in zip(begins, self._ends, strict=True)]
        while runs := [run for run in runs if run.fill()]:
            # Every key up to the least of the last keys in memory is in memory.
            bound = min(run.last for run in runs)
            keys = np.concatenate([run.take(bound) for run in runs])
            keys.sort()
            yield _distinct(keys)

    def _spill(self, run: Keys) -> None:
        with naming_errors(self._path):
            if self._file is None:
                self._file = self._path.open("x+b")
            self._file.write(run.data)
        self._ends.append((self._ends[-1] if self._ends else 0) + len(run))


class _Run:
    """A sorted run of a file, of which one block is in memory."""

    def __init__(self, file: IO[bytes], begin: int, end: int, block: int) -> None:
        self._file = file
        self._next = begin
        self._end = end
        self._block = block
        self._keys: Keys = np.empty(0, np.uint64)

    def fill(self) -> bool:
        """Read the next block where there is none in memory; return whether any key is left."""
        if not len(self._keys) and self._next < self._end:
            count = min(self._block, self._end - self._next)
            self._file.seek(8 * self._next)
            self._keys = _read_keys(self._file, count)
            self._next += count
        return bool(len(self._keys))

    @property
    def last(self) -> Any:
        return self._keys[-1]

    def take(self, bound: Any) -> Keys:
        """Return the keys in memory up to `bound`, and forget them."""
        count = int(np.searchsorted(self._keys, bound, side="right"))
        taken, self._keys = self._keys[:count], self._keys[count:]
        return taken


def _read_keys(file: IO[bytes], count: int) -> Keys:
    content = file.read(8 * count)
    if len(content) != 8 * count:
        raise OSError(f"{file.name}: expected {8 * count} bytes, got {len(content)}")
    return np.frombuffer(content, np.uint64)


def _distinct(keys: Keys) -> Keys:
    """Return the distinct ones of sorted keys."""
    if len(keys) < 2:
        return keys
    is_new = np.empty(len(keys), np.bool_)
    is_new[0] = True
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return keys if is_new.all() else keys[is_new]
