# ruff: noqa: PLC0415 (rich is imported where it is used, so that --help and errors are quick)
"""The live display of training: running folds, the accuracy so far, the time left."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from cliquepool.evaluate import RunWatcher

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from cliquepool.evaluate import EpochReport, FoldRecord, Plan, Unit

__all__ = ["EpochDisplay", "RunDisplay"]

_EMPTY: Final[dict[str, Any]] = {"epoch": "", "loss": "", "accuracy": "", "left": ""}
# The columns that fit a terminal of this width: name, bar, epoch, loss, accuracy, time left.
_COLUMNS_FROM_WIDTH: Final = {
    100: (0, 1, 2, 3, 4, 5),
    74: (0, 2, 3, 4, 5),
    60: (0, 2, 4, 5),
    46: (0, 2, 4),
    0: (0, 2),
}


class _Display:
    """Lines of progress on stderr, removed at the end; nothing if that is not a terminal."""

    def __init__(self, first_line: str) -> None:
        self._first_line = first_line
        self._shown: Progress | None = None
        self._first: TaskID | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._shown = _progress()
            self._first = self._shown.add_task(self._first_line, total=None, **_EMPTY)
            self._shown.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.stop()


class RunDisplay(_Display, RunWatcher):
    """Show the progress of a run."""

    def __init__(self, title: str = "all folds") -> None:
        super().__init__("preparing")
        self._title = title
        self._lines: dict[str, TaskID] = {}
        self._done: dict[str, float] = {}
        self._accuracies: list[float] = []
        self._began: float | None = None  # the time of the first report
        self._units = 0
        self._finished = 0

    def planned(self, plan: "Plan") -> None:
        """Show the number of folds."""
        self._units = len(plan.units)
        self._finished = len(plan.finished)
        self._accuracies = [_judged(record) for record in plan.finished]
        self._update_first_line()

    def epoch(self, unit: "Unit", epoch: "EpochReport") -> None:
        """Update the line of a fold."""
        if self._shown is None:
            return
        if unit.identity not in self._lines:
            seed = f", seed {unit.seed}" if unit.seed else ""
            self._lines[unit.identity] = self._shown.add_task(
                f"fold {unit.fold}{seed}", total=epoch.epochs, **_EMPTY
            )
        self._done[unit.identity] = epoch.epoch / epoch.epochs
        self._shown.update(
            self._lines[unit.identity],
            completed=epoch.epoch,
            epoch=f"epoch {epoch.epoch}/{epoch.epochs}",
            loss=f"loss {epoch.loss:.3f}",
            accuracy=_accuracy(epoch.validation_accuracy),
        )
        self._update_first_line()

    def finished(self, record: "FoldRecord") -> None:
        """Remove the line of a fold, and count it."""
        self._finished += 1
        self._accuracies.append(_judged(record))
        self._done[record.identity] = 1.0
        line = self._lines.pop(record.identity, None)
        if self._shown is not None and line is not None:
            self._shown.remove_task(line)
        self._update_first_line()

    def _update_first_line(self) -> None:
        if self._shown is None or self._first is None:
            return
        done = sum(self._done.values())
        now = [share for share in self._done.values() if share < 1]
        mean = sum(self._accuracies) / len(self._accuracies) if self._accuracies else None
        self._shown.update(
            self._first,
            description=self._title,
            completed=self._finished + sum(now),
            total=self._units,
            epoch=f"{self._finished} of {self._units} done",
            accuracy=_accuracy(mean),
            left=self._time_left(done),
        )

    def _time_left(self, done: float) -> str:
        """Return the time left at the speed so far, in words; empty until that is known."""
        if done == 0:
            return ""
        if self._began is None:
            self._began = time.monotonic()
        if done < 0.05:
            return ""
        already = self._finished - sum(share == 1 for share in self._done.values())
        return _left((time.monotonic() - self._began) / done * (self._units - already - done))


class EpochDisplay(_Display):
    """Show the progress of one training."""

    def __call__(self, epoch: "EpochReport") -> None:
        """Update the line."""
        if self._shown is None or self._first is None:
            return
        self._shown.update(
            self._first,
            completed=epoch.epoch,
            total=epoch.epochs,
            epoch=f"epoch {epoch.epoch}/{epoch.epochs}",
            loss=f"loss {epoch.loss:.3f}",
            accuracy=_accuracy(epoch.accuracy),
            left=_left(epoch.seconds / epoch.epoch * (epoch.epochs - epoch.epoch)),
        )


def _accuracy(fraction: float | None) -> str:
    return "" if fraction is None else f"accuracy {100 * fraction:.1f}"


def _left(amount: float) -> str:
    minutes, seconds = divmod(round(amount), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02} left" if hours else f"{minutes}:{seconds:02} left"


def _judged(record: "FoldRecord") -> float:
    return record.validation_accuracy if record.test_accuracy is None else record.test_accuracy


def _progress() -> "Progress":
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*_columns(console.width), console=console, transient=True)


def _columns(width: int) -> list[Any]:
    """Return the columns that a terminal of this width has room for."""
    from rich.progress import BarColumn, TextColumn

    columns: list[Any] = [
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[epoch]}", markup=False),
        TextColumn("{task.fields[loss]}", markup=False),
        TextColumn("{task.fields[accuracy]}", markup=False),
        TextColumn("{task.fields[left]}", markup=False, style="cyan"),
    ]
    shown = next(kept for least, kept in _COLUMNS_FROM_WIDTH.items() if width >= least)
    return [columns[index] for index in shown]
