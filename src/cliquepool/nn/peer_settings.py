"""Settings that all networks have in common that clique pooling is compared with."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, NonNegativeFloat, PositiveFloat, SerializerFunctionWrapHandler, model_serializer

from cliquepool.nn.settings import Count, EpochBy, TrainingSettings, Width

__all__ = ["LayerCount", "PeerSettings"]

LayerCount = Annotated[int, Field(ge=1, le=64)]


class PeerSettings(TrainingSettings):
    """The settings of a network that clique pooling is compared with: one rule of training for all.

    A network adds its own settings, and may have other defaults for `layers` and `dropout`. All settings are
    part of every record.

    >>> PeerSettings(hidden=32).epoch_by
    'loss'
    """

    hidden: Width = 64
    """The number of features after every layer."""
    layers: LayerCount = 3
    """The number of layers."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """The share of features dropped in the classifier at the end while training."""
    learning_rate: PositiveFloat = 1e-3
    """The learning rate of Adam."""
    weight_decay: NonNegativeFloat = 0.0
    """The weight decay of Adam, an L2 penalty."""
    epochs: Count = 500
    """The number of passes over the training graphs, at most."""
    patience: Count | None = 50
    """Stop after this many epochs without a better one on the held-out graphs; none: never."""
    epoch_by: EpochBy = "loss"
    """What makes an epoch better than another on the held-out graphs: a higher score, or a lower loss."""

    @model_serializer(mode="wrap")
    def _without_later_defaults(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write all settings, the network's own first: there are no earlier records to match."""
        written: dict[str, Any] = write(self)
        own = [name for name in written if name not in TrainingSettings.model_fields]
        return {name: written[name] for name in dict.fromkeys([*own, *written])}
