"""Files of parts are refused, by name of the part, where they are damaged, mixed up or of another version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.array_files import read_arrays, write_arrays
from cliquepool.scale.part_files import INDEX_NAME, part_name
from tests.helpers.small_graphs import grid, path

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

H = cp.clique_hierarchy(grid(4, 4, diagonals=True).graph(), levels=1)


def changed(file: Path, arrays: dict[str, npt.NDArray[np.generic]] | None = None, **metadata: str) -> None:
    """Write a file again, with a right checksum, but with other arrays or another header."""
    held = read_arrays(file)
    write_arrays(file, {**held.arrays, **(arrays or {})}, {**held.metadata, **metadata})


def message_of(folder: Path, number: int = 1) -> str:
    with pytest.raises(cp.GraphError) as raised:
        cp.scale.Parts.open(folder)[number]
    return str(raised.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cp.scale.partition(H, 3, tmp_path)
    return tmp_path


@pytest.mark.parametrize("length", [0, 5, 300, -1])
def test_a_truncated_part_is_named(folder: Path, length: int) -> None:
    file = folder / part_name(1)
    file.write_bytes(file.read_bytes()[:length])
    assert message_of(folder).startswith(f"part 1 ({file}): expected ") or "inside the file" in message_of(
        folder
    )
    with pytest.raises(cp.GraphError, match="part 1 "):
        cp.scale.Parts.open(folder).check()


def test_every_changed_byte_is_detected(folder: Path) -> None:
    file = folder / part_name(1)
    content = file.read_bytes()
    for position in range(0, len(content), 97):
        file.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        assert "part 1 " in message_of(folder), position


def test_a_missing_part_is_named(folder: Path) -> None:
    (folder / part_name(1)).unlink()
    with pytest.raises(FileNotFoundError, match="part 1: no such file"):
        cp.scale.Parts.open(folder)[1]


def test_another_version_is_refused(folder: Path) -> None:
    changed(folder / part_name(1), version="9")
    assert message_of(folder).endswith("expected format version 2, got 9")
    changed(folder / INDEX_NAME, version="9")
    with pytest.raises(cp.GraphError, match="expected format version 2, got 9"):
        cp.scale.Parts.open(folder)


def test_another_format_is_refused(folder: Path) -> None:
    H.save(folder / part_name(1))
    assert message_of(folder).endswith("expected a file of format cliquepool.part, got cliquepool.hierarchy")


def test_parts_that_changed_places_are_refused(folder: Path) -> None:
    (folder / part_name(1)).write_bytes((folder / part_name(2)).read_bytes())
    assert message_of(folder).endswith("expected part 1, got part 2")


def test_a_part_of_another_hierarchy_is_refused(folder: Path, tmp_path: Path) -> None:
    cp.scale.partition(cp.clique_hierarchy(path(9).graph(), levels=1), 3, tmp_path / "other")
    (folder / part_name(1)).write_bytes((tmp_path / "other" / part_name(1)).read_bytes())
    assert message_of(folder).endswith(
        "expected a part of the partition in the index, got one of another hierarchy or partition"
    )


@pytest.mark.parametrize(
    "name",
    [
        "0.nodes",
        "0.neighbours.rows",
        "0.neighbours.units",
        "0.neighbours.lists.members",
        "0.neighbours.lists.offsets",
        "0.neighbours.own",
        "0.neighbours.sources.members",
        "0.pools.numbers",
        "0.neighbours.sends.members",
        "1.lift.sends.offsets",
    ],
)
def test_arrays_out_of_range_are_refused(folder: Path, name: str) -> None:
    """A right checksum does not make wrong numbers safe: they would be read out of bounds."""
    file = folder / part_name(1)
    array = read_arrays(file).arrays[name]
    content = file.read_bytes()
    for wrong in (array[:-1], array + 1000, -1 - array, array.astype(np.float64), array[:, None]):
        changed(file, {name: wrong})
        if (
            name == "0.pools.numbers"
            and wrong.dtype == array.dtype
            and wrong.shape == array.shape
            and wrong.min() >= 0
        ):
            continue  # any count is possible
        assert name.split(".", maxsplit=1)[0] in message_of(folder)
        file.write_bytes(content)


def test_an_index_with_wrong_numbers_is_refused(folder: Path) -> None:
    content = (folder / INDEX_NAME).read_bytes()
    for name, wrong in (
        ("counts", np.zeros((0, 3), dtype=np.int64)),
        ("counts", np.full((2, 3), -1)),
        ("0.neighbours.sent", np.zeros((2, 3), dtype=np.int64)),
        ("factored", np.ones(5, dtype=np.bool_)),
    ):
        changed(folder / INDEX_NAME, {name: wrong})
        with pytest.raises(cp.GraphError, match=r"partition\.safetensors"):
            cp.scale.Parts.open(folder)
        (folder / INDEX_NAME).write_bytes(content)


def test_a_folder_without_parts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"got a folder without partition\.safetensors"):
        cp.scale.Parts.open(tmp_path)
