"""The clique-pool classifier as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight

from cliquepool.models.graph_estimator import GraphEstimator
from cliquepool.models.graphs import Graphs
from cliquepool.models.sample_weights import class_weight_to_json
from cliquepool.models.targets import ClassTarget, LabelsTarget, checked_classes
from cliquepool.nn.settings import PRESETS, ClassifierSettings
from cliquepool.training.compute import Compute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.graphs import GraphInput
    from cliquepool.models.targets import Target
    from cliquepool.nn.layers import Reduction
    from cliquepool.training.tasks import Task

__all__ = ["CliquePoolClassifier"]


class CliquePoolClassifier(ClassifierMixin, GraphEstimator):  # type: ignore[misc]
    """Classify graphs by convolutions, clique pools and a multilayer perceptron.

    The parameters are those of `cliquepool.nn.ClassifierSettings`, and:

    validation_fraction
        The share of the training graphs that is held out to choose the epoch whose weights are kept. With 0,
        all graphs are trained on and the weights of the last epoch are kept.
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
    >>> model = CliquePoolClassifier(epochs=30, learning_rate=0.01, validation_fraction=0)
    >>> model.fit([star, clique] * 8, ["star", "clique"] * 8).predict([clique, star]).tolist()
    ['clique', 'star']
    """

    settings_type = ClassifierSettings
    noun = "classifier"

    target_: ClassTarget | LabelsTarget

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
        patience: int | None = None,
        validation_fraction: float = 0.1,
        class_weight: str | Mapping[Any, float] | Sequence[Mapping[Any, float]] | None = None,
        handle_unknown: HandleUnknown = "error",
        random_state: int | np.random.RandomState | None = 0,
        device: str = "cpu",
        verbose: int = 0,
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
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.handle_unknown = handle_unknown
        self.random_state = random_state
        self.device = device
        self.verbose = verbose

    @classmethod
    def from_preset(cls, name: str, **others: Any) -> Self:
        """Return the paper's classifier for ``"enzymes"``, ``"dd"``, ``"proteins"`` or ``"collab"``."""
        if name not in PRESETS:
            raise ValueError(f"preset: expected one of {', '.join(PRESETS)}, got {name!r}")
        return cls.from_settings(PRESETS[name], **others)

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes, ascending; where graphs have several labels, the numbers of the labels."""
        return self.target_.classes

    def describe(self) -> tuple[str, dict[str, Any]]:
        """Return the name of the model and the settings that its result depends on, for records.

        The device is among them where it is not the CPU, since the last bits of a result depend on it.
        """
        settings = self.settings.model_dump(mode="json")
        if self.class_weight is not None:
            settings["class_weight"] = class_weight_to_json(self.class_weight)
        device = Compute.choose().device if self.device == "auto" else str(self.device)
        if device != "cpu":
            settings["device"] = device.partition(":")[0]
        return "CliquePool", settings

    def _checked_y(self, y: Any, graphs: Graphs) -> npt.NDArray[Any]:
        return checked_classes(graphs.classes() if y is None else y, len(graphs))

    def _learned(
        self, graphs: Graphs, y: npt.NDArray[Any], training: npt.NDArray[np.int64]
    ) -> tuple[Target, Task | None]:
        """Learn the classes of the data set as they are, where y has those of a selection of it.

        Then the network has an output for every class of the data set, also for those that the selection
        lacks, and its checkpoints are those of `cliquepool.training.graphs.train` without a task.
        """
        classes, codes = graphs.dataset.classes, graphs.dataset.targets[graphs.ids]
        is_own = graphs.is_selection and len(classes) > 1 and (codes >= 0).all()
        if is_own and np.array_equal(y, classes[codes]):
            return ClassTarget(classes), None
        return super()._learned(graphs, y, training)

    def _target(
        self,
        y: npt.NDArray[Any],
        training: npt.NDArray[np.int64],  # noqa: ARG002 (classes are those of all graphs)
    ) -> ClassTarget | LabelsTarget:
        return ClassTarget.of(y) if y.ndim == 1 else LabelsTarget(y.shape[1])

    def _strata(self, y: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        return y if y.ndim == 1 else None

    def _target_weights(self, y: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
        if self.class_weight is None:
            return None
        weights: npt.NDArray[np.float64] = compute_sample_weight(self.class_weight, y)
        return weights

    def decision_function(self, X: GraphInput) -> npt.NDArray[np.float32]:
        """Return the score of each class (columns) for each graph (rows).

        Of two classes there is one score for each graph, positive where the second is predicted. Of several
        labels there is one for each label, positive where it is predicted.
        """
        outputs = self._outputs(X)
        return self.target_.decision(outputs)

    def predict_proba(self, X: GraphInput) -> npt.NDArray[np.float32]:
        """Return the probability of each class, or of each label (columns), for each graph (rows)."""
        outputs = self._outputs(X)
        return self.target_.probabilities(outputs)

    def score(
        self,
        X: GraphInput,
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> float:
        """Return the share of graphs whose class, or all of whose labels, are predicted.

        Without y, the classes are those of the data set.
        """
        if y is None:
            y = Graphs.of(X).classes()
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.required = False  # a data set may have its classes with it
        return tags
