"""Finished chunks of a data set are read as they were written, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool import _core
from cliquepool.data import GraphDataset
from cliquepool.scale.chunk_files import ChunkFiles
from tests.helpers.small_graphs import cycle, path

if TYPE_CHECKING:
    from pathlib import Path


def result() -> Any:
    data = GraphDataset.from_graphs([path(4).graph(), cycle(5).graph()], [0, 1])
    limits = cp.Budget()._limits()
    return _core.hierarchies(data.node_start, data.indptr, data.indices, 2, 1, limits, None)


def flattened(nested: Any) -> list[Any]:
    """List all arrays of nested tuples and lists."""
    return (
        [nested] if isinstance(nested, np.ndarray) else [array for one in nested for array in flattened(one)]
    )


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    files = ChunkFiles(tmp_path, "f" * 64, 2)
    assert files.read(0, 2) is None
    files.write(0, 2, result())
    found, expected = flattened(files.read(0, 2)), flattened(result())
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours.dtype, ours.tolist()) == (theirs.dtype, theirs.tolist())
    files.remove()
    assert not list(tmp_path.iterdir())


def test_damaged_files_and_those_of_others_are_not_read(tmp_path: Path) -> None:
    files = ChunkFiles(tmp_path, "f" * 64, 2)
    files.write(0, 2, result())
    (file,) = tmp_path.glob("*/*")
    content = file.read_bytes()
    file.rename(file.with_name("0-3.safetensors"))
    assert files.read(0, 3) is None, "of other graphs"
    assert ChunkFiles(tmp_path, "f" * 63 + "0", 2).read(0, 3) is None, "of another data set"
    for damaged in (content[:-1], content[:100], b"", content[:-1] + bytes([content[-1] ^ 1])):
        file.write_bytes(damaged)
        assert files.read(0, 2) is None
    file.write_bytes(content)
    assert files.read(0, 2) is not None


def test_without_a_folder_nothing_is_kept() -> None:
    files = ChunkFiles(None, "f" * 64, 2)
    files.write(0, 2, result())
    assert files.read(0, 2) is None
    files.remove()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="chunks-ffff"):
        ChunkFiles(tmp_path / "file", "f" * 64, 2).write(0, 2, result())
