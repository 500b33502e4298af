"""DiffPool with deterministic clusters as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import torch
from pydantic import Field
from torch import Tensor, nn

from cliquepool.models.diff_pool import PoolCount, SAGELayers
from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.graph_operators import WeightedGraphs
from cliquepool.nn.peer_layers import mlp
from cliquepool.nn.peer_settings import LayerCount, PeerSettings

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.batch import Batch
    from cliquepool.nn.matching import Clusters
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["DiffPoolDetClassifier", "DiffPoolDetNetwork"]


class DiffPoolDetSettings(PeerSettings):
    """The settings of DiffPool with deterministic clusters and of its training."""

    layers: LayerCount = 3
    """The number of GraphSAGE layers before each pooling, and after the last."""
    pools: PoolCount = 2
    """The number of poolings."""
    matchings: Annotated[int, Field(ge=1, le=8)] = 2
    """The number of matchings in a pooling; each about halves the number of nodes."""


class DiffPoolDetClassifier(NetworkClassifier):
    """Classify graphs by DiffPool with the clusters of Graclus instead of learned ones (Ying et al., 2018).

    The network is that of `DiffPoolClassifier`, with ``X' = Sᵀ X`` and ``A' = Sᵀ A S``, but each row of S has
    a one at the cluster of its node. The authors cluster by Graclus; here that is heavy-edge matching, its
    coarsening: two matchings in a pooling, so that about 25% of the nodes are left, the share that the
    authors use. `GraclusClassifier` says how these differ from the matchings of Graclus. The pooling has no
    parameters, and there are no losses beside that of the classes.

    The parameters are those of `DiffPoolDetSettings`; all others are as in `CliquePoolClassifier`.
    """

    settings_type = DiffPoolDetSettings
    title = "DiffPool, deterministic clusters"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        dropout: float = 0.5,
        pools: int = 2,
        matchings: int = 2,
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

    def _build(self, sizes: NetworkSizes) -> DiffPoolDetNetwork:
        return DiffPoolDetNetwork(self.settings, sizes)


class DiffPoolDetNetwork(nn.Module):
    """GraphSAGE layers and clusters of matchings in turn, readouts of all, and an MLP over them."""

    pooling_modules: tuple[nn.Module, ...] = ()

    def __init__(self, settings: DiffPoolDetSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        self.matchings = settings.matchings
        hidden, layers = settings.hidden, settings.layers
        widths = [sizes.num_features, *[hidden * layers] * settings.pools]
        self.embeddings = nn.ModuleList(SAGELayers(width, hidden, layers) for width in widths)
        self.head = mlp(
            [2 * hidden * layers * len(widths), hidden, sizes.num_outputs], dropout=settings.dropout
        )

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        x, graphs = batch.x, WeightedGraphs.of(batch.levels[0])
        read = []
        for index, embedding in enumerate(self.embeddings):
            if index:
                clusters = repeated_matching(graphs, self.matchings)
                x, graphs = clusters.sum(x), graphs.coarsened(clusters, loops=True)
            x = embedding(x, graphs)
            read.append(graphs.mean_and_max(x))
        return self.head(torch.cat(read, dim=1))  # type: ignore[no-any-return]


def repeated_matching(graphs: WeightedGraphs, times: int) -> Clusters:
    """Return the clusters of `times` matchings, each of the coarse graphs of the one before."""
    clusters = graphs.matched()
    coarse = graphs.coarsened(clusters)
    for _ in range(times - 1):
        further = coarse.matched()
        clusters, coarse = clusters.then(further), coarse.coarsened(further)
    return clusters
