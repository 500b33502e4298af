"""ImageDataset: arrays that agree, and files that are loaded as they were saved."""

from __future__ import annotations

import copy
import dataclasses
import mmap
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors import safe_open

import cliquepool as cp
from cliquepool.data import load_images
from cliquepool.data.images import ImageDataset
from tests.helpers.resealed_files import resealed


@st.composite
def image_datasets(draw: st.DrawFn) -> ImageDataset:
    random = np.random.default_rng(draw(st.integers(0, 99)))
    count, channels = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    classes = draw(st.sampled_from([["cat", "dog"], ["Ω", "a", "B"], [3, 1], [0.5]]))
    return ImageDataset(
        name=draw(st.text(max_size=5)),
        images=random.integers(256, size=(count, channels, 32, 32), dtype=np.uint8),
        targets=random.integers(len(classes), size=count),
        classes=np.array(classes),
        is_test=random.random(count) < 0.5,
        mirrored=draw(st.booleans()),
    )


def fields_of(dataset: ImageDataset) -> dict[str, Any]:
    return {field.name: getattr(dataset, field.name) for field in dataclasses.fields(dataset) if field.init}


def same(one: ImageDataset, other: ImageDataset) -> None:
    for (name, value), expected in zip(fields_of(one).items(), fields_of(other).values(), strict=True):
        assert type(value) is type(expected), name
        assert np.array_equal(value, expected), name
    assert one.fingerprint == other.fingerprint


SMALL = ImageDataset(
    name="small",
    images=np.random.default_rng(0).integers(256, size=(2, 3, 32, 32), dtype=np.uint8),
    targets=np.array([1, 0]),
    classes=np.array(["cat", "dog"]),
    is_test=np.array([False, True]),
    mirrored=True,
)


def changed(**changes: Any) -> ImageDataset:
    return ImageDataset(**fields_of(SMALL) | changes)


# ---- arrays ----


def test_what_it_is() -> None:
    assert (len(SMALL), SMALL.channels, SMALL.num_classes) == (2, 3, 2)
    assert repr(SMALL) == "ImageDataset(small: 2 images of 3×32×32 pixels, 1 of them for testing, 2 classes)"
    assert SMALL.classes.tolist() == ["cat", "dog"]


def test_arrays_do_not_change_and_are_not_copied() -> None:
    images = np.zeros((2, 3, 32, 32), np.uint8)
    dataset = changed(images=images)
    assert np.shares_memory(dataset.images, images)
    for array in (dataset.images, dataset.targets, dataset.classes, dataset.is_test):
        assert not array.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.mirrored = False  # type: ignore[misc]


def test_images_are_contiguous_whatever_they_were() -> None:
    turned = SMALL.images.transpose(0, 1, 3, 2)
    assert changed(images=turned).images.flags.c_contiguous
    assert np.array_equal(changed(images=turned).images, turned)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"images": np.zeros((2, 3, 32, 32))},
            "images: expected uint8 in 4 dimensions, got float64 of shape (2, 3, 32, 32)",
        ),
        ({"images": np.zeros((2, 32, 32), np.uint8)}, "images: expected uint8 in 4 dimensions"),
        (
            {"images": np.zeros((2, 3, 32, 31), np.uint8)},
            "images: expected one or more, of shape (images, channels, 32, 32), got shape (2, 3, 32, 31)",
        ),
        ({"images": np.zeros((2, 0, 32, 32), np.uint8)}, "images: expected one or more"),
        ({"images": np.zeros((0, 3, 32, 32), np.uint8)}, "images: expected one or more"),
        ({"targets": np.array([0])}, "targets: expected 2 entries, one for each image, got 1"),
        ({"targets": np.array([0, 2])}, "targets: expected classes from 0 to 1, got 0 to 2"),
        ({"targets": np.array([-1, 0])}, "targets: expected classes from 0 to 1, got -1 to 0"),
        ({"targets": np.array([0.0, 1.0])}, "targets: expected int64 in 1 dimension, got float64"),
        ({"is_test": np.array([True])}, "is_test: expected 2 entries, one for each image, got 1"),
        ({"is_test": np.array([0, 1])}, "is_test: expected bool in 1 dimension, got int64"),
        ({"classes": np.array(["cat", "cat"])}, "classes: expected distinct ones, got ['cat', 'cat']"),
        ({"classes": np.array([None, "cat"])}, "classes: expected a list of integers, numbers or text"),
    ],
)
def test_arrays_that_do_not_agree_are_reported(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(cp.InputError) as caught:
        changed(**changes)
    assert str(caught.value).startswith(message)


def test_the_fingerprint_is_of_everything_but_the_name() -> None:
    others = [
        changed(images=255 - SMALL.images),
        changed(images=SMALL.images[:, ::-1]),
        changed(targets=np.array([0, 1])),
        changed(classes=np.array(["cat", "cow"])),
        changed(is_test=np.array([True, False])),
        changed(mirrored=False),
    ]
    assert len({SMALL.fingerprint, *(other.fingerprint for other in others)}) == 7
    assert changed(name="other").fingerprint == SMALL.fingerprint


@given(image_datasets())
def test_copies_and_pickles_are_the_same(dataset: ImageDataset) -> None:
    same(pickle.loads(pickle.dumps(dataset)), dataset)
    assert copy.deepcopy(dataset) is dataset
    assert copy.copy(dataset) is dataset


# ---- files ----


@settings(max_examples=30)
@given(image_datasets(), st.booleans())
def test_a_data_set_comes_back_as_it_was_saved(dataset: ImageDataset, mapped: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        dataset.save(Path(folder, "saved"))
        loaded = ImageDataset.load(Path(folder, "saved"), mmap=mapped)
        same(loaded, dataset)
        assert loaded.images.flags.c_contiguous
        assert not loaded.images.flags.writeable
        assert is_mapped(loaded.images) == mapped
        del loaded  # which an open map would keep from being removed on some systems


def is_mapped(array: Any) -> bool:
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(getattr(array, "obj", array), mmap.mmap)


def test_the_layout_is_that_of_safetensors(tmp_path: Path) -> None:
    SMALL.save(tmp_path / "saved.safetensors")
    with safe_open(tmp_path / "saved.safetensors", framework="numpy") as file:
        assert file.metadata()["format"] == "cliquepool.images"
        assert np.array_equal(file.get_tensor("images"), SMALL.images)
    same(load_images(tmp_path / "saved.safetensors"), SMALL)


@settings(max_examples=100)
@given(st.integers(0, 10**6), st.integers(1, 255), st.booleans(), st.booleans())
@example(408, 2, False, False)  # a class that is none
def test_damage_anywhere_is_reported(place: int, change: int, cut: bool, mapped: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "saved")
        changed(name="").save(path)
        data = bytearray(path.read_bytes())
        data[place % len(data)] ^= change
        path.write_bytes(data[: place % len(data)] if cut else data)
        try:
            loaded = ImageDataset.load(path, mmap=mapped)
        except cp.InputError as error:
            message = str(error)
        else:
            assert not cut
            assert (loaded.name, loaded.fingerprint) == ("", SMALL.fingerprint)
            return
        assert message.startswith(f"{path}: ")
        assert "expected" in message
        assert "\n" not in message


def rewritten(path: Path, **metadata: str) -> None:
    """Write the small data set with another header, which says so consistently."""
    SMALL.save(path)
    resealed(path, lambda _, header: header.update(metadata))


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (
            {"format": "cliquepool.dataset"},
            "expected a file of format cliquepool.images, got cliquepool.dataset",
        ),
        ({"version": "999"}, "expected format version 2 or 1, got 999"),
        ({"fingerprint": "0" * 64}, "expected content that matches the fingerprint in the header"),
        ({"classes": '["cat", "cow"]'}, "expected content that matches the fingerprint in the header"),
        ({"classes": "cat"}, "expected a whole file of images, got one that is not"),
        ({"classes": "[" * 10**5}, "expected a whole file of images, got one that is not"),
        ({"mirrored": "false"}, "expected content that matches the fingerprint in the header"),
    ],
)
@pytest.mark.parametrize("mapped", [False, True])
def test_files_of_other_kinds_are_refused(
    tmp_path: Path, metadata: dict[str, str], message: str, mapped: bool
) -> None:
    rewritten(tmp_path / "saved", **metadata)
    with pytest.raises(cp.InputError) as caught:
        ImageDataset.load(tmp_path / "saved", mmap=mapped)
    assert str(caught.value).startswith(f"{tmp_path / 'saved'}: {message}")


def test_graphs_are_no_images_and_no_file_is_no_file(tmp_path: Path) -> None:
    cp.clique_hierarchy(cp.Graph.from_edges([(0, 1)])).save(tmp_path / "h.safetensors")
    with pytest.raises(
        cp.InputError, match=r"expected a file of format cliquepool\.images, got cliquepool\.hier"
    ):
        ImageDataset.load(tmp_path / "h.safetensors")
    with pytest.raises(FileNotFoundError):
        ImageDataset.load(tmp_path / "none")


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "taken"
    (target / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match=r".+"):
        SMALL.save(target)
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]
