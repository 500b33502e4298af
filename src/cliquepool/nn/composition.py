"""The size and the composition of graphs as input of a network's head, standardised."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from torch import Tensor, nn

from cliquepool.data.composition import graph_compositions

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.features import FeatureEncoder, NodeFeatures
    from cliquepool.data.pooled import PooledDataset

__all__ = ["Composition"]

_MOST_DEVIATIONS: Final = 5.0


class Composition(nn.Module):
    """Standardises the compositions of graphs by mean and deviation over the training graphs.

    Both are kept with the weights. What is more than five deviations from the mean counts as five: a label
    that few training graphs have is far from the mean wherever it occurs.
    """

    shift: Tensor
    scale: Tensor

    def __init__(self, width: int, num_levels: int) -> None:
        super().__init__()
        self.num_levels = num_levels
        self.register_buffer("shift", torch.zeros(width))
        self.register_buffer("scale", torch.ones(width))

    def standardised(self, rows: Tensor) -> Tensor:
        """Return the standardised rows."""
        return ((rows - self.shift) * self.scale).clamp(-_MOST_DEVIATIONS, _MOST_DEVIATIONS)

    @torch.no_grad()
    def added_to(
        self,
        features: NodeFeatures,
        encoder: FeatureEncoder,
        data: PooledDataset,
        *,
        measure_on: npt.NDArray[np.int64] | None = None,
    ) -> NodeFeatures:
        """Return the features with the standardised compositions of all graphs of the data set.

        With `measure_on`, mean and deviation are first measured on these graphs.
        """
        rows = graph_compositions(data, encoder, features, self.num_levels)
        if measure_on is not None:
            self._measure(rows[measure_on].astype(np.float64))
        standardised = self.standardised(torch.from_numpy(rows).to(self.shift.device)).cpu()
        return replace(features, of_graphs=standardised.numpy())

    def _measure(self, rows: npt.NDArray[np.float64]) -> None:
        deviation = rows.std(axis=0)
        varies = deviation > 1e-6 * np.abs(rows).max(axis=0, initial=0)  # rounding is no deviation
        scale = 1 / np.where(varies, deviation, 1)
        self.shift.copy_(torch.from_numpy(rows.mean(axis=0)))
        self.scale.copy_(torch.from_numpy(scale))

    def extra_repr(self) -> str:
        """Return the number of columns."""
        return str(self.shift.numel())
