# ruff: noqa: PLC0415 (rich is imported where it is used, so that --help and errors are quick)
"""The progress line of long calls."""

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["PatientProgress"]

_PATIENCE_SECONDS: Final = 1.0


class PatientProgress:
    """Show the progress of a call on stderr if it takes more than a second; remove the line at the end.

    Silent if stderr is not a terminal. Instances are passed to functions of the library as `progress`.
    """

    def __init__(self) -> None:
        self._doing = ("working", 0, 0)
        self._lock = threading.Lock()
        self._ended = False
        self._shown: Progress | None = None
        self._task: TaskID | None = None
        self._timer = threading.Timer(_PATIENCE_SECONDS, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._shown is not None:
                self._shown.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report that `done` of `total` steps of a task are done; details follow its name after a colon."""
        changed = what.partition(":")[0] != self._doing[0].partition(":")[0]
        self._doing = (what, done, total)
        if self._shown is not None and self._task is not None:
            if changed:
                self._shown.reset(self._task)
            self._tell()

    def _show(self) -> None:
        """Start the display; runs in the thread of the timer."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        with self._lock:
            if self._ended:
                return
            shown = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=30),
                TextColumn("{task.fields[amount]}"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = shown.add_task("", total=None, amount="")
            self._shown = shown
            self._tell()
            shown.start()

    def _tell(self) -> None:
        what, done, total = self._doing
        if self._shown is None or self._task is None:
            return
        # Without progress so far, a pulsing bar instead of an empty one.
        known = total > 0 and done > 0
        self._shown.update(
            self._task,
            description=what,
            completed=min(done, total),
            total=total if known else None,
            amount=f"{min(done, total) / total:.0%}" if known else "",
        )
