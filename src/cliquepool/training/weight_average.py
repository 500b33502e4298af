"""A moving average of the weights of a network while it is trained, itself a network."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["WeightAverage"]


class WeightAverage:
    """The exponential moving average of the weights of `network`, in a copy of it.

    The last steps of a training move the weights about a good point rather than to it, with small batches
    above all: their average classifies better than most of them. Statistics of batch norm are averaged too.

    Parameters
    ----------
    network : Module
        The network that is trained. It is not changed.
    decay : float
        The share of the average that a step leaves as it is, between 0 and 1. In the first steps it is less,
        so that the weights at the start are soon forgotten.

    Attributes
    ----------
    network : Module
        The network with the averaged weights.
    """

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.network = copy.deepcopy(network).requires_grad_(requires_grad=False)
        self.decay = decay
        sources, averages = _all_tensors(network), _all_tensors(self.network)
        self._pairs = list(zip(averages, sources, strict=True))

    @torch.no_grad()
    def update(self, steps_before: int) -> None:
        """Add the weights after a step; `steps_before` is the number of earlier ones."""
        decay = min(self.decay, (1 + steps_before) / (10 + steps_before))
        for average, source in self._pairs:
            if average.is_floating_point():
                average.lerp_(source, 1 - decay)
            else:
                average.copy_(source)


def _all_tensors(network: nn.Module) -> list[Tensor]:
    """Return the parameters and buffers that a state dict has."""
    return list(network.state_dict().values())
