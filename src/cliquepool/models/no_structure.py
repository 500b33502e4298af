"""The no-structure baseline of Errica et al. as a scikit-learn estimator."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, NonNegativeFloat
from torch import Tensor, nn

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.layers import as_tensor
from cliquepool.nn.peer_layers import linear, mlp, sum_features, sum_nodes
from cliquepool.nn.peer_settings import PeerSettings, Share

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.batch import Batch, NodeInput
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["NoStructureClassifier"]


class NoStructureSettings(PeerSettings):
    """The settings of the no-structure baseline and of its training."""

    layers: Annotated[int, Field(ge=0, le=64)] = 1
    """The number of layers applied to each node before the sum; with 0 the features themselves are summed."""
    dropout: Share = 0.0
    """The share of hidden units of the classifier that is dropped while training."""
    weight_decay: NonNegativeFloat = 1e-4
    """The weight decay of Adam, an L2 penalty."""


class NoStructureClassifier(NetworkClassifier):
    """Classify graphs by their nodes alone: a function of each node, a sum over nodes, and an MLP.

    Edges count only where the features are degrees. This is the baseline of Errica et al. (2020), "A fair
    comparison of graph neural networks for graph classification", who have two variants of it. With
    ``layers=1``, ReLU of a linear function is summed over nodes and classified by an MLP with one hidden
    layer: theirs for ENZYMES and for social networks, after Zaheer et al. (2017), "Deep sets". With
    ``layers=0``, the features are summed and classified: their molecular fingerprint for the other chemical
    data sets. On one-hot labels the first variant can compute whatever the second can. As theirs, it has no
    dropout, and a small weight decay.

    hidden
        The number of features of a node before the sum, and of hidden units of the classifier.
    layers
        The number of layers applied to each node before the sum.
    dropout
        The share of hidden units of the classifier that is dropped while training.

    All other parameters, X and y are as in `CliquePoolClassifier`.
    """

    settings_type = NoStructureSettings
    title = "No-structure baseline"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 1,
        dropout: float = 0.0,
        features: FeatureKind = "auto",
        standardise: bool = True,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-4,
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

    def _build(self, sizes: NetworkSizes) -> NoStructureNetwork:
        return NoStructureNetwork(self.settings, sizes)


class NoStructureNetwork(nn.Module):
    """Apply `layers` layers to each node, sum over nodes, and classify by an MLP with one hidden layer."""

    def __init__(self, settings: NoStructureSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        hidden = settings.hidden
        widths = [sizes.num_features, *[hidden] * settings.layers]
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(widths))
        self.head = mlp([widths[-1], hidden, sizes.num_outputs], dropout=settings.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        scores: Tensor = self.head(self.sums(batch))
        return scores

    def sums(self, batch: Batch) -> Tensor:
        """Return the sum of each graph over its nodes, after the layers."""
        if not self.layers:
            return sum_features(batch)
        x: Tensor | NodeInput = batch.nodes
        for layer in self.layers:
            assert isinstance(layer, nn.Linear)
            x = linear(layer, x).relu()
        return sum_nodes(as_tensor(x), batch.levels[0])
