"""The sparse hierarchical graph classifier of Cangea et al. as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cliquepool._extras import require

require("pyg", __name__)

import torch
from pydantic import Field
from torch import Tensor, nn
from torch_geometric.nn import SAGEConv, TopKPooling
from torch_geometric.nn.pool.select import SelectOutput, SelectTopK
from torch_geometric.utils import add_self_loops

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.models.pool_network import RatioSettings, jumping_readout, select_top
from cliquepool.nn.peer_layers import PyGInput, mlp

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.batch import Batch
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["SparseHGCClassifier"]


class SparseHGCSettings(RatioSettings):
    """The settings of the sparse hierarchical graph classifier and of its training."""

    ratio: Annotated[float, Field(gt=0, le=1)] = 0.8
    """The share of each graph's nodes that a pooling keeps, rounded up."""


class SparseHGCClassifier(NetworkClassifier):
    """Classify graphs by the sparse hierarchical classifier of Cangea et al. (2018).

    As in "Towards sparse hierarchical graph classifiers": three blocks of a convolution
    ``relu(D⁻¹ (A + I) X Θ + X Θ')``, D being the degrees of A + I, and a pooling that keeps of n nodes the
    ``ceil(0.8 n)`` of highest score ``y = X p / ‖p‖``, with the features ``X ⊙ tanh(y)``, and the edges
    between them. The mean and the maximum over the nodes after every pooling are added over the blocks, and
    an MLP classifies their sum.

    The parameters are those of `SparseHGCSettings`; all others are as in `CliquePoolClassifier`.
    """

    settings_type = SparseHGCSettings
    title = "Sparse HGC (top-k)"

    def __init__(
        self,
        *,
        hidden: int = 64,
        layers: int = 3,
        dropout: float = 0.5,
        ratio: float = 0.8,
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

    def _build(self, sizes: NetworkSizes) -> SparseHGCNetwork:
        return SparseHGCNetwork(self.settings, sizes)


class GatedTopK(SelectTopK):  # type: ignore[misc]
    """Selects nodes by ``X p / ‖p‖``, ties by position; their weights are its hyperbolic tangent."""

    def forward(self, x: Tensor, batch: Tensor) -> SelectOutput:
        """Return the selected nodes, ascending, with their weights."""
        scores = x @ self.weight.view(-1) / self.weight.norm()
        return select_top(scores, batch, self.ratio)


class SparseHGCNetwork(nn.Module):
    """Blocks of a convolution and a gated top-k pooling, the sum of their readouts, and an MLP."""

    def __init__(self, settings: SparseHGCSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        hidden, ratio = settings.hidden, settings.ratio
        widths = [sizes.num_features, *[hidden] * (settings.layers - 1)]
        self.convolutions = nn.ModuleList(SAGEConv(width, hidden) for width in widths)
        self.pools = nn.ModuleList(TopKPooling(hidden, ratio) for _ in widths)
        for pool in self.pools:
            pool.select = GatedTopK(hidden, ratio)
        self.head = mlp([2 * hidden, hidden, sizes.num_outputs], dropout=settings.dropout)

    @property
    def pooling_modules(self) -> tuple[nn.Module, ...]:
        """The layers that pool."""
        return (self.pools,)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        x, edge_index, graphs, num_graphs, _ = PyGInput.of(batch)
        read = []
        for convolution, pool in zip(self.convolutions, self.pools, strict=True):
            # With loops, the mean over neighbours is D⁻¹ (A + I) X.
            looped, _ = add_self_loops(edge_index, num_nodes=len(x))
            x = convolution(x, looped).relu()
            x, edge_index, _, graphs, _, _ = pool(x, edge_index, batch=graphs)
            read.append(jumping_readout(x, graphs, num_graphs))
        return self.head(torch.stack(read).sum(dim=0))  # type: ignore[no-any-return]
