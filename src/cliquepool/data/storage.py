"""Data sets in files: the safetensors layout, mapped into memory, checked before they are believed."""

from __future__ import annotations

import json
import mmap
import os
import sys
import tempfile
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.data.dataset import GraphDataset
from cliquepool.data.layout import ARRAYS, VALUES
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

__all__ = ["FORMAT_VERSION", "load_arrays", "save_arrays"]

FORMAT_VERSION: Final = 1
_FORMAT: Final = "cliquepool.dataset"
_NAMES: Final = {"<i8": "I64", "<i4": "I32", "<f4": "F32", "<f8": "F64"}
_DTYPES: Final = {name: np.dtype(dtype) for dtype, name in _NAMES.items()}
_LONGEST_HEADER: Final = 100_000_000  # the layout's own limit
_ALIGNMENT: Final = 64


def save_arrays(dataset: GraphDataset, path: str | PathLike[str], **metadata: str) -> None:
    """Write `dataset` beside `path`, then move it there: readers see the old file or the new one.

    `metadata` goes into the header beside what `load_arrays` needs.
    """
    arrays, texts = _split(dataset)
    header: dict[str, Any] = {
        "__metadata__": {
            "format": _FORMAT,
            "version": str(FORMAT_VERSION),
            "name": dataset.name,
            "fingerprint": dataset.fingerprint,
            "texts": json.dumps(texts),
            **metadata,
        }
    }
    end = 0
    for field, array in arrays.items():
        begin, end = end, end + array.nbytes
        header[field] = {
            "dtype": _NAMES[array.dtype.str],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)

    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(len(text).to_bytes(8, "little"))
            file.write(text)
            for array in arrays.values():
                file.write(array.reshape(-1).view(np.uint8).data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_arrays(path: str | PathLike[str], *, mapped: bool = True, **metadata: str) -> GraphDataset:
    """Read a data set back, checking every byte and everything that later calls rely on.

    Raises GraphError for a file that is cut short, damaged, of another format or version, or whose header
    does not have this `metadata`.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    try:
        return _load(path, mapped, metadata)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None


def _split(dataset: GraphDataset) -> tuple[dict[str, npt.NDArray[Any]], dict[str, list[str]]]:
    """Numbers go into arrays, the widest first, so that all are aligned; names of classes into the header."""
    arrays, texts = {}, {}
    for field in (*ARRAYS, *VALUES):
        array = getattr(dataset, field)
        if array is None:
            continue
        if array.dtype.kind == "U":
            texts[field] = array.tolist()
        else:
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            arrays[field] = np.ascontiguousarray(little)
    return dict(sorted(arrays.items(), key=lambda item: -item[1].itemsize)), texts


def _load(path: Path, mapped: bool, metadata: dict[str, str]) -> GraphDataset:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header, begin = _header(file.read(8), file.read, size)
        described = header.pop("__metadata__", None)
        if not isinstance(described, dict) or described.get("format") != _FORMAT:
            raise GraphError(f"expected a file of format {_FORMAT}, got another")
        for key, value in {"version": str(FORMAT_VERSION), **metadata}.items():
            if described.get(key) != value:
                raise GraphError(f"expected {key} {value}, got {described.get(key)}")
        places = {field: _place(field, entry, size - begin) for field, entry in header.items()}
        if sum(array_bytes for *_, array_bytes in places.values()) != size - begin:
            raise GraphError("expected a whole file, got one of another length than its header says")
        data: Any = b""
        if size > begin:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if mapped else file.read()
    offset = begin if mapped else 0
    arrays: dict[str, Any] = {
        field: np.frombuffer(data, dtype, prod(shape), offset + start).reshape(shape)
        if prod(shape)
        else np.zeros(shape, dtype)
        for field, (dtype, shape, start, _) in places.items()
    }
    if sys.byteorder == "big":
        arrays = {field: array.astype(array.dtype.newbyteorder("=")) for field, array in arrays.items()}
    try:
        for field, text in json.loads(described["texts"]).items():
            arrays[field] = np.array(text, dtype=np.str_)
        dataset = GraphDataset(name=str(described["name"]), **arrays)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise GraphError(f"expected the arrays of a data set, got others ({error})") from None
    if dataset.fingerprint != described.get("fingerprint"):
        raise GraphError("expected the content that the header's fingerprint is of, got another: damaged")
    dataset.validate()
    return dataset


def _header(length: bytes, read: Any, size: int) -> tuple[dict[str, Any], int]:
    count = int.from_bytes(length, "little")
    if len(length) < 8 or not 2 <= count <= min(_LONGEST_HEADER, size - 8):
        raise GraphError("expected a whole safetensors file, got one that is not")
    try:
        header = json.loads(read(count))
    except ValueError as error:
        raise GraphError(f"expected a header in JSON, got one that is not ({error})") from None
    if not isinstance(header, dict):
        raise GraphError("expected a header that lists arrays, got another")
    return header, 8 + count


def _place(field: str, entry: Any, size: int) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """Read where an array lies: its type, shape, first byte and number of bytes."""
    try:
        dtype, shape, (begin, end) = _DTYPES[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
        valid = all(type(number) is int and number >= 0 for number in (*shape, begin, end))
        valid = valid and end - begin == prod(shape) * dtype.itemsize and end <= size
        valid = valid and field in (*ARRAYS, *VALUES)
    except (KeyError, ValueError, TypeError):
        valid = False
    if not valid:
        raise GraphError(f"{field}: expected an array inside the file, got {str(entry)[:100]}")
    return dtype, shape, begin, end - begin
