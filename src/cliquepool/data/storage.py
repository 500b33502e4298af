"""Data sets in files: mapped into memory, checked before they are believed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from cliquepool.array_files import array_of_list, read_arrays, write_arrays
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.schema import ARRAYS, VALUES
from cliquepool.errors import GraphError, InputError

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

__all__ = ["FORMAT_VERSION", "load_arrays", "save_arrays"]

FORMAT_VERSION: Final = 2
_FORMAT: Final = "cliquepool.dataset"


def save_arrays(dataset: GraphDataset, path: str | PathLike[str], **metadata: str) -> None:
    """Write `dataset` to `path`, whole or not at all.

    `metadata` goes into the header beside what `load_arrays` needs.
    """
    arrays, texts = _split(dataset)
    described = {
        "format": _FORMAT,
        "version": str(FORMAT_VERSION),
        "name": dataset.name,
        "fingerprint": dataset.fingerprint,
        "texts": json.dumps(texts),
        **metadata,
    }
    write_arrays(path, arrays, described, hash_content=False)  # the fingerprint is of the content


def load_arrays(path: str | PathLike[str], *, mapped: bool = True, **metadata: str) -> GraphDataset:
    """Read a data set back, checking every byte and everything that later calls rely on.

    Raises GraphError for a file that is cut short, damaged, of another format or version, or whose header
    does not have this `metadata`.
    """
    try:
        return _load(path, mapped, metadata)
    except InputError as error:
        raise GraphError(f"{path}: {error}") from None


def _split(dataset: GraphDataset) -> tuple[dict[str, npt.NDArray[Any]], dict[str, list[str]]]:
    """Numbers go into arrays, names of classes into the header."""
    arrays, texts = {}, {}
    for field in (*ARRAYS, *VALUES):
        array = getattr(dataset, field)
        if array is None:
            continue
        if array.dtype.kind == "U":
            texts[field] = array.tolist()
        else:
            arrays[field] = array
    return arrays, texts


def _load(path: str | PathLike[str], mapped: bool, metadata: dict[str, str]) -> GraphDataset:
    file = read_arrays(path, mapped=mapped)
    file.expect(_FORMAT, FORMAT_VERSION)
    for key, value in metadata.items():
        if file.metadata.get(key) != value:
            raise GraphError(f"expected {key} {value}, got {str(file.metadata.get(key))[:100]}")
    try:
        texts = json.loads(file.metadata["texts"])
        arrays: dict[str, Any] = file.arrays | {
            field: array_of_list(field, values) for field, values in texts.items()
        }
        if unknown := arrays.keys() - {*ARRAYS, *VALUES}:
            raise GraphError(f"expected the arrays of a data set, got others ({min(unknown)[:100]})")
        dataset = GraphDataset(name=file.metadata["name"], **arrays)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise GraphError(f"expected the arrays of a data set, got others ({error})") from None
    if dataset.fingerprint != file.metadata.get("fingerprint"):
        raise GraphError("expected the content that the header's fingerprint is of, got another: damaged")
    dataset.validate()
    return dataset
