"""Tar archives, read in one pass: nothing is written to the disk, and damage is an error."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from cliquepool.errors import GraphError
from cliquepool.reading import pieces_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["LARGEST_FILE", "files_of_tar"]

LARGEST_FILE: Final = 2**28
"""The largest file, in bytes, that is read from an archive or a folder."""

_LARGEST_ARCHIVE: Final = 2**31  # unpacked: a few compressed kilobytes can be gigabytes
_BLOCK: Final = 512
_NAME, _SIZE, _CHECKSUM, _PREFIX = slice(0, 100), slice(124, 136), slice(148, 156), slice(345, 500)
_KIND, _MAGIC = slice(156, 157), slice(257, 262)
_REGULAR: Final = (b"0", b"\0")


def files_of_tar(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield the names, without folders, and contents of those files in a tar archive that are `wanted`.

    The archive may be compressed by gzip, xz or bzip2, recognised by its first bytes. Links, devices and
    names with ``..`` or an absolute path are skipped.

    Python's tarfile stops silently at a damaged header and at the end of a truncated archive, and reads long
    headers into memory without a limit.

    Raises GraphError for an archive that is damaged, truncated, or too large.
    """
    with io.BufferedReader(io.FileIO(path)) as file:
        stream = _Stream(pieces_of(file))
        while (header := stream.take(_BLOCK)) != bytes(_BLOCK):
            name, size, is_file = _described(header)
            if is_file and wanted(name):
                if size > LARGEST_FILE:
                    raise GraphError(f"{name}: expected a file of up to {LARGEST_FILE:,} bytes, got {size:,}")
                yield name, _content(stream, name, size)
            else:
                stream.skip(size)
            stream.skip(-size % _BLOCK)
        stream.skip_all()  # the checksum of compressed data is at its end


def _content(stream: _Stream, name: str, size: int) -> bytes:
    try:
        return stream.take(size)
    except GraphError as error:
        raise GraphError(f"{name}: {error}") from None


class _Stream:
    """A stream of bytes that arrive in pieces."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._piece = memoryview(b"")
        self._count = 0

    def take(self, count: int) -> bytes:
        return b"".join(self._next(count))

    def skip(self, count: int) -> None:
        for _ in self._next(count):
            pass

    def skip_all(self) -> None:
        self._piece = memoryview(b"")
        for piece in self._pieces:
            self._bound(len(piece))

    def _next(self, count: int) -> Iterator[memoryview]:
        while count:
            if not self._piece:
                self._piece = memoryview(next(self._pieces, b""))
                self._bound(len(self._piece))
            if not self._piece:
                raise GraphError(self._cut_short())
            part, self._piece = self._piece[:count], self._piece[count:]
            count -= len(part)
            yield part

    def _bound(self, count: int) -> None:
        self._count += count
        if self._count > _LARGEST_ARCHIVE:
            raise GraphError(f"expected an archive of up to {_LARGEST_ARCHIVE:,} bytes unpacked, got more")

    def _cut_short(self) -> str:
        if self._count < _BLOCK:
            return f"expected a tar archive, got a file of {self._count:,} bytes"
        return f"expected a whole tar archive, got its first {self._count:,} bytes: cut short"


def _described(header: bytes) -> tuple[str, int, bool]:
    """Parse a header: return the name without folders, the size, and whether it is a regular file to read."""
    try:
        size, checksum = (int(header[field].strip(b" \0") or b"0", 8) for field in (_SIZE, _CHECKSUM))
    except ValueError:
        checksum = -1
    blanked = header[: _CHECKSUM.start] + b" " * 8 + header[_CHECKSUM.stop :]
    if checksum != sum(blanked) or size < 0:
        raise GraphError(
            "expected a tar archive, plain or compressed by gzip, xz or bzip2, got a damaged one or none"
        )
    name = header[_NAME].split(b"\0")[0]
    if header[_MAGIC] == b"ustar":
        name = b"/".join(filter(None, (header[_PREFIX].split(b"\0")[0], name)))
    *folders, last = name.decode(errors="replace").split("/")
    leads_out = ".." in folders or name.startswith(b"/")
    return last, size, header[_KIND] in _REGULAR and not leads_out
