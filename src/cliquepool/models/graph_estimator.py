"""The common base of the classifier and the regressor of graphs: fitting, predicting, saving."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args

import numpy as np
from sklearn.model_selection import train_test_split

from cliquepool.data.features import FeatureEncoder, HandleUnknown, features_of
from cliquepool.data.pooled import PooledDataset
from cliquepool.errors import GraphError
from cliquepool.models.base import NetworkEstimator
from cliquepool.models.graphs import Graphs
from cliquepool.models.sample_weights import checked_weights, product
from cliquepool.models.saved import read_model, write_model
from cliquepool.training.graphs import train

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    import numpy.typing as npt
    from torch import nn

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.models.graphs import GraphInput
    from cliquepool.models.sample_weights import Weights
    from cliquepool.models.targets import Target
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import TrainingSettings
    from cliquepool.training.graphs import FittedNetwork
    from cliquepool.training.report import EpochReport
    from cliquepool.training.tasks import Task

    Ids = npt.NDArray[np.int64]

__all__ = ["GraphEstimator"]

_KINDS = {
    "labels": "node labels",
    "attributes": "node attributes",
    "both": "node labels and attributes",
    "degree": "neither node labels nor attributes",
}


class GraphEstimator(NetworkEstimator):
    """A network over graphs as a scikit-learn estimator; subclasses say what it predicts.

    A subclass has a parameter for each of its settings, and those declared here and in `NetworkEstimator`.
    """

    settings_type: ClassVar[type[TrainingSettings]]

    patience: int | None
    validation_fraction: float
    handle_unknown: HandleUnknown

    settings_: Any
    target_: Target
    network_: FittedNetwork

    # ---- what a subclass says ----

    @abstractmethod
    def _checked_y(self, y: Any, graphs: Graphs) -> npt.NDArray[Any]:
        """Return y as an array with a row for each graph; GraphError says what is wrong with it."""

    @abstractmethod
    def _target(self, y: npt.NDArray[Any], training: Ids) -> Target:
        """Return what is predicted, with statistics measured on the training rows of y."""

    @abstractmethod
    def _strata(self, y: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        """Return what the held-out graphs are stratified by, if anything."""

    @abstractmethod
    def _target_weights(self, y: npt.NDArray[Any], num_training: int) -> Weights | None:
        """Return the weight of each graph by its y; None where all are equal.

        Statistics are those of the first `num_training` rows: the rows of validation graphs follow them.
        """

    @staticmethod
    def _num_pools(settings: Any) -> int:
        """Return how many times the network of these settings needs the graphs pooled by cliques."""
        del settings
        return 0

    @staticmethod
    def _num_layers(settings: Any) -> int:
        """Return how many layers `_build` makes in loops at least: a bound for settings read from files."""
        del settings
        return 0

    def _levels(self, dataset: GraphDataset, num_pools: int) -> PooledDataset:
        """Return the levels of all graphs of a data set that batches are made of."""
        return PooledDataset(dataset, levels=num_pools)

    def _can_use(self, known: PooledDataset, settings: Any) -> bool:
        """Return whether the levels that X came with are all that `_levels` returns."""
        return known.num_pools >= self._num_pools(settings)

    def _measure(self, data: PooledDataset, training: Ids) -> dict[str, int]:
        """Return the sizes that the network is built for and that the training graphs determine, by name."""
        del data, training
        return {}

    @abstractmethod
    def _build(self, sizes: NetworkSizes) -> nn.Module:
        """Return a new network, called with a `Batch`; see `cliquepool.training.graphs.train`."""

    def _learned(self, graphs: Graphs, y: npt.NDArray[Any], training: Ids) -> tuple[Target, Task | None]:
        """Return what is predicted, and what the network learns; None for the classes of the data set."""
        target = self._target(y, training)
        return target, target.task(graphs.scatter(y))

    def _check_parameters(self) -> None:
        """Check the parameters that are not settings."""
        fraction: Any = self.validation_fraction  # scikit-learn sets anything
        if not (isinstance(fraction, int | float | np.number) and 0 <= fraction < 1):
            raise ValueError(f"validation_fraction: expected 0 up to 1, got {fraction!r}")
        if self.handle_unknown not in get_args(HandleUnknown):
            choices = ", ".join(get_args(HandleUnknown))
            raise ValueError(f"handle_unknown: expected one of {choices}, got {self.handle_unknown!r}")

    # ---- fitting ----

    @property
    def preparation(self) -> str:
        """A key of what `prepare` returns: estimators with an equal one can share it."""
        return f"pooled {self._num_pools(self.settings)} times"

    def prepare(self, dataset: GraphDataset) -> PooledDataset:
        """Return the levels of all graphs of a data set, for many fits on selections of it."""
        return self._levels(dataset, self._num_pools(self.settings))

    def fit(
        self,
        X: GraphInput,
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        validation: tuple[GraphInput, npt.ArrayLike | None] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        on_epoch: Callable[[EpochReport], None] | None = None,
    ) -> Self:
        """Train on the graphs X with the targets y.

        `sample_weight` has the weight of each graph in the loss and in the score of held-out graphs; graphs
        of weight 0 are left out. `validation`, a pair of graphs and their targets, chooses the epoch whose
        weights are kept; without it, a share of X does, of size `validation_fraction`. With `checkpoint`, a
        file, an interrupted fit resumes. `on_epoch` is called with an EpochReport after every epoch.
        """
        settings = self.settings
        self._check_parameters()
        graphs = Graphs.of(X)
        if not len(graphs):
            raise GraphError("expected graphs, got none")
        checked = self._checked_y(y, graphs)
        weights = checked_weights("sample_weight", sample_weight, len(graphs))
        count = len(graphs)
        if validation is not None:
            graphs, checked, weights = self._with_validation(validation, graphs, checked, weights)
        weights = product(
            weights, checked_weights("class_weight", self._target_weights(checked, count), len(graphs))
        )
        counted = np.arange(len(graphs)) if weights is None else np.flatnonzero(weights > 0)
        seed = self._draw_seed()
        if validation is None:
            training, held_out = self._split(counted, self._strata(checked), seed)
        else:
            training, held_out = counted[counted < count], counted[counted >= count]
        if not (len(training) and len(held_out)):
            which = "validation" if len(training) else "training"
            raise GraphError(f"expected {which} graphs of weights above 0, got weight 0 for all of them")
        target, task = self._learned(graphs, checked, training)
        data = self._levels_of(graphs, settings)
        result = train(
            data,
            graphs.ids[training],
            graphs.ids[held_out],
            settings,
            seed=seed,
            build=self._build,
            measured=self._measure(data, graphs.ids[training]),
            task=task,
            weights=None if weights is None else graphs.scatter(weights),
            keep_last=validation is None and not self.validation_fraction,
            device=str(self.device),
            checkpoint=None if checkpoint is None else Path(checkpoint),
            on_epoch=self._reporter(on_epoch, settings.epochs),
        )
        self.seed_ = seed
        self.settings_ = settings
        self.target_ = target
        encoder = replace(result.network.encoder, handle_unknown=self.handle_unknown)
        self.network_ = replace(result.network, encoder=encoder)
        self.curves_ = result.curves
        self.best_epoch_ = result.best_epoch
        return self

    def _levels_of(self, graphs: Graphs, settings: TrainingSettings) -> PooledDataset:
        """Return the levels of the graphs' data set: those that X came with, where they are enough."""
        known = graphs.known_pools
        if known is not None and self._can_use(known, settings):
            return known
        data = self._levels(graphs.dataset, self._num_pools(settings))
        data._keep_one_form()
        return data

    def _with_validation(
        self,
        validation: tuple[GraphInput, npt.ArrayLike | None],
        graphs: Graphs,
        y: npt.NDArray[Any],
        weights: Weights | None,
    ) -> tuple[Graphs, npt.NDArray[Any], Weights | None]:
        """Append the validation graphs, with their targets and with weight 1, to those to train on."""
        X_held_out, y_held_out = validation
        held_out = Graphs.of(X_held_out)
        if not len(held_out):
            raise GraphError("validation: expected graphs, got none")
        checked = self._checked_y(y_held_out, held_out)
        _expect_alike(checked, y)
        self._expect_known_labels(held_out, graphs)
        if weights is not None:
            weights = np.concatenate([weights, np.ones(len(held_out))])
        return graphs.joined(held_out), np.concatenate([y, checked]), weights

    def _expect_known_labels(self, held_out: Graphs, graphs: Graphs) -> None:
        """Raise GraphError for node labels that the graphs to train on do not name, unless ignored."""
        known = graphs.dataset.node_label_values
        uses_labels = self.settings.features in {"auto", "labels", "both"}
        if uses_labels and known is not None and held_out.dataset is not graphs.dataset:
            alone = held_out.alone()
            if alone.node_labels is not None:
                FeatureEncoder("labels", known, handle_unknown=self.handle_unknown).encode(alone)

    def _split(self, rows: Ids, strata: npt.NDArray[Any] | None, seed: int) -> tuple[Ids, Ids]:
        """Hold out `validation_fraction` of the rows; where that is 0, all are trained on and validated."""
        if not self.validation_fraction:
            return rows, rows
        try:
            training, validation = train_test_split(
                rows,
                test_size=self.validation_fraction,
                stratify=None if strata is None else strata[rows],
                random_state=seed,
            )
        except ValueError as error:
            every = "" if strata is None else " with every class in it"
            raise GraphError(
                f"{len(rows)} graphs are too few to hold out a share of {self.validation_fraction}"
                f"{every} ({error}); use validation_fraction=0"
            ) from None
        return np.sort(training), np.sort(validation)

    # ---- predicting ----

    def predict(self, X: GraphInput) -> npt.NDArray[Any]:
        """Return the predicted y of each graph."""
        outputs = self._outputs(X)
        return self.target_.predict(outputs)

    def _outputs(self, X: GraphInput) -> npt.NDArray[np.float32]:
        """Return the outputs of the network (columns) for each graph (rows)."""
        self._expect_fitted()
        graphs = Graphs.of(X)
        if not len(graphs):
            return np.zeros((0, self.target_.num_outputs), dtype=np.float32)
        self._expect_fitted_features(graphs.dataset)
        data = self._levels_of(graphs, self.settings_)
        outputs: npt.NDArray[np.float32] = self.network_.scores(data, graphs.ids).numpy()
        return outputs

    def _expect_fitted_features(self, dataset: GraphDataset) -> None:
        """Raise GraphError for graphs with other features than those that "auto" chose in fit."""
        if self.settings_.features != "auto":
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
        """Write the fitted estimator to a file, atomically and never as a pickle.

        A RandomState is saved as the seed that was drawn from it. The device is not saved.
        """
        self._expect_fitted()
        write_model(self, Path(path))

    @classmethod
    def load(cls, path: str | PathLike[str], *, device: str = "cpu") -> Self:
        """Read an estimator that `save` wrote, to compute on `device`; InputError for any other file."""
        return read_model(cls, Path(path), device)


def _expect_alike(validation: npt.NDArray[Any], y: npt.NDArray[Any]) -> None:
    """Raise GraphError for targets of validation graphs that are not of the form of the others."""
    if validation.shape[1:] != y.shape[1:]:
        raise GraphError(
            f"validation: expected y of shape {(len(validation), *y.shape[1:])}, as that of X, "
            f"got {validation.shape}"
        )
    if (validation.dtype.kind == "U") != (y.dtype.kind == "U"):
        expected, got = ("text" if one.dtype.kind == "U" else "numbers" for one in (y, validation))
        raise GraphError(f"validation: expected y of {expected}, as that of X, got {got}")
