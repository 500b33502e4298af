"""Files in zip archives, decompressed in pieces: in little memory, and never more than was declared."""

from __future__ import annotations

import bz2
import copy
import lzma
import struct
import zipfile
import zlib
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

__all__ = ["open_zip", "pieces_of_member"]

_PIECE_BYTES: Final = 2**16
_MOST_DECODER_BYTES: Final = 2**28  # of an LZMA dictionary, whose size is given in the archive
_ENCRYPTED: Final = 0x1
_ENDS_WITH_MARKER: Final = 0x2  # of LZMA data
_LZMA_HEADER: Final = struct.Struct("<HH")  # a version, and the number of bytes of the properties
_LZMA_PROPERTIES: Final = 5

# The exceptions of the zipfile module for damaged archives and unknown kinds.
_ZIP_ERRORS: Final = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    LookupError,
    OverflowError,
    struct.error,
    EOFError,
)


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive. Raises GraphError for one that is damaged or split, and for other files."""
    if not zipfile.is_zipfile(path):
        raise GraphError("expected a zip file or a folder of the TU collection, got another kind of file")
    try:
        archive = zipfile.ZipFile(path)
    except (*_ZIP_ERRORS, OSError) as error:
        raise GraphError(f"expected a whole zip file, got: {error}") from None
    with archive:
        yield archive


def pieces_of_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the content of a file in an archive in pieces, and verify its length and checksum.

    The zipfile module decompresses LZMA data without a limit: a few kilobytes become hundreds of megabytes.

    Raises GraphError for damage, encryption, an unknown compression, and content longer than declared.
    """
    if member.flag_bits & _ENCRYPTED:
        raise GraphError("expected data without a password, got encrypted data")
    done, checksum = 0, 0
    with closing(_unpacked(archive, member)) as unpacked:
        while piece := _next(unpacked):
            done += len(piece)
            if done > member.file_size:
                raise GraphError(f"expected {member.file_size:,} bytes as declared, got more")
            checksum = zlib.crc32(piece, checksum)
            yield piece
    if done != member.file_size or checksum != member.CRC:
        raise GraphError(
            f"expected {member.file_size:,} bytes that match their checksum, got {done:,} bytes: damaged"
        )


def _next(pieces: Iterator[bytes]) -> bytes:
    try:
        return next(pieces, b"")
    except GraphError:
        raise
    except (*_ZIP_ERRORS, zlib.error, lzma.LZMAError, OSError) as error:
        raise GraphError(f"expected whole compressed data, got: {error}") from None


class _Decoder(Protocol):
    """A decompressor whose steps have a limited size."""

    @property
    def eof(self) -> bool: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Generator[bytes, None, None]:
    packed = _packed(archive, member)
    if member.compress_type == zipfile.ZIP_STORED:
        yield from packed
    elif member.compress_type == zipfile.ZIP_DEFLATED:
        yield from _inflated(packed)
    elif member.compress_type == zipfile.ZIP_LZMA:
        yield from _decoded(*_lzma_decoder(packed, member), packed)
    elif member.compress_type == zipfile.ZIP_BZIP2:
        yield from _decoded(bz2.BZ2Decompressor(), b"", packed)
    else:
        raise GraphError(f"expected deflate or LZMA, got compression method {member.compress_type}")


def _packed(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the compressed bytes of a member."""
    raw = copy.copy(member)
    raw.compress_type, raw.file_size = zipfile.ZIP_STORED, member.compress_size
    raw.CRC = None  # type: ignore[assignment]  # it is the checksum of the decompressed content
    with archive.open(raw) as stream:
        while piece := stream.read(_PIECE_BYTES):
            yield piece


def _inflated(packed: Iterator[bytes]) -> Iterator[bytes]:
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    for data in packed:
        while data:
            if piece := decoder.decompress(data, _PIECE_BYTES):
                yield piece
            data = decoder.unconsumed_tail  # noqa: PLW2901 (the rest of it)
    if piece := decoder.flush():
        yield piece
    if not decoder.eof:
        raise EOFError("its beginning only")


def _lzma_decoder(packed: Iterator[bytes], member: zipfile.ZipInfo) -> tuple[_Decoder, bytes]:
    """Return a decoder for LZMA data, and the bytes to feed it first."""
    data = next(packed, b"")
    if len(data) < _LZMA_HEADER.size:
        raise EOFError("its beginning only")
    _, count = _LZMA_HEADER.unpack_from(data)
    begin = _LZMA_HEADER.size + count
    if count != _LZMA_PROPERTIES or len(data) < begin:
        raise GraphError(f"expected {_LZMA_PROPERTIES} bytes of LZMA properties, got {count}")
    length = 2**64 - 1 if member.flag_bits & _ENDS_WITH_MARKER else member.file_size
    # Replace the header of the zip format by that of a .lzma file, which the lzma module can decode.
    header = data[_LZMA_HEADER.size : begin] + length.to_bytes(8, "little")
    decoder = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=_MOST_DECODER_BYTES)
    return decoder, header + data[begin:]


def _decoded(decoder: _Decoder, first: bytes, packed: Iterator[bytes]) -> Iterator[bytes]:
    data = first or next(packed, b"")
    while not decoder.eof:
        piece = decoder.decompress(data, _PIECE_BYTES)
        if piece:
            yield piece
        data = b""
        if not piece and not decoder.eof:
            data = next(packed, b"")
            if not data:
                raise EOFError("its beginning only")
