"""Short trainings on small images, to compare others with."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cliquepool.nn.image_settings import ImageSettings
from cliquepool.training.compute import Compute
from cliquepool.training.images import train_images
from tests.helpers.small_images import bars

if TYPE_CHECKING:
    from cliquepool.training.image_network import FittedImageNetwork
    from cliquepool.training.loop import Training

DATA = bars()
TRAIN, TEST = np.flatnonzero(~DATA.is_test), np.flatnonzero(DATA.is_test)
SMALL = ImageSettings(arch="vgg", width=1 / 32, epochs=4, batch_size=16)
KINDS = {"vgg": SMALL, "vgg-clique": SMALL.model_copy(update={"arch": "vgg-clique", "width": 1 / 64})}
PLAIN = Compute.choose("cpu")
every_kind = pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)


def run(settings: ImageSettings = SMALL, seed: int = 0, **how: Any) -> Training[FittedImageNetwork]:
    """Train on the training images of `DATA`, one thread, and validate on its test images."""
    chosen = {"dataset": DATA, "train": TRAIN, "validation": TEST, "compute": PLAIN, "threads": 1} | how
    return train_images(settings=settings, seed=seed, **chosen)


@functools.cache
def unbroken(settings: ImageSettings = SMALL) -> Training[FittedImageNetwork]:
    """Return an uninterrupted training, the same in every call."""
    return run(settings)
