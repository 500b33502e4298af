"""What tasks on a cluster have in common: they compare versions, and end when their run is cancelled.

Runs in workers. Most of it needs no dask: a task is an ordinary call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import cliquepool
from cliquepool.errors import ClusterError

if TYPE_CHECKING:
    from cliquepool.threads import OnProgress

__all__ = ["TASK_FORMAT", "Origin", "cancel", "ending_with", "here", "send_event"]

# The version of what clients and workers send each other, and of the files that they share.
TASK_FORMAT: Final = 3
_MOST_REMEMBERED: Final = 1000

_cancelled: dict[str, None] = {}  # in the order in which they were


class Origin(NamedTuple):
    """Where a task comes from: the versions of the client, and the run that it belongs to."""

    version: str
    format: int
    run: str

    def expect_same_version(self) -> None:
        """Raise ClusterError in a worker that has another version than the client."""
        own = here(self.run)
        if own[:2] != self[:2]:
            raise ClusterError(self.other_than(own))

    def other_than(self, found: tuple[str, int, str]) -> str:
        """Say that a worker has other versions than this client."""
        return (
            f"expected a worker with cliquepool {self.version} (format {self.format}), as the client, "
            f"got one with {found[0]} (format {found[1]})"
        )


def here(run: str = "") -> Origin:
    """Return the versions of this process."""
    return Origin(cliquepool.__version__, TASK_FORMAT, run)


def cancel(run: str) -> None:
    """Let the tasks of a run end in this worker, those that have started and those that will."""
    _cancelled[run] = None
    while len(_cancelled) > _MOST_REMEMBERED:
        del _cancelled[next(iter(_cancelled))]


def send_event(run: str, event: dict[str, Any]) -> None:
    """Send numbers and texts from a task to its client; raise ClusterError if the run is cancelled."""
    from distributed import get_worker  # noqa: PLC0415 (an optional dependency)

    ending_with(run)("", 0, 0)
    get_worker().log_event(run, event)


def ending_with(run: str) -> OnProgress:
    """Return a progress callback that raises ClusterError as soon as the run is cancelled."""

    def check(_what: str, _done: int, _total: int) -> None:
        if run in _cancelled:
            raise ClusterError("the run was cancelled")

    return check
