"""CIFAR-10 in its version for Python: pickled batches, in an archive or a folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from cliquepool.data.images import SIDE, ImageDataset
from cliquepool.data.pickles import read_pickle
from cliquepool.data.tar import LARGEST_FILE, files_of_tar
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    import numpy.typing as npt

__all__ = ["read_cifar"]

_FOLDER: Final = "cifar-10-batches-py"
_TRAINING: Final = re.compile(r"data_batch_([0-9]{1,9})")
_TEST: Final = "test_batch"
_META: Final = "batches.meta"
_CHANNELS: Final = 3
_PIXELS: Final = _CHANNELS * SIDE * SIDE
_NUM_CLASSES: Final = 10
_MOST_CLASSES: Final = 1000
_LONGEST_CLASS: Final = 100


def read_cifar(path: str | PathLike[str]) -> ImageDataset:
    """Read CIFAR-10, or a part of it, from its archive or its folder.

    Needed are ``test_batch`` and one or more of ``data_batch_1``, ``data_batch_2``, …, each of any number
    of images: a dictionary of ``data``, bytes in rows of 3,072, and ``labels``, a list of integers.
    ``batches.meta`` has the names of the classes, ``label_names``; without it they are 0 to 9.

    The training images come first, batch by batch in the order of their numbers; then those for testing.
    The files are pickles: nothing in them is executed, and nothing is written to the disk.

    Raises GraphError in one line with the file, the batch, what was expected and what was got.

    Parameters
    ----------
    path : str or path
        A tar archive, plain or compressed by gzip, xz or bzip2; or a folder that holds the batches, or has
        a folder ``cifar-10-batches-py`` that does.
    """
    path = Path(path)
    try:
        return _dataset(_files(path))
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None


class _Batch(NamedTuple):
    images: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.int64]


def _dataset(files: Iterator[tuple[str, bytes]]) -> ImageDataset:
    batches: dict[str, _Batch] = {}
    classes: list[str] | None = None
    for name, data in files:
        if name in batches or (name == _META and classes is not None):
            raise GraphError(f"{name}: expected one file of this name, got two")
        try:
            content = _dictionary(data)
            if name == _META:
                classes = _class_names(content)
            else:
                batches[name] = _batch(content)
        except GraphError as error:
            raise GraphError(f"{name}: {error}") from None
    if classes is None:
        classes = [str(number) for number in range(_NUM_CLASSES)]
    names = sorted(batches, key=_batch_order)
    if names[-1:] != [_TEST] or len(names) < 2:
        got = ", ".join(names) or "neither"
        raise GraphError(f"expected one or more of data_batch_1, data_batch_2, … and {_TEST}, got {got}")
    for name in names:
        _expect_labels(name, batches[name].labels, len(classes))
    images, labels = zip(*(batches[name] for name in names), strict=True)
    targets = np.concatenate(labels)
    return ImageDataset(
        name="CIFAR-10",
        images=np.concatenate(images).reshape(-1, _CHANNELS, SIDE, SIDE),
        targets=targets,
        classes=np.array(classes),
        is_test=np.arange(len(targets)) >= len(targets) - len(labels[-1]),
        mirrored=True,
    )


# ---- files ----


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        return _files_of_folder(path)
    if not path.exists():
        raise GraphError("expected an archive or a folder of CIFAR-10, got no such file")
    return files_of_tar(path, _is_wanted)


def _files_of_folder(path: Path) -> Iterator[tuple[str, bytes]]:
    folder = path / _FOLDER if (path / _FOLDER).is_dir() else path
    for file in sorted(folder.iterdir()):
        if not _is_wanted(file.name) or not file.is_file():
            continue
        size = file.stat().st_size
        if size > LARGEST_FILE:
            raise GraphError(f"{file.name}: expected a file of up to {LARGEST_FILE:,} bytes, got {size:,}")
        yield file.name, file.read_bytes()


def _is_wanted(name: str) -> bool:
    return name in (_TEST, _META) or _TRAINING.fullmatch(name) is not None


def _batch_order(name: str) -> tuple[bool, int, str]:
    """Return a key that sorts training batches by their numbers, and the test batch last."""
    number = _TRAINING.fullmatch(name)
    return number is None, int(number[1]) if number else 0, name


# ---- contents ----


def _dictionary(data: bytes) -> dict[Any, Any]:
    content = read_pickle(data)
    if not isinstance(content, dict):
        raise GraphError(f"expected a dictionary, got {type(content).__name__}")
    return content


def _entry(content: dict[Any, Any], key: str) -> Any:
    """Return an entry of a dictionary that Python 2 or 3 pickled, with keys of bytes or text."""
    for spelt in (key.encode(), key):
        if spelt in content:
            return content[spelt]
    keys = ", ".join(repr(key)[:30] for key in list(content)[:5])
    raise GraphError(f"expected a dictionary with {key!r}, got one with {keys or 'nothing'}")


def _batch(content: dict[Any, Any]) -> _Batch:
    data, labels = _entry(content, "data"), _entry(content, "labels")
    if not isinstance(data, np.ndarray) or data.ndim != 2 or data.shape[1] != _PIXELS:
        got = f"shape {data.shape}" if isinstance(data, np.ndarray) else type(data).__name__
        raise GraphError(f"data: expected an array of shape (images, {_PIXELS}), got {got}")
    if not isinstance(labels, list) or not all(type(label) is int for label in labels):
        others = {type(label).__name__ for label in labels} - {"int"} if isinstance(labels, list) else set()
        got = f"one of {min(others)}" if others else type(labels).__name__
        raise GraphError(f"labels: expected a list of integers, got {got}")
    if len(labels) != len(data):
        raise GraphError(f"labels: expected {len(data):,}, one for each image, got {len(labels):,}")
    return _Batch(data, np.array(labels, dtype=np.int64))


def _expect_labels(name: str, labels: npt.NDArray[np.int64], num_classes: int) -> None:
    wrong = np.flatnonzero((labels < 0) | (labels >= num_classes))
    if len(wrong):
        raise GraphError(
            f"{name}: labels: expected classes from 0 to {num_classes - 1}, "
            f"got {labels[wrong[0]]} for image {wrong[0]:,}"
        )


def _class_names(content: dict[Any, Any]) -> list[str]:
    names = _entry(content, "label_names")
    if not isinstance(names, list) or not 0 < len(names) <= _MOST_CLASSES:
        got = f"{len(names):,}" if isinstance(names, list) else type(names).__name__
        raise GraphError(f"label_names: expected a list of 1 to {_MOST_CLASSES:,} names, got {got}")
    texts = [name.decode(errors="replace") if isinstance(name, bytes) else name for name in names]
    for text in texts:
        if not isinstance(text, str) or not 0 < len(text) <= _LONGEST_CLASS or not text.isprintable():
            got = repr(text[:_LONGEST_CLASS]) if isinstance(text, str) else type(text).__name__
            raise GraphError(f"label_names: expected names of up to {_LONGEST_CLASS} characters, got {got}")
    if len(set(texts)) < len(texts):
        raise GraphError(f"label_names: expected different names, got one of {len(texts):,} twice")
    return texts
