"""What the classifier and the regressor of graphs share: training, outputs, files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from cliquepool.data.features import HandleUnknown, features_of
from cliquepool.errors import GraphError
from cliquepool.models.graphs import as_dataset, as_pooled
from cliquepool.models.saved import read_model, write_model
from cliquepool.nn.settings import GraphSettings, checked_settings
from cliquepool.training.graphs import EpochReport, FittedNetwork, train

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.models.targets import Target

    Ids = npt.NDArray[np.int64]
    Weights = npt.NDArray[np.float64]

__all__ = ["GraphEstimator"]

_KINDS = {
    "labels": "node labels",
    "attributes": "node attributes",
    "both": "node labels and attributes",
    "degree": "neither node labels nor attributes",
}


class GraphEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """A network over graphs as a scikit-learn estimator; those who derive say what it predicts.

    A subclass has a parameter for each of its settings, and those declared here.
    """

    settings_type: ClassVar[type[GraphSettings]]
    noun: ClassVar[str]

    validation_fraction: float
    handle_unknown: HandleUnknown
    random_state: int | np.random.RandomState | None
    device: str
    verbose: int

    target_: Target
    network_: FittedNetwork
    curves_: dict[str, list[float]]
    best_epoch_: int
    seed_: int

    # ---- what a subclass says ----

    @abstractmethod
    def _checked_y(self, y: Any, dataset: GraphDataset) -> npt.NDArray[Any]:
        """Return y as an array with a row for each graph; GraphError says what is wrong with it."""

    @abstractmethod
    def _target(self, y: npt.NDArray[Any], training: Ids) -> Target:
        """Return what is to be predicted, measured on the training graphs where it has to be."""

    @abstractmethod
    def _strata(self, y: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        """Return what has to be in equal shares among the graphs held out, if anything."""

    @abstractmethod
    def _target_weights(self, y: npt.NDArray[Any]) -> Weights | None:
        """Return how much each graph counts by its y, if not all the same."""

    # ---- settings ----

    @classmethod
    def from_settings(cls, settings: GraphSettings, **others: Any) -> Self:
        """Return the estimator with these settings; `others` are its other parameters."""
        return cls(**(settings.model_dump() | others))

    @property
    def settings(self) -> Any:
        """The parameters of the network and its training, checked."""
        fields = {name: getattr(self, name) for name in self.settings_type.model_fields}
        return checked_settings(self.settings_type, fields)

    def _check_parameters(self) -> None:
        """Check the parameters that are not settings."""
        if not 0 <= self.validation_fraction < 1:
            raise ValueError(f"validation_fraction: expected 0 up to 1, got {self.validation_fraction!r}")
        if self.handle_unknown not in get_args(HandleUnknown):
            choices = ", ".join(get_args(HandleUnknown))
            raise ValueError(f"handle_unknown: expected one of {choices}, got {self.handle_unknown!r}")
        if self.patience is not None and not self.validation_fraction:
            raise ValueError(
                "patience: expected a validation_fraction above 0, whose graphs tell when to stop, got 0"
            )

    def _draw_seed(self) -> int:
        """Return the seed itself where `random_state` is one; else draw one from it."""
        random = check_random_state(self.random_state)
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(random.randint(np.iinfo(np.int32).max))

    # ---- fitting ----

    def fit(
        self,
        X: GraphDataset | PooledDataset | Sequence[Any],
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        checkpoint: str | PathLike[str] | None = None,
        on_epoch: Callable[[EpochReport], None] | None = None,
    ) -> Self:
        """Train on the graphs X with the targets y.

        `sample_weight` has for each graph how much it counts, in the loss and in the score of held-out
        graphs; one of weight 0 is left out. With `checkpoint`, a file, an interrupted fit goes on.
        `on_epoch` is told of every epoch.
        """
        settings = self.settings
        self._check_parameters()
        dataset = as_dataset(X)
        if not len(dataset):
            raise GraphError("expected graphs, got none")
        checked = self._checked_y(y, dataset)
        weights = _product(
            _checked_weights("sample_weight", sample_weight, len(dataset)),
            _checked_weights("class_weight", self._target_weights(checked), len(dataset)),
        )
        counted = np.arange(len(dataset)) if weights is None else np.flatnonzero(weights > 0)
        seed = self._draw_seed()
        training, validation = self._split(counted, self._strata(checked), seed)
        target = self._target(checked, training)
        result = train(
            as_pooled(X, dataset, settings.pools),
            training,
            validation,
            settings,
            seed=seed,
            task=target.task(checked),
            weights=weights,
            keep_last=not self.validation_fraction,
            device=str(self.device),
            checkpoint=None if checkpoint is None else Path(checkpoint),
            on_epoch=self._reporter(on_epoch, settings.epochs),
        )
        self.seed_ = seed
        self.target_ = target
        encoder = replace(result.network.encoder, handle_unknown=self.handle_unknown)
        self.network_ = FittedNetwork(result.network.network, encoder)
        self.curves_ = result.curves
        self.best_epoch_ = result.best_epoch
        return self

    def _split(self, ids: Ids, strata: npt.NDArray[Any] | None, seed: int) -> tuple[Ids, Ids]:
        """Choose the graphs to train on and those to hold out; without a share to hold out, all are both."""
        if not self.validation_fraction:
            return ids, ids
        try:
            training, validation = train_test_split(
                ids,
                test_size=self.validation_fraction,
                stratify=None if strata is None else strata[ids],
                random_state=seed,
            )
        except ValueError as error:
            every = "" if strata is None else " with every class in it"
            raise GraphError(
                f"{len(ids)} graphs are too few to hold out a share of {self.validation_fraction}"
                f"{every} ({error}); use validation_fraction=0"
            ) from None
        return np.sort(training), np.sort(validation)

    def _reporter(
        self, on_epoch: Callable[[EpochReport], None] | None, epochs: int
    ) -> Callable[[EpochReport], None] | None:
        """Return what is told of every epoch: `on_epoch`, and the terminal if `verbose` says so."""
        if not self.verbose:
            return on_epoch
        every = max(1, epochs // 10) if self.verbose == 1 else 1

        def tell(report: EpochReport) -> None:
            if report.epoch % every == 0 or report.epoch in {1, report.epochs}:
                print(  # noqa: T201 (asked for)
                    f"epoch {report.epoch}/{report.epochs}: loss {report.loss:.4f}, validation loss "
                    f"{report.validation_loss:.4f}, validation score {report.validation_score:.4f}"
                )
            if on_epoch is not None:
                on_epoch(report)

        return tell

    # ---- predicting ----

    def predict(self, X: GraphDataset | PooledDataset | Sequence[Any]) -> npt.NDArray[Any]:
        """Return the predicted y of each graph."""
        outputs = self._outputs(X)
        return self.target_.predict(outputs)

    def _outputs(self, X: GraphDataset | PooledDataset | Sequence[Any]) -> npt.NDArray[np.float32]:
        """Return the outputs of the network (columns) for each graph (rows)."""
        self._expect_fitted()
        dataset = as_dataset(X)
        if not len(dataset):
            return np.zeros((0, self.target_.num_outputs), dtype=np.float32)
        self._expect_fitted_features(dataset)
        data = as_pooled(X, dataset, self.network_.network.settings.pools)
        outputs: npt.NDArray[np.float32] = self.network_.scores(data).numpy()
        return outputs

    def _expect_fitted(self) -> None:
        if not hasattr(self, "network_"):
            raise NotFittedError(f"expected a fitted {self.noun}: call fit first")

    def _expect_fitted_features(self, dataset: GraphDataset) -> None:
        """Refuse graphs that carry other things than those fitted on, where those were chosen by "auto"."""
        if self.network_.network.settings.features != "auto":
            return
        fitted, got = self.network_.encoder.kind, features_of(dataset)
        if fitted != got:
            has_more = fitted == "degree" or got == "both"
            raise GraphError(
                f"X: expected graphs with {_KINDS[fitted]}, as those fitted on, got {_KINDS[got]}"
                + (f'; a model fitted with features="{fitted}" leaves the others aside' if has_more else "")
            )

    # ---- files ----

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file; atomically, and never as a pickle.

        A RandomState is saved as the seed that was drawn from it, and no device is saved.
        """
        self._expect_fitted()
        write_model(self, Path(path))

    @classmethod
    def load(cls, path: str | PathLike[str], *, device: str = "cpu") -> Self:
        """Read an estimator that `save` wrote, to compute on `device`; GraphError for any other file."""
        return read_model(cls, Path(path), device)

    # ---- scikit-learn ----

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


def _checked_weights(name: str, weights: npt.ArrayLike | None, count: int) -> Weights | None:
    """Return a weight for each graph, if any are given; a single number is that of all."""
    if weights is None:
        return None
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise GraphError(f"{name}: expected numbers, got {weights!r:.60}") from None
    if array.ndim == 0:
        array = np.full(count, float(array))
    if array.shape != (count,):
        raise GraphError(f"{name}: expected one for each of {count} graphs, got shape {array.shape}")
    if not np.isfinite(array).all() or (array < 0).any():
        raise GraphError(f"{name}: expected finite numbers of at least 0, got others")
    if not array.any():
        raise GraphError(f"{name}: expected some above 0, got all zero")
    return array


def _product(one: Weights | None, other: Weights | None) -> Weights | None:
    if one is None or other is None:
        return other if one is None else one
    return one * other
