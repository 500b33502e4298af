"""An ensemble of networks of one kind: the mean of their probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

import cliquepool.models
from cliquepool.errors import InputError
from cliquepool.models.clique_pool import CliquePoolClassifier
from cliquepool.models.graphs import Graphs
from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.models.saved import naming_damage, pack_model, unpack_model
from cliquepool.models.targets import ClassTarget, checked_classes
from cliquepool.training.checkpoint import read_tensors, write_tensors

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    import numpy.typing as npt
    from torch import Tensor

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.models.graphs import GraphInput
    from cliquepool.training.report import EpochReport

__all__ = ["EnsembleClassifier"]

_KIND: Final = "ensemble"


class EnsembleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify graphs by the mean of the probabilities of several networks of one kind.

    The networks differ in their seeds alone: in their first weights, in the order of the graphs and, where
    `fit` gets no validation graphs, in those that each holds out.

    Parameters
    ----------
    base : NetworkClassifier, optional
        The network, with its settings; it is cloned. By default a `CliquePoolClassifier`.
    size : int
        The number of networks.
    random_state : int, RandomState or None
        The seed that those of the networks are derived from; that of `base` has no effect.

    Attributes
    ----------
    members_ : list
        The fitted networks.
    curves_ : dict
        One value for each number of networks: ``"loss"``, the training loss of the last one in the epoch that
        was kept; and where `fit` got validation graphs, ``"validation_accuracy"`` of all up to it.
    best_epoch_ : int
        The number of networks: all are used.

    Examples
    --------
    >>> from cliquepool import Graph
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> clique = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> model = EnsembleClassifier(CliquePoolClassifier(epochs=20, validation_fraction=0), size=2)
    >>> model.fit([star, clique] * 8, ["star", "clique"] * 8).predict([clique, star]).tolist()
    ['clique', 'star']
    """

    title = "CliquePool, ensemble"

    def __init__(
        self,
        base: NetworkClassifier | None = None,
        *,
        size: int = 5,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.base = base
        self.size = size
        self.random_state = random_state

    def describe(self) -> tuple[str, dict[str, Any]]:
        """Return the name of the model and the settings that its result depends on, for records."""
        name, settings = self._base.describe()
        return f"{name}, ensemble", settings | {"size": self.size}

    @property
    def _base(self) -> NetworkClassifier:
        return CliquePoolClassifier() if self.base is None else self.base

    @property
    def preparation(self) -> str:
        """A key of what `prepare` returns: that of the networks."""
        return self._base.preparation

    def prepare(self, dataset: GraphDataset) -> PooledDataset:
        """Return the levels of all graphs of a data set, for many fits on selections of it."""
        return self._base.prepare(dataset)

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes, ascending; where graphs have several labels, the numbers of the labels."""
        return self._fitted[0].classes_

    @property
    def _fitted(self) -> list[NetworkClassifier]:
        if not hasattr(self, "members_"):
            raise NotFittedError("expected a fitted ensemble: call fit first")
        return self.members_

    # ---- fitting ----

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
        """Train all networks, one after the other; see `CliquePoolClassifier.fit`.

        With `checkpoint`, each network has a file of its own next to it.
        """
        _expect_size(self.size)
        if not isinstance(self._base, NetworkClassifier):
            raise InputError(f"base: expected a network that classifies, got {type(self._base).__name__}")
        expected = None if validation is None else _checked_classes(*validation)
        members = []
        for number, seed in enumerate(self._seeds()):
            member = clone(self._base).set_params(random_state=seed)
            members.append(
                member.fit(
                    X,
                    y,
                    sample_weight,
                    validation=validation,
                    checkpoint=None if checkpoint is None else _numbered(Path(checkpoint), number),
                    on_epoch=None if on_epoch is None else _counting(on_epoch, number, self.size),
                )
            )
        self.members_ = members
        self.best_epoch_ = len(members)
        self.curves_ = {"loss": [member.curves_["loss"][member.best_epoch_ - 1] for member in members]}
        if validation is not None and expected is not None:
            self.curves_["validation_accuracy"] = self._accuracies(validation[0], expected)
        return self

    def _seeds(self) -> list[int]:
        """Return a seed for each network; the first ones do not depend on how many there are."""
        drawn = self.random_state
        if not isinstance(drawn, int | np.integer):
            drawn = check_random_state(drawn).randint(np.iinfo(np.int32).max)
        return [
            int(np.random.SeedSequence([int(drawn), number]).generate_state(1, np.uint32)[0] >> 1)
            for number in range(self.size)
        ]

    def _accuracies(self, X: GraphInput, expected: npt.NDArray[Any]) -> list[float]:
        """Return the accuracy of the first network, of the first two, and so on."""
        summed = np.cumsum([member.predict_proba(X) for member in self.members_], axis=0)
        accuracies = []
        for number, probabilities in enumerate(summed, start=1):
            right = self._predicted(probabilities / number) == expected
            accuracies.append(float((right if right.ndim == 1 else right.all(axis=1)).mean()))
        return accuracies

    # ---- predicting ----

    def predict_proba(self, X: GraphInput) -> npt.NDArray[np.float32]:
        """Return the mean probability of each class, or of each label (columns), for each graph (rows)."""
        found: npt.NDArray[np.float32] = np.mean([member.predict_proba(X) for member in self._fitted], axis=0)
        return found

    def predict(self, X: GraphInput) -> npt.NDArray[Any]:
        """Return the class of each graph, or its labels as zeros and ones."""
        return self._predicted(self.predict_proba(X))

    def _predicted(self, probabilities: npt.NDArray[np.float32]) -> npt.NDArray[Any]:
        if isinstance(self._fitted[0].target_, ClassTarget):
            predicted: npt.NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
            return predicted
        return (probabilities > 0.5).astype(np.int64)

    def score(
        self, X: GraphInput, y: npt.ArrayLike | None = None, sample_weight: npt.ArrayLike | None = None
    ) -> float:
        """Return the share of graphs whose class, or all of whose labels, are predicted."""
        if y is None:
            y = Graphs.of(X).classes()
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_base = self._base.__sklearn_tags__()
        tags.input_tags, tags.target_tags = of_base.input_tags, of_base.target_tags
        tags.classifier_tags, tags.no_validation = of_base.classifier_tags, of_base.no_validation
        return tags

    # ---- files ----

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted ensemble to one file, atomically and never as a pickle."""
        packed = [pack_model(member) for member in self._fitted]
        tensors = {
            f"{number}.{name}": tensor
            for number, (of_member, _) in enumerate(packed)
            for name, tensor in of_member.items()
        }
        seed = self.random_state if isinstance(self.random_state, int | np.integer) else None
        header = {
            "random_state": None if seed is None else int(seed),
            "curves": self.curves_,
            "members": [described for _, described in packed],
        }
        write_tensors(Path(path), tensors, _KIND, header)

    @classmethod
    def load(cls, path: str | PathLike[str], *, device: str = "cpu") -> Self:
        """Read an ensemble that `save` wrote, to compute on `device`; InputError for any other file."""
        file = Path(path)
        tensors, described = read_tensors(file, _KIND)
        with naming_damage(file, _KIND):
            header = _Header.model_validate(described)
            parts = _by_member(tensors, len(header.members))
            members = [
                unpack_model(_class_of(one), part, one, device)
                for one, part in zip(header.members, parts, strict=True)
            ]
            if len({type(member) for member in members}) > 1:
                raise ValueError("expected networks of one kind")
            ensemble = cls(clone(members[0]), size=len(members), random_state=header.random_state)
        ensemble.members_, ensemble.curves_ = members, header.curves
        ensemble.best_epoch_ = len(members)
        return ensemble


def _checked_classes(X: GraphInput, y: npt.ArrayLike | None) -> npt.NDArray[Any]:
    graphs = Graphs.of(X)
    return checked_classes(graphs.classes() if y is None else y, len(graphs))


class _Header(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    random_state: int | None
    curves: dict[str, list[float]]
    members: Annotated[list[dict[str, Any]], Field(min_length=1)]


def _by_member(tensors: dict[str, Tensor], count: int) -> list[dict[str, Tensor]]:
    """Return the tensors of each network, named as in it."""
    parts: list[dict[str, Tensor]] = [{} for _ in range(count)]
    for name, tensor in tensors.items():
        number, _, own_name = name.partition(".")
        if not number.isdecimal() or int(number) >= count:
            raise ValueError(f"{name[:100]}: expected a tensor of one of {count} networks")
        parts[int(number)][own_name] = tensor
    return parts


def _class_of(described: dict[str, Any]) -> type[NetworkClassifier]:
    """Return the class that a header names: one of `cliquepool.models`, never any other."""
    name = described.get("model")
    found = getattr(cliquepool.models, name) if name in cliquepool.models.__all__ else None
    if not (isinstance(found, type) and issubclass(found, NetworkClassifier)):
        raise ValueError(f"model: expected a network of cliquepool.models, got {name!r:.80}")  # noqa: TRY004
    return found


def _expect_size(size: object) -> None:
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise InputError(f"size: expected an integer of at least 1, got {size!r}")


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _counting(
    on_epoch: Callable[[EpochReport], None], number: int, size: int
) -> Callable[[EpochReport], None]:
    return lambda report: on_epoch(report.among(number, size))
