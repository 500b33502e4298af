"""Edge-conditioned convolutions (ECC) as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from cliquepool.data.pooled import PooledDataset
from cliquepool.data.selection import Selection
from cliquepool.models.edge_columns import EdgeColumns
from cliquepool.models.graphs import Graphs
from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.functional import mean_and_max, sum_neighbours
from cliquepool.nn.layers import as_tensor, multiply
from cliquepool.nn.peer_layers import BatchNorm, linear, mlp
from cliquepool.nn.peer_settings import PeerSettings, Share
from cliquepool.nn.settings import Width  # noqa: TC001 (pydantic reads it)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.data.edge_aggregation import EdgeReduction
    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.graphs import GraphInput
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.batch import Batch, Level, NodeInput
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["ECCClassifier", "EdgeConditionedConvolution"]


class ECCSettings(PeerSettings):
    """The settings of the network of edge-conditioned convolutions and of its training."""

    edge_hidden: Width = 16
    """The number of hidden units of the function from an edge's features to its weight matrix."""
    dropout: Share = 0.1
    """The share of hidden units of the classifier that is dropped while training."""


class ECCClassifier(NetworkClassifier):
    """Classify graphs by edge-conditioned convolutions (Simonovsky and Komodakis, 2017).

    As in "Dynamic edge-conditioned filters in convolutional neural networks on graphs": the weight matrix
    that a neighbour's features are multiplied with is a function of the edge's labels (one-hot) and
    attributes; without these all edges have the same. Each layer has ReLU and batch norm; the mean over nodes
    of the last layer is classified by an MLP with one hidden layer and dropout 0.1. The function is an MLP
    with 16 hidden units, as in Errica et al. (2020). The paper's coarsening of graphs is left out.

    hidden
        The number of features after every convolution, and of hidden units of the classifier.
    layers
        The number of convolutions.
    edge_hidden
        The number of hidden units of the function from an edge's features to its weight matrix.
    dropout
        The share of hidden units of the classifier that is dropped while training.

    All other parameters, X and y are as in `CliquePoolClassifier`; `handle_unknown` counts for labels of
    edges too. Edge attributes are taken as they are, not standardised.
    """

    settings_type = ECCSettings
    title = "ECC"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        edge_hidden: int = 16,
        dropout: float = 0.1,
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
    def preparation(self) -> str:
        """A key of what `prepare` returns: estimators with an equal one can share it."""
        return "with the features of edges"

    def _levels(self, dataset: GraphDataset, num_pools: int) -> PooledDataset:
        reduce: EdgeReduction | None = "mean" if EdgeColumns.of(dataset).count else None
        return PooledDataset(dataset, levels=num_pools, edge_reduce=reduce)

    def _can_use(self, known: PooledDataset, settings: Any) -> bool:
        del settings
        return known.edge_values is not None or not EdgeColumns.of(known.dataset).count

    def _measure(self, data: PooledDataset, training: npt.NDArray[np.int64]) -> dict[str, int]:
        del training
        return dict(EdgeColumns.of(data.dataset).measured)

    def _build(self, sizes: NetworkSizes) -> ECCNetwork:
        return ECCNetwork(self.settings, sizes)

    def _outputs(self, X: GraphInput) -> npt.NDArray[np.float32]:
        """Return the outputs, with the edge labels in the columns that they have in the graphs fitted on."""
        self._expect_fitted()
        graphs, fitted = Graphs.of(X), dict(self.network_.sizes.measured)
        if len(graphs) and EdgeColumns.of(graphs.dataset).measured != fitted:
            dataset = EdgeColumns(fitted).encode(graphs.dataset, self.handle_unknown)
            return super()._outputs(Selection(dataset, graphs.ids))
        return super()._outputs(X)


class EdgeConditionedConvolution(nn.Module):
    """The convolution ``x_i W + b + mean over neighbours j of x_j F(e_ij)``; F is an MLP with a hidden layer.

    Equal to PyG's ``NNConv`` with means, without a matrix for each edge: F(e) is a sum of matrices, weighted
    by the hidden units h(e), so neighbours are summed once for each hidden unit and then multiplied. With
    `one_hot`, the features of an edge are one label or none; neighbours are then summed once for each label,
    if there are fewer of them than hidden units.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        edge_features: int,
        edge_hidden: int,
        *,
        one_hot: bool = False,
    ) -> None:
        super().__init__()
        self.shape = (in_features, out_features)
        self.has_features = edge_features > 0
        self.by_label = one_hot and edge_features < edge_hidden
        self.hidden = nn.Sequential(nn.Linear(max(edge_features, 1), edge_hidden), nn.ReLU())
        self.matrix = nn.Linear(edge_hidden, in_features * out_features)
        self.own = nn.Linear(in_features, out_features)

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the new features of the level's nodes."""
        if not self.has_features or level.edge_attr is None:
            same = self.matrix(self.hidden(self.matrix.weight.new_ones(1, 1))).view(self.shape)
            return linear(self.own, x) + sum_neighbours(level, multiply(x, same), list_scale=level.mean_scale)
        x = as_tensor(x)
        shares, weights = self._terms(level.edge_attr)
        source, target = level.edge_index
        neighbours, result = x[source], self.own(x)
        for share, weight in zip(shares.unbind(1), weights, strict=True):
            total = torch.zeros_like(x).index_add(0, target, neighbours * share[:, None])
            result = result + total * level.mean_scale[:, None] @ weight
        return result  # type: ignore[no-any-return]

    def _terms(self, edge_attr: Tensor) -> tuple[Tensor, Tensor]:
        """Return matrices, and the share of each (columns) in the matrix of each edge (rows)."""
        if self.by_label:
            unlabelled = 1 - edge_attr.sum(dim=1, keepdim=True)
            labels = nn.functional.pad(torch.eye(edge_attr.shape[1]).to(edge_attr), (0, 0, 0, 1))
            shares = torch.cat([edge_attr, unlabelled], dim=1)
            return shares, self.matrix(self.hidden(labels)).view(-1, *self.shape)
        shares = nn.functional.pad(self.hidden(edge_attr), (0, 1), value=1.0)
        return shares, torch.cat([self.matrix.weight.t(), self.matrix.bias[None]]).view(-1, *self.shape)


class ECCNetwork(nn.Module):
    """Edge-conditioned convolutions with ReLU and batch norm, the mean over nodes, and an MLP."""

    def __init__(self, settings: ECCSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        hidden = settings.hidden
        edges = EdgeColumns(sizes.measured)
        widths = [sizes.num_features, *[hidden] * (settings.layers - 1)]
        self.convolutions = nn.ModuleList(
            EdgeConditionedConvolution(
                width, hidden, edges.count, settings.edge_hidden, one_hot=not edges.num_attributes
            )
            for width in widths
        )
        self.norms = nn.ModuleList(BatchNorm(hidden) for _ in widths)
        self.head = mlp([hidden, hidden, sizes.num_outputs], dropout=settings.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        x: Tensor | NodeInput = batch.nodes
        level = batch.levels[0]
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = norm(convolution(x, level).relu())
        mean, _ = mean_and_max(level.node_start, as_tensor(x)).chunk(2, dim=1)
        scores: Tensor = self.head(mean)
        return scores
