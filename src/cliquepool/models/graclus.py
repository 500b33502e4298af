"""Pooling by the matchings of Graclus as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool._extras import require

require("pyg", __name__)

from torch import nn

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.models.pool_network import Nodes, PoolNetwork, PoolSettings
from cliquepool.nn.matching import coarse_edges, heavy_edge_matching

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["GraclusClassifier"]


class GraclusClassifier(NetworkClassifier):
    """Classify graphs by convolutions and pooling by heavy-edge matchings, as in Graclus.

    Dhillon, Guan and Kulis (2007) coarsen graphs by matching each node with the free neighbour that has the
    highest normalised cut ``w(i, j) (1 / d(i) + 1 / d(j))``, in a random order of nodes; Defferrard et al.
    (2016) pool by it. Here edges are matched from the highest normalised cut on, with ties in a fixed order,
    so that the same graph always has the same clusters. Features are means, weights of edges are sums. The
    network is that of all poolings (`PoolNetwork`); the pooling has no parameters.

    The parameters are those of `PoolSettings`; all others are as in `CliquePoolClassifier`.
    """

    settings_type = PoolSettings
    title = "Graclus"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        dropout: float = 0.5,
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
        return PoolNetwork(self.settings, sizes, lambda _: GraclusPool())


class GraclusPool(nn.Module):
    """Merge the pairs of a heavy-edge matching; nodes without a partner stay alone."""

    @staticmethod
    def forward(nodes: Nodes) -> Nodes:
        """Return the clusters, with the means of their features, and the edges between them."""
        clusters = heavy_edge_matching(nodes.edge_index, nodes.weight, nodes.batch)
        edge_index, weight = coarse_edges(nodes.edge_index, nodes.weight, clusters)
        return Nodes(clusters.mean(nodes.x), edge_index, weight, clusters.of_graphs(nodes.batch))
