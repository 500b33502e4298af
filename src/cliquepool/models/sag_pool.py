"""Self-attention graph pooling as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool._extras import require

require("pyg", __name__)

from torch import nn
from torch_geometric.nn import GCNConv, SAGPooling

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.models.pool_network import Nodes, PoolNetwork, RatioSettings, SelectTop

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["SAGPoolClassifier"]


class SAGPoolClassifier(NetworkClassifier):
    """Classify graphs by convolutions and self-attention graph pooling (Lee et al., 2019).

    The score of a node is a graph convolution of the features; of n nodes the ``ceil(ratio * n)`` of highest
    score are kept, with their features multiplied by the hyperbolic tangent of the score, and the edges
    between them. The network is that of all poolings (`PoolNetwork`); the authors' hierarchical network
    has three such blocks, and adds the readouts instead of putting them side by side.

    The parameters are those of `RatioSettings`; all others are as in `CliquePoolClassifier`.
    """

    settings_type = RatioSettings
    title = "SAGPool"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        dropout: float = 0.5,
        ratio: float = 0.5,
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

    def _build(self, sizes: NetworkSizes) -> PoolNetwork:
        settings: RatioSettings = self.settings
        return PoolNetwork(settings, sizes, lambda hidden: SAGPool(hidden, settings.ratio))


class SAGPool(nn.Module):
    """Keep the nodes of highest score, a graph convolution of the features; PyG's `SAGPooling`."""

    def __init__(self, hidden: int, ratio: float) -> None:
        super().__init__()
        self.pool = SAGPooling(hidden, ratio, GNN=GCNConv)
        self.pool.select = SelectTop(ratio)

    def forward(self, nodes: Nodes) -> Nodes:
        """Return the kept nodes and the edges between them."""
        x, edge_index, _, batch, _, _ = self.pool(nodes.x, nodes.edge_index, batch=nodes.batch)
        return Nodes(x, edge_index, None, batch)
