"""The common base of all networks as scikit-learn estimators: settings, seed, progress, fitted state."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from cliquepool.nn.checked_settings import checked_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel

    from cliquepool.training.report import EpochReport

__all__ = ["NetworkEstimator"]


class NetworkEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """A network with its training as a scikit-learn estimator.

    A subclass has a constructor parameter for each field of its `settings_type`, and those declared here.
    scikit-learn reads parameters from the signature of `__init__`, so every subclass writes all of them out.

    Attributes
    ----------
    settings_type : type
        The pydantic model of the settings (class attribute).
    noun : str
        What errors call the estimator (class attribute).
    network_ : object
        The trained network.
    curves_ : dict
        One value for each epoch of ``"loss"`` and of the other curves of the training.
    best_epoch_ : int
        The epoch whose weights were kept, from 1.
    seed_ : int
        The seed of the fit.
    """

    settings_type: ClassVar[type[BaseModel]]
    noun: ClassVar[str]

    random_state: int | np.random.RandomState | None
    device: str
    verbose: int

    network_: Any
    curves_: dict[str, list[float]]
    best_epoch_: int
    seed_: int

    @classmethod
    def from_settings(cls, settings: BaseModel, **others: Any) -> Self:
        """Return the estimator with these settings; `others` are its other parameters."""
        parameters = cls._get_param_names()
        return cls(**({name: value for name, value in settings if name in parameters} | others))

    @property
    def settings(self) -> Any:
        """The settings of the network and its training, validated.

        A setting that the constructor has no parameter for has its default.
        """
        names = [name for name in self.settings_type.model_fields if hasattr(self, name)]
        return checked_settings(self.settings_type, {name: getattr(self, name) for name in names})

    def _store(self, parameters: Mapping[str, Any]) -> None:
        """Store the parameters of the constructor unchanged, given its ``locals()``."""
        for name, value in parameters.items():
            if name != "self":
                setattr(self, name, value)

    def _draw_seed(self) -> int:
        """Return `random_state` where it is an integer; else draw a seed from it."""
        random = check_random_state(self.random_state)
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(random.randint(np.iinfo(np.int32).max))

    def _reporter(
        self, on_epoch: Callable[[EpochReport], None] | None, epochs: int
    ) -> Callable[[EpochReport], None] | None:
        """Return what to call after every epoch: `on_epoch`, and a printer if `verbose` is set."""
        if not self.verbose:
            return on_epoch
        every = max(1, epochs // 10) if self.verbose == 1 else 1

        def report_epoch(report: EpochReport) -> None:
            if report.epoch % every == 0 or report.epoch in {1, report.epochs}:
                print(_progress_line(report))  # noqa: T201 (verbose asks for it)
            if on_epoch is not None:
                on_epoch(report)

        return report_epoch

    def _expect_fitted(self) -> None:
        if not hasattr(self, "network_"):
            raise NotFittedError(f"expected a fitted {self.noun}: call fit first")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


def _progress_line(report: EpochReport) -> str:
    line = f"epoch {report.epoch}/{report.epochs}: loss {report.loss:.4f}"
    if report.validation_loss is not None:
        line += f", validation loss {report.validation_loss:.4f}"
    if report.validation_score is not None:
        line += f", validation score {report.validation_score:.4f}"
    return line
