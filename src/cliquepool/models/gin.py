"""The graph isomorphism network as a scikit-learn estimator."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.functional import sum_neighbours
from cliquepool.nn.layers import as_tensor, multiply
from cliquepool.nn.peer_layers import BatchNorm, sum_features, sum_nodes
from cliquepool.nn.peer_settings import LayerCount, PeerSettings

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.batch import Batch, Level, NodeInput
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["GINClassifier", "GINConvolution"]


class GINSettings(PeerSettings):
    """The settings of the graph isomorphism network and of its training."""

    layers: LayerCount = 4
    """The number of convolutions."""
    train_eps: bool = False
    """Whether the weight of each node against its neighbours is learned; else it is 1."""


class GINClassifier(NetworkClassifier):
    """Classify graphs by the graph isomorphism network of Xu et al. (2019).

    As in "How powerful are graph neural networks?": four convolutions, five layers together with the input;
    in each an MLP of two layers with batch norm; sums over the nodes of every layer, the input among them,
    each with a linear function of its own and dropout, whose results are added. ``train_eps=False`` is their
    GIN-0, the better of their two variants.

    hidden
        The number of features after every convolution.
    layers
        The number of convolutions.
    dropout
        The share of each layer's scores that is dropped while training.
    train_eps
        Whether the weight of each node against its neighbours is learned; else it is 1.

    All other parameters, X and y are as in `CliquePoolClassifier`.
    """

    settings_type = GINSettings
    title = "GIN"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 4,
        dropout: float = 0.5,
        train_eps: bool = False,
        features: FeatureKind = "auto",
        standardise: bool = True,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.0,
        batch_size: int = 32,
        epochs: int = 300,
        patience: int | None = 50,
        epoch_by: EpochBy = "brier",
        averaging: float = 0.99,
        validation_fraction: float = 0.1,
        class_weight: ClassWeight = None,
        handle_unknown: HandleUnknown = "error",
        random_state: int | np.random.RandomState | None = 0,
        device: str = "cpu",
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    def _build(self, sizes: NetworkSizes) -> GINNetwork:
        return GINNetwork(self.settings, sizes)


class GINConvolution(nn.Module):
    """The convolution ``MLP((1 + eps) x + sum of x over neighbours)``, batch norm and ReLU after each layer.

    The sum is computed by twin classes where the level is kept so, instead of a message for each edge; and
    where features are wide, after the first weight, which gives the same result.
    """

    def __init__(self, in_features: int, out_features: int, *, train_eps: bool = False) -> None:
        super().__init__()
        self.first = nn.Linear(in_features, out_features)
        self.rest = nn.Sequential(
            BatchNorm(out_features),
            nn.ReLU(),
            nn.Linear(out_features, out_features),
            BatchNorm(out_features),
            nn.ReLU(),
        )
        self.eps = nn.Parameter(torch.zeros(())) if train_eps else None

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the new features of the level's nodes."""
        if self.first.in_features > self.first.out_features:
            hidden = self.gather(multiply(x, self.first.weight.t()), level) + self.first.bias
        else:
            hidden = self.first(self.gather(as_tensor(x), level))
        result: Tensor = self.rest(hidden)
        return result

    def gather(self, x: Tensor, level: Level) -> Tensor:
        """Return the sum over each node, weighted by 1 + eps, and its neighbours."""
        around = sum_neighbours(level, x, own=1.0)
        return around if self.eps is None else around + self.eps * x


class GINNetwork(nn.Module):
    """Convolutions, and the sum of linear functions of all layers' sums over nodes."""

    def __init__(self, settings: GINSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        widths = [sizes.num_features, *[settings.hidden] * settings.layers]
        self.convolutions = nn.ModuleList(
            GINConvolution(before, after, train_eps=settings.train_eps) for before, after in pairwise(widths)
        )
        self.heads = nn.ModuleList(nn.Linear(width, sizes.num_outputs) for width in widths)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        level = batch.levels[0]
        scores: Tensor = self.dropout(self.heads[0](sum_features(batch)))
        x: Tensor | NodeInput = batch.nodes
        for convolution, head in zip(self.convolutions, self.heads[1:], strict=True):
            x = convolution(x, level)
            scores = scores + self.dropout(head(sum_nodes(as_tensor(x), level)))
        return scores
