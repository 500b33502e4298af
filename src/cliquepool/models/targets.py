"""The argument y of estimators of graphs, checked, and predictions from outputs: classes, labels, numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from scipy.sparse import issparse
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from cliquepool.errors import GraphError
from cliquepool.training.tasks import Classification, MultiLabel, Regression

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.nn.settings import RegressionLoss
    from cliquepool.training.tasks import Task

    Outputs = npt.NDArray[np.float32]
    Ids = npt.NDArray[np.int64]

__all__ = ["ClassTarget", "LabelsTarget", "NumbersTarget", "Target", "checked_classes", "checked_numbers"]


class Target(Protocol):
    """The kind of y that an estimator predicts, with what was learned of it in fit."""

    @property
    def num_outputs(self) -> int:
        """The number of outputs of the network for a graph."""

    def task(self, y: npt.NDArray[Any]) -> Task:
        """Return the training task of a checked y."""

    def predict(self, outputs: Outputs) -> npt.NDArray[Any]:
        """Return the predicted y of graphs with these outputs."""


@dataclass(frozen=True, eq=False)
class ClassTarget:
    """One of several classes, ascending."""

    classes: npt.NDArray[Any]

    @classmethod
    def of(cls, y: npt.NDArray[Any]) -> ClassTarget:
        """Return the target of the classes in y."""
        classes = np.unique(y)
        if len(classes) < 2:
            raise GraphError(f"expected graphs of at least two classes, got {len(classes)} class")
        return cls(classes)

    @property
    def num_outputs(self) -> int:
        """One for each class."""
        return len(self.classes)

    def task(self, y: npt.NDArray[Any]) -> Task:
        """Return the task of classification."""
        codes = np.searchsorted(self.classes, y).astype(np.int64)
        return Classification(torch.from_numpy(codes), len(self.classes))

    def decision(self, outputs: Outputs) -> Outputs:
        """Return a score for each class; of two classes one number, positive for the second."""
        return outputs[:, 1] - outputs[:, 0] if len(self.classes) == 2 else outputs

    def probabilities(self, outputs: Outputs) -> Outputs:
        """Return the probability of each class."""
        probabilities: Outputs = torch.from_numpy(outputs).softmax(1).numpy()
        return probabilities

    def predict(self, outputs: Outputs) -> npt.NDArray[Any]:
        """Return the class with the highest output."""
        predicted: npt.NDArray[Any] = self.classes[outputs.argmax(axis=1)]
        return predicted


@dataclass(frozen=True, eq=False)
class LabelsTarget:
    """Any of several labels, as a row of zeros and ones."""

    num_labels: int

    @property
    def classes(self) -> npt.NDArray[np.int64]:
        """The numbers of the labels."""
        return np.arange(self.num_labels)

    @property
    def num_outputs(self) -> int:
        """One for each label."""
        return self.num_labels

    def task(self, y: npt.NDArray[Any]) -> Task:
        """Return the task of predicting every label."""
        return MultiLabel(torch.from_numpy(y.astype(np.float32)))

    def decision(self, outputs: Outputs) -> Outputs:
        """Return a score for each label, positive where it is predicted."""
        return outputs

    def probabilities(self, outputs: Outputs) -> Outputs:
        """Return the probability of each label."""
        probabilities: Outputs = torch.from_numpy(outputs).sigmoid().numpy()
        return probabilities

    def predict(self, outputs: Outputs) -> npt.NDArray[np.int64]:
        """Return one for each label that is more likely than not."""
        return (outputs > 0).astype(np.int64)


@dataclass(frozen=True, eq=False)
class NumbersTarget:
    """One or several numbers, shifted and scaled to mean 0 and deviation 1 over the training graphs.

    `flat` says that y had one dimension, and so predictions have.
    """

    shift: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    flat: bool
    loss: RegressionLoss = "mse"

    @classmethod
    def of(cls, y: npt.NDArray[np.float64], training: Ids, loss: RegressionLoss) -> NumbersTarget:
        """Measure mean and deviation of y over the training rows."""
        seen = y.reshape(len(y), -1)[training]
        # Scaled, so that squares of large numbers do not overflow.
        largest = np.abs(seen).max(axis=0, initial=0)
        unit = np.where(largest > 0, largest, 1.0)
        deviation = (seen / unit).std(axis=0) * unit
        # Rounding gives a constant column a small deviation: treat it as 0, and do not scale.
        constant = deviation <= 1e-12 * largest
        return cls((seen / unit).mean(axis=0) * unit, np.where(constant, 1.0, deviation), y.ndim == 1, loss)

    @property
    def num_outputs(self) -> int:
        """One for each number."""
        return len(self.shift)

    def task(self, y: npt.NDArray[Any]) -> Task:
        """Return the task of predicting the standardised numbers."""
        standardised = (y.reshape(len(y), -1) - self.shift) / self.scale
        return Regression(torch.from_numpy(standardised.astype(np.float32)), self.loss)

    def predict(self, outputs: Outputs) -> npt.NDArray[np.float64]:
        """Return the outputs in the unit of y."""
        numbers: npt.NDArray[np.float64] = outputs.astype(np.float64) * self.scale + self.shift
        return numbers[:, 0] if self.flat else numbers


def checked_classes(y: Any, count: int, samples: str = "graphs") -> npt.NDArray[Any]:
    """Return y as one class for each of `count` samples, or as rows of zeros and ones, one for each label.

    Raises GraphError for anything else, such as continuous numbers.
    """
    array = _array(y, count, "class", samples)
    kind = type_of_target(array, input_name="y")
    if kind == "multilabel-indicator":
        return array.astype(np.int64)
    if kind.startswith("continuous"):
        raise GraphError(
            f"y: expected classes, got continuous numbers (first {array.flat[0]}); CliquePoolRegressor "
            f"predicts those. Unknown label type: {kind}"
        )
    if kind not in {"binary", "multiclass"} or array.ndim != 1:
        raise GraphError(
            f"y: expected one class for each of {count} {samples}, or zeros and ones for each label, "
            f"got shape {array.shape}. Unknown label type: {kind}"
        )
    return array


def checked_numbers(y: Any, count: int) -> npt.NDArray[np.float64]:
    """Return y as one number for each of `count` graphs, or a row of several; else raise GraphError."""
    array = _array(y, count, "number")
    if array.dtype.kind not in "fiub":
        raise GraphError(f"y: expected numbers, got {array.dtype} (first {array.flat[0]!r:.60})")
    if array.ndim > 2 or not array.size:
        raise GraphError(f"y: expected a number or a row of them for each graph, got shape {array.shape}")
    numbers = array.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(numbers.reshape(count, -1)).all(axis=1))
    if len(wrong):
        raise GraphError(f"y: expected finite numbers, got {array[wrong[0]]} for graph {wrong[0]}")
    return numbers


def _array(y: Any, count: int, noun: str, samples: str = "graphs") -> npt.NDArray[Any]:
    """Return y as an array with a row for each graph, none missing; a single column as one dimension."""
    if issparse(y):
        y = y.toarray()
    # As objects: NumPy would convert a list of numbers and text, NaN too, to text.
    array = np.asarray(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
    if array.ndim == 0 or len(array) != count:
        raise GraphError(f"y: expected one {noun} for each of {count} {samples}, got shape {array.shape}")
    _expect_none_missing(array, noun)
    if array.dtype.kind == "O":
        array = _of_one_type(array, noun)
    if array.ndim == 2 and array.shape[1] == 1:
        return column_or_1d(array, warn=True)  # type: ignore[no-any-return]
    return array


def _expect_none_missing(array: npt.NDArray[Any], noun: str) -> None:
    missing = (
        np.array([_is_missing(value) for value in array.ravel().tolist()], dtype=bool).reshape(array.shape)
        if array.dtype.kind == "O"
        else np.isnan(array)
        if array.dtype.kind in "fc"
        else np.zeros(len(array), dtype=bool)
    )
    graphs = np.flatnonzero(missing.reshape(len(array), -1).any(axis=1))
    if len(graphs):
        more = f" and {len(graphs) - 1} more" if len(graphs) > 1 else ""
        raise GraphError(f"y: expected a {noun} for every graph, got NaN or none for graph {graphs[0]}{more}")


def _is_missing(value: object) -> bool:
    is_nan = isinstance(value, float | np.floating) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ in {"NAType", "NaTType"}


def _of_one_type(array: npt.NDArray[Any], noun: str) -> npt.NDArray[Any]:
    """Convert Python objects to an array of text or of numbers; GraphError if both occur."""
    values = array.ravel().tolist()
    if len({isinstance(value, str) for value in values}) > 1:
        raise GraphError("y: expected text or numbers, got both")
    try:
        return np.array(values).reshape(array.shape) if values else array
    except ValueError:
        raise GraphError(f"y: expected one {noun} for each graph, got lists of several lengths") from None
