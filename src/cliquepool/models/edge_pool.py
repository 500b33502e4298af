"""Pooling by edge contraction as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool._extras import require

require("pyg", __name__)

import torch
from torch import Tensor, nn
from torch_geometric.utils import softmax

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.models.pool_network import Nodes, PoolNetwork, PoolSettings
from cliquepool.nn.matching import Clusters, coarse_edges, greedy_matching
from cliquepool.nn.ranking import ranks

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["EdgePoolClassifier"]


class EdgePoolClassifier(NetworkClassifier):
    """Classify graphs by convolutions and pooling by edge contraction (Diehl, 2019).

    The score of an edge from i to j is ``0.5 + softmax(w·[x(i), x(j)] + b)``, over all edges to j. Edges are
    contracted from the highest score on, unless one of their nodes is in a contracted edge already; the new
    node has the sum of both features, multiplied by the score. The network is that of all poolings
    (`PoolNetwork`).

    The parameters are those of `PoolSettings`; all others are as in `CliquePoolClassifier`.
    """

    settings_type = PoolSettings
    title = "EdgePool"

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
        return PoolNetwork(self.settings, sizes, EdgePool)


class EdgePool(nn.Module):
    """Contract edges by score; equal to PyG's `EdgePooling`, without its loop over edges in Python.

    Loops that contraction would leave are dropped. Edges whose scores differ by rounding alone are taken in
    a fixed order of their positions. The factor of a contracted edge is its score plus 0.5.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.score = nn.Linear(2 * hidden, 1)

    def scores(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Return the score of each edge: a softmax over the edges with the same target."""
        # The weights of both ends are applied to nodes, which are fewer than edges.
        sources, targets = (x @ self.score.weight.view(2, -1).t()).unbind(dim=1)
        raw = sources[edge_index[0]] + targets[edge_index[1]] + self.score.bias
        result: Tensor = softmax(raw, edge_index[1], num_nodes=len(x))
        return result

    def forward(self, nodes: Nodes) -> Nodes:
        """Return the contracted graphs."""
        x, edge_index, batch = nodes.x, nodes.edge_index, nodes.batch
        scores = self.scores(x, edge_index)
        rank = ranks(scores, batch[edge_index[0]], scramble=True)
        chosen = greedy_matching(edge_index, rank, len(x))
        sources, targets = edge_index[:, chosen]
        leader = torch.arange(len(x), device=x.device)
        leader[targets] = sources
        clusters = Clusters.of_leaders(leader)
        factor = x.new_ones(clusters.count).index_copy(0, clusters.of_node[sources], scores[chosen] + 0.5)
        coarse, _ = coarse_edges(edge_index, nodes.weight, clusters)
        return Nodes(clusters.sum(x) * factor[:, None], coarse, None, clusters.of_graphs(batch))
