"""Models and a data set that join a comparison by the names of their functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tests.helpers.small_model import SmallModel, rings_and_stars

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset

__all__ = [
    "AllStars",
    "Contradictory",
    "Greedy",
    "Impatient",
    "Needy",
    "Nowhere",
    "Unsendable",
    "broken",
    "hopeless",
    "rings",
    "small",
    "two_small",
    "uninstalled",
]


class AllStars:
    """Predicts one class for all graphs."""

    def fit(self, X: GraphDataset, y: Any) -> Self:
        del X, y
        return self

    def predict(self, X: GraphDataset) -> Any:
        return np.full(len(X), "star")


class Greedy(AllStars):
    """Needs more memory than any machine has."""

    def fit(self, X: GraphDataset, y: Any) -> Self:
        np.ones(1 << 44)
        return super().fit(X, y)


class _Hopeless(AllStars):
    def describe(self) -> tuple[str, dict[str, Any]]:
        return "hopeless", {}

    def fit(self, X: GraphDataset, y: Any) -> Self:
        del X, y
        raise ArithmeticError("the weights are not finite\nand more")


def hopeless() -> _Hopeless:
    return _Hopeless()


def small() -> SmallModel:
    return SmallModel(epochs=20, rate=5.0)


def two_small() -> list[SmallModel]:
    return [SmallModel(epochs=3, rate=0.1), SmallModel(epochs=20, rate=5.0)]


def rings() -> GraphDataset:
    return rings_and_stars(name="rings")


class Nowhere(AllStars):
    """Predicts NaN."""

    def predict(self, X: GraphDataset) -> Any:
        return np.full(len(X), np.nan)


class Needy(AllStars):
    """Cannot be made without an argument."""

    def __init__(self, needed: int) -> None:
        self.needed = needed


class Impatient(AllStars):
    """Has curves of another length in every fold."""

    def fit(self, X: GraphDataset, y: Any) -> Self:
        epochs = 1 + int(np.asarray(y == "star").nonzero()[0].sum()) % 97
        self.curves_ = {"validation_accuracy": [0.5] * epochs}
        self.best_epoch_ = 1
        return super().fit(X, y)


class Contradictory(AllStars):
    """Has curves of different lengths."""

    def fit(self, X: GraphDataset, y: Any) -> Self:
        self.curves_ = {"validation_accuracy": [0.5, 0.5], "loss": [1.0]}
        self.best_epoch_ = 1
        return super().fit(X, y)


class Unsendable(AllStars):
    """Cannot be pickled."""

    def __init__(self) -> None:
        self.function = lambda: None


def uninstalled() -> AllStars:
    raise ImportError("no package named weights")


def broken() -> AllStars:
    raise ValueError("no such file of weights")
