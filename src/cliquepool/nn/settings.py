"""Every choice of a graph classifier and of its training, typed; and the paper's, as presets."""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
)

from cliquepool.data.features import FeatureKind  # noqa: TC001 (pydantic reads it)

__all__ = ["PRESETS", "ClassifierSettings"]


class ClassifierSettings(BaseModel):
    """The network: `pools` blocks of convolution and clique pool, one more convolution, and an MLP.

    >>> ClassifierSettings(hidden=32).pools
    2
    >>> PRESETS["enzymes"].convolution
    'sage'
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    convolution: Literal["gcn", "sage"] = "gcn"
    """The convolution of every layer."""
    hidden: PositiveInt = 64
    """The number of features after every convolution."""
    pools: NonNegativeInt = 2
    """How many times the graph is pooled."""
    reduce: Literal["mean", "max", "sum"] = "mean"
    """How the features of a pool come from its members."""
    normalise: bool = True
    """Whether every layer's output is divided by its length, node by node."""
    mlp: tuple[PositiveInt, ...] = (64,)
    """The widths of the hidden layers of the MLP at the end."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """The share of features dropped before each layer of the MLP while training."""
    features: FeatureKind = "auto"
    """What the network is given of each node."""
    standardise: bool = True
    """Whether node attributes are shifted and scaled by what the training part's are."""
    learning_rate: PositiveFloat = 1e-4
    """Adam's step."""
    weight_decay: NonNegativeFloat = 1e-3
    """Adam's pull of all weights towards zero."""
    batch_size: PositiveInt = 32
    """How many graphs are in a mini-batch."""
    epochs: PositiveInt = 100
    """How many times training goes through all graphs."""


_PAPER: Final = {
    "default": ClassifierSettings(),
    "enzymes": ClassifierSettings(convolution="sage", hidden=128, epochs=1000),
    "dd": ClassifierSettings(epochs=100),
    "proteins": ClassifierSettings(epochs=500),
    "collab": ClassifierSettings(pools=1, epochs=200),
}

PRESETS: Final = MappingProxyType(_PAPER)
"""The networks of the paper, by the data set they are for."""
