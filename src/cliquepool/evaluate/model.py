"""What a protocol needs to know of data and of a model: how to fit it on some samples and watch others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from cliquepool.evaluate.splits import Ids

__all__ = ["Dataset", "Epoch", "FittedFold", "FoldModel"]


class Dataset(Protocol):
    """Samples with their classes, such as a `GraphDataset` or an `ImageDataset`."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def fingerprint(self) -> str:
        """A hash of all it holds."""

    @property
    def targets(self) -> npt.NDArray[np.int64]:
        """The class of each sample as a position in `classes`."""

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The classes as they are called."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to one file."""

    @staticmethod
    def load(path: str | PathLike[str], *, mmap: bool = False) -> Any:
        """Read what `save` wrote."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """How far a fit has come."""

    epoch: int
    epochs: int
    loss: float
    validation_accuracy: float

    def among(self, number: int, models: int) -> Epoch:
        """The same, counted through `models` fitted one after another, of which this is `number`, from 0."""
        return replace(self, epoch=self.epoch + number * self.epochs, epochs=models * self.epochs)


class FittedFold(Protocol):
    """A model after it was fitted, as good as it was at its best epoch."""

    @property
    def curves(self) -> Mapping[str, list[float]]:
        """One value an epoch; `validation_accuracy`, a fraction, is always among them."""

    @property
    def best_epoch(self) -> int:
        """The epoch that the validation graphs chose, from 1."""

    def accuracy(self, ids: Ids) -> float:
        """The fraction of these graphs whose class is predicted."""


class FoldModel(Protocol):
    """A model with its settings, ready to be fitted on any fold.

    It is sent to other processes, so it has to be picklable, as a frozen dataclass is. A model without
    epochs, such as a kernel, has curves of one value.
    """

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that its result depends on, as JSON can write it."""

    @property
    def preparation(self) -> str:
        """Models that say the same share what `prepare` gives."""

    def prepare(self, dataset: Any) -> Any:
        """What `fit` works on, made once in each process: pooled graphs, a kernel matrix, images."""

    def fit(
        self,
        prepared: Any,
        train: Ids,
        validation: Ids,
        *,
        seed: int,
        checkpoint: Path,
        on_epoch: Callable[[Epoch], None],
    ) -> FittedFold:
        """Fit on `train`, choose the best epoch by `validation`.

        `checkpoint` is a file that may be written now and then, to go on from after an interruption; it is
        this fit's alone, and removed when it is no longer needed.
        """
