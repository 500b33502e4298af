"""Small files of the CIFAR-10 format, in every container."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import tarfile
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cliquepool.data.images import ImageDataset


FOLDER = "cifar-10-batches-py"


NAMES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "tar": bytes,
    "tar.gz": gzip.compress,
    "tar.xz": lzma.compress,
    "tar.bz2": bz2.compress,
}


def batch(labels: list[int], seed: int = 0) -> dict[str, Any]:
    pixels = np.random.default_rng(seed).integers(256, size=(len(labels), 3072), dtype=np.uint8)
    return {
        "batch_label": "a batch",
        "labels": labels,
        "data": pixels,
        "filenames": ["a.png"] * len(labels),
    }


def small() -> dict[str, Any]:
    return {
        "batches.meta": {"num_cases_per_batch": 3, "label_names": NAMES, "num_vis": 3072},
        "data_batch_1": batch([3, 1, 4], 1),
        "data_batch_2": batch([1, 5], 2),
        "test_batch": batch([9], 3),
    }


def with_byte_keys(value: Any) -> Any:
    """Return a value as Python 2 would have written it, with bytes instead of text."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return [with_byte_keys(item) for item in value]
    if isinstance(value, dict):
        return {with_byte_keys(key): with_byte_keys(item) for key, item in value.items()}
    return value


def pickled(contents: dict[str, Any], protocol: int = 2) -> dict[str, bytes]:
    return {
        name: content if isinstance(content, bytes) else pickle.dumps(content, protocol)
        for name, content in contents.items()
    }


def member(name: str, data: bytes = b"", **changes: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in changes.items():
        setattr(info, key, value)
    return info, data


def tarred(members: list[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def packed(contents: dict[str, Any], folder: str = f"{FOLDER}/") -> bytes:
    return tarred([member(folder + name, data) for name, data in pickled(contents).items()])


def write(path: Path, contents: dict[str, Any], container: str = "tar") -> Path:
    if container == "folder":
        path.mkdir(parents=True)
        for name, data in pickled(contents).items():
            (path / name).write_bytes(data)
        return path
    path = path.with_name(f"{path.name}.{container}")
    path.write_bytes(PACKERS[container](packed(contents)))
    return path


def check_small(dataset: ImageDataset) -> None:
    written = small()
    parts = [written[name] for name in ("data_batch_1", "data_batch_2", "test_batch")]
    assert dataset.name == "CIFAR-10"
    assert dataset.targets.tolist() == [3, 1, 4, 1, 5, 9]
    assert dataset.is_test.tolist() == [False] * 5 + [True]
    assert dataset.classes.tolist() == NAMES
    assert dataset.mirrored
    assert np.array_equal(dataset.images.reshape(6, 3072), np.concatenate([part["data"] for part in parts]))
