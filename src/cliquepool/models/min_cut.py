"""Pooling by relaxed minimum cuts as a scikit-learn estimator."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import torch
from pydantic import Field
from torch import Tensor, nn

from cliquepool.models.diff_pool import cluster_counts
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

__all__ = ["MinCutClassifier", "MinCutNetwork"]


class MinCutSettings(PeerSettings):
    """The settings of a network that pools by relaxed minimum cuts, and of its training."""

    layers: LayerCount = 3
    """The number of convolutions; graphs are pooled between each two."""
    ratio: Annotated[float, Field(gt=0, le=1)] = 0.5
    """The number of clusters of a pooling, as a share of the nodes before it: the mean of training graphs."""
    max_clusters: Annotated[int, Field(ge=1, le=4096)] = 250
    """The number of clusters of the first pooling, at most."""


class MinCutClassifier(NetworkClassifier):
    """Classify graphs by convolutions and MinCut pooling (Bianchi, Grattarola and Alippi, 2020).

    Assignments S to clusters are the softmax of a linear function of the features; ``X' = Sᵀ X``, and A' is
    ``Sᵀ A S`` without its diagonal, symmetrically normalised. While training, ``-tr(Sᵀ A S) / tr(Sᵀ D S)``
    and ``‖Sᵀ S / ‖Sᵀ S‖ - I / √clusters‖`` are added to the loss. Convolutions are those of the paper,
    ``D^(-1/2) A D^(-1/2) X Θ + X Θ'``, with batch norm and ReLU; readouts and classifier are those of the
    other poolings (`PoolNetwork`). The adjacency of the input graphs is never made dense. As in PyG, A is
    that of the input graphs in the first pooling, where the paper normalises it symmetrically.

    The parameters are those of `MinCutSettings`; all others are as in `CliquePoolClassifier`.
    """

    settings_type = MinCutSettings
    title = "MinCut"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        dropout: float = 0.5,
        ratio: float = 0.5,
        max_clusters: int = 250,
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

    def _measure(self, data: PooledDataset, training: npt.NDArray[np.int64]) -> dict[str, int]:
        return {"nodes": max(1, round(data.sizes[training, 0].mean()))}

    def _build(self, sizes: NetworkSizes) -> MinCutNetwork:
        return MinCutNetwork(self.settings, sizes)


class SkipConvolution(nn.Module):
    """The convolution ``D^(-1/2) A D^(-1/2) X Θ + X Θ' + b`` with batch norm and ReLU."""

    def __init__(self, in_features: int, hidden: int) -> None:
        super().__init__()
        self.around = nn.Linear(in_features, hidden, bias=False)
        self.own = nn.Linear(in_features, hidden)
        self.norm = BatchNorm(hidden)

    def forward(self, x: Tensor, graphs: GraphOperator) -> Tensor:
        """Return the new features of the nodes."""
        y = graphs.normalised_multiply(self.around(x)) + self.own(x)
        normed: Tensor = self.norm(y.reshape(-1, y.shape[-1])).view_as(y)
        return normed.relu()


class MinCutNetwork(nn.Module):
    """Convolutions, a MinCut pooling between each two, readouts of all layers, and an MLP over them."""

    def __init__(self, settings: MinCutSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        hidden, layers = settings.hidden, settings.layers
        counts = cluster_counts(sizes.measured["nodes"], settings.ratio, layers - 1, settings.max_clusters)
        widths = [sizes.num_features, *[hidden] * layers]
        self.convolutions = nn.ModuleList(SkipConvolution(a, b) for a, b in pairwise(widths))
        self.assignments = nn.ModuleList(nn.Linear(hidden, clusters) for clusters in counts)
        self.head = mlp([2 * hidden * layers, hidden, sizes.num_outputs], dropout=settings.dropout)

    @property
    def pooling_modules(self) -> tuple[nn.Module, ...]:
        """The layers that pool."""
        return (self.assignments,)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the score of each class (columns) for each graph (rows), and the sum of the losses of S."""
        graphs: GraphOperator = SparseGraphs(batch.levels[0])
        x = self.convolutions[0](batch.x, graphs)
        read, penalty = [graphs.mean_and_max(x)], x.new_zeros(())
        for assignment, convolution in zip(self.assignments, self.convolutions[1:], strict=True):
            pooled = soft_pool(graphs, x, assignment(x))
            penalty = penalty + pooled.cut_loss() + pooled.orthogonality_loss()
            graphs = DenseGraphs(pooled.cut_adjacency())
            x = convolution(pooled.x, graphs)
            read.append(graphs.mean_and_max(x))
        return self.head(torch.cat(read, dim=1)), penalty
