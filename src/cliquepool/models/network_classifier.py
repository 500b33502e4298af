"""The common base of all networks that classify graphs, as scikit-learn estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight

from cliquepool.models.graph_estimator import GraphEstimator
from cliquepool.models.graphs import Graphs
from cliquepool.models.sample_weights import class_weight_to_json
from cliquepool.models.targets import ClassTarget, LabelsTarget, checked_classes
from cliquepool.training.compute import Compute

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt
    from torch import nn

    from cliquepool.models.graphs import GraphInput
    from cliquepool.models.targets import Target
    from cliquepool.training.tasks import Task

    ClassWeight = str | Mapping[Any, float] | Sequence[Mapping[Any, float]] | None

__all__ = ["NetworkClassifier", "pooling_parameters"]


def pooling_parameters(network: nn.Module) -> int | None:
    """Return the number of parameters of the modules that a network declares as its pooling, if any."""
    modules: Iterable[nn.Module] | None = getattr(network, "pooling_modules", None)
    if modules is None:
        return None
    return sum(parameter.numel() for module in modules for parameter in module.parameters())


class NetworkClassifier(ClassifierMixin, GraphEstimator):  # type: ignore[misc]
    """A network over graphs that classifies them.

    A subclass has a `title`, a `settings_type`, a constructor with all parameters, and `_build`. Where the
    network needs more than nodes, edges and features of a batch, it also overrides `_levels` and `_measure`.

    Attributes
    ----------
    title : str
        The name of the model in records and tables (class attribute).
    """

    title: ClassVar[str]
    noun = "classifier"

    class_weight: ClassWeight

    target_: ClassTarget | LabelsTarget

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes, ascending; where graphs have several labels, the numbers of the labels."""
        return self.target_.classes

    @property
    def num_pooling_parameters_(self) -> int | None:
        """The number of trained parameters of the pooling alone.

        0 for clique pooling, None for a network that does not pool. A network that pools has the attribute
        `pooling_modules`, the modules that do.
        """
        self._expect_fitted()
        return pooling_parameters(self.network_.network)

    def describe(self) -> tuple[str, dict[str, Any]]:
        """Return the name of the model and the settings that its result depends on, for records.

        The device is among them where it is not the CPU, since the last bits of a result depend on it.
        """
        settings = self.settings.recorded()
        if self.class_weight is not None:
            settings["class_weight"] = class_weight_to_json(self.class_weight)
        device = Compute.choose().device if self.device == "auto" else str(self.device)
        if device != "cpu":
            settings["device"] = device.partition(":")[0]
        return self.title, settings

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

    def _target_weights(self, y: npt.NDArray[Any], num_training: int) -> npt.NDArray[np.float64] | None:
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, str):
            weights = compute_sample_weight(self.class_weight, y, indices=np.arange(num_training))
            # scikit-learn gives 0 to classes that no training graph has: they still count in the score.
            weights[num_training:][weights[num_training:] == 0] = 1
        else:
            weights = compute_sample_weight(self.class_weight, y)
        result: npt.NDArray[np.float64] = weights
        return result

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
