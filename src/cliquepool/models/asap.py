"""Adaptive structure-aware pooling as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool._extras import require

require("pyg", __name__)

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import LEConv
from torch_geometric.utils import add_remaining_self_loops, remove_self_loops, scatter, softmax

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.models.pool_network import Nodes, PoolNetwork, RatioSettings
from cliquepool.nn.ranking import top_nodes
from cliquepool.nn.sparse_entries import Entries

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["ASAPClassifier"]


class ASAPClassifier(NetworkClassifier):
    """Classify graphs by convolutions and adaptive structure-aware pooling (Ranjan et al., 2020).

    Every node and its neighbours are a cluster, whose features are a mean weighted by attention; the
    ``ceil(ratio * n)`` clusters of highest fitness are kept, with ``Sᵀ (A + I) S`` as weights of the edges
    between them, S being the attention. The network is that of all poolings (`PoolNetwork`).

    The parameters are those of `RatioSettings`; all others are as in `CliquePoolClassifier`.
    """

    settings_type = RatioSettings
    title = "ASAP"

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
        return PoolNetwork(settings, sizes, lambda hidden: ASAPool(hidden, settings.ratio))


class ASAPool(nn.Module):
    """Keep the clusters of highest fitness, each a node and its neighbours.

    Equal to PyG's `ASAPooling`, which has no gradients for the weights of coarse edges. Here these are
    learned with everything else, as in the paper.
    """

    def __init__(self, hidden: int, ratio: float) -> None:
        super().__init__()
        self.ratio = ratio
        self.query = nn.Linear(hidden, hidden)
        self.attention = nn.Linear(2 * hidden, 1)
        self.fitness = LEConv(hidden, 1)

    def memberships(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Return the attention of the cluster around each target to the source, for each edge and loop."""
        sources, targets = edge_index
        highest = scatter(x[sources], targets, dim_size=len(x), reduce="max")
        of_cluster, of_member = self.attention.weight.view(2, -1)
        # The weights of both parts are applied to nodes, which are fewer than edges.
        raw = (self.query(highest) @ of_cluster)[targets] + (x @ of_member)[sources] + self.attention.bias
        result: Tensor = softmax(functional.leaky_relu(raw, 0.2), targets, num_nodes=len(x))
        return result

    def forward(self, nodes: Nodes) -> Nodes:
        """Return the kept clusters and the edges between them."""
        count = len(nodes.x)
        edge_index, weight = add_remaining_self_loops(nodes.edge_index, nodes.weight, num_nodes=count)
        shares = self.memberships(nodes.x, edge_index)
        sources, targets = edge_index
        x = torch.zeros_like(nodes.x).index_add(0, targets, nodes.x[sources] * shares[:, None])
        scores = self.fitness(x, edge_index).view(-1)
        # The fitness of large scores is 1 up to rounding: nodes are ranked by the scores.
        kept = top_nodes(scores, nodes.batch, self.ratio)
        fitness = scores.sigmoid()
        cluster_of_centre = kept.new_full((count,), -1)
        cluster_of_centre[kept] = torch.arange(len(kept), device=kept.device)
        clusters = cluster_of_centre[targets]
        is_kept = clusters >= 0
        s = Entries(sources[is_kept], clusters[is_kept], shares[is_kept], (count, len(kept)))
        product = s.transposed @ (Entries(sources, targets, weight, (count, count)) @ s)
        coarse, coarse_weight = remove_self_loops(
            torch.stack([product.rows, product.columns]), product.values
        )
        return Nodes(x[kept] * fitness[kept, None], coarse, coarse_weight, nodes.batch[kept])
