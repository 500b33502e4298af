"""PATCHY-SAN, a convolutional network over normalised neighbourhoods, as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn

from cliquepool.data.indexing import gather_rows
from cliquepool.data.pooled import PooledDataset
from cliquepool.data.receptive_fields import receptive_fields
from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.batch import Batch
from cliquepool.nn.layers import multiply
from cliquepool.nn.peer_layers import mlp
from cliquepool.nn.peer_settings import PeerTraining
from cliquepool.nn.settings import Width  # noqa: TC001 (pydantic reads it)

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.data.features import FeatureKind, HandleUnknown, NodeFeatures
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy

__all__ = ["FieldBatch", "FieldDataset", "PatchySANClassifier"]

_CHANNELS: Final = (16, 8)
_FIELDS_AT_ONCE: Final = 10


class PatchySANSettings(PeerTraining):
    """The settings of PATCHY-SAN and of its training."""

    field: Annotated[int, Field(ge=1, le=1024)] = 10
    """The number of nodes in a receptive field."""
    dense: Width = 128
    """The number of hidden units of the classifier."""


class PatchySANClassifier(NetworkClassifier):
    """Classify graphs by convolutions over normalised neighbourhoods (Niepert et al., 2016).

    As in "Learning convolutional neural networks for graphs": a sequence of nodes of each graph, as many as
    the training graphs have on average; for each of them a receptive field of ten nodes, found by
    breadth-first search and put into a canonical order (`cliquepool.data.receptive_fields`); a convolution
    over each field to 16 channels, one over ten fields at a time to 8 channels; and an MLP with 128 hidden
    units and dropout 0.5. Fields that are missing or not full are padded with zeros.

    field
        The number of nodes in a receptive field.
    dense
        The number of hidden units of the classifier.
    dropout
        The share of hidden units of the classifier that is dropped while training.

    All other parameters, X and y are as in `CliquePoolClassifier`.
    """

    settings_type = PatchySANSettings
    title = "PatchySAN"

    def __init__(
        self,
        *,
        field: int = 10,
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

    @property
    def preparation(self) -> str:
        """A key of what `prepare` returns: estimators with an equal one can share it."""
        return f"receptive fields of {self.settings.field} nodes"

    def _levels(self, dataset: GraphDataset, num_pools: int) -> FieldDataset:
        return FieldDataset(dataset, self.settings.field, levels=num_pools)

    def _can_use(self, known: PooledDataset, settings: Any) -> bool:
        return isinstance(known, FieldDataset) and known.fields.shape[1] == settings.field

    def _measure(self, data: PooledDataset, training: npt.NDArray[np.int64]) -> dict[str, int]:
        return {"fields": max(1, round(float(data.sizes[training, 0].mean())))}

    def _build(self, sizes: NetworkSizes) -> PatchySANNetwork:
        return PatchySANNetwork(self.settings, sizes)


@dataclass(repr=False, kw_only=True)
class FieldBatch(Batch):
    """A batch with the receptive field of each node: nodes of the batch, −1 where there is none."""

    fields: Tensor


class FieldDataset(PooledDataset):
    """All graphs of a data set with the receptive fields of their nodes."""

    def __init__(self, dataset: GraphDataset, size: int, *, levels: int = 0) -> None:
        super().__init__(dataset, levels=levels)
        self.fields = receptive_fields(dataset, size)

    def batch(self, chosen: npt.ArrayLike, features: NodeFeatures | None = None) -> FieldBatch:
        """Return the chosen graphs as one batch, in their order."""
        ids = np.ascontiguousarray(chosen, dtype=np.int64)
        batch = super().batch(ids, features)
        local = torch.from_numpy(gather_rows(self.levels[0].node_start, self.fields, ids)).long()
        level = batch.levels[0]
        of_batch = torch.where(local < 0, -1, local + level.node_start[level.batch, None])
        return FieldBatch(**{part.name: getattr(batch, part.name) for part in fields(batch)}, fields=of_batch)


class PatchySANNetwork(nn.Module):
    """A convolution over each of the first receptive fields, one over all of them, and an MLP."""

    def __init__(self, settings: PatchySANSettings, sizes: NetworkSizes) -> None:
        super().__init__()
        self.num_fields = sizes.measured["fields"]
        self.size = settings.field
        kernel = min(_FIELDS_AT_ONCE, self.num_fields)
        first, second = _CHANNELS
        # With a stride of the field's size, the first convolution is a linear function of a field.
        self.of_field = nn.Linear(self.size * sizes.num_features, first)
        self.of_fields = nn.Sequential(nn.Conv1d(first, second, kernel), nn.ReLU(), nn.Flatten())
        width = second * (self.num_fields - kernel + 1)
        self.head = mlp([width, settings.dense, sizes.num_outputs], dropout=settings.dropout)

    def forward(self, batch: FieldBatch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        x = self.read_fields(batch).relu()
        scores: Tensor = self.head(self.of_fields(x.transpose(1, 2)))
        return scores

    def read_fields(self, batch: FieldBatch) -> Tensor:
        """Return the channels of the first fields of each graph: graphs, fields, channels.

        Nodes are multiplied with the weights of every position of a field before they are gathered: fields
        overlap, and there are fewer channels than features.
        """
        positions = torch.arange(self.size, device=batch.fields.device)
        weight = self.of_field.weight.view(len(self.of_field.weight), self.size, -1)
        by_position = multiply(batch.nodes, weight.permute(2, 1, 0).flatten(1))
        by_position = by_position.view(len(by_position), self.size, -1)
        # Index −1 is the last row: zeros.
        by_position = nn.functional.pad(by_position, (0, 0, 0, 0, 0, 1))
        x: Tensor = by_position[self.first_fields(batch), positions].sum(dim=2) + self.of_field.bias
        return x

    def first_fields(self, batch: FieldBatch) -> Tensor:
        """Return the first fields of each graph: graphs, fields, nodes; −1 where there is none."""
        begins, ends = batch.levels[0].node_start[:-1, None], batch.levels[0].node_start[1:, None]
        rows = begins + torch.arange(self.num_fields, device=begins.device)
        missing = len(batch.fields)
        return nn.functional.pad(batch.fields, (0, 0, 0, 1), value=-1)[
            torch.where(rows < ends, rows, missing)
        ]
