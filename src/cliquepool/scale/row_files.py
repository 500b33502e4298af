"""Features between the stages of a run, in files: the own rows of each part, and what it sends to others.

A file is written beside its name and renamed, so that a task can be repeated, and is refused unless it is as
long as its header says. It is read by pieces, not mapped: only what a part needs is ever in memory.
"""

from __future__ import annotations

import contextlib
import os
import struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.errors import GraphError
from cliquepool.files import naming_errors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy.typing as npt

    Rows = npt.NDArray[Any]

__all__ = ["RowFile", "write_rows"]

_HEADER: Final = struct.Struct("<8sqqq")  # magic, rows, columns, bytes of a number
_MAGIC: Final = b"cprows02"
_TYPES: Final[dict[int, np.dtype[Any]]] = {4: np.dtype("<f4"), 8: np.dtype("<f8")}


def write_rows(path: Path, pieces: Iterable[Rows], num_rows: int, like: Rows) -> None:
    """Write pieces of rows end to end, `num_rows` in all, of the type and width of `like`."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    width = like.shape[1]
    with naming_errors(path):
        try:
            with partial.open("wb") as file:
                file.write(_HEADER.pack(_MAGIC, num_rows, width, like.dtype.itemsize))
                for piece in pieces:
                    np.ascontiguousarray(piece, dtype=like.dtype).tofile(file)
            partial.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
            raise


class RowFile:
    """A file of rows, of which ranges are read; raises GraphError that names the part for a damaged one."""

    def __init__(self, path: Path, part: int, num_rows: int) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                header = file.read(_HEADER.size)
                length = os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            raise GraphError(f"part {part}: expected its features in {path}, got no file") from None
        magic, rows, width, size = _HEADER.unpack(header) if len(header) == _HEADER.size else (b"", 0, 0, 0)
        if magic != _MAGIC or size not in _TYPES or rows != num_rows:
            raise GraphError(f"part {part}: expected {num_rows} rows of features in {path}, got another file")
        if length != _HEADER.size + rows * width * size:
            raise GraphError(f"part {part}: expected a whole file of features {path}, got a truncated one")
        self.width = int(width)
        self.dtype = _TYPES[size]

    def read(self, begin: int, count: int) -> Rows:
        """Return `count` rows from row `begin` on."""
        offset = _HEADER.size + begin * self.width * self.dtype.itemsize
        rows: Rows = np.fromfile(self.path, self.dtype, count * self.width, offset=offset)
        return rows.reshape(count, self.width)
