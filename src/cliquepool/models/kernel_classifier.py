"""The common base of classifiers by graph kernels: counts of structures, a kernel matrix, and an SVM."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, compute_sample_weight

from cliquepool.data.selection import Selection
from cliquepool.errors import GraphError
from cliquepool.models.fitted_kernel import FittedKernel
from cliquepool.models.graphs import Graphs
from cliquepool.models.kernel_svm import SupportVectors, choose, fold_numbers, probabilities
from cliquepool.models.sample_weights import checked_weights, class_weight_to_json, product
from cliquepool.models.saved_kernel import read_kernel_model, write_kernel_model
from cliquepool.models.targets import ClassTarget, checked_classes
from cliquepool.nn.checked_settings import checked_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.models.graphs import GraphInput
    from cliquepool.models.kernel_features.counts import CountKernel, GraphCounts
    from cliquepool.models.kernel_features.keys import LabelKind
    from cliquepool.models.kernel_settings import KernelSettings
    from cliquepool.models.kernel_svm import Candidate
    from cliquepool.models.network_classifier import ClassWeight

    Ids = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

__all__ = ["CountedGraphs", "KernelClassifier"]

_KINDS: Final = {
    "numbers": "with node labels that are numbers",
    "text": "with node labels that are text",
    "degree": "without node labels",
    "none": "without node labels",
}


@dataclass(frozen=True, eq=False)
class CountedGraphs:
    """A data set and the structures that a kernel counts in all of its graphs; made by `prepare`.

    `preparation` is the key of what was counted, `kind` the kind of node labels, and `steps` has the counts
    that are added up: those of each iteration, or one.
    """

    dataset: GraphDataset
    preparation: str
    kind: LabelKind
    steps: tuple[GraphCounts, ...]

    def take(self, graphs: Ids) -> tuple[GraphCounts, ...]:
        """Return the counts of these graphs."""
        return tuple(step.take(graphs) for step in self.steps)


class KernelClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A support vector machine over a normalised graph kernel, as a scikit-learn estimator.

    The kernel of two graphs is divided by the square roots of their kernels with themselves; it is 0 with a
    graph that has none of the structures. C, and the number of iterations where a kernel has some, are chosen
    by cross-validation inside the graphs that `fit` gets: stratified folds, shuffled by `random_state`, the
    highest accuracy over all held-out graphs. Of equally accurate candidates it is that of C nearest to 1,
    then that of the fewest iterations. The machine is then fitted again to all these graphs.

    `fit` takes no `validation` samples. Under the `paper` protocol they are the samples that the figure is
    of, and choosing C by them in every fold would flatter it; under `fair`, networks do not train on them
    either. So `evaluate` predicts them once, and they choose among several models only.

    With three and more classes, one machine for each pair votes. Probabilities are the softmax of the scores,
    with one scale that makes the classes of the held-out graphs of that cross-validation most likely: so
    `predict` always returns the most probable class.

    What `prepare` counts depends on each graph alone and not on classes, so counting in all graphs of a data
    set at once reveals nothing of test graphs to the training. Attributes of nodes and edges, and labels of
    edges, are not used by these kernels.

    Attributes
    ----------
    title : str
        The name of the model in records and tables (class attribute).
    fitted_ : FittedKernel
        The fitted classifier.
    settings_ : KernelSettings
        The settings of the fit, by which `predict` counts, whatever was set since.
    candidates_ : list of Candidate
        All candidates with their accuracy in the cross-validation.
    seed_ : int
        The seed of the fit.
    """

    settings_type: ClassVar[type[KernelSettings]]
    title: ClassVar[str]
    noun: ClassVar[str] = "classifier"
    kernel: ClassVar[CountKernel]

    class_weight: ClassWeight
    random_state: int | np.random.RandomState | None

    fitted_: FittedKernel
    settings_: Any
    candidates_: list[Candidate]
    seed_: int

    # ---- what a subclass says ----

    @abstractmethod
    def _kind(self, dataset: GraphDataset) -> LabelKind:
        """Return the kind of node labels that is used of a data set."""

    @abstractmethod
    def _count(self, dataset: GraphDataset, kind: LabelKind, depth: int) -> Sequence[GraphCounts]:
        """Return the counts whose kernels are added up: `depth` and one more."""

    def _depths(self) -> tuple[int, ...]:
        """Return the depths to choose from."""
        return (0,)

    # ---- settings ----

    @classmethod
    def from_settings(cls, settings: KernelSettings, **others: Any) -> Self:
        """Return the estimator with these settings; `others` are its other parameters."""
        return cls(**(settings.model_dump() | others))

    @property
    def settings(self) -> Any:
        """The settings of the kernel and the machine, validated."""
        fields = {name: getattr(self, name) for name in self.settings_type.model_fields}
        return checked_settings(self.settings_type, fields)

    def describe(self) -> tuple[str, dict[str, Any]]:
        """Return the name of the model and the settings that its result depends on, for records."""
        settings = self.settings.model_dump(mode="json")
        if self.class_weight is not None:
            settings["class_weight"] = class_weight_to_json(self.class_weight)
        return self.title, settings

    # ---- counting ----

    @property
    @abstractmethod
    def preparation(self) -> str:
        """A key of what `prepare` returns: estimators with an equal one can share it."""

    def prepare(self, dataset: GraphDataset) -> CountedGraphs:
        """Count the structures of all graphs of a data set, for many fits on selections of it."""
        kind, depth = self._kind(dataset), max(self._depths())
        return CountedGraphs(dataset, self.preparation, kind, tuple(self._count(dataset, kind, depth)))

    def _selected(self, X: Any) -> tuple[Graphs, CountedGraphs | None]:
        """Return the graphs of X, and the counts of their data set where X has those of this kernel."""
        source = X.source if isinstance(X, Selection) else X
        if not isinstance(source, CountedGraphs):
            return Graphs.of(X), None
        ids = X.ids if isinstance(X, Selection) else np.arange(len(source.dataset))
        graphs = Graphs(source.dataset, ids, is_selection=True)
        return graphs, source if source.preparation == self.preparation else None

    def _counts(
        self, graphs: Graphs, counted: CountedGraphs | None, kind: LabelKind, depth: int
    ) -> tuple[GraphCounts, ...]:
        if counted is not None:
            return counted.take(graphs.ids)[: depth + 1]
        alone = graphs.dataset[graphs.ids] if graphs.is_selection else graphs.dataset
        return tuple(self._count(alone, kind, depth))

    # ---- fitting ----

    def fit(
        self, X: GraphInput, y: npt.ArrayLike | None = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Fit to the graphs X with the classes y, by default those of the data set.

        `sample_weight` multiplies C of each graph, and weighs it in the accuracies that choose; graphs of
        weight 0 are left out.
        """
        settings = self.settings
        graphs, counted = self._selected(X)
        if not len(graphs):
            raise GraphError("expected graphs, got none")
        checked = self._checked_y(y, graphs)
        weights = self._weights(checked, sample_weight)
        if weights is not None:
            graphs = Graphs(graphs.dataset, graphs.ids[weights > 0], is_selection=True)
            checked, weights = checked[weights > 0], weights[weights > 0]
        classes = ClassTarget.of(checked).classes
        codes = np.searchsorted(classes, checked)
        kind = self._kind(graphs.dataset)
        steps = self._counts(graphs, counted, kind, max(self._depths()))
        seed = self._draw_seed()
        folds = fold_numbers(codes, settings.inner_folds, seed)
        choice = choose(self._kernels(steps), settings.C, codes, folds, weights)
        machine = SupportVectors.fit(choice.kernel, codes, choice.best.C, weights)
        steps = tuple(step.take(machine.rows) for step in steps[: choice.best.depth + 1])
        self.fitted_ = FittedKernel(
            classes,
            kind,
            steps,
            self._norms(steps),
            machine.coefficients,
            machine.intercepts,
            choice.best.C,
            choice.best.depth,
            choice.scale,
        )
        self.settings_ = settings
        self.candidates_ = list(choice.candidates)
        self.seed_ = seed
        return self

    def _checked_y(self, y: Any, graphs: Graphs) -> npt.NDArray[Any]:
        checked = checked_classes(graphs.classes() if y is None else y, len(graphs))
        if checked.ndim != 1:
            raise GraphError(f"y: expected one class for each graph, got labels of shape {checked.shape}")
        return checked

    def _weights(self, y: npt.NDArray[Any], sample_weight: npt.ArrayLike | None) -> Floats | None:
        of_class = None if self.class_weight is None else compute_sample_weight(self.class_weight, y)
        return product(
            checked_weights("sample_weight", sample_weight, len(y)),
            checked_weights("class_weight", of_class, len(y)),
        )

    def _draw_seed(self) -> int:
        """Return `random_state` where it is an integer; else draw a seed from it."""
        random = check_random_state(self.random_state)
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(random.randint(np.iinfo(np.int32).max))

    def _kernels(self, steps: Sequence[GraphCounts]) -> Iterator[tuple[int, Floats]]:
        """Yield each depth to choose from, and the normalised kernel matrix of the graphs."""
        total = np.zeros((len(steps[0]), len(steps[0])))
        wanted = set(self._depths())
        for depth, step in enumerate(steps):
            total += self.kernel.matrix(step, step)
            if depth in wanted:
                norms = self._norms(steps[: depth + 1])
                yield depth, total / norms[:, None] / norms

    def _norms(self, steps: Sequence[GraphCounts]) -> Floats:
        """Return the square root of the kernel of each graph with itself, 1 where that is 0."""
        squares = sum(self.kernel.diagonal(step) for step in steps)
        norms: Floats = np.sqrt(squares)
        return np.where(norms > 0, norms, 1.0)

    # ---- predicting ----

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes, ascending."""
        return self.fitted_.classes

    def predict(self, X: GraphInput) -> npt.NDArray[Any]:
        """Return the class of each graph."""
        scores = self._scores(X)
        predicted: npt.NDArray[Any] = self.fitted_.classes[scores.argmax(axis=1)]
        return predicted

    def decision_function(self, X: GraphInput) -> Floats:
        """Return the score of each class (columns) for each graph (rows).

        Of two classes there is one score for each graph, positive where the second is predicted.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: GraphInput) -> Floats:
        """Return the probability of each class (columns) for each graph (rows)."""
        scores = self._scores(X)
        return probabilities(scores, self.fitted_.scale)

    def score(
        self,
        X: GraphInput,
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> float:
        """Return the share of graphs whose class is predicted; without y, of the classes of the data set."""
        if y is None:
            y = self._selected(X)[0].classes()
        return float(super().score(X, y, sample_weight))

    def _scores(self, X: Any) -> Floats:
        """Return the score of each class (columns) for each graph (rows)."""
        if not hasattr(self, "fitted_"):
            raise NotFittedError(f"expected a fitted {self.noun}: call fit first")
        fitted, as_fitted = self.fitted_, self.from_settings(self.settings_)
        graphs, counted = as_fitted._selected(X)
        if not len(graphs):
            return np.zeros((0, len(fitted.classes)))
        self._expect_fitted_labels(as_fitted._kind(graphs.dataset))
        steps = as_fitted._counts(graphs, counted, fitted.kind, fitted.depth)
        kernel = sum(self.kernel.matrix(*pair) for pair in zip(steps, fitted.steps, strict=True))
        kernel = kernel / self._norms(steps)[:, None] / fitted.norms
        machine = SupportVectors(np.arange(len(fitted.norms)), fitted.coefficients, fitted.intercepts)
        return machine.scores(kernel)

    def _expect_fitted_labels(self, kind: LabelKind) -> None:
        if kind != self.fitted_.kind:
            raise GraphError(
                f"X: expected graphs {_KINDS[self.fitted_.kind]}, as those fitted on, got some {_KINDS[kind]}"
            )

    # ---- files ----

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file, atomically and never as a pickle.

        The file has the support graphs' counts, not the graphs. A RandomState is saved as the seed that was
        drawn from it.
        """
        if not hasattr(self, "fitted_"):
            raise NotFittedError(f"expected a fitted {self.noun}: call fit first")
        write_kernel_model(self, Path(path))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read an estimator that `save` wrote; InputError for any other file."""
        return read_kernel_model(cls, Path(path))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        tags.target_tags.required = False  # a data set may have its classes with it
        return tags
