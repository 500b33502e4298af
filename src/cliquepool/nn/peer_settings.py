"""Settings that all networks have in common that clique pooling is compared with."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, NonNegativeFloat, PositiveFloat, SerializerFunctionWrapHandler, model_serializer

from cliquepool.nn.settings import Count, EpochBy, TrainingSettings, Width

__all__ = ["LayerCount", "PeerSettings", "PeerTraining", "Share"]

LayerCount = Annotated[int, Field(ge=1, le=64)]
Share = Annotated[float, Field(ge=0, lt=1)]


class PeerTraining(TrainingSettings):
    """The training of a network that clique pooling is compared with: one rule for all.

    All settings are part of every record.

    >>> PeerTraining(epochs=10).epoch_by
    'brier'
    """

    dropout: Share = 0.5
    """The share of features dropped in the classifier at the end while training."""
    learning_rate: PositiveFloat = 1e-3
    """The learning rate of Adam."""
    weight_decay: NonNegativeFloat = 0.0
    """The weight decay of Adam, an L2 penalty."""
    epochs: Count = 300
    """The number of passes over the training graphs, at most."""
    patience: Count | None = 50
    """Stop after this many epochs without a better one on the held-out graphs; none: never."""
    epoch_by: EpochBy = "brier"
    """What makes an epoch better on the held-out graphs: a higher score, a lower loss or Brier score."""
    averaging: Share = 0.99
    """Validate and keep a moving average of the weights instead of the weights themselves: the share of the
    average that a step leaves as it is; 0: no average."""

    @model_serializer(mode="wrap")
    def _without_later_defaults(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write all settings, the network's own first: there are no earlier records to match."""
        written: dict[str, Any] = write(self)
        own = [name for name in written if name not in TrainingSettings.model_fields]
        return {name: written[name] for name in dict.fromkeys([*own, *written])}


class PeerSettings(PeerTraining):
    """The settings of a network of several equal layers; it may add its own, and have other defaults."""

    hidden: Width = 64
    """The number of features after every layer."""
    layers: LayerCount = 3
    """The number of layers."""
