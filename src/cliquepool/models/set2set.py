"""GraphSAGE with the Set2Set readout as a scikit-learn estimator; needs PyTorch Geometric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cliquepool._extras import require

require("pyg", __name__)

from pydantic import Field
from torch import Tensor, nn
from torch_geometric.nn.aggr import Set2Set

from cliquepool.models.graphsage import GraphSAGESettings, SAGELayers
from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.peer_layers import mlp

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.batch import Batch
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["Set2SetClassifier"]


class Set2SetSettings(GraphSAGESettings):
    """The settings of GraphSAGE with the Set2Set readout and of its training."""

    steps: Annotated[int, Field(ge=1, le=1024)] = 4
    """How many times the LSTM reads the nodes."""


class Set2SetClassifier(NetworkClassifier):
    """Classify graphs by GraphSAGE and the Set2Set readout (Vinyals et al., 2016).

    The row "Set2Set" of Ying et al. (2018), "Hierarchical graph representation learning with differentiable
    pooling": layers of GraphSAGE side by side, whose nodes an LSTM reads with attention `steps` times, and an
    MLP with one hidden layer. The readout is PyG's ``Set2Set``, after "Order matters: sequence to sequence
    for sets".

    hidden
        The number of features after every layer, and of hidden units of the classifier.
    layers
        The number of layers.
    dropout
        The share of hidden units of the classifier that is dropped while training.
    steps
        How many times the LSTM reads the nodes.

    All other parameters, X and y are as in `CliquePoolClassifier`.
    """

    settings_type = Set2SetSettings
    title = "Set2Set"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        dropout: float = 0.0,
        steps: int = 4,
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

    def _build(self, sizes: NetworkSizes) -> Set2SetNetwork:
        return Set2SetNetwork(self.settings, sizes)


class Set2SetNetwork(nn.Module):
    """Layers of GraphSAGE, Set2Set over their nodes, and an MLP."""

    def __init__(self, settings: Set2SetSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        self.layers = SAGELayers(sizes.num_features, settings.hidden, settings.layers)
        width = self.layers.out_features
        self.readout = Set2Set(width, processing_steps=settings.steps)
        self.head = mlp([2 * width, settings.hidden, sizes.num_outputs], dropout=settings.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        read = self.readout(self.layers(batch), batch.levels[0].batch, dim_size=batch.num_graphs)
        scores: Tensor = self.head(read)
        return scores
