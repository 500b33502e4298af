"""Settings of graph networks and of their training, and those of the paper as presets."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat, field_validator

from cliquepool.data.features import FeatureKind  # noqa: TC001 (pydantic reads it)
from cliquepool.nn.checked_settings import checked_settings, describe_setting

if TYPE_CHECKING:
    from collections.abc import Mapping

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
ReadoutPart = Literal["mean", "max", "sum"]
Reduction = Literal["mean", "max", "sum", "share", "attention"]
RegressionLoss = Literal["mse", "l1", "huber"]

# Far beyond useful values: the bounds keep a damaged file from allocating terabytes.
Width = Annotated[int, Field(ge=1, le=1 << 16)]
Count = Annotated[int, Field(ge=1, le=1 << 31)]


class TrainingSettings(BaseModel):
    """The input features of a network over graphs, and its training; networks add their own settings.

    Attributes
    ----------
    added_later : mapping
        The settings that were added after version 0.1.0, each with the value that earlier versions computed
        with (class attribute). Files without the setting are read so, whatever its default is now.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    added_later: ClassVar[Mapping[str, Any]] = MappingProxyType({"patience": None, "epoch_by": "score"})

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

    def recorded(self) -> dict[str, Any]:
        """Return the settings as records and checkpoints name them, in values that JSON has.

        A setting that was added after version 0.1.0 is left out where it has the earlier value, so that
        records and checkpoints of earlier versions still match. The settings of the network come before those
        of the training, as in version 0.1.0.

        >>> "patience" in TrainingSettings().recorded(), TrainingSettings(patience=5).recorded()["patience"]
        (False, 5)
        """
        written = self.model_dump(mode="json")
        earlier = {name for name, value in self.added_later.items() if getattr(self, name) == value}
        own = [name for name in written if name not in TrainingSettings.model_fields]
        return {name: written[name] for name in dict.fromkeys([*own, *written]) if name not in earlier}


class GraphSettings(TrainingSettings):
    """The network: `pools` blocks of convolution and clique pool, one more convolution, and an MLP."""

    added_later: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {
            **TrainingSettings.added_later,
            "batch_norm": False,
            "readout": ("mean", "max"),
            "composition": False,
        }
    )

    convolution: Literal["gcn", "sage", "gin"] = "gcn"
    """The convolution of every layer: GCN, GraphSAGE with means, or GIN with an MLP of two layers."""
    hidden: Width = 64
    """The number of features after every convolution."""
    pools: Annotated[int, Field(ge=0, le=256)] = 2
    """The number of poolings."""
    reduce: Reduction = "mean"
    """How the features of the members of a pool are reduced to those of the pool. With "share", each node
    divides its features equally over its pools, which sum them. With "attention", the weights of the members
    are learned: a softmax over each pool."""
    batch_norm: bool = False
    """Whether the output of every convolution is normalised over the nodes of a mini-batch, before ReLU."""
    normalise: bool = True
    """Whether the output of every layer is L2-normalised, node by node."""
    readout: Annotated[tuple[ReadoutPart, ...], Field(min_length=1, max_length=3)] = ("mean", "max")
    """What is read of the nodes of every level for the MLP at the end, feature by feature."""
    composition: bool = False
    """Whether the MLP at the end also reads the size and the composition of the graph: logarithms of the node
    counts of all levels, of one plus the counts of labels (of degrees, where nodes have neither labels nor
    attributes), and the sums of attributes; all standardised over the training graphs."""
    mlp: Annotated[tuple[Width, ...], Field(max_length=256)] = (64,)
    """The widths of the hidden layers of the MLP at the end."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """The share of features dropped before each layer of the MLP while training."""

    @field_validator("readout")
    @classmethod
    def _read_once(cls, parts: tuple[ReadoutPart, ...]) -> tuple[ReadoutPart, ...]:
        if len(set(parts)) < len(parts):
            raise ValueError("expected each part once")
        return parts


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

    added_later: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {**GraphSettings.added_later, "epoch_by": "loss"}
    )

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
