"""GraphSAGE with a readout of all layers as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.functional import mean_and_max
from cliquepool.nn.layers import SAGE, multiply
from cliquepool.nn.peer_layers import mlp
from cliquepool.nn.peer_settings import PeerSettings, Share

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.batch import Batch, Level, NodeInput
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["GraphSAGEClassifier", "SAGELayers"]


class GraphSAGESettings(PeerSettings):
    """The settings of GraphSAGE and of its training."""

    dropout: Share = 0.0
    """The share of hidden units of the classifier that is dropped while training."""


class GraphSAGEClassifier(NetworkClassifier):
    """Classify graphs by GraphSAGE (Hamilton et al., 2017) with the mean of neighbours.

    The network is that of Errica et al. (2020), "A fair comparison of graph neural networks for graph
    classification": layers of GraphSAGE, the maximum over nodes of all layers side by side, and an MLP with
    one hidden layer. Each layer ends with ReLU, as in Hamilton et al., "Inductive representation learning on
    large graphs".

    hidden
        The number of features after every layer, and of hidden units of the classifier.
    layers
        The number of layers.
    dropout
        The share of hidden units of the classifier that is dropped while training.

    All other parameters, X and y are as in `CliquePoolClassifier`.
    """

    settings_type = GraphSAGESettings
    title = "GraphSAGE"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        dropout: float = 0.0,
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

    def _build(self, sizes: NetworkSizes) -> GraphSAGENetwork:
        return GraphSAGENetwork(self.settings, sizes)


class SAGELayers(nn.Module):
    """Layers of GraphSAGE with ReLU; returns the outputs of all layers, side by side."""

    def __init__(self, num_features: int, hidden: int, layers: int) -> None:
        super().__init__()
        widths = [num_features, *[hidden] * (layers - 1)]
        self.convolutions = nn.ModuleList(SAGE(width, hidden) for width in widths)
        self.out_features = hidden * layers

    def forward(self, batch: Batch) -> Tensor:
        """Return the features of the nodes."""
        x: Tensor | NodeInput = batch.nodes
        outputs = []
        for convolution in self.convolutions:
            assert isinstance(convolution, SAGE)
            x = _convolve(convolution, x, batch.levels[0]).relu()
            outputs.append(x)
        return torch.cat(outputs, dim=1)


def _convolve(convolution: SAGE, x: Tensor | NodeInput, level: Level) -> Tensor:
    """Return what the convolution does; of wide features, neighbours are averaged after the weight."""
    if convolution.in_features <= convolution.out_features:
        result: Tensor = convolution(x, level)
        return result
    around = SAGE.gather(multiply(x, convolution.neighbours.weight.t()), level)
    return multiply(x, convolution.own.weight.t()) + around + convolution.neighbours.bias


class GraphSAGENetwork(nn.Module):
    """Layers of GraphSAGE, the maximum over nodes, and an MLP."""

    def __init__(self, settings: PeerSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        self.layers = SAGELayers(sizes.num_features, settings.hidden, settings.layers)
        widths = [self.layers.out_features, settings.hidden, sizes.num_outputs]
        self.head = mlp(widths, dropout=settings.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        _, largest = mean_and_max(batch.levels[0].node_start, self.layers(batch)).chunk(2, dim=1)
        scores: Tensor = self.head(largest)
        return scores
