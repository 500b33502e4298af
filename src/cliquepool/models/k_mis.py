"""Pooling by maximal k-independent sets as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cliquepool._extras import require

require("pyg", __name__)

import torch
from pydantic import Field
from torch import Tensor, nn

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.models.pool_network import Nodes, PoolNetwork, PoolSettings
from cliquepool.nn.independent_sets import clusters_around, k_hop_sums, maximal_independent_set
from cliquepool.nn.matching import coarse_edges
from cliquepool.nn.ranking import ranks

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["KMISClassifier"]


class KMISSettings(PoolSettings):
    """The settings of a network that pools by maximal k-independent sets, and of its training."""

    k: Annotated[int, Field(ge=1, le=16)] = 1
    """Nodes of a set are more than this many steps apart; every other node is within as many steps of one."""


class KMISClassifier(NetworkClassifier):
    """Classify graphs by convolutions and pooling by maximal k-independent sets (Bacciu et al., 2023).

    A node has the score ``sigmoid(w·x + b)``. In the order of the score over the number of walks of k steps
    from the node, nodes are chosen unless one within k steps has been. Every node joins the chosen one that
    comes first in this order within k steps, and each of these clusters becomes a node, with the mean of its
    features times scores, and with the sums of weights as edges. The network is that of all poolings
    (`PoolNetwork`).

    The parameters are those of `KMISSettings`; all others are as in `CliquePoolClassifier`.
    """

    settings_type = KMISSettings
    title = "k-MIS"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        dropout: float = 0.5,
        k: int = 1,
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
        settings: KMISSettings = self.settings
        return PoolNetwork(settings, sizes, lambda hidden: KMISPool(hidden, settings.k))


class KMISPool(nn.Module):
    """Merge nodes around those of a maximal k-independent set."""

    def __init__(self, hidden: int, k: int) -> None:
        super().__init__()
        self.k = k
        self.score = nn.Linear(hidden, 1)

    def order(self, scores: Tensor, nodes: Nodes) -> Tensor:
        """Return the rank of each node: from the highest score for each walk of k steps on."""
        walks = k_hop_sums(torch.ones_like(scores), nodes.edge_index, self.k)
        return ranks(scores / walks, nodes.batch, scramble=True)

    def forward(self, nodes: Nodes) -> Nodes:
        """Return the clusters, with the means of their features, and the edges between them."""
        scores = self.score(nodes.x).sigmoid()
        rank = self.order(scores.detach().view(-1), nodes)
        is_chosen = maximal_independent_set(nodes.edge_index, rank, self.k)
        clusters = clusters_around(is_chosen, nodes.edge_index, rank, self.k)
        edge_index, weight = coarse_edges(nodes.edge_index, nodes.weight, clusters)
        x = clusters.mean(nodes.x * scores)
        return Nodes(x, edge_index, weight, clusters.of_graphs(nodes.batch))
