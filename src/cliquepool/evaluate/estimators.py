"""The interface between the protocols and any model: scikit-learn's estimators, and what they may add."""

from __future__ import annotations

import copy
import inspect
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from cliquepool.data.selection import Selection
from cliquepool.evaluate.costs import CostMeter
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.records import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from pathlib import Path

    import numpy.typing as npt

    from cliquepool.evaluate.costs import FitCost
    from cliquepool.evaluate.splits import Ids
    from cliquepool.training.report import EpochReport

__all__ = ["Dataset", "Estimator", "FittedFold", "Samples", "describe", "expect_estimator", "fit_fold"]

_SCORE: Final = "validation_accuracy"
_WITHOUT_EFFECT: Final = ("random_state", "verbose", "n_jobs")  # on what a record is of


class Dataset(Protocol):
    """Samples with their classes, such as a `GraphDataset` or an `ImageDataset`.

    For estimators without `prepare`, indexing by an array of ids returns a part of it, or it has an array
    `images`.
    """

    @property
    def name(self) -> str:
        """The name of the data set in records and tables."""

    @property
    def fingerprint(self) -> str:
        """A hash of the content."""

    @property
    def targets(self) -> npt.NDArray[np.int64]:
        """The class of each sample as a position in `classes`."""

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The classes."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the data set to one file, for other processes."""

    @staticmethod
    def load(path: str | PathLike[str], *, mmap: bool = False) -> Any:
        """Read a file that `save` wrote."""


class Estimator(Protocol):
    """A model that `evaluate` can judge: `fit` and `predict` as in scikit-learn are enough.

    `fit` gets samples X and their classes y, and `predict` returns the classes of samples. X is a part of the
    data set: a `GraphDataset`, or an array of images. The estimator is copied for every fold and sent to
    other processes, so it has to be picklable. Everything else is optional:

    `random_state`
        A parameter, or an attribute, that is set to another seed for every fold and repetition.
    `fit(X, y, *, validation, checkpoint, on_epoch)`
        Any of these arguments is passed if the signature of `fit` names it. `validation` is a pair (X, y) of
        samples that choose the epoch; `checkpoint` the path of a file of this fit alone, which may be
        written regularly to resume from after an interruption; `on_epoch` a function to call with an
        `EpochReport` after every epoch.
    `curves_`, `best_epoch_`
        After `fit`: a dict of curves with one value for each epoch, ``"validation_accuracy"`` among them, and
        the epoch, from 1, whose state `predict` uses. Without curves, the validation samples are predicted
        once, and the curve of their accuracy has one value.
    `num_parameters_`, `num_pooling_parameters_`
        After `fit`: the number of learned parameters, and of those of pooling layers, for records.
    `prepare(dataset)`
        Returns what is computed once for the whole data set: pooled graphs, a kernel matrix. It is called
        once in each process, and X is then a `Selection` of it: `X.source` is what `prepare` returned and
        `X.ids` has the positions of the samples. Nothing is copied.
    `preparation`
        A text that is equal for estimators that can share what `prepare` returns. By default those share
        it that are described alike.
    `describe()`
        Returns the name of the model in records and tables, and a dict of all settings that its result
        depends on, as JSON can write them. By default the name of the class, and all parameters but
        `random_state`, `verbose` and `n_jobs`.
    """

    def fit(self, X: Any, y: Any) -> Any:
        """Fit to samples and their classes."""

    def predict(self, X: Any) -> Any:
        """Return the class of each sample."""


def expect_estimator(model: object) -> None:
    """Raise EvaluationError unless `model` has `fit` and `predict`."""
    missing = [name for name in ("fit", "predict") if not callable(getattr(model, name, None))]
    if missing or isinstance(model, type):
        got = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
        without = f" without {' and '.join(missing)}" if missing else ""
        raise EvaluationError(
            f"expected an estimator with fit and predict (see cliquepool.evaluate.Estimator), "
            f"got {got}{without}"
        )


def describe(model: Estimator) -> tuple[str, dict[str, Any]]:
    """Return the name of a model, and the settings that identify its records."""
    if hasattr(model, "describe"):
        name, settings = model.describe()
    else:
        name = type(model).__name__
        settings = {
            parameter: value
            for parameter, value in _parameters(model).items()
            if parameter.rpartition("__")[2] not in _WITHOUT_EFFECT
        }
    return name, {str(key): _as_json(f"{name}.{key}", value) for key, value in settings.items()}


def _parameters(model: Any) -> Mapping[str, Any]:
    """Return the parameters of an estimator; without `get_params`, its public attributes before fit."""
    if hasattr(model, "get_params"):
        parameters: Mapping[str, Any] = model.get_params()
        return parameters
    return {name: value for name, value in vars(model).items() if name.strip("_") == name}


def _as_json(where: str, value: Any) -> Any:
    """Return a setting as JSON reads it back: parts of a pipeline by the names of their classes."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, np.generic | np.ndarray):
        return _as_json(where, value.tolist())
    if isinstance(value, list | tuple):
        return [_as_json(where, part) for part in value]
    if isinstance(value, dict):
        return {str(key): _as_json(where, part) for key, part in value.items()}
    if isinstance(value, type) or inspect.isroutine(value):
        return value.__qualname__
    if hasattr(value, "get_params"):
        return type(value).__name__
    raise EvaluationError(
        f"{where}: expected a setting that JSON can write, got {type(value).__name__}; "
        "give the estimator a method describe (see cliquepool.evaluate.Estimator)"
    )


class Samples:
    """The samples of a data set, as every model gets them; what models prepare is computed once."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._classes = dataset.classes[dataset.targets]
        self._prepared: dict[str, Any] = {}

    def prepare(self, model: Any) -> None:
        """Prepare the data set for a model, unless that is done."""
        if hasattr(model, "prepare") and _preparation(model) not in self._prepared:
            self._prepared[_preparation(model)] = model.prepare(self._dataset)

    def select(self, model: Any, ids: Ids) -> tuple[Any, npt.NDArray[Any]]:
        """Return the samples `ids` as X for a model, and their classes."""
        if hasattr(model, "prepare"):
            return Selection(self._prepared[_preparation(model)], ids), self._classes[ids]
        images = getattr(self._dataset, "images", None)
        return (self._dataset if images is None else images)[ids], self._classes[ids]


def _preparation(model: Any) -> str:
    shared = getattr(model, "preparation", None)
    return canonical(describe(model)) if shared is None else str(shared)


@dataclass(frozen=True, slots=True)
class FittedFold:
    """A fitted model, the curves of its training, the epoch that was kept, from 1, and its cost."""

    model: Any
    curves: Mapping[str, list[float]]
    best_epoch: int
    cost: FitCost

    @property
    def validation_accuracy(self) -> float:
        """The fraction of validation samples whose class was predicted after the best epoch."""
        return float(self.curves[_SCORE][self.best_epoch - 1])

    def predict(self, samples: Samples, ids: Ids) -> tuple[npt.NDArray[Any], float]:
        """Return the predicted classes of these samples, and the fraction that is right."""
        X, y = samples.select(self.model, ids)
        predicted = _predicted(self.model, X, y)
        return predicted, float((predicted == y).mean())


def fit_fold(
    model: Estimator,
    samples: Samples,
    train: Ids,
    validation: Ids,
    *,
    seed: int,
    checkpoint: Path,
    on_epoch: Callable[[EpochReport], None],
) -> FittedFold:
    """Fit a copy of a model on the samples `train`; if it has epochs, `validation` chooses one."""
    fresh = _copy_with_seed(model, seed)
    held_out = samples.select(fresh, validation)
    meter = CostMeter(on_epoch)
    optional = {"validation": held_out, "checkpoint": checkpoint, "on_epoch": meter.on_epoch}
    named = inspect.signature(fresh.fit).parameters
    chosen = {name: value for name, value in optional.items() if name in named}
    X, y = samples.select(fresh, train)
    with meter.measuring():
        fresh.fit(X, y, **chosen)
    cost = meter.cost(fresh)
    curves = getattr(fresh, "curves_", None) or {}
    if _SCORE not in curves:
        accuracy = float((_predicted(fresh, *held_out) == held_out[1]).mean())
        return FittedFold(fresh, {_SCORE: [accuracy]}, 1, cost)
    best = getattr(fresh, "best_epoch_", None)
    epoch = int(np.argmax(curves[_SCORE])) + 1 if best is None else int(best)
    return FittedFold(fresh, curves, epoch, cost)


def _copy_with_seed(model: Any, seed: int) -> Any:
    """Return an unfitted copy whose `random_state`, and that of the parts of a pipeline, is `seed`."""
    if not hasattr(model, "get_params"):
        fresh = copy.deepcopy(model)
        if hasattr(fresh, "random_state"):
            fresh.random_state = seed
        return fresh
    from sklearn.base import clone  # noqa: PLC0415 (slow to import)

    fresh = clone(model)
    names = [name for name in fresh.get_params() if name.rpartition("__")[2] == "random_state"]
    return fresh.set_params(**dict.fromkeys(names, seed))


def _predicted(model: Any, X: Any, y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    predicted = np.asarray(model.predict(X))
    if predicted.shape != y.shape:
        raise EvaluationError(
            f"expected predict to return a class for each of {len(y)} samples, got shape {predicted.shape}"
        )
    if predicted.dtype.kind in "fc" and not np.isfinite(predicted).all():
        raise EvaluationError("expected predict to return a class for each sample, got NaN or infinity")
    return predicted
