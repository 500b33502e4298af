"""Augmentation and normalisation: a network is shown what was there, moved, mirrored and scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.training.augmentation import Normalisation, augment

Random = np.random.default_rng


def every_piece(image: torch.Tensor, crop: int, mirror: bool) -> set[bytes]:
    """All that augmentation may make of an image, cut out one by one."""
    padded = np.pad(image.numpy(), ((0, 0), (crop, crop), (crop, crop)))
    height, width = image.shape[1:]
    pieces = [
        padded[:, down : down + height, right : right + width]
        for down in range(2 * crop + 1)
        for right in range(2 * crop + 1)
    ]
    if mirror:
        pieces += [piece[:, :, ::-1] for piece in pieces]
    return {piece.tobytes() for piece in pieces}


@given(
    shape=st.tuples(st.integers(0, 5), st.integers(1, 3), st.integers(1, 6), st.integers(1, 6)),
    crop=st.integers(0, 4),
    mirror=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_an_image_becomes_one_of_its_pieces(
    shape: tuple[int, ...], crop: int, mirror: bool, seed: int
) -> None:
    images = torch.from_numpy(Random(seed).integers(1, 256, size=shape, dtype=np.uint8))
    made = augment(images, Random(seed), crop=crop, mirror=mirror)
    assert (made.shape, made.dtype) == (images.shape, images.dtype)
    for image, piece in zip(images, made, strict=True):
        assert piece.numpy().tobytes() in every_piece(image, crop, mirror)
    assert torch.equal(augment(images, Random(seed), crop=crop, mirror=mirror), made)


def test_without_crop_and_mirror_an_image_stays_as_it_is() -> None:
    images = torch.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    assert torch.equal(augment(images, Random(0), crop=0, mirror=False), images)


def test_every_piece_is_as_likely_as_any_other() -> None:
    # A single pixel stays only where it is moved by nothing, once in nine times.
    moved = augment(torch.ones(9000, 1, 1, 1), Random(0), crop=1, mirror=False)
    assert int(moved.sum()) == pytest.approx(1000, abs=100)
    # What is left of a line of three tells by how much it was moved sideways.
    lines = augment(torch.tensor([1, 2, 3]).expand(9000, 1, 3, 3), Random(0), crop=1, mirror=False)
    found, counts = torch.unique(lines[:, 0, 1], dim=0, return_counts=True)
    assert found.tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 0]]
    assert counts.tolist() == pytest.approx([3000] * 3, abs=200)


def test_half_of_the_images_are_mirrored() -> None:
    lines = augment(torch.tensor([1, 2, 3]).expand(9000, 1, 1, 3), Random(0), crop=0)
    found, counts = torch.unique(lines.flatten(1), dim=0, return_counts=True)
    assert found.tolist() == [[1, 2, 3], [3, 2, 1]]
    assert counts.tolist() == pytest.approx([4500] * 2, abs=200)


@pytest.mark.parametrize(
    "device",
    [
        "cpu",
        pytest.param(
            "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a graphics card")
        ),
    ],
)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32, torch.bfloat16])
def test_types_layouts_and_devices_are_treated_alike(dtype: torch.dtype, device: str) -> None:
    images = torch.from_numpy(Random(1).integers(256, size=(7, 3, 8, 8)))
    expected = augment(images, Random(2), crop=3)
    there = images.to(device=device, dtype=dtype)
    assert torch.equal(augment(there, Random(2), crop=3).cpu(), expected.to(dtype))
    there = there.contiguous(memory_format=torch.channels_last)
    assert torch.equal(augment(there, Random(2), crop=3).cpu(), expected.to(dtype))


def test_normalised_images_have_mean_0_and_deviation_1() -> None:
    images = Random(0).integers(256, size=(1500, 2, 4, 4), dtype=np.uint8)
    images[:, 1] //= 3
    normalisation = Normalisation.of(images)
    assert normalisation.mean == pytest.approx(images.mean(axis=(0, 2, 3)).tolist())
    assert normalisation.deviation == pytest.approx(images.std(axis=(0, 2, 3)).tolist())
    shown = normalisation(torch.from_numpy(images))
    assert shown.dtype == torch.float32
    assert shown.mean(dim=(0, 2, 3)).tolist() == pytest.approx([0, 0], abs=1e-5)
    assert shown.std(dim=(0, 2, 3)).tolist() == pytest.approx([1, 1], abs=1e-3)


@pytest.mark.parametrize("brightness", [0, 17, 255])
def test_a_channel_that_never_changes_is_shifted_to_0_and_not_scaled(brightness: Any) -> None:
    images = np.full((3, 1, 2, 2), brightness, dtype=np.uint8)
    normalisation = Normalisation.of(images)
    assert normalisation == Normalisation((float(brightness),), (1.0,))
    assert normalisation(torch.from_numpy(images)).abs().max() == 0
