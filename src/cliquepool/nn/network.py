"""The network of the paper for classifying and regressing whole graphs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from cliquepool.nn.functional import relu_normalise
from cliquepool.nn.fused import can_fuse, embed
from cliquepool.nn.layers import GCN, SAGE, CliquePool, Readout

if TYPE_CHECKING:
    from collections.abc import Callable

    from cliquepool.nn.batch import Batch, NodeInput
    from cliquepool.nn.settings import GraphSettings

__all__ = ["GraphClassifier"]

_CONVOLUTIONS = {"gcn": GCN, "sage": SAGE}


class GraphClassifier(nn.Module):
    """Convolutions and clique pools in turn, a readout of every layer, and an MLP over all readouts.

    `num_classes` is the number of outputs: classes, or for other tasks labels or numbers.

    `convolution` replaces the convolution that the settings name: called with the numbers of input and output
    features, it returns a layer that is called with ``(x, level)``, as `PyGConvolution` is.
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

    @property
    def pooling_modules(self) -> tuple[nn.Module, ...]:
        """The layers that pool."""
        return (self.pool,)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        return self.head(self.embed(batch))  # type: ignore[no-any-return]

    def embed(self, batch: Batch) -> Tensor:
        """Return the readouts of all layers, side by side."""
        if self.settings.normalise and can_fuse(self.convolutions, self.pool, batch):
            return embed(self.convolutions, self.pool, batch)
        given: Tensor | NodeInput = batch.nodes
        read = []
        for index, convolution in enumerate(self.convolutions):
            level = batch.levels[index]
            x = convolution(given, level)
            x = relu_normalise(x) if self.settings.normalise else x.relu()
            read.append(self.readout(x, level))
            if index < self.settings.pools:
                given = self.pool(x, level)
        return torch.cat(read, dim=1)


def _mlp(widths: list[int], dropout: float) -> nn.Sequential:
    layers: list[nn.Module] = []
    for index, (a, b) in enumerate(pairwise(widths)):
        if index > 0:
            layers.append(nn.ReLU())
        if dropout > 0:
            layers.append(nn.Dropout(dropout))
        layers.append(nn.Linear(a, b))
    return nn.Sequential(*layers)
