"""The clique-pool classifier as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.settings import PRESETS, ClassifierSettings
from cliquepool.training.graphs import build_network

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.network_classifier import ClassWeight
    from cliquepool.nn.network import GraphClassifier
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import EpochBy, ReadoutPart, Reduction

__all__ = ["CliquePoolClassifier"]


class CliquePoolClassifier(NetworkClassifier):
    """Classify graphs by convolutions, clique pools and a multilayer perceptron.

    The parameters are those of `cliquepool.nn.ClassifierSettings`, and:

    validation_fraction
        The share of the training graphs that is held out to choose the epoch whose weights are kept. With 0,
        all graphs are trained on for all epochs, whatever `patience` is, and the last weights are kept.
    class_weight
        The weight of each class in the loss and the score: None for equal weights of graphs, ``"balanced"``
        for equal sums over classes, or a dict. With several labels for each graph, as in scikit-learn's
        `compute_sample_weight`.
    handle_unknown
        What to do with node labels that the training data does not name: ``"error"`` refuses them,
        ``"ignore"`` encodes them as no label.
    random_state
        The seed of the weights, of the order of the graphs and of the held-out graphs: an integer, a
        RandomState that a seed is drawn from in every fit, or None for another seed in every fit.
    device
        The device for training and predicting: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, or ``"auto"`` for a
        graphics card if there is one.
    verbose
        With 1, fit prints about ten lines on its progress; with 2, one line for every epoch.

    X is a `GraphDataset`, or a list of graphs: parts of a data set, `cliquepool.Graph`, networkx graphs or
    PyG's `Data`. y has a class for each graph; or for each graph a row of zeros and ones, one for each
    possible label. Without y, the classes are those of the data set.

    >>> from cliquepool import Graph
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> clique = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> model = CliquePoolClassifier(epochs=30, validation_fraction=0)
    >>> model.fit([star, clique] * 8, ["star", "clique"] * 8).predict([clique, star]).tolist()
    ['clique', 'star']
    """

    settings_type = ClassifierSettings

    def __init__(
        self,
        *,
        convolution: str = "gin",
        hidden: int = 64,
        layers: int = 1,
        pools: int = 2,
        reduce: Reduction = "mean",
        batch_norm: bool = False,
        normalise: bool = True,
        readout: tuple[ReadoutPart, ...] = ("mean", "max"),
        composition: bool = True,
        mlp: tuple[int, ...] = (64,),
        dropout: float = 0.5,
        features: FeatureKind = "auto",
        standardise: bool = True,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-3,
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
    def title(self) -> str:  # type: ignore[override]
        """The name of the model in records and tables, by the number of convolutions on every level."""
        return "CliquePool" if self.layers == 1 else f"CliquePool, {self.layers} convolutions a level"

    @classmethod
    def from_preset(cls, name: str, **others: Any) -> Self:
        """Return the classifier of a preset, such as ``"paper-enzymes"``; `others` are other parameters."""
        if name not in PRESETS:
            raise ValueError(f"preset: expected one of {', '.join(PRESETS)}, got {name!r}")
        return cls.from_settings(PRESETS[name], **others)

    @staticmethod
    def _num_pools(settings: ClassifierSettings) -> int:
        return settings.pools

    @staticmethod
    def _num_layers(settings: ClassifierSettings) -> int:
        return settings.layers * (settings.pools + 1) + len(settings.mlp)

    def _build(self, sizes: NetworkSizes) -> GraphClassifier:
        return build_network(self.settings, sizes)
