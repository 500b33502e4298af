"""Run commands in processes, with their own environment, and interrupt them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COMMAND = [sys.executable, "-c", "from cliquepool.cli import main; main()"]

# Only for processes that hang: long enough for a very busy machine.
HANGS_AFTER_SECONDS = 240

ENVIRONMENT = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "TERM": "xterm"}

on_posix = pytest.mark.skipif(os.name != "posix", reason="terminals and signals of POSIX")


def environment(folder: Path) -> dict[str, str]:
    """Return the environment variables for a working folder with its own data sets and cache."""
    return {
        **os.environ,
        "COLUMNS": "100",
        "PYTHONIOENCODING": "utf-8",
        "CLIQUEPOOL_DATA": str(folder),
        "CLIQUEPOOL_CACHE": str(folder / "cache"),
    }


def run_command(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a new process."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        input=stdin,
        env=ENVIRONMENT,
        timeout=HANGS_AFTER_SECONDS,
        check=False,
    )


def refused_line(*arguments: object) -> str:
    """Run a command that must fail; return its error, which is one line."""
    result = run_command(*arguments)
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert result.stderr.startswith("cliquepool: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


# `main`, which makes the file RECORDED after the first record, and then waits for Ctrl-C.
STOPS_AFTER_A_FOLD = """
import os, pathlib, time
from cliquepool.cli import main
from cliquepool.cli.run_display import RunDisplay
def wait(self, record):
    pathlib.Path(os.environ["RECORDED"]).touch()
    while True:
        time.sleep(1)
RunDisplay.finished = wait
main()
"""


def interrupted_after_a_fold(folder: Path, *arguments: object) -> tuple[int, bytes, bytes]:
    """Run a command in a new process group, and send it Ctrl-C when one fold is on record.

    Returns the exit code, and what was printed to stdout and stderr.
    """
    recorded = folder / "recorded"
    with subprocess.Popen(
        [sys.executable, "-c", STOPS_AFTER_A_FOLD, *map(str, arguments)],
        cwd=folder,
        env=environment(folder) | {"RECORDED": str(recorded)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            wait_until(recorded.exists, process)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            output, errors = process.communicate(timeout=HANGS_AFTER_SECONDS)
        finally:
            process.kill()
    return process.returncode, output, errors


def wait_until(is_so: Callable[[], object], process: subprocess.Popen[Any]) -> None:
    """Wait until `is_so` returns true while `process` runs; the time-out of pytest ends endless waits."""
    while not is_so():
        assert process.poll() is None, "the process has ended"
        time.sleep(0.01)
