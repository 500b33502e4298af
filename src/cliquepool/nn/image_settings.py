"""Settings of image networks and of their training."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat, PositiveInt

__all__ = ["Architecture", "ImageSettings"]

Architecture = Literal["vgg", "vgg-clique"]


class ImageSettings(BaseModel):
    """One of the paper's two networks, trained by stochastic gradient descent with Nesterov's momentum.

    >>> settings = ImageSettings(arch="vgg", epochs=10, learning_rate=0.1, warm_up=0.2)
    >>> [round(settings.rate_at(step, steps=100), 3) for step in (0, 10, 20, 60, 99)]
    [0.005, 0.055, 0.1, 0.05, 0.0]
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    arch: Architecture = "vgg-clique"
    """The paper's baseline with pools of stride 2, or the same with clique pools."""
    width: Annotated[float, Field(gt=0, le=16)] = 1.0
    """The factor on every number of features; 1 is the paper's network."""
    epochs: PositiveInt = 30
    """The number of passes over the training images."""
    batch_size: PositiveInt = 64
    """The largest number of images in a mini-batch."""
    learning_rate: PositiveFloat = 0.05
    """The highest learning rate, at the end of the warm-up."""
    warm_up: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """The share of all steps in which the learning rate rises linearly."""
    momentum: Annotated[float, Field(gt=0, lt=1)] = 0.9
    """Nesterov's momentum."""
    weight_decay: NonNegativeFloat = 5e-4
    """The weight decay, an L2 penalty."""
    label_smoothing: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """The share of each target that is spread over all classes."""
    crop: Annotated[int, Field(ge=0, le=31)] = 4
    """The largest random shift of an image along each side, in pixels."""
    mirror: bool = True
    """Whether to flip half of the images, in data sets where a mirrored image keeps its class."""

    def rate_at(self, step: int, steps: int) -> float:
        """Return the learning rate of a step, from 0: a linear warm-up, then a cosine down to zero."""
        rising = self.warm_up * steps
        if step < rising:
            return self.learning_rate * min(1.0, (step + 1) / rising)
        return self.learning_rate * (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2
