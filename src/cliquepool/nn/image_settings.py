"""Every choice of an image network and of its training, typed."""

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
    """What every number of features is multiplied by; 1 is the paper's network."""
    epochs: PositiveInt = 30
    """How many times training goes through all images."""
    batch_size: PositiveInt = 64
    """How many images are in a mini-batch, at most."""
    learning_rate: PositiveFloat = 0.05
    """The highest step, at the end of the warm-up."""
    warm_up: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """The share of all steps in which the rate rises to its highest, in a straight line."""
    momentum: Annotated[float, Field(gt=0, lt=1)] = 0.9
    """How much of the last step goes into the next."""
    weight_decay: NonNegativeFloat = 5e-4
    """The pull of all weights towards zero."""
    label_smoothing: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """How much of each label is spread over all classes."""
    crop: Annotated[int, Field(ge=0, le=31)] = 4
    """By how many pixels an image is moved at random along each side, at most."""
    mirror: bool = True
    """Whether half of the images are mirrored, in data sets where a mirrored image is still of its class."""

    def rate_at(self, step: int, steps: int) -> float:
        """The learning rate of a step, from 0, of all: up in a line, then down to nothing like a cosine."""
        rising = self.warm_up * steps
        if step < rising:
            return self.learning_rate * min(1.0, (step + 1) / rising)
        return self.learning_rate * (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2
