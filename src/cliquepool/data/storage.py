"""The arrays of data sets in safetensors files: written whole or not at all, validated when they are read.

Works on arrays alone; `cliquepool.data.dataset` imports this module, never the other way round.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cliquepool.array_files import array_of_list, read_arrays, write_arrays
from cliquepool.data.schema import ARRAYS, VALUES, check_content, checked_arrays, fingerprint_of
from cliquepool.errors import GraphError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import numpy.typing as npt

__all__ = ["FORMAT_VERSION", "StoredArrays", "load_arrays", "save_arrays"]

FORMAT_VERSION: Final = 2
_FORMAT: Final = "cliquepool.dataset"


class StoredArrays(NamedTuple):
    """A data set as a file has it: its name, its arrays by the names of the schema, and their SHA-256."""

    name: str
    arrays: Mapping[str, Any]
    fingerprint: str


def save_arrays(stored: StoredArrays, path: str | PathLike[str], **metadata: str) -> None:
    """Write the arrays of a data set to `path`, whole or not at all.

    `metadata` is added to the header; `load_arrays` may ask for it.
    """
    arrays, texts = _split(stored.arrays)
    header = {
        "format": _FORMAT,
        "version": str(FORMAT_VERSION),
        "name": stored.name,
        "fingerprint": stored.fingerprint,
        "texts": json.dumps(texts),
        **metadata,
    }
    write_arrays(path, arrays, header, hash_content=False)  # the fingerprint already covers the content


def load_arrays(path: str | PathLike[str], *, mapped: bool = True, **metadata: str) -> StoredArrays:
    """Read the arrays of a data set, and validate them; by default they stay mapped from the file.

    Raises GraphError for a file that is truncated, damaged, of another format or version, or whose header
    does not have this `metadata`.
    """
    try:
        return _load(path, mapped, metadata)
    except InputError as error:
        raise GraphError(f"{path}: {error}") from None


def _split(arrays: Mapping[str, Any]) -> tuple[dict[str, npt.NDArray[Any]], dict[str, list[str]]]:
    """Split into arrays of numbers, and lists of text, which go into the header."""
    numbers, texts = {}, {}
    for field in (*ARRAYS, *VALUES):
        array = arrays[field]
        if array is None:
            continue
        if array.dtype.kind == "U":
            texts[field] = array.tolist()
        else:
            numbers[field] = array
    return numbers, texts


def _load(path: str | PathLike[str], mapped: bool, metadata: dict[str, str]) -> StoredArrays:
    file = read_arrays(path, mapped=mapped)
    file.expect(_FORMAT, FORMAT_VERSION)
    for key, value in metadata.items():
        if file.metadata.get(key) != value:
            raise GraphError(f"expected {key} {value}, got {str(file.metadata.get(key))[:100]}")
    try:
        texts = json.loads(file.metadata["texts"])
        given = file.arrays | {field: array_of_list(field, values) for field, values in texts.items()}
        if unknown := given.keys() - {*ARRAYS, *VALUES}:
            raise GraphError(f"expected the arrays of a data set, got others ({min(unknown)[:100]})")
        name, arrays = file.metadata["name"], checked_arrays(given)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise GraphError(f"expected the arrays of a data set, got others ({error})") from None
    fingerprint = fingerprint_of(arrays)
    if fingerprint != file.metadata.get("fingerprint"):
        raise GraphError("expected content that matches the fingerprint in the header, got other: damaged")
    check_content(arrays)
    return StoredArrays(name, arrays, fingerprint)
