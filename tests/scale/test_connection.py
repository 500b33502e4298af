"""The connection to a cluster: results, errors of tasks in plain words, versions, and what closes."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

import cliquepool
from cliquepool.errors import BudgetExceeded, ClusterError, GraphError, InputError, MissingDependency
from cliquepool.scale.connection import Connection, Task
from cliquepool.scale.tasks import send_event

if TYPE_CHECKING:
    from cliquepool.scale import Cluster


def fail_with(error: BaseException) -> None:
    raise error


def report(run: str) -> int:
    for number in range(3):
        send_event(run, {"number": number})
    return 7


def wait_until_cancelled(run: str) -> None:
    while True:
        send_event(run, {})
        time.sleep(0.01)


def test_results_come_with_their_index_and_events_in_this_thread(two_workers: Cluster) -> None:
    connection = two_workers._connection
    tasks = [Task(str(number), abs, -number) for number in range(5)]
    assert dict(connection.run(tasks, connection.origin())) == {number: number for number in range(5)}
    origin = connection.origin()
    heard: list[object] = []
    (found,) = connection.run(
        [Task("report", report, origin.run)],
        origin,
        on_event=lambda event: heard.append((event["number"], threading.current_thread())),
    )
    assert found == (0, 7)
    assert heard == [(number, threading.main_thread()) for number in range(len(heard))]


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (GraphError("expected a graph"), GraphError, "shard 3: expected a graph"),
        (OSError(errno.ENOSPC, "cannot write: disk full", "f"), OSError, "shard 3: cannot write: disk full"),
        (MemoryError(), ClusterError, "shard 3: its worker is out of memory"),
        (BudgetExceeded("max_seconds", 1.0, 2.0, "pooling"), BudgetExceeded, "max_seconds reached"),
        (ClusterError("the run was cancelled"), ClusterError, "shard 3: the run was cancelled"),
        (KeyError("bug"), KeyError, "bug"),
    ],
)
def test_an_error_of_a_task_names_it(
    two_workers: Cluster, error: Exception, kind: type[Exception], message: str
) -> None:
    connection = two_workers._connection
    with pytest.raises(kind, match=message):
        list(connection.run([Task("shard 3", fail_with, error)], connection.origin()))


def test_a_run_that_is_left_or_late_ends_its_tasks(two_workers: Cluster) -> None:
    connection = two_workers._connection
    origin = connection.origin()
    tasks = [Task("endless", wait_until_cancelled, origin.run), Task("short", abs, -1)]
    results = connection.run(tasks, origin)
    assert next(results) == (1, 1)
    results.close()
    origin = connection.origin()
    endless = [Task("endless", wait_until_cancelled, origin.run)]
    with pytest.raises(TimeoutError):
        list(connection.run(endless, origin, on_event=lambda _: None, deadline=time.monotonic() + 0.3))
    # Both workers are free again.
    free = [Task(str(number), abs, number) for number in range(4)]
    assert len(list(connection.run(free, connection.origin()))) == 4


def process_id(_: object) -> int:
    return os.getpid()


def test_a_worker_that_ends_again_after_some_seconds_comes_back() -> None:
    with contextlib.closing(Connection(None, workers=1, memory=None, timeout=60)) as connection:

        def worker_process() -> int:
            (found,) = connection.run([Task("process", process_id, None)], connection.origin())
            return int(found[1])

        first = worker_process()
        os.kill(first, signal.SIGKILL)
        killed = time.monotonic()
        second = worker_process()
        # dask looks 15 s after a loss whether the worker is there: just then it starts for the second time.
        time.sleep(max(0.0, killed + 14.8 - time.monotonic()))
        os.kill(second, signal.SIGKILL)
        time.sleep(2)
        assert len({first, second, worker_process()}) == 3


def test_workers_of_another_version_are_refused(
    two_workers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cliquepool, "__version__", "9.9.9", raising=False)
    with pytest.raises(
        ClusterError, match=r"expected a worker with cliquepool 9\.9\.9 \(format \d\), .* got"
    ):
        Connection(two_workers.address, workers=None, memory=None, timeout=60)


def test_no_scheduler_is_told_and_nothing_is_left_behind(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    level = logging.getLogger("distributed").level
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        with pytest.raises(ClusterError, match=f"{address}: expected a scheduler"):
            Connection(address, workers=None, memory=None, timeout=0.3)
    assert logging.getLogger("distributed").level == level
    assert capfd.readouterr().err == ""


def test_a_missing_dask_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingDependency, match=r"pip install 'cliquepool\[cluster\]'"):
        Connection(None, workers=1, memory=None, timeout=1)


def test_importing_the_package_imports_no_dask() -> None:
    code = (
        "import sys, cliquepool, cliquepool.scale\n"
        "import cliquepool.scale.cluster, cliquepool.scale.rounds, cliquepool.scale.chunks\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('dask', 'distributed')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_wrong_numbers_of_workers_are_refused() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError):
        Connection(None, workers=0, memory=None, timeout=1)
