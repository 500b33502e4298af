"""SortPooling, the deep graph convolutional neural network (DGCNN), as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from torch import Tensor, nn

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.functional import sum_neighbours
from cliquepool.nn.layers import as_tensor, multiply
from cliquepool.nn.peer_layers import mlp
from cliquepool.nn.peer_settings import PeerSettings
from cliquepool.nn.settings import Width  # noqa: TC001 (pydantic reads it)

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.batch import Batch, Level, NodeInput
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["DGCNNConvolution", "SortPoolClassifier", "first_nodes", "sort_nodes"]

# The second convolution reads five pairs of nodes.
_FEWEST_NODES: Final = 10
_SHARE_OF_LARGER_GRAPHS: Final = 0.6


class SortPoolSettings(PeerSettings):
    """The settings of SortPooling and of its training."""

    hidden: Width = 32
    """The number of features after every layer but the last, which has one."""
    dense: Width = 128
    """The number of hidden units of the classifier."""


class SortPoolClassifier(NetworkClassifier):
    """Classify graphs by sorted nodes: the DGCNN of Zhang et al. (2018).

    As in "An end-to-end deep learning architecture for graph classification": three convolutions to 32
    features and one to a single feature, all with tanh, side by side; the k nodes of each graph whose last
    feature is highest, in this order; two one-dimensional convolutions over them, to 16 and 32 channels; and
    an MLP with 128 hidden units and dropout 0.5. In 60% of the training graphs there are more than k nodes,
    and k is at least 10. Smaller graphs are padded with zeros.

    hidden
        The number of features after every convolution but the last, which has one.
    layers
        The number of convolutions but the last.
    dense
        The number of hidden units of the classifier.
    dropout
        The share of hidden units of the classifier that is dropped while training.

    All other parameters, X and y are as in `CliquePoolClassifier`.
    """

    settings_type = SortPoolSettings
    title = "SortPool (DGCNN)"

    def __init__(
        self,
        *,
        hidden: int = 32,
        layers: int = 3,
        dense: int = 128,
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

    def _measure(self, data: PooledDataset, training: npt.NDArray[np.int64]) -> dict[str, int]:
        sizes = np.sort(data.sizes[training, 0])
        # The largest k that the share of graphs with more nodes allows.
        k = int(sizes[int(len(sizes) * (1 - _SHARE_OF_LARGER_GRAPHS))]) - 1
        return {"k": max(k, _FEWEST_NODES)}

    def _build(self, sizes: NetworkSizes) -> SortPoolNetwork:
        return SortPoolNetwork(self.settings, sizes)


class DGCNNConvolution(nn.Module):
    """The convolution ``tanh(D^-1 (A + I) X W)``, with D the degrees in A + I."""

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the new features of the level's nodes."""
        return sum_neighbours(
            level, multiply(x, self.linear.weight.t()), list_scale=(level.degrees + 1).reciprocal(), own=1.0
        ).tanh()


class SortPoolNetwork(nn.Module):
    """Convolutions side by side, sorted nodes, one-dimensional convolutions over them, and an MLP."""

    def __init__(self, settings: SortPoolSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        self.k = sizes.measured["k"]
        widths = [*[settings.hidden] * settings.layers, 1]
        self.convolutions = nn.ModuleList(
            DGCNNConvolution(a, b) for a, b in zip([sizes.num_features, *widths], widths, strict=False)
        )
        # The first one-dimensional convolution reads one node at a time: a linear function of its features.
        self.of_node = nn.Linear(sum(widths), 16)
        self.of_pairs = nn.Sequential(nn.MaxPool1d(2), nn.Conv1d(16, 32, 5), nn.ReLU(), nn.Flatten())
        self.head = mlp([32 * (self.k // 2 - 4), settings.dense, sizes.num_outputs], dropout=settings.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        given: Tensor | NodeInput = batch.nodes
        level, outputs = batch.levels[0], []
        for convolution in self.convolutions:
            given = convolution(given, level)
            outputs.append(as_tensor(given))
        x = torch.cat(outputs, dim=1)
        first = first_nodes(x[sort_nodes(x, level.batch)], level, self.k)
        scores: Tensor = self.head(self.of_pairs(self.of_node(first).relu().transpose(1, 2)))
        return scores


def sort_nodes(x: Tensor, graph: Tensor) -> Tensor:
    """Return the nodes graph by graph, within each by their last feature, highest first.

    Ties are broken by the feature before it, and so on, so that the sorted rows do not depend on the order of
    nodes.
    """
    order = torch.argsort(x.detach()[:, -1], descending=True, stable=True)
    order = order[torch.argsort(graph[order], stable=True)]
    rows, graph = x.detach()[order], graph[order]
    ties = (graph[1:] == graph[:-1]) & (rows[1:, -1] == rows[:-1, -1])
    unequal = ties & (rows[1:] != rows[:-1]).any(dim=1)
    if unequal.any():
        # Few rows: those that are equal in all features need no order.
        run = nn.functional.pad(~ties, (1, 0)).cumsum(0)
        tied = torch.isin(run, run[1:][unequal]).nonzero().view(-1)
        keys = torch.cat([-rows[tied, :-1], run[tied, None]], dim=1).cpu().numpy()
        order[tied] = order[tied[torch.from_numpy(np.lexsort(keys.T)).to(tied.device)]]
    return order


def first_nodes(x: Tensor, level: Level, k: int) -> Tensor:
    """Return the first k rows of each graph, padded with rows of zeros: graphs, rows, features."""
    position = torch.arange(len(x), device=x.device) - level.node_start[level.batch]
    kept = position < k
    first = x.new_zeros(level.num_graphs, k, x.shape[1])
    return first.index_put((level.batch[kept], position[kept]), x[kept])
