"""Settings of graph networks and of their training, and those of the paper as presets."""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from cliquepool.data.features import FeatureKind  # noqa: TC001 (pydantic reads it)
from cliquepool.nn.checked_settings import checked_settings, describe_setting

__all__ = [
    "PRESETS",
    "ClassifierSettings",
    "EpochBy",
    "GraphSettings",
    "RegressionLoss",
    "RegressorSettings",
    "TrainingSettings",
    "checked_settings",
    "describe_setting",
]

EpochBy = Literal["score", "loss"]
RegressionLoss = Literal["mse", "l1", "huber"]

# Far beyond useful values: the bounds keep a damaged file from allocating terabytes.
Width = Annotated[int, Field(ge=1, le=1 << 16)]
Count = Annotated[int, Field(ge=1, le=1 << 31)]

_ADDED_LATER: Final = ("patience", "epoch_by")


class TrainingSettings(BaseModel):
    """The input features of a network over graphs, and its training; networks add their own settings.

    Settings that were added after version 0.1.0 are not written where they have their default, so that
    earlier records and checkpoints still match the same settings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    features: FeatureKind = "auto"
    """The input features of each node."""
    standardise: bool = True
    """Whether node attributes are standardised by mean and deviation over the training graphs."""
    learning_rate: PositiveFloat = 1e-4
    """The learning rate of Adam."""
    weight_decay: NonNegativeFloat = 1e-3
    """The weight decay of Adam, an L2 penalty."""
    batch_size: Count = 32
    """The number of graphs in a mini-batch."""
    epochs: Count = 100
    """The number of passes over the training graphs."""
    patience: Count | None = None
    """Stop after this many epochs without a better one on the held-out graphs; none: never."""
    epoch_by: EpochBy = "score"
    """What makes an epoch better than another on the held-out graphs: a higher score, which is the accuracy
    of a classifier and R² of a regressor, and among equal scores a lower loss; or a lower loss alone."""

    @model_serializer(mode="wrap")
    def _without_later_defaults(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write the fields of the network before those of the training, as version 0.1.0 did."""
        written: dict[str, Any] = write(self)
        for name in _ADDED_LATER:
            if name in written and getattr(self, name) == type(self).model_fields[name].default:
                del written[name]
        own = [name for name in written if name not in TrainingSettings.model_fields]
        return {name: written[name] for name in dict.fromkeys([*own, *written])}


class GraphSettings(TrainingSettings):
    """The network: `pools` blocks of convolution and clique pool, one more convolution, and an MLP."""

    convolution: Literal["gcn", "sage"] = "gcn"
    """The convolution of every layer."""
    hidden: Width = 64
    """The number of features after every convolution."""
    pools: Annotated[int, Field(ge=0, le=256)] = 2
    """The number of poolings."""
    reduce: Literal["mean", "max", "sum"] = "mean"
    """How the features of the members of a pool are reduced to those of the pool."""
    normalise: bool = True
    """Whether the output of every layer is L2-normalised, node by node."""
    mlp: Annotated[tuple[Width, ...], Field(max_length=256)] = (64,)
    """The widths of the hidden layers of the MLP at the end."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """The share of features dropped before each layer of the MLP while training."""


class ClassifierSettings(GraphSettings):
    """The settings of a network that classifies graphs, and of its training.

    >>> ClassifierSettings(hidden=32).pools
    2
    >>> PRESETS["enzymes"].convolution
    'sage'
    """


class RegressorSettings(GraphSettings):
    """The settings of a network that predicts numbers of graphs, and of its training.

    >>> RegressorSettings(loss="huber").loss
    'huber'
    """

    epoch_by: EpochBy = "loss"
    """What makes an epoch better than another on the held-out graphs: a higher R², or a lower loss. R² varies
    too much on few graphs with almost equal targets."""
    loss: RegressionLoss = "mse"
    """The loss on standardised targets: squared, absolute or Huber."""


_PAPER: Final = {
    "default": ClassifierSettings(),
    "enzymes": ClassifierSettings(convolution="sage", hidden=128, epochs=1000),
    "dd": ClassifierSettings(epochs=100),
    "proteins": ClassifierSettings(epochs=500),
    "collab": ClassifierSettings(pools=1, epochs=200),
}

PRESETS: Final = MappingProxyType(_PAPER)
"""The networks of the paper, by data set."""
