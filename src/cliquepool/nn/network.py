"""The paper's network for whole graphs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from cliquepool.nn.functional import rectify_and_normalise
from cliquepool.nn.fused import can_fuse, embed
from cliquepool.nn.layers import GCN, SAGE, CliquePool, Readout

if TYPE_CHECKING:
    from collections.abc import Callable

    from cliquepool.nn.batch import Batch, NodeInput
    from cliquepool.nn.settings import GraphSettings

__all__ = ["GraphClassifier"]

_CONVOLUTIONS = {"gcn": GCN, "sage": SAGE}


class GraphClassifier(nn.Module):
    """Convolution and clique pool in turn, every layer read out, and an MLP over all that was read.

    It has an output for each of `num_classes`; for other tasks one for each label or number.

    `convolution` makes the layer for given numbers of features in and out, where it is to be another than
    the settings name: it is called with ``(x, level)``, as `PyGConvolution` is.
    """

    def __init__(
        self,
        settings: GraphSettings,
        num_features: int,
        num_classes: int,
        *,
        convolution: Callable[[int, int], nn.Module] | None = None,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.num_outputs = num_classes
        make = convolution or _CONVOLUTIONS[settings.convolution]
        widths = [num_features, *[settings.hidden] * (settings.pools + 1)]
        self.convolutions = nn.ModuleList(make(a, b) for a, b in pairwise(widths))
        self.pool = CliquePool(settings.reduce)
        self.readout = Readout()
        self.head = _mlp(
            [2 * settings.hidden * len(self.convolutions), *settings.mlp, num_classes], settings.dropout
        )

    def forward(self, batch: Batch) -> Tensor:
        """The score of each class (columns) for each graph (rows)."""
        return self.head(self.embed(batch))  # type: ignore[no-any-return]

    def embed(self, batch: Batch) -> Tensor:
        """What is read out of all layers, side by side."""
        if self.settings.normalise and can_fuse(self.convolutions, self.pool, batch):
            return embed(self.convolutions, self.pool, batch)
        given: Tensor | NodeInput = batch.nodes
        read = []
        for place, convolution in enumerate(self.convolutions):
            level = batch.levels[place]
            x = convolution(given, level)
            x = rectify_and_normalise(x) if self.settings.normalise else x.relu()
            read.append(self.readout(x, level))
            if place < self.settings.pools:
                given = self.pool(x, level)
        return torch.cat(read, dim=1)


def _mlp(widths: list[int], dropout: float) -> nn.Sequential:
    layers: list[nn.Module] = []
    for place, (a, b) in enumerate(pairwise(widths)):
        if place > 0:
            layers.append(nn.ReLU())
        if dropout > 0:
            layers.append(nn.Dropout(dropout))
        layers.append(nn.Linear(a, b))
    return nn.Sequential(*layers)
