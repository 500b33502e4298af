"""Folders of arrays: whole or not at all, damage is noticed and named, verified once."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cliquepool.array_folders import allocate_array, open_folder, write_folder
from cliquepool.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

FORMAT, VERSION = "test", 3


def write(folder: Path) -> None:
    with write_folder(folder, FORMAT, VERSION) as writer:
        writer.metadata["name"] = "näme"
        writer.append("ids", np.arange(5, dtype=np.int64))
        writer.append("ids", np.arange(5, 1000, dtype=np.int64))
        writer.append("none", np.empty(0, dtype=np.int32))
        writer.scratch("temporary").write_bytes(b"x")


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_arrays_return_mapped_with_their_metadata(tmp_path: Path) -> None:
    write(tmp_path / "a")
    opened = open_folder(tmp_path / "a", FORMAT, VERSION)
    assert opened.arrays["ids"].tolist() == list(range(1000))
    assert opened.arrays["none"].dtype == np.int32
    assert opened.metadata == {"name": "näme"}
    assert not opened.arrays["ids"].flags.writeable
    assert entries(tmp_path) == ["a"]
    assert entries(tmp_path / "a") == ["ids", "manifest.json", "none", "validated.json"]


def test_a_block_that_raises_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), write_folder(tmp_path / "a", FORMAT, VERSION):
        raise ZeroDivisionError
    assert entries(tmp_path) == []


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as error:
        write(tmp_path / "a")
    assert str(error.value.filename).startswith(str(tmp_path / "a"))
    assert entries(tmp_path) == []


@pytest.mark.parametrize("name", ["ids", "manifest.json"])
def test_truncation_and_flipped_bits_are_noticed(tmp_path: Path, name: str) -> None:
    write(tmp_path / "a")
    file = tmp_path / "a" / name
    content = bytearray(file.read_bytes())
    for position in range(0, len(content), 397):
        damaged = content.copy()
        damaged[position] ^= 4
        file.write_bytes(damaged)
        with pytest.raises(InputError, match=f"{name}: expected"):
            open_folder(tmp_path / "a", FORMAT, VERSION)
    for end in (0, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:end])
        with pytest.raises(InputError, match=f"{name}: expected"):
            open_folder(tmp_path / "a", FORMAT, VERSION, validate=False)
    file.unlink()
    with pytest.raises(InputError, match=r"expected a file|expected a folder with a manifest"):
        open_folder(tmp_path / "a", FORMAT, VERSION)


def test_content_is_verified_once_and_again_when_a_file_changes(tmp_path: Path) -> None:
    write(tmp_path / "a")
    checked: list[str] = []

    def opened(validate: bool | None = None) -> int:
        open_folder(
            tmp_path / "a",
            FORMAT,
            VERSION,
            validate=validate,
            check=lambda folder: checked.append(folder.path.name),
        )
        return len(checked)

    assert [opened(False), opened(), opened(), opened(True), opened()] == [0, 1, 1, 2, 2]
    file = tmp_path / "a" / "ids"
    content = file.read_bytes()
    file.write_bytes(content[:-1] + b"\x01")
    os.utime(file, ns=(0, 0))
    with pytest.raises(InputError, match="ids: expected content that matches its checksum"):
        opened()
    file.write_bytes(content)
    os.utime(file, ns=(1, 1))
    assert [opened(), opened()] == [3, 3]
    (tmp_path / "a" / "validated.json").write_text('{"manifest": [')
    assert opened() == 4


def test_another_format_or_version_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a")
    with pytest.raises(InputError, match="expected a folder of format other, got test"):
        open_folder(tmp_path / "a", "other", VERSION)
    with pytest.raises(InputError, match="expected format version 4, got 3"):
        open_folder(tmp_path / "a", FORMAT, 4)
    with pytest.raises(FileNotFoundError):
        open_folder(tmp_path / "b", FORMAT, VERSION)
    with pytest.raises(InputError, match=r"expected a folder with a manifest.json"):
        open_folder(tmp_path, FORMAT, VERSION)


def test_a_manifest_cannot_name_files_outside_the_folder(tmp_path: Path) -> None:
    write(tmp_path / "a")
    (tmp_path / "secret").write_bytes(bytes(8))
    with write_folder(tmp_path / "b", FORMAT, VERSION) as writer:
        writer.append("ids", np.zeros(1, np.int64))
    manifest = tmp_path / "b" / "manifest.json"
    body = json.loads(manifest.read_text())
    body.pop("sha256")
    body["arrays"] = {"../secret": body["arrays"]["ids"]}
    from cliquepool.array_folders import _digest_of  # noqa: PLC0415

    manifest.write_text(json.dumps({**body, "sha256": _digest_of(body)}))
    with pytest.raises(InputError, match="expected the name of a file"):
        open_folder(tmp_path / "b", FORMAT, VERSION)


def test_unknown_dtypes_are_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="expected an array of"),
        write_folder(tmp_path / "a", "x", 1) as writer,
    ):
        writer.append("ids", np.zeros(1, np.complex128))
    assert entries(tmp_path) == []
    with write_folder(tmp_path / "a", "x", 1) as writer:
        writer.append("ids", np.zeros(1, np.int64))
        with pytest.raises(InputError, match="expected int64, got int32"):
            writer.append("ids", np.zeros(1, np.int32))


def test_allocated_arrays_are_files(tmp_path: Path) -> None:
    array = allocate_array(tmp_path / "a", np.int32, 1000)
    assert not array.any()
    array[:] = 7
    del array
    assert (np.fromfile(tmp_path / "a", np.int32) == 7).all()
    assert len(allocate_array(tmp_path / "b", np.int64, 0)) == 0
    with pytest.raises(FileExistsError):
        allocate_array(tmp_path / "a", np.int32, 1)


def test_arrays_of_a_known_length_are_filled_in_place(tmp_path: Path) -> None:
    with write_folder(tmp_path / "a", FORMAT, VERSION) as writer:
        for name, length in (("ids", 3), ("none", 0)):
            array = writer.allocate(name, np.int32, length)
            array[:] = np.arange(length)
            writer.finish_array(name, np.int32)
    opened = open_folder(tmp_path / "a", FORMAT, VERSION, validate=True)
    assert {name: array.tolist() for name, array in opened.arrays.items()} == {"ids": [0, 1, 2], "none": []}
