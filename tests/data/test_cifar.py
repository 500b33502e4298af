"""read_cifar: batches read as they were written, in every container; what is wrong is told with its place."""

from __future__ import annotations

import gzip
import lzma
import os
import pickle
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import load_images, tar
from cliquepool.data.cifar import read_cifar
from tests.helpers.cifar_files import (
    FOLDER,
    NAMES,
    PACKERS,
    batch,
    check_small,
    member,
    packed,
    pickled,
    small,
    tarred,
    with_byte_keys,
    write,
)


@pytest.mark.parametrize("container", [*PACKERS, "folder"])
def test_every_container_reads_the_same(tmp_path: Path, container: str) -> None:
    dataset = read_cifar(write(tmp_path / "cifar", small(), container))
    check_small(dataset)
    assert dataset.images.shape == (6, 3, 32, 32)
    assert dataset.images.flags.c_contiguous
    assert not dataset.images.flags.writeable


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("spelling", ["bytes", "text"])
def test_every_protocol_and_spelling_reads_the_same(tmp_path: Path, protocol: int, spelling: str) -> None:
    contents = with_byte_keys(small()) if spelling == "bytes" else small()
    files = {name if isinstance(name, str) else name.decode(): content for name, content in contents.items()}
    check_small(read_cifar(write(tmp_path / "cifar", dict(pickled(files, protocol)))))


@pytest.mark.parametrize("folder", ["", "./", f"./{FOLDER}/", "some/where/"])
def test_the_folder_inside_an_archive_does_not_matter(tmp_path: Path, folder: str) -> None:
    (tmp_path / "cifar.tar").write_bytes(packed(small(), folder))
    check_small(read_cifar(tmp_path / "cifar.tar"))


def test_a_folder_is_read_from_within_or_from_above(tmp_path: Path) -> None:
    write(tmp_path / "data" / FOLDER, small(), "folder")
    (tmp_path / "data" / FOLDER / "readme.html").write_text("<html>")
    check_small(read_cifar(tmp_path / "data" / FOLDER))
    check_small(read_cifar(tmp_path / "data"))


@settings(max_examples=20)
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), min_size=2, max_size=12),
    st.sampled_from(["C", "F"]),
    st.randoms(use_true_random=False),
)
def test_any_number_of_batches_of_any_length_is_read_in_order(
    labels: list[list[int]], order: Any, random: Any
) -> None:
    names = [f"data_batch_{number}" for number in range(1, len(labels))] + ["test_batch"]
    batches = {name: batch(own, seed) for seed, (name, own) in enumerate(zip(names, labels, strict=True))}
    expected = np.concatenate([content["data"] for content in batches.values()])
    for content in batches.values():
        content["data"] = np.asarray(content["data"], order=order)
    shuffled = list(batches.items())
    random.shuffle(shuffled)
    with tempfile.TemporaryDirectory() as folder:
        dataset = read_cifar(write(Path(folder, "cifar"), dict(shuffled)))
    assert dataset.targets.tolist() == [label for own in labels for label in own]
    assert np.count_nonzero(dataset.is_test) == len(labels[-1])
    assert np.array_equal(dataset.images.reshape(-1, 3072), expected)


def test_the_first_pixels_are_the_red_of_the_top_row(tmp_path: Path) -> None:
    data = np.zeros((1, 3072), dtype=np.uint8)
    data[0, :32] = range(32)
    data[0, 1024 + 32] = 7
    image = read_cifar(
        write(tmp_path / "cifar", small() | {"test_batch": batch([0]) | {"data": data}})
    ).images[-1]
    assert image[0, 0].tolist() == list(range(32))
    assert image[1, 1, 0] == 7
    assert int(image.sum()) == sum(range(32)) + 7


def test_classes_without_names_are_numbers(tmp_path: Path) -> None:
    contents = small()
    del contents["batches.meta"]
    assert read_cifar(write(tmp_path / "cifar", contents)).classes.tolist() == list("0123456789")


def without(name: str) -> dict[str, Any]:
    return {key: content for key, content in small().items() if key != name}


def one(**changes: Any) -> dict[str, Any]:
    return small() | {"data_batch_2": batch([1, 5]) | changes}


NEEDED = "expected one or more of data_batch_1, data_batch_2, … and test_batch"


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ({}, f"{NEEDED}, got neither"),
        ({"readme.html": b"<html>"}, f"{NEEDED}, got neither"),
        ({"batches.meta": small()["batches.meta"]}, f"{NEEDED}, got neither"),
        ({"test_batch": batch([1])}, f"{NEEDED}, got test_batch"),
        (without("test_batch"), f"{NEEDED}, got data_batch_1, data_batch_2"),
        (small() | {"data_batch_2": b"hello"}, "data_batch_2: expected a pickle of protocol 2 to 5"),
        (small() | {"data_batch_2": b""}, "data_batch_2: expected a pickle of protocol 2 to 5"),
        (
            small() | {"data_batch_2": pickle.dumps(batch([1, 5]), 2)[:5000]},
            "data_batch_2: expected a whole pickle, got its first 5,000 bytes: cut short",
        ),
        (small() | {"data_batch_2": [1, 2]}, "data_batch_2: expected a dictionary, got list"),
        (
            small() | {"data_batch_2": {"images": 1, b"labels": [2]}},
            "data_batch_2: expected a dictionary with 'data', got one with 'images', b'labels'",
        ),
        (
            small() | {"data_batch_2": {"data": 1}},
            "data_batch_2: expected a dictionary with 'labels', got one with 'data'",
        ),
        (
            small() | {"data_batch_2": {}},
            "data_batch_2: expected a dictionary with 'data', got one with nothing",
        ),
        (one(data=[0, 0, 0]), "data_batch_2: data: expected an array of shape (images, 3072), got list"),
        (
            one(data=np.zeros((2, 3071), np.uint8)),
            "data_batch_2: data: expected an array of shape (images, 3072), got shape (2, 3071)",
        ),
        (one(data=np.zeros(3072, np.uint8)), "data_batch_2: data: expected an array of shape (images, 3072)"),
        (one(data=np.zeros((2, 3072), np.int8)), "data_batch_2: expected an array of uint8 (u1), got ('i1')"),
        (one(data=np.zeros((2, 3072), object)), "data_batch_2: expected an array of uint8 (u1), got ('O8')"),
        (one(data=np.zeros((0, 3072), np.uint8), labels=[]), "data_batch_2: expected"),
        (one(labels=[1]), "data_batch_2: labels: expected 2, one for each image, got 1"),
        (one(labels=(1, 5)), "data_batch_2: labels: expected a list of integers, got tuple"),
        (one(labels=[1, 5.0]), "data_batch_2: labels: expected a list of integers, got one of float"),
        (one(labels=[1, True]), "data_batch_2: labels: expected a list of integers, got one of bool"),
        (one(labels=[1, 10]), "data_batch_2: labels: expected classes from 0 to 9, got 10 for image 1"),
        (one(labels=[-1, 1]), "data_batch_2: labels: expected classes from 0 to 9, got -1 for image 0"),
        (
            small() | {"batches.meta": {"label_names": NAMES[:3]}},
            "data_batch_1: labels: expected classes from 0 to 2, got 3 for image 0",
        ),
        (
            small() | {"batches.meta": {"names": NAMES}},
            "batches.meta: expected a dictionary with 'label_names', got one with 'names'",
        ),
        (
            small() | {"batches.meta": {"label_names": "cat"}},
            "batches.meta: label_names: expected a list of 1 to 1,000 names, got str",
        ),
        (
            small() | {"batches.meta": {"label_names": []}},
            "batches.meta: label_names: expected a list of 1 to 1,000 names, got 0",
        ),
        (
            small() | {"batches.meta": {"label_names": [*NAMES[:9], 7]}},
            "batches.meta: label_names: expected names of up to 100 characters, got int",
        ),
        (
            small() | {"batches.meta": {"label_names": [*NAMES[:9], "a\nb"]}},
            "batches.meta: label_names: expected names of up to 100 characters, got 'a\\nb'",
        ),
        (
            small() | {"batches.meta": {"label_names": ["cat"] * 10}},
            "batches.meta: label_names: expected different names, got one of 10 twice",
        ),
    ],
)
@pytest.mark.parametrize("container", ["tar.gz", "folder"])
def test_bad_batches_are_reported_in_one_line(
    tmp_path: Path, contents: dict[str, Any], message: str, container: str
) -> None:
    path = write(tmp_path / "cifar", contents, container)
    with pytest.raises(cp.GraphError) as caught:
        read_cifar(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


class Touching:
    """An object whose pickle makes a file."""

    def __init__(self, path: Path) -> None:
        self.command = f"open({str(path)!r}, 'w').close()"

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (self.command,)


@pytest.mark.parametrize("container", ["tar.xz", "folder"])
@pytest.mark.parametrize("name", ["data_batch_1", "test_batch", "batches.meta"])
def test_nothing_in_a_batch_is_run(tmp_path: Path, name: str, container: str) -> None:
    made = tmp_path / "made"
    contents = small()
    contents[name]["extra"] = Touching(made)
    pickle.loads(pickle.dumps(contents[name]))
    assert made.exists()
    made.unlink()
    path = write(tmp_path / "cifar", contents, container)
    with pytest.raises(cp.GraphError, match=rf"{name}: expected only arrays of bytes and plain values, got"):
        read_cifar(path)
    assert not made.exists()


# ---- archives ----


def test_links_devices_and_names_that_lead_out_are_passed_over(tmp_path: Path) -> None:
    rubbish = pickle.dumps(batch([0], 9), 2)
    members = [
        member("/data_batch_3", rubbish),
        member("../data_batch_4", rubbish),
        member(f"{FOLDER}/../../data_batch_5", rubbish),
        member(f"{FOLDER}/data_batch_6", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        member(f"{FOLDER}/data_batch_7", type=tarfile.LNKTYPE, linkname=f"{FOLDER}/data_batch_1"),
        member(f"{FOLDER}/data_batch_8", type=tarfile.FIFOTYPE),
        member(f"{FOLDER}/data_batch_9", type=tarfile.CHRTYPE),
        member(f"{FOLDER}/data_batch_10", type=tarfile.DIRTYPE),
        member(f"{FOLDER}/._data_batch_1", b"of a Mac"),
        member(f"{FOLDER}/data_batch_1.bin", b"of another layout"),
        member("a" * 90 + "/" + "b" * 90, b"a long name"),
        member(f"{FOLDER}/Ω", b"a name that is not ASCII"),
    ]
    own = [member(f"{FOLDER}/{name}", data) for name, data in pickled(small()).items()]
    (tmp_path / "cifar.tar").write_bytes(tarred(members + own))
    check_small(read_cifar(tmp_path / "cifar.tar"))
    assert [path.name for path in tmp_path.iterdir()] == ["cifar.tar"]


@pytest.mark.parametrize("name", ["batches.meta", "data_batch_1", "test_batch"])
def test_files_that_are_there_twice_are_not_chosen_from(tmp_path: Path, name: str) -> None:
    files = pickled(small())
    members = [member(f"{FOLDER}/{own}", data) for own, data in files.items()]
    (tmp_path / "cifar.tar").write_bytes(tarred([*members, member(name, files[name])]))
    with pytest.raises(cp.GraphError, match=rf"cifar\.tar: {name}: expected one file of this name, got two"):
        read_cifar(tmp_path / "cifar.tar")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected a tar archive, got a file of 0 bytes"),
        (b"hello", "expected a tar archive, got a file of 5 bytes"),
        (
            b"hello" * 1000,
            "expected a tar archive, plain or compressed by gzip, xz or bzip2, got a damaged one or none",
        ),
        (b"PK\x03\x04" + bytes(1000), "expected a tar archive, plain or compressed"),
        (gzip.compress(b"hello", mtime=0), "expected a tar archive, got a file of 5 bytes"),
        (b"\x1f\x8b" + bytes(1000), "expected whole gzip data"),
        (b"\xfd7zXZ\0" + bytes(1000), "expected whole xz data"),
        (bytes(10240), f"{NEEDED}, got neither"),
    ],
)
def test_files_that_are_no_archive_are_reported(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(cp.GraphError) as caught:
        read_cifar(tmp_path / "file")
    assert str(caught.value).startswith(f"{tmp_path / 'file'}: {message}")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(
        cp.GraphError, match=r"none: expected an archive or a folder of CIFAR-10, got no such file"
    ):
        read_cifar(tmp_path / "none")


WHOLE = packed(small())
PACKED = {container: pack(WHOLE) for container, pack in PACKERS.items()}


@given(st.sampled_from(sorted(PACKED)), st.integers(0, 10**6))
def test_an_archive_cut_short_anywhere_is_reported(container: str, length: int) -> None:
    needed = len(WHOLE.rstrip(b"\0")) if container == "tar" else len(PACKED[container])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cifar")
        path.write_bytes(PACKED[container][: length % needed])
        with pytest.raises(cp.GraphError, match="expected") as caught:
            read_cifar(path)
    assert "\n" not in str(caught.value)


def test_an_archive_cut_short_is_reported_with_the_batch(tmp_path: Path) -> None:
    (tmp_path / "cifar.tar").write_bytes(WHOLE[:5000])
    with pytest.raises(
        cp.GraphError, match=r"cifar\.tar: data_batch_1: expected a whole tar archive, got its first 5,000"
    ):
        read_cifar(tmp_path / "cifar.tar")


@settings(max_examples=200)
@given(
    st.sampled_from(sorted(PACKED)),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 600), st.binary(max_size=3)), min_size=1, max_size=3),
)
def test_damaged_archives_are_read_or_reported(
    container: str, changes: list[tuple[float, int, bytes]]
) -> None:
    data = PACKED[container]
    for place, cut, put in changes:
        start = int(place * len(data))
        data = data[:start] + put + data[start + cut :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cifar")
        path.write_bytes(data)
        try:
            dataset = read_cifar(path)
        except cp.GraphError:
            return
    assert dataset.images.shape == (len(dataset.targets), 3, 32, 32)
    assert 0 <= dataset.targets.min() <= dataset.targets.max() < len(dataset.classes)


@settings(max_examples=200)
@given(st.integers(0, 511), st.integers(1, 255))
def test_a_damaged_header_is_reported_and_not_mistaken_for_the_end(place: int, change: int) -> None:
    start = WHOLE.index(f"{FOLDER}/data_batch_2".encode())
    data = bytearray(WHOLE)
    data[start + place] ^= change
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cifar")
        path.write_bytes(data)
        try:
            check_small(read_cifar(path))  # where the checksum is spelt otherwise
        except cp.GraphError as error:
            assert "damaged" in str(error)  # noqa: PT017 (both may be)


def test_files_and_archives_that_are_too_large_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cifar.tar.xz"
    info, _ = member(f"{FOLDER}/data_batch_1")
    info.size = 2**33 - 1
    path.write_bytes(lzma.compress(info.tobuf()))
    with pytest.raises(
        cp.GraphError, match=r"data_batch_1: expected a file of up to 268,435,456 bytes, got 8,589,934,591"
    ):
        read_cifar(path)
    monkeypatch.setattr(tar, "_LARGEST_ARCHIVE", 2**20)
    for bomb in (
        tarred([member("other", bytes(2**21))]),
        tarred([member("header", bytes(2**21), type=tarfile.XHDTYPE)]),
        WHOLE + bytes(2**21),
    ):
        path.write_bytes(lzma.compress(bomb))
        with pytest.raises(
            cp.GraphError, match=r"expected an archive of up to 1,048,576 bytes unpacked, got more"
        ):
            read_cifar(path)


def test_files_in_a_folder_that_are_too_large_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "cifar", small(), "folder")
    os.truncate(path / "test_batch", 2**28 + 1)
    with pytest.raises(
        cp.GraphError, match=r"test_batch: expected a file of up to 268,435,456 bytes, got 268,435,457"
    ):
        read_cifar(path)


# ---- the data set itself ----


@pytest.mark.data
def test_the_shared_part_has_its_counts_and_about_the_published_mean(shared_data: Path) -> None:
    if not (shared_data / "cifar").is_dir():
        pytest.skip(f"no images in {shared_data}: put cifar/cifar-10-subset.tar.xz there")
    dataset = load_images("CIFAR-10", data_dir=shared_data)
    assert (len(dataset), int(dataset.is_test.sum())) == (18_000, 3_000)
    assert dataset.is_test[15_000:].all()
    assert dataset.classes.tolist() == NAMES
    for begin in range(0, 18_000, 3_000):
        assert np.bincount(dataset.targets[begin : begin + 3_000]).tolist() == [300] * 10
    # The published figures are of all 50,000.
    published = ((0.4914, 0.2470), (0.4822, 0.2435), (0.4465, 0.2616))
    for channel, expected in enumerate(published):
        share = np.bincount(dataset.images[:15_000, channel].reshape(-1), minlength=256) / (15_000 * 1024)
        mean = float(share @ np.arange(256)) / 255
        deviation = float(share @ (np.arange(256) / 255 - mean) ** 2) ** 0.5
        assert (mean, deviation) == pytest.approx(expected, abs=0.005)
    assert repr(dataset) == (
        "ImageDataset(CIFAR-10: 18,000 images of 3×32×32 pixels, 3,000 of them for testing, 10 classes)"
    )
