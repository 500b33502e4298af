"""How tests run the command as people do."""

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

# Long enough for a machine that does much else: it ends what hangs, and says nothing of speed.
HANGS_AFTER_SECONDS = 240

ENVIRONMENT = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "TERM": "xterm"}

on_posix = pytest.mark.skipif(os.name != "posix", reason="terminals and signals of POSIX")


def environment(folder: Path) -> dict[str, str]:
    """That of a working folder with data sets of its own."""
    return {
        **os.environ,
        "COLUMNS": "100",
        "PYTHONIOENCODING": "utf-8",
        "CLIQUEPOOL_DATA": str(folder),
        "CLIQUEPOOL_CACHE": str(folder / "cache"),
    }


def run_command(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, in this folder."""
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
    """The one line of a run that must be refused."""
    result = run_command(*arguments)
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert result.stderr.startswith("cliquepool: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


# `main`, which after the first record makes the file TOLD, and waits until it is interrupted.
STOPS_AFTER_A_FOLD = """
import os, pathlib, time
from cliquepool.cli import main
from cliquepool.cli.run_display import RunDisplay
def wait(self, record):
    pathlib.Path(os.environ["TOLD"]).touch()
    while True:
        time.sleep(1)
RunDisplay.finished = wait
main()
"""


def interrupted_after_a_fold(folder: Path, *arguments: object) -> tuple[int, bytes, bytes]:
    """Run the command in a process group of its own, and send that Ctrl-C when one fold is on record.

    Returns the exit code, and what was printed to stdout and stderr.
    """
    told = folder / "told"
    with subprocess.Popen(
        [sys.executable, "-c", STOPS_AFTER_A_FOLD, *map(str, arguments)],
        cwd=folder,
        env=environment(folder) | {"TOLD": str(told)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            wait_until(told.exists, process)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            output, errors = process.communicate(timeout=HANGS_AFTER_SECONDS)
        finally:
            process.kill()
    return process.returncode, output, errors


def wait_until(is_so: Callable[[], object], process: subprocess.Popen[Any]) -> None:
    """Wait until something is so while `process` runs; pytest's own time-out ends what never is."""
    while not is_so():
        assert process.poll() is None, "the process has ended"
        time.sleep(0.01)
