"""Every choice of a graph network and of its training, typed; and the paper's, as presets."""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat

from cliquepool.data.features import FeatureKind  # noqa: TC001 (pydantic reads it)
from cliquepool.nn.checked_settings import checked_settings, describe_setting

__all__ = ["PRESETS", "ClassifierSettings", "checked_settings", "describe_setting"]

# Far beyond what is of use: the bounds keep a damaged file from asking for terabytes.
Width = Annotated[int, Field(ge=1, le=1 << 16)]
Count = Annotated[int, Field(ge=1, le=1 << 31)]


class ClassifierSettings(BaseModel):
    """The network: `pools` blocks of convolution and clique pool, one more convolution, and an MLP.

    >>> ClassifierSettings(hidden=32).pools
    2
    >>> PRESETS["enzymes"].convolution
    'sage'
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    convolution: Literal["gcn", "sage"] = "gcn"
    """The convolution of every layer."""
    hidden: Width = 64
    """The number of features after every convolution."""
    pools: Annotated[int, Field(ge=0, le=256)] = 2
    """How many times the graph is pooled."""
    reduce: Literal["mean", "max", "sum"] = "mean"
    """How the features of a pool come from its members."""
    normalise: bool = True
    """Whether every layer's output is divided by its length, node by node."""
    mlp: Annotated[tuple[Width, ...], Field(max_length=256)] = (64,)
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
    batch_size: Count = 32
    """How many graphs are in a mini-batch."""
    epochs: Count = 100
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
