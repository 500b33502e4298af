"""The clique-pool classifier as a scikit-learn estimator."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_args

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split

from cliquepool.array_files import array_of_list
from cliquepool.data.features import FeatureEncoder, FeatureKind
from cliquepool.data.pooled import PooledDataset
from cliquepool.errors import GraphError
from cliquepool.models.graphs import as_dataset
from cliquepool.nn.checkpoint import expect_weights, read_tensors, write_tensors
from cliquepool.nn.network import GraphClassifier
from cliquepool.nn.settings import PRESETS, ClassifierSettings, checked_settings
from cliquepool.nn.training import EpochReport, FittedNetwork, train

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    import numpy.typing as npt
    from torch import Tensor

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.nn.layers import Reduction

__all__ = ["CliquePoolClassifier"]

_MODEL = "model"


class CliquePoolClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifies graphs by convolutions, clique pools and a multilayer perceptron.

    The parameters are those of `cliquepool.nn.ClassifierSettings`, and:

    validation_fraction
        The share of the training graphs that is held out to choose the epoch whose weights are kept. With 0
        all are trained on, and the last epoch's are.
    random_state
        The seed of the weights, of the order of the graphs and of what is held out.

    X is a `GraphDataset`, or a list of graphs: of parts of a data set, of `cliquepool.Graph`, of networkx
    graphs or of PyG's `Data`. Without y, the classes are those of the data set.

    >>> from cliquepool import Graph
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> clique = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> model = CliquePoolClassifier(epochs=30, learning_rate=0.01, validation_fraction=0)
    >>> model.fit([star, clique] * 8, ["star", "clique"] * 8).predict([clique, star]).tolist()
    ['clique', 'star']
    """

    def __init__(
        self,
        *,
        convolution: str = "gcn",
        hidden: int = 64,
        pools: int = 2,
        reduce: Reduction = "mean",
        normalise: bool = True,
        mlp: tuple[int, ...] = (64,),
        dropout: float = 0.0,
        features: FeatureKind = "auto",
        standardise: bool = True,
        learning_rate: float = 1e-4,
        weight_decay: float = 1e-3,
        batch_size: int = 32,
        epochs: int = 100,
        validation_fraction: float = 0.1,
        random_state: int = 0,
    ) -> None:
        self.convolution = convolution
        self.hidden = hidden
        self.pools = pools
        self.reduce = reduce
        self.normalise = normalise
        self.mlp = mlp
        self.dropout = dropout
        self.features = features
        self.standardise = standardise
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.epochs = epochs
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    @classmethod
    def from_settings(cls, settings: ClassifierSettings, **others: Any) -> Self:
        """The estimator with these settings."""
        return cls(**settings.model_dump(), **others)

    @classmethod
    def from_preset(cls, name: str, **others: Any) -> Self:
        """The paper's classifier for a data set: ``"enzymes"``, ``"dd"``, ``"proteins"`` or ``"collab"``."""
        if name not in PRESETS:
            raise ValueError(f"preset: expected one of {', '.join(PRESETS)}, got {name!r}")
        return cls(**(PRESETS[name].model_dump() | others))

    @property
    def settings(self) -> ClassifierSettings:
        """The parameters of the network and its training, checked."""
        fields = {name: getattr(self, name) for name in ClassifierSettings.model_fields}
        return checked_settings(ClassifierSettings, fields)

    def fit(
        self,
        X: GraphDataset | PooledDataset | Sequence[Any],
        y: npt.ArrayLike | None = None,
        *,
        checkpoint: str | PathLike[str] | None = None,
        on_epoch: Callable[[EpochReport], None] | None = None,
    ) -> Self:
        """Train on the graphs X of the classes y. With `checkpoint`, a file, an interrupted fit goes on."""
        settings = self.settings
        dataset = as_dataset(X)
        self.classes_, dataset = _with_classes(dataset, y)
        data = PooledDataset(dataset, levels=settings.pools)
        training_ids, validation_ids = self._split(dataset.targets)
        training = train(
            data,
            training_ids,
            validation_ids,
            settings,
            seed=int(self.random_state),
            keep_last=not self.validation_fraction,
            checkpoint=None if checkpoint is None else Path(checkpoint),
            on_epoch=on_epoch,
        )
        self.network_ = training.network
        self.curves_ = training.curves
        self.best_epoch_ = training.best_epoch
        return self

    def _split(self, targets: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Which graphs to train on, and which to watch."""
        everything = np.arange(len(targets))
        if not 0 <= self.validation_fraction < 1:
            raise ValueError(f"validation_fraction: expected 0 up to 1, got {self.validation_fraction!r}")
        if not self.validation_fraction:
            return everything, everything
        try:
            training, validation = train_test_split(
                everything,
                test_size=self.validation_fraction,
                stratify=targets,
                random_state=self.random_state,
            )
        except ValueError as error:
            raise GraphError(
                f"{len(targets)} graphs are too few to hold out a share of {self.validation_fraction} "
                f"with every class in it ({error}); use validation_fraction=0"
            ) from None
        return np.sort(training), np.sort(validation)

    def decision_function(self, X: GraphDataset | PooledDataset | Sequence[Any]) -> npt.NDArray[np.float32]:
        """The score of each class (columns) for each graph (rows)."""
        if not hasattr(self, "network_"):
            raise NotFittedError("expected a fitted classifier: call fit first")
        data = X if isinstance(X, PooledDataset) else PooledDataset(as_dataset(X), levels=self.pools)
        scores: npt.NDArray[np.float32] = self.network_.scores(data).numpy()
        return scores

    def predict_proba(self, X: GraphDataset | PooledDataset | Sequence[Any]) -> npt.NDArray[np.float32]:
        """The probability of each class (columns) for each graph (rows)."""
        probabilities: npt.NDArray[np.float32] = (
            torch.from_numpy(self.decision_function(X)).softmax(1).numpy()
        )
        return probabilities

    def predict(self, X: GraphDataset | PooledDataset | Sequence[Any]) -> npt.NDArray[Any]:
        """The most probable class of each graph."""
        highest = self.decision_function(X).argmax(axis=1)
        predicted: npt.NDArray[Any] = self.classes_[highest]
        return predicted

    def score(
        self,
        X: GraphDataset | PooledDataset | Sequence[Any],
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> float:
        """The share of graphs whose class is predicted; without y, of those of the data set."""
        if y is None:
            dataset = as_dataset(X)
            y = dataset.classes[dataset.targets]
        return float(super().score(X, y, sample_weight))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted classifier to a file; atomically, and never as a pickle."""
        if not hasattr(self, "network_"):
            raise NotFittedError("expected a fitted classifier: call fit first")
        encoder = self.network_.encoder
        described = {
            "parameters": self.get_params(),
            "classes": self.classes_.tolist(),
            "kind_of_features": encoder.kind,
            "codes": None if encoder.codes is None else encoder.codes.tolist(),
            "curves": self.curves_,
            "best_epoch": self.best_epoch_,
        }
        tensors = dict(self.network_.network.state_dict())
        if encoder.shift is not None and encoder.scale is not None:
            tensors |= {
                "features.shift": torch.tensor(encoder.shift),
                "features.scale": torch.tensor(encoder.scale),
            }
        write_tensors(Path(path), tensors, _MODEL, json.loads(json.dumps(described)))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a classifier that `save` wrote. Raises GraphError for any other file."""
        tensors, described = read_tensors(Path(path), _MODEL)
        try:
            parameters = described["parameters"]
            model = cls(**(parameters | {"mlp": tuple(parameters["mlp"])}))
            shift, scale = (tensors.pop(f"features.{name}", None) for name in ("shift", "scale"))
            encoder = _loaded_encoder(described, shift, scale)
            model.classes_ = array_of_list("classes", described["classes"])
            settings, num_classes = model.settings, len(model.classes_)
            expect_weights(
                tensors,
                lambda: GraphClassifier(settings, encoder.width, num_classes),
                num_layers=settings.pools + len(settings.mlp),
            )
            network = GraphClassifier(settings, encoder.width, num_classes)
            network.load_state_dict(tensors)
            model.curves_, model.best_epoch_ = described["curves"], described["best_epoch"]
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise GraphError(f"{path}: expected a saved classifier, got a damaged file ({error})") from None
        model.network_ = FittedNetwork(network.eval(), encoder)
        return model


def _loaded_encoder(described: dict[str, Any], shift: Tensor | None, scale: Tensor | None) -> FeatureEncoder:
    """Return the encoder that a file describes, checked."""
    kind, codes = described["kind_of_features"], described["codes"]
    if kind not in get_args(FeatureKind):
        raise GraphError(f"kind_of_features: expected one of {', '.join(get_args(FeatureKind))}, got {kind}")
    parts = [None if part is None else part.numpy() for part in (shift, scale)]
    shapes = {None if part is None else (part.dtype, part.ndim, len(part)) for part in parts}
    if len(shapes) > 1 or not all(part is None or part.dtype == np.float32 for part in parts):
        raise GraphError(f"expected as many shifts as scales of features, got {shapes}")
    return FeatureEncoder(kind, None if codes is None else array_of_list("codes", codes), *parts)


def _with_classes(dataset: GraphDataset, y: npt.ArrayLike | None) -> tuple[npt.NDArray[Any], GraphDataset]:
    """The classes, ascending, and the data set with each graph's as its target."""
    classes = dataset.classes[dataset.targets] if y is None else np.asarray(y)
    if y is None and (dataset.targets < 0).any():
        raise GraphError("expected a class for every graph, got graphs without: pass y")
    if classes.shape != (len(dataset),):
        raise GraphError(
            f"y: expected one class for each of {len(dataset)} graphs, got shape {classes.shape}"
        )
    found, codes = np.unique(classes, return_inverse=True)
    if len(found) < 2:
        raise GraphError(f"expected graphs of at least two classes, got {len(found)}")
    return found, replace(dataset, targets=codes.astype(np.int64), classes=found)
