"""The network of the paper for classifying and regressing whole graphs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from cliquepool.nn.composition import Composition
from cliquepool.nn.functional import relu_normalise
from cliquepool.nn.fused import can_fuse, embed
from cliquepool.nn.layers import GCN, GIN, SAGE, CliqueAttentionPool, CliquePool, Readout
from cliquepool.nn.peer_layers import BatchNorm

if TYPE_CHECKING:
    from collections.abc import Callable

    from cliquepool.nn.batch import Batch, Level, NodeInput
    from cliquepool.nn.settings import GraphSettings

__all__ = ["GraphClassifier"]

_CONVOLUTIONS = {"gcn": GCN, "sage": SAGE, "gin": GIN}


class GraphClassifier(nn.Module):
    """Convolutions and clique pools in turn, a readout of every level, and an MLP over all readouts.

    Every level has `settings.layers` convolutions, whose outputs are read out and pooled side by side.

    `num_classes` is the number of outputs: classes, or for other tasks labels or numbers.

    `convolution` replaces the convolution that the settings name: called with the numbers of input and output
    features, it returns a layer that is called with ``(x, level)``, as `PyGConvolution` is.

    `composition` is the number of columns of the batches' `composition`, which the MLP reads too; 0 where
    they have none.
    """

    def __init__(
        self,
        settings: GraphSettings,
        num_features: int,
        num_classes: int,
        *,
        convolution: Callable[[int, int], nn.Module] | None = None,
        composition: int = 0,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.num_outputs = num_classes
        make = convolution or _CONVOLUTIONS[settings.convolution]
        hidden, layers, num_levels = settings.hidden, settings.layers, settings.pools + 1
        width = hidden * layers
        # Those of each level follow each other; the first of a level reads all that was pooled.
        firsts = [num_features, *[width] * settings.pools]
        inputs = [given for first in firsts for given in (first, *[hidden] * (layers - 1))]
        self.convolutions = nn.ModuleList(make(given, hidden) for given in inputs)
        self.norms = nn.ModuleList(BatchNorm(hidden) for _ in inputs if settings.batch_norm)
        self.pools = nn.ModuleList(_pool(settings) for _ in range(settings.pools))
        self.readout = Readout(settings.readout)
        self.composition = Composition(composition, num_levels) if composition else None
        read = len(settings.readout) * width * num_levels
        self.head = _mlp([read + composition, *settings.mlp, num_classes], settings.dropout)

    def positions(self, index: int) -> range:
        """Return where the convolutions of a level stand among all, and their batch norms likewise."""
        return range(index * self.settings.layers, (index + 1) * self.settings.layers)

    @property
    def pooling_modules(self) -> tuple[nn.Module, ...]:
        """The layers that pool."""
        return (self.pools,)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        return self.head(self.embed(batch))  # type: ignore[no-any-return]

    def embed(self, batch: Batch) -> Tensor:
        """Return the input of the MLP: the readouts of all levels, and the composition, side by side."""
        read = self._read(batch)
        if self.composition is None:
            return read[0] if len(read) == 1 else torch.cat(read, dim=1)
        if batch.composition is None:
            raise ValueError("expected a batch with the composition of its graphs, got one without")
        return torch.cat([*read, batch.composition], dim=1)

    def _read(self, batch: Batch) -> list[Tensor]:
        """Return the readouts of all levels."""
        if can_fuse(self, batch):
            return embed(self, batch)
        given: Tensor | NodeInput = batch.nodes
        read = []
        for index, level in enumerate(batch.levels[: len(self.pools) + 1]):
            x = self._convolve(index, given, level)
            read.append(self.readout(x, level))
            if index < len(self.pools):
                given = self.pools[index](x, level)
            del x  # without gradients, it is freed before the next layer
        return read

    def _convolve(self, index: int, given: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the outputs of all convolutions of a level, side by side."""
        outputs: list[Tensor] = []
        for position in self.positions(index):
            x = self.convolutions[position](given, level)
            if self.norms:
                x = self.norms[position](x)
            given = relu_normalise(x) if self.settings.normalise else x.relu()
            del x
            outputs.append(given)
        return outputs[0] if len(outputs) == 1 else torch.cat(outputs, dim=1)


def _pool(settings: GraphSettings) -> nn.Module:
    if settings.reduce == "attention":
        return CliqueAttentionPool(settings.hidden * settings.layers)
    return CliquePool(settings.reduce)


def _mlp(widths: list[int], dropout: float) -> nn.Sequential:
    layers: list[nn.Module] = []
    for index, (a, b) in enumerate(pairwise(widths)):
        if index > 0:
            layers.append(nn.ReLU())
        if dropout > 0:
            layers.append(nn.Dropout(dropout))
        layers.append(nn.Linear(a, b))
    return nn.Sequential(*layers)
