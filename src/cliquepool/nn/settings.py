"""Settings of graph networks and of their training, and presets: the default ones, and those of the paper."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat, field_validator

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

EpochBy = Literal["score", "loss", "brier"]
RegressorEpochBy = Literal["score", "loss"]
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

    added_later: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"patience": None, "epoch_by": "score", "averaging": 0.0}
    )

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
    of a classifier and R² of a regressor, and among equal scores a lower loss; a lower loss alone; or a lower
    Brier score, the squared error of the probabilities. Accuracy varies most on few graphs, and the loss is
    dominated by few graphs once a network is sure of itself; the Brier score is in between."""
    averaging: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Validate and keep a moving average of the weights instead of the weights themselves: the share of the
    average that a step leaves as it is, such as 0.99; 0: no average."""

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
    """The network: convolutions on every level, `pools` clique pools between the levels, and an MLP."""

    added_later: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {
            **TrainingSettings.added_later,
            "layers": 1,
            "batch_norm": False,
            "readout": ("mean", "max"),
            "composition": False,
        }
    )

    convolution: Literal["gcn", "sage", "gin"] = "gcn"
    """The convolution of every layer: GCN, GraphSAGE with means, or GIN with an MLP of two layers."""
    hidden: Width = 64
    """The number of features after every convolution."""
    layers: Annotated[int, Field(ge=1, le=256)] = 1
    """The number of convolutions on every level. The outputs of all of them, side by side, are read out and
    pooled."""
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
    """Whether the MLP at the end also reads the size and the composition of the graph; see
    `ClassifierSettings`."""
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

    The defaults were chosen by held-out training graphs of MUTAG, PTC_MR, NCI1, IMDB-BINARY and REDDIT-BINARY
    (``tools/choose_default.py``); `PRESETS` has those of the paper.

    >>> ClassifierSettings(hidden=32).pools
    2
    >>> PRESETS["paper-enzymes"].convolution
    'sage'
    """

    convolution: Literal["gcn", "sage", "gin"] = "gin"
    """The convolution of every layer: GCN, GraphSAGE with means, or GIN with an MLP of two layers."""
    composition: bool = True
    """Whether the MLP at the end also reads the size and the composition of the graph: logarithms of the node
    counts of all levels, of one plus the counts of labels (of degrees, where nodes have neither labels nor
    attributes), and the sums of attributes; all standardised over the training graphs."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """The share of features dropped before each layer of the MLP while training."""
    learning_rate: PositiveFloat = 1e-3
    """The learning rate of Adam."""
    epochs: Count = 300
    """The number of passes over the training graphs, at most."""
    patience: Count | None = 50
    """Stop after this many epochs without a better one on the held-out graphs; none: never."""
    epoch_by: EpochBy = "brier"
    """What makes an epoch better than another on the held-out graphs: a higher accuracy, and among equal ones
    a lower loss; a lower loss alone; or a lower Brier score, the squared error of the probabilities."""
    averaging: Annotated[float, Field(ge=0, lt=1)] = 0.99
    """Validate and keep a moving average of the weights instead of the weights themselves: the share of the
    average that a step leaves as it is; 0: no average."""


class RegressorSettings(GraphSettings):
    """The settings of a network that predicts numbers of graphs, and of its training.

    >>> RegressorSettings(loss="huber").loss
    'huber'
    """

    added_later: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {**GraphSettings.added_later, "epoch_by": "loss"}
    )

    epoch_by: RegressorEpochBy = "loss"
    """What makes an epoch better than another on the held-out graphs: a higher R², or a lower loss. R² varies
    too much on few graphs with almost equal targets."""
    loss: RegressionLoss = "mse"
    """The loss on standardised targets: squared, absolute or Huber."""


_PAPER: Final[dict[str, Any]] = {
    "convolution": "gcn",
    "composition": False,
    "dropout": 0.0,
    "learning_rate": 1e-4,
    "patience": None,
    "epoch_by": "score",
    "averaging": 0.0,
}
_PRESETS: Final = {
    "default": ClassifierSettings(),
    "paper-enzymes": ClassifierSettings(**_PAPER | {"convolution": "sage"}, hidden=128, epochs=1000),
    "paper-dd": ClassifierSettings(**_PAPER, epochs=100),
    "paper-proteins": ClassifierSettings(**_PAPER, epochs=500),
    "paper-collab": ClassifierSettings(**_PAPER, pools=1, epochs=200),
}


class _Presets(Mapping[str, ClassifierSettings]):
    """Settings by name; the names of version 0.1.0, such as "enzymes", still work and warn."""

    def __getitem__(self, name: str) -> ClassifierSettings:
        current = self.current_name(name)
        if current != name:
            warnings.warn(f"preset {name!r} is now {current!r}", DeprecationWarning, stacklevel=2)
        return _PRESETS[current]

    def __iter__(self) -> Iterator[str]:
        return iter(_PRESETS)

    def __len__(self) -> int:
        return len(_PRESETS)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.current_name(name) in _PRESETS

    def __repr__(self) -> str:
        return f"PRESETS({', '.join(self)})"

    @staticmethod
    def current_name(name: str) -> str:
        """Return the name of a preset that version 0.1.0 named without "paper-"."""
        paper = f"paper-{name}"
        return paper if paper in _PRESETS else name


PRESETS: Final = _Presets()
"""Settings by name: `default`, and those of the paper, `paper-enzymes`, `paper-dd`, `paper-proteins` and
`paper-collab`. The names of version 0.1.0, without "paper-", still work, with a DeprecationWarning."""
