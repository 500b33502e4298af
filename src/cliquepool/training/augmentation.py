"""Augmentation and normalisation of images: random crops and mirroring, mean 0 and deviation 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 (everyone calls it so)

if TYPE_CHECKING:
    import numpy.typing as npt
    from torch import Tensor

__all__ = ["Normalisation", "augment"]

_BRIGHTNESSES: Final = 256
_IMAGES_AT_ONCE: Final = 1024


def augment(images: Tensor, random: np.random.Generator, *, crop: int = 4, mirror: bool = True) -> Tensor:
    """Shift each image by up to `crop` pixels along both sides, and with `mirror` flip half of them.

    This is the usual augmentation of CIFAR: pad by `crop` zeros on all sides, crop to the original size at
    a uniformly random offset, and flip left and right with probability 1/2. Images are (N, C, H, W), of any
    type and on any device. The result depends only on the images and on the state of `random`.

    >>> image = torch.arange(1, 5).reshape(1, 1, 2, 2)
    >>> augment(image, np.random.default_rng(0), crop=1, mirror=False)
    tensor([[[[3, 4],
              [0, 0]]]])
    >>> augment(image, np.random.default_rng(0), crop=1)
    tensor([[[[4, 3],
              [0, 0]]]])
    """
    count, channels, height, width = images.shape
    down, right = random.integers(2 * crop + 1, size=(2, count, 1))
    swapped = random.integers(2, size=(count, 1)) == 1 if mirror else np.zeros((count, 1), dtype=bool)
    columns = np.where(swapped, np.arange(width)[::-1], np.arange(width)) + right
    rows = np.arange(height) + down
    row, column = (torch.from_numpy(source).to(images.device) for source in (rows, columns))
    # The index of each pixel in the padded image, the same in all channels.
    indices = (row[:, :, None] * (width + 2 * crop) + column[:, None, :]).reshape(count, 1, height * width)
    padded = F.pad(images, (crop, crop, crop, crop)).flatten(2)
    return padded.gather(2, indices.expand(-1, channels, -1)).view(images.shape)


@dataclass(frozen=True, slots=True)
class Normalisation:
    """The mean and the standard deviation of each channel, to normalise images by.

    >>> images = np.array([[[[10, 30]]], [[[20, 20]]]], dtype=np.uint8)
    >>> normalisation = Normalisation.of(images)
    >>> normalisation.mean, round(normalisation.deviation[0], 3)
    ((20.0,), 7.071)
    >>> normalisation(torch.from_numpy(images)).flatten()
    tensor([-1.4142,  1.4142,  0.0000,  0.0000])
    """

    mean: tuple[float, ...]
    deviation: tuple[float, ...]

    @classmethod
    def of(cls, images: npt.NDArray[np.uint8]) -> Normalisation:
        """Measure images, (N, C, H, W); the deviation of a constant channel is 1."""
        counts = np.zeros((images.shape[1], _BRIGHTNESSES), dtype=np.int64)
        for begin in range(0, len(images), _IMAGES_AT_ONCE):
            part = images[begin : begin + _IMAGES_AT_ONCE]
            for channel in range(len(counts)):
                counts[channel] += np.bincount(part[:, channel].ravel(), minlength=_BRIGHTNESSES)
        brightness = np.arange(_BRIGHTNESSES, dtype=np.float64)
        shares = counts / counts.sum(axis=1, keepdims=True)
        mean = shares @ brightness
        variance = (shares * (brightness - mean[:, None]) ** 2).sum(axis=1)
        deviation = np.sqrt(np.where(variance > 0, variance, 1.0))
        return cls(tuple(mean.tolist()), tuple(deviation.tolist()))

    def __call__(self, images: Tensor) -> Tensor:
        """Return normalised images, as 32-bit floats."""
        mean, deviation = (
            torch.tensor(values, dtype=torch.float32, device=images.device)[:, None, None]
            for values in (self.mean, self.deviation)
        )
        return images.to(torch.float32).sub_(mean).div_(deviation)
