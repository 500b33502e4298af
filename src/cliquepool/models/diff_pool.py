"""DiffPool, with and without link prediction, as a scikit-learn estimator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.graph_operators import DenseGraphs, GraphOperator, SparseGraphs
from cliquepool.nn.peer_layers import BatchNorm, mlp
from cliquepool.nn.peer_settings import LayerCount, PeerSettings
from cliquepool.nn.soft_assignments import soft_pool

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.batch import Batch
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["DiffPoolClassifier", "DiffPoolNetwork", "SAGELayers", "cluster_counts"]

PoolCount = Annotated[int, Field(ge=1, le=16)]


class DiffPoolSettings(PeerSettings):
    """The settings of DiffPool and of its training."""

    layers: LayerCount = 3
    """The number of GraphSAGE layers before each pooling, and after the last."""
    pools: PoolCount = 2
    """The number of poolings."""
    ratio: Annotated[float, Field(gt=0, le=1)] = 0.25
    """The number of clusters of a pooling, as a share of the nodes before: of the largest training graph."""
    max_clusters: Annotated[int, Field(ge=1, le=4096)] = 64
    """The number of clusters of the first pooling, at most."""
    link_prediction: bool = True
    """Whether the loss of link prediction is added."""


class DiffPoolClassifier(NetworkClassifier):
    """Classify graphs by differentiable pooling (Ying et al., 2018).

    As in "Hierarchical graph representation learning with differentiable pooling": before each pooling, and
    after the last, three GraphSAGE layers with means over neighbours, L2 norm, ReLU and batch norm, whose
    outputs are put side by side. Assignments S to clusters are the softmax of a linear function of three
    further such layers; ``X' = Sᵀ X`` and ``A' = Sᵀ A S``. Both poolings have 25% of the nodes before them as
    clusters; with a single pooling, the authors take 10%. While training, ``‖A - S Sᵀ‖`` over the number of
    entries (with `link_prediction`) and the mean entropy of the rows of S are added to the loss. The
    classifier's input are the means and maxima over nodes before each pooling and after the last; the
    authors use maxima.

    The number of clusters depends on the largest graph. The authors leave out graphs of DD with more than
    1,000 nodes; here all are kept, and `max_clusters` bounds the clusters: by default to about a quarter of
    the mean graph of DD, as the time of an epoch grows with their square. The adjacency of the input graphs
    is never made dense, so that the largest graph does not decide how much memory a batch needs.

    The parameters are those of `DiffPoolSettings`; all others are as in `CliquePoolClassifier`.
    """

    settings_type = DiffPoolSettings

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        dropout: float = 0.5,
        pools: int = 2,
        ratio: float = 0.25,
        max_clusters: int = 64,
        link_prediction: bool = True,
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

    @property
    def title(self) -> str:  # type: ignore[override]
        """The name of the model in records and tables: a row with and a row without link prediction."""
        return "DiffPool" if self.link_prediction else "DiffPool, no link prediction"

    def _measure(self, data: PooledDataset, training: npt.NDArray[np.int64]) -> dict[str, int]:
        return {"nodes": int(data.sizes[training, 0].max())}

    def _build(self, sizes: NetworkSizes) -> DiffPoolNetwork:
        return DiffPoolNetwork(self.settings, sizes)


def cluster_counts(nodes: int, ratio: float, pools: int, most: int) -> list[int]:
    """Return the number of clusters of each pooling: a share of the nodes before, and at most `most`.

    >>> cluster_counts(126, 0.25, 2, 64), cluster_counts(5748, 0.25, 2, 64), cluster_counts(1, 0.25, 2, 64)
    ([32, 8], [64, 16], [1, 1])
    """
    counts: list[int] = []
    for _ in range(pools):
        nodes = max(1, min(most, math.ceil(ratio * nodes)))
        counts.append(nodes)
    return counts


class SAGELayers(nn.Module):
    """GraphSAGE layers, each with L2 norm, ReLU and batch norm; returns all their outputs side by side."""

    def __init__(self, in_features: int, hidden: int, layers: int) -> None:
        super().__init__()
        widths = [in_features, *[hidden] * (layers - 1)]
        self.hidden = hidden
        self.own = nn.ModuleList(nn.Linear(width, hidden) for width in widths)
        self.around = nn.ModuleList(nn.Linear(width, hidden, bias=False) for width in widths)
        self.norms = nn.ModuleList(BatchNorm(hidden) for _ in widths)

    def forward(self, x: Tensor, graphs: GraphOperator) -> Tensor:
        """Return the features of each node."""
        found = []
        for own, around, norm in zip(self.own, self.around, self.norms, strict=True):
            # The mean of a linear function is that of the means: whichever has fewer columns is gathered.
            if x.shape[-1] > self.hidden:
                y = own(x) + graphs.mean_of_neighbours(around(x))
            else:
                y = own(x) + around(graphs.mean_of_neighbours(x))
            y = functional.normalize(y, dim=-1).relu()
            x = norm(y.reshape(-1, y.shape[-1])).view_as(y)
            found.append(x)
        return torch.cat(found, dim=-1)


class _Assignment(nn.Module):
    """The scores of each node for each cluster, before the softmax."""

    def __init__(self, in_features: int, settings: DiffPoolSettings, clusters: int) -> None:
        super().__init__()
        self.layers = SAGELayers(in_features, settings.hidden, settings.layers)
        self.score = nn.Linear(settings.hidden * settings.layers, clusters)

    def forward(self, x: Tensor, graphs: GraphOperator) -> Tensor:
        return self.score(self.layers(x, graphs))  # type: ignore[no-any-return]


class DiffPoolNetwork(nn.Module):
    """GraphSAGE layers and soft assignments in turn, readouts of all, and an MLP over them."""

    def __init__(self, settings: DiffPoolSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        self.link_prediction = settings.link_prediction
        hidden, layers = settings.hidden, settings.layers
        counts = cluster_counts(
            sizes.measured["nodes"], settings.ratio, settings.pools, settings.max_clusters
        )
        widths = [sizes.num_features, *[hidden * layers] * settings.pools]
        self.embeddings = nn.ModuleList(SAGELayers(width, hidden, layers) for width in widths)
        self.assignments = nn.ModuleList(
            _Assignment(width, settings, clusters)
            for width, clusters in zip(widths[:-1], counts, strict=True)
        )
        self.head = mlp(
            [2 * hidden * layers * len(widths), hidden, sizes.num_outputs], dropout=settings.dropout
        )

    @property
    def pooling_modules(self) -> tuple[nn.Module, ...]:
        """The layers that pool."""
        return (self.assignments,)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the score of each class (columns) for each graph (rows), and the sum of the losses of S."""
        x = batch.x
        graphs: GraphOperator = SparseGraphs(batch.levels[0])
        embedded = self.embeddings[0](x, graphs)
        read, penalty = [graphs.mean_and_max(embedded)], x.new_zeros(())
        for assignment, embedding in zip(self.assignments, self.embeddings[1:], strict=True):
            pooled = soft_pool(graphs, embedded, assignment(x, graphs))
            penalty = penalty + pooled.entropy_loss()
            if self.link_prediction:
                penalty = penalty + pooled.link_loss()
            x, graphs = pooled.x, DenseGraphs(pooled.adjacency)
            embedded = embedding(x, graphs)
            read.append(graphs.mean_and_max(embedded))
        return self.head(torch.cat(read, dim=1)), penalty
