"""Images of a few classes that are easy to classify, for tests of image networks."""

from __future__ import annotations

import numpy as np

from cliquepool.data.images import ImageDataset


def bars(
    count: int = 60, *, channels: int = 1, mirrored: bool = True, seed: int = 0, name: str = "bars"
) -> ImageDataset:
    """Return images of noise with a horizontal bar, a vertical bar or none; every fourth is for testing."""
    random = np.random.default_rng(seed)
    images = random.integers(60, size=(count, channels, 32, 32), dtype=np.uint8)
    for number, image in enumerate(images):
        start = int(random.integers(8, 24))
        if number % 3 == 0:
            image[:, start : start + 3, 4:28] = 220
        elif number % 3 == 1:
            image[:, 4:28, start : start + 3] = 220
    return ImageDataset(
        name=name,
        images=images,
        targets=np.arange(count) % 3,
        classes=np.array(["lying", "standing", "none"]),
        is_test=np.arange(count) % 4 == 3,
        mirrored=mirrored,
    )


def colours(count: int = 24) -> ImageDataset:
    """Return images of one colour with some noise, easy to learn; the second half is for testing."""
    random = np.random.default_rng(0)
    images = random.integers(60, size=(count, 3, 32, 32), dtype=np.uint8)
    targets = np.arange(count) % 3
    images[np.arange(count), targets] += 150
    return ImageDataset(
        name="colours",
        images=images,
        targets=targets,
        classes=np.array(["red", "green", "blue"]),
        is_test=np.arange(count) >= count // 2,
        mirrored=True,
    )


def two_images() -> ImageDataset:
    """Return two small images, one of them for testing."""
    return ImageDataset(
        name="two",
        images=np.arange(2 * 1024, dtype=np.uint16).astype(np.uint8).reshape(2, 1, 32, 32),
        targets=np.array([1, 0]),
        classes=np.array(["cat", "dog"]),
        is_test=np.array([False, True]),
        mirrored=True,
    )
