"""The clique-pool classifier as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight

from cliquepool.errors import GraphError
from cliquepool.models.base import GraphEstimator
from cliquepool.models.graphs import as_dataset
from cliquepool.models.targets import ClassTarget, LabelsTarget, checked_classes
from cliquepool.nn.settings import PRESETS, ClassifierSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.nn.layers import Reduction

__all__ = ["CliquePoolClassifier"]


class CliquePoolClassifier(ClassifierMixin, GraphEstimator):  # type: ignore[misc]
    """Classifies graphs by convolutions, clique pools and a multilayer perceptron.

    The parameters are those of `cliquepool.nn.ClassifierSettings`, and:

    validation_fraction
        The share of the training graphs that is held out to choose the epoch whose weights are kept. With 0
        all are trained on, and the last epoch's are.
    class_weight
        How much the graphs of a class count: None for all the same, ``"balanced"`` for classes that count
        the same together, or a dict. With several labels for each graph, as scikit-learn's
        `compute_sample_weight` takes it.
    handle_unknown
        What to do with node labels that the training data does not name: ``"error"`` refuses them,
        ``"ignore"`` takes them as no label.
    random_state
        The seed of the weights, of the order of the graphs and of what is held out: an integer, a
        RandomState that another is drawn from in every fit, or None for other results each time.
    device
        Where the network trains and predicts: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, or ``"auto"`` for a
        graphics card where there is one.
    verbose
        With 1, fit prints about ten lines on how training goes; with 2, one for every epoch.

    X is a `GraphDataset`, or a list of graphs: of parts of a data set, of `cliquepool.Graph`, of networkx
    graphs or of PyG's `Data`. y has a class for each graph; or for each a row of zeros and ones, one for each
    label it may have. Without y, the classes are those of the data set.

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

    def _checked_y(self, y: Any, dataset: GraphDataset) -> npt.NDArray[Any]:
        return checked_classes(_classes_of(dataset) if y is None else y, len(dataset))

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

    def decision_function(self, X: GraphDataset | PooledDataset | Sequence[Any]) -> npt.NDArray[np.float32]:
        """Return the score of each class (columns) for each graph (rows).

        Of two classes there is one score for each graph, positive where the second is predicted. Of several
        labels there is one for each label, positive where it is predicted.
        """
        outputs = self._outputs(X)
        return self.target_.decision(outputs)

    def predict_proba(self, X: GraphDataset | PooledDataset | Sequence[Any]) -> npt.NDArray[np.float32]:
        """Return the probability of each class, or of each label (columns), for each graph (rows)."""
        outputs = self._outputs(X)
        return self.target_.probabilities(outputs)

    def score(
        self,
        X: GraphDataset | PooledDataset | Sequence[Any],
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> float:
        """Return the share of graphs whose class, or all of whose labels, are predicted.

        Without y, the classes are those of the data set.
        """
        if y is None:
            y = _classes_of(as_dataset(X))
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.required = False  # a data set may have its classes with it
        return tags


def _classes_of(dataset: GraphDataset) -> npt.NDArray[Any]:
    """The classes that a data set has with it."""
    if not len(dataset.classes) or (dataset.targets < 0).any():
        raise GraphError("expected a class for every graph, got graphs without: pass y")
    classes: npt.NDArray[Any] = dataset.classes[dataset.targets]
    return classes
