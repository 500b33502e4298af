"""Named arrays and a header in one file, in the format safetensors, with checksums.

The header begins with its own SHA-256, computed with zeros in its place, and may hold that of the arrays:
then a changed bit anywhere is detected. Files of format version 1 have no checksums.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from math import prod
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from cliquepool.errors import InputError
from cliquepool.files import read_content, replacing

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

__all__ = ["ArrayFile", "array_of_list", "read_arrays", "write_arrays"]

_NAMES: Final = {
    "<f8": "F64",
    "<f4": "F32",
    "<f2": "F16",
    "<i8": "I64",
    "<i4": "I32",
    "<i2": "I16",
    "|i1": "I8",
    "|u1": "U8",
    "|b1": "BOOL",
}
_DTYPES: Final = {name: np.dtype(dtype) for dtype, name in _NAMES.items()}
_METADATA: Final = "__metadata__"
_HEADER: Final = "header_sha256"
_CONTENT: Final = "content_sha256"
# The first bytes of a header with checksums: its own follows.
_SEAL: Final = b'{"__metadata__": {"header_sha256": "'
_NO_DIGEST: Final = b"0" * 64
_LONGEST_HEADER: Final = 100_000_000  # the limit of safetensors
_ALIGNMENT: Final = 64
_UNSEALED_VERSION: Final = "1"
_MOST_CHARACTERS: Final = 2**27  # of an array of texts, where each takes as many as the longest


class ArrayFile(NamedTuple):
    """The content of a file: its arrays, its metadata, and whether it has checksums (verified)."""

    arrays: dict[str, npt.NDArray[Any]]
    metadata: dict[str, str]
    is_sealed: bool

    def expect(self, format: str, version: int) -> None:  # noqa: A002 (the usual word)
        """Raise InputError unless the file is of this format, and of this version or of version 1."""
        if self.metadata.get("format") != format:
            got = self.metadata.get("format", "a file without a format name")
            raise InputError(f"expected a file of format {format}, got {got[:100]}")
        found = self.metadata.get("version")
        if found not in (_UNSEALED_VERSION, str(version)):
            raise InputError(f"expected format version {version} or 1, got {str(found)[:20]}")
        if self.is_sealed != (found != _UNSEALED_VERSION):
            raise InputError(f"expected the checksum of format version {version}, got none: damaged")


def write_arrays(
    path: str | os.PathLike[str],
    arrays: Mapping[str, npt.NDArray[Any]],
    metadata: Mapping[str, str],
    *,
    hash_content: bool = True,
) -> None:
    """Write arrays and texts to one file atomically.

    Without `hash_content` only the header has a checksum: for callers whose metadata has one of the arrays.

    Raises InputError for arrays of a type that the format does not have, and OSError naming the file.
    """
    parts = _in_order(arrays)
    described: dict[str, Any] = {_HEADER: _NO_DIGEST.decode(), **metadata}
    if hash_content:
        digest = hashlib.sha256()
        for array in parts.values():
            digest.update(_bytes_of(array))
        described[_CONTENT] = digest.hexdigest()
    header: dict[str, Any] = {_METADATA: described}
    end = 0
    for name, array in parts.items():
        begin, end = end, end + array.nbytes
        dtype = _NAMES[array.dtype.str]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    if len(text) > _LONGEST_HEADER - _ALIGNMENT:
        raise InputError(f"expected up to {_LONGEST_HEADER:,} bytes of names and texts, got {len(text):,}")
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    text = _SEAL + _header_digest(text) + text[len(_SEAL) + len(_NO_DIGEST) :]
    with replacing(path) as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for array in parts.values():
            file.write(_bytes_of(array))


def read_arrays(path: str | os.PathLike[str], *, mapped: bool = False) -> ArrayFile:
    """Read a file that `write_arrays` wrote, or another safetensors file, and verify its checksums.

    With `mapped` the arrays stay in the file, mapped into memory, and are read-only; otherwise they are
    writable. No more memory is allocated than the file is long.

    Raises FileNotFoundError for no file, InputError for one that is damaged, truncated or of another kind.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header, is_sealed, begin = _read_header(file, size)
        metadata = _checked_metadata(header.pop(_METADATA, {}))
        slots = {name: _checked_slot(name, entry, size - begin) for name, entry in header.items()}
        if sum(slot.nbytes for slot in slots.values()) != size - begin:
            raise InputError("expected a whole file, got one of another length than its header says")
        content = read_content(file, begin, size, mapped=mapped)
    metadata.pop(_HEADER, None)
    expected = metadata.pop(_CONTENT, None)
    if expected is not None and hashlib.sha256(content.data).hexdigest() != expected:
        raise InputError("expected arrays that match the checksum in the header, got others: damaged")
    return ArrayFile({name: _array_at(content, slot) for name, slot in slots.items()}, metadata, is_sealed)


def array_of_list(name: str, values: object) -> npt.NDArray[Any]:
    """Return a list from a header as an array: of integers, numbers, truth values or texts.

    >>> array_of_list("classes", ["cat", "dog"])
    array(['cat', 'dog'], dtype='<U3')
    """
    if isinstance(values, list):
        if all(type(value) is str for value in values):
            if len(values) * max(map(len, values), default=0) > _MOST_CHARACTERS:
                raise InputError(f"{name}: expected shorter texts, got one of {max(map(len, values)):,}")
            return np.array(values, dtype=np.str_)
        if all(type(value) is bool for value in values):
            return np.array(values, dtype=np.bool_)
        if all(type(value) is int and -(2**63) <= value < 2**63 for value in values):
            return np.array(values, dtype=np.int64)
        if all(type(value) is float for value in values):
            return np.array(values, dtype=np.float64)
    raise InputError(f"{name}: expected a list of integers, of numbers or of texts, got {str(values)[:50]}")


class _Slot(NamedTuple):
    """The position, dtype and shape of an array in the content."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


def _in_order(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays in the order of the file: the widest dtype first, so that all are aligned.

    They are made contiguous and little-endian.
    """
    parts = {}
    for name, array in arrays.items():
        part = np.require(array, requirements="C")
        part = part.astype(part.dtype.newbyteorder("<"), copy=False)
        if part.dtype.str not in _NAMES:
            raise InputError(f"{name}: expected {', '.join(_NAMES.values())} to save, got {array.dtype}")
        parts[name] = part
    return dict(sorted(parts.items(), key=lambda item: -item[1].itemsize))


def _bytes_of(array: npt.NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _header_digest(text: bytes) -> bytes:
    """Return the SHA-256 of a header and its length, with zeros in place of the digest."""
    digest = hashlib.sha256(len(text).to_bytes(8, "little") + _SEAL + _NO_DIGEST)
    digest.update(memoryview(text)[len(_SEAL) + len(_NO_DIGEST) :])
    return digest.hexdigest().encode()


def _read_header(file: IO[bytes], size: int) -> tuple[dict[str, Any], bool, int]:
    """Return the header, whether it has a checksum (verified), and the position of the content."""
    length = file.read(8)
    count = int.from_bytes(length, "little")
    if len(length) < 8 or not 2 <= count <= min(_LONGEST_HEADER, size - 8):
        raise InputError("expected a whole safetensors file, got another or a truncated one")
    text = file.read(count)
    is_sealed = text.startswith(_SEAL)
    if is_sealed and text[len(_SEAL) :][: len(_NO_DIGEST)] != _header_digest(text):
        raise InputError("expected a header that matches its checksum, got another: damaged")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected a header in JSON, got other content ({error})") from None
    if not isinstance(header, dict):
        raise InputError("expected a header that lists arrays, got another")
    return header, is_sealed, 8 + count


def _checked_metadata(metadata: object) -> dict[str, str]:
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise InputError("expected metadata in the header that is text, got other values")
    return metadata


def _checked_slot(name: str, entry: Any, size: int) -> _Slot:
    try:
        dtype, shape, (begin, end) = _DTYPES[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
        numbers_fit = all(type(number) is int and 0 <= number <= size for number in (begin, end))
        shape_fits = len(shape) <= 32 and all(type(n) is int and 0 <= n < 2**63 for n in shape)
        valid = numbers_fit and shape_fits and end - begin == prod(shape) * dtype.itemsize
    except (KeyError, ValueError, TypeError):
        valid = False
    if not valid:
        raise InputError(f"{name[:100]}: expected an array inside the file, got {str(entry)[:100]}")
    return _Slot(dtype, shape, begin)


def _array_at(content: npt.NDArray[np.uint8], slot: _Slot) -> npt.NDArray[Any]:
    """Return an array of the content, as a view except on big-endian machines."""
    part = content[slot.begin : slot.begin + slot.nbytes]
    if slot.dtype.kind == "b" and part.size and part.max() > 1:
        raise InputError(f"expected truth values of 0 and 1, got {part.max()}")
    array = part.view(slot.dtype).reshape(slot.shape)
    if sys.byteorder == "big" or not array.flags.aligned:
        array = array.astype(array.dtype.newbyteorder("="))
    return array
