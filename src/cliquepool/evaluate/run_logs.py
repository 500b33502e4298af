"""`RunLogger`: what all logs of runs share, whatever tool keeps them.

Every fold under every seed is a log of its own, with a value of each curve for each epoch, and the run has
one more with its settings and, at the end, its figure. The names of curves are those of the records.
"""

from __future__ import annotations

import json
import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cliquepool.errors import InputError
from cliquepool.evaluate.summary import summarise
from cliquepool.evaluate.watchers import RunWatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cliquepool.evaluate.plans import Plan, Unit
    from cliquepool.evaluate.records import FoldRecord, RunKey
    from cliquepool.evaluate.summary import RunSummary
    from cliquepool.training.report import EpochReport

__all__ = ["FoldPlace", "RunLogger", "curve_values", "setting_texts", "settings_of"]


@dataclass(frozen=True, slots=True)
class FoldPlace:
    """A fold under a seed, and the hash that identifies it."""

    fold: int
    seed: int
    identity: str

    @classmethod
    def of(cls, unit: Unit | FoldRecord) -> FoldPlace:
        """Return the place of a unit or of a record; they are equal for the same fold."""
        return cls(unit.fold, unit.seed, unit.identity)


class RunLogger(RunWatcher):
    """Log a run while it trains; pass it to `evaluate` as its `watcher`.

    Folds that are on record are logged from their records, unless the log has them already: the log of a run
    that was resumed has every fold once. A fold that goes on from a checkpoint goes on in its log; where the
    log lacks the epochs before, the fold is logged when it is finished.

    A log that cannot be opened raises InputError before the first fold. One that fails later is given up with
    a warning, and the run goes on: its records do not depend on it.

    Parameters
    ----------
    where : str
        The folder or the address, for messages.
    warn : callable, optional
        Called with the message if the log is given up; by default a RuntimeWarning.
    """

    def __init__(self, where: str, warn: Callable[[str], None] | None = None) -> None:
        self.errors: tuple[type[Exception], ...] = (OSError,)
        self._where = where
        self._warn = warn or _warn
        self._live: dict[FoldPlace, bool] = {}
        self._is_open = False

    def planned(self, plan: Plan) -> None:
        """Open the log of the run, and log the folds on record that it lacks."""
        self._live = {}
        try:
            self._open(plan)
            self._is_open = True
            for record in plan.finished:
                if not self._has(FoldPlace.of(record)):
                    self._log_whole(record)
        except self.errors as error:
            self._is_open = False
            raise InputError(f"{self._where}: cannot log there: {_first_line(error)}") from error

    def epoch(self, unit: Unit, epoch: EpochReport) -> None:
        """Log an epoch."""
        self._attempt(lambda: self._log_epoch(FoldPlace.of(unit), epoch))

    def finished(self, record: FoldRecord) -> None:
        """Log the end of a fold."""
        is_live = self._live.pop(FoldPlace.of(record), False)
        self._attempt(lambda: self._finish(record) if is_live else self._log_whole(record))

    def ended(self, records: Sequence[FoldRecord] | None) -> None:
        """Log the figure, and close the log."""
        self._attempt(lambda: self._close(None if records is None else summarise(records)[0]))
        self._is_open = False

    def _log_epoch(self, place: FoldPlace, epoch: EpochReport) -> None:
        if place not in self._live:
            self._live[place] = self._begin(place, epoch.epoch)
        if self._live[place]:
            self._log_epochs(place, {epoch.epoch: _values(epoch)})

    def _log_whole(self, record: FoldRecord) -> None:
        place = FoldPlace.of(record)
        self._restart(place)
        self._log_epochs(place, curve_values(record))
        self._finish(record)

    def _attempt(self, log: Callable[[], None]) -> None:
        """Log something if the log is open; where that fails, give the log up."""
        if not self._is_open:
            return
        try:
            log()
        except self.errors as error:
            self._is_open = False
            self._warn(f"{self._where}: the log is given up: {_first_line(error)}")

    @abstractmethod
    def _open(self, plan: Plan) -> None:
        """Open the log of a run, a new one or that of an earlier part of it."""

    @abstractmethod
    def _has(self, place: FoldPlace) -> bool:
        """Return whether the log has a fold with its end."""

    @abstractmethod
    def _begin(self, place: FoldPlace, first_epoch: int) -> bool:
        """Begin a fold or go on with it; return False where the log lacks epochs before the first one."""

    @abstractmethod
    def _restart(self, place: FoldPlace) -> None:
        """Begin a fold whose epochs are all logged now."""

    @abstractmethod
    def _log_epochs(self, place: FoldPlace, values: dict[int, dict[str, float]]) -> None:
        """Log the values of these epochs."""

    @abstractmethod
    def _finish(self, record: FoldRecord) -> None:
        """Log the accuracies of a fold, and close its log."""

    @abstractmethod
    def _close(self, summary: RunSummary | None) -> None:
        """Log the figure of the run, and close the log; None where the run has not ended."""


def curve_values(record: FoldRecord) -> dict[int, dict[str, float]]:
    """Return the values of all curves of a record by epoch, from 1."""
    length = len(record.curves["validation_accuracy"])
    return {
        epoch + 1: {name: curve[epoch] for name, curve in record.curves.items() if epoch < len(curve)}
        for epoch in range(length)
    }


def settings_of(run: RunKey) -> dict[str, bool | int | float | str]:
    """Return settings: numbers as they are, the rest as text; of several candidates all values."""
    candidates: list[dict[str, Any]] = json.loads(run.candidates)
    found: dict[str, bool | int | float | str] = {}
    for name in dict.fromkeys(name for settings in candidates for name in settings):
        values = [settings.get(name) for settings in candidates]
        texts = list(dict.fromkeys(map(_text, values)))
        first = values[0]
        found[name] = first if len(texts) == 1 and isinstance(first, int | float) else " or ".join(texts)
    return found


def setting_texts(run: RunKey) -> dict[str, str]:
    """Return the settings of a run as text."""
    return {name: _text(value) for name, value in settings_of(run).items()}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _values(epoch: EpochReport) -> dict[str, float]:
    """Return what an epoch reports, by the names of the curves of records."""
    found = {
        "loss": epoch.loss,
        "accuracy": epoch.accuracy,
        "validation_loss": epoch.validation_loss,
        "validation_accuracy": epoch.validation_score,
    }
    return {name: value for name, value in found.items() if value is not None}


def _first_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)
