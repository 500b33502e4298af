"""Callbacks on the progress of a run: displays and logs derive from `RunWatcher`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cliquepool.evaluate.plans import Plan, Unit
    from cliquepool.evaluate.records import FoldRecord
    from cliquepool.training.report import EpochReport

__all__ = ["RunWatcher", "one_watcher"]


class RunWatcher:
    """Callbacks on the progress of a run; subclasses override those they need.

    All are called in the process that called `evaluate`, also where folds run in others.
    """

    def planned(self, plan: Plan) -> None:
        """Called before the first fold, in a resumed run too."""

    def epoch(self, unit: Unit, epoch: EpochReport) -> None:
        """Called after every epoch of every fold."""

    def finished(self, record: FoldRecord) -> None:
        """Called when a fold is on record."""

    def ended(self, records: Sequence[FoldRecord] | None) -> None:
        """Called at the end, with the records of the whole run; None where it failed or was interrupted."""


class _Several(RunWatcher):
    def __init__(self, watchers: Sequence[RunWatcher]) -> None:
        self._watchers = watchers

    def planned(self, plan: Plan) -> None:
        for watcher in self._watchers:
            watcher.planned(plan)

    def epoch(self, unit: Unit, epoch: EpochReport) -> None:
        for watcher in self._watchers:
            watcher.epoch(unit, epoch)

    def finished(self, record: FoldRecord) -> None:
        for watcher in self._watchers:
            watcher.finished(record)

    def ended(self, records: Sequence[FoldRecord] | None) -> None:
        for watcher in self._watchers:
            watcher.ended(records)


def one_watcher(watcher: RunWatcher | Sequence[RunWatcher] | None) -> RunWatcher:
    """Return a watcher that calls all of these, in their order."""
    if isinstance(watcher, RunWatcher):
        return watcher
    return _Several(tuple(watcher or ()))
