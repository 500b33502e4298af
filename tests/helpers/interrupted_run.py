"""A small run that is interrupted in the middle of a fold, to be resumed with the same records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.evaluate import RunWatcher, evaluate
from tests.helpers.small_model import SmallModel, rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.evaluate import FoldRecord

EPOCHS = 6


class _Interrupt(RunWatcher):
    """Interrupt a run after an epoch of a fold."""

    def __init__(self, fold: int, epoch: int) -> None:
        self._at = (fold, epoch)

    def epoch(self, unit: Any, epoch: Any) -> None:
        if (unit.fold, epoch.epoch) == self._at:
            raise KeyboardInterrupt


def small_run(path: Path, *watchers: RunWatcher, jobs: int = 1) -> list[FoldRecord]:
    """Run three folds of six epochs, or what is left of them."""
    model = SmallModel(epochs=EPOCHS)
    return evaluate(
        model, rings_and_stars(), "fair", path, folds=3, seeds=1, jobs=jobs, watcher=list(watchers)
    )


def interrupted_run(path: Path, *watchers: RunWatcher) -> None:
    """Run until the third epoch of the second fold."""
    with pytest.raises(KeyboardInterrupt):
        small_run(path, *watchers, _Interrupt(2, 3))
