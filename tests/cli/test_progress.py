"""The progress line: shown late, on terminals alone, and removed at the end."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from cliquepool.cli.progress import _PATIENCE_SECONDS
from tests.helpers.commands import (
    ENVIRONMENT,
    HANGS_AFTER_SECONDS,
    on_posix,
    run_command,
)

if TYPE_CHECKING:
    from pathlib import Path


# `main` with a progress line that is shown after the seconds of the first argument. If the second is "raise",
# an error is raised once the line is shown.
ON_TERMINAL = """
import sys
from cliquepool import BudgetExceeded
from cliquepool.cli import main, progress
progress._PATIENCE_SECONDS = float(sys.argv.pop(1))
raises = sys.argv.pop(1) == "raise"
tell = progress.PatientProgress.__call__
def tell_and_raise(self, what, done, total):
    tell(self, what, done, total)
    if raises and self._shown is not None and self._shown.live.is_started:
        raise BudgetExceeded("max_seconds", allowed=2, reached=3)
progress.PatientProgress.__call__ = tell_and_raise
main()
"""


def on_terminal(
    *arguments: object, patience: float, at_progress: str | None = None
) -> tuple[bytes, bytes, int]:
    """Run a command with a new terminal as stderr; return stdout, the output there, and the exit code.

    The progress line is shown after `patience` seconds. Then, by `at_progress`: "raise" an error in the
    search, or "interrupt" it by Ctrl-C.
    """
    ours, theirs = os.openpty()
    start = [sys.executable, "-c", ON_TERMINAL, str(patience), str(at_progress)]
    process = subprocess.Popen(
        [*start, *map(str, arguments)], stdout=subprocess.PIPE, stderr=theirs, env=ENVIRONMENT
    )
    os.close(theirs)
    seen = b""
    try:
        while process.poll() is None or select.select([ours], [], [], 0)[0]:
            if at_progress == "interrupt" and b"pooling level 1" in seen:
                process.send_signal(signal.SIGINT)
                at_progress = None
            if select.select([ours], [], [], 0.05)[0]:
                try:
                    seen += os.read(ours, 65536)
                except OSError:  # the other end is closed
                    break
        stdout, _ = process.communicate(timeout=HANGS_AFTER_SECONDS)
    finally:
        process.kill()
        os.close(ours)
    return stdout, seen, process.returncode


@on_posix
def test_progress_is_shown_on_a_terminal_and_taken_away(endless_file: Path) -> None:
    stdout, seen, code = on_terminal("pool", endless_file, patience=0, at_progress="raise")
    assert (stdout, code) == (b"", 2)
    assert b"pooling level 1" in seen
    assert b"cliquepool: error: max_seconds" in seen
    after = seen[seen.rindex(b"pooling level 1", 0, seen.index(b"cliquepool: error")) :]
    assert b"\x1b[2K" in after, "the line was not wiped"
    assert b"\x1b[?25h" in after, "the cursor was not given back"


@on_posix
def test_no_progress_for_what_is_quick(graph_file: Path) -> None:
    stdout, seen, code = on_terminal("pool", graph_file, patience=HANGS_AFTER_SECONDS)
    assert (seen, code) == (b"", 0)
    assert b"converged" in stdout
    assert _PATIENCE_SECONDS == 1


def test_no_progress_without_a_terminal(hard_file: Path) -> None:
    result = run_command("pool", hard_file, "--max-seconds", "1.8")
    assert result.stderr.startswith("cliquepool: error: ")
    assert "\x1b" not in result.stderr


@on_posix
def test_ctrl_c_on_a_terminal_takes_the_progress_away(endless_file: Path) -> None:
    stdout, seen, code = on_terminal("pool", endless_file, patience=0, at_progress="interrupt")
    assert (stdout, code) == (b"", 130)
    assert b"Traceback" not in seen
    assert seen.rstrip().endswith(b"\x1b[2K") or b"\x1b[?25h" in seen
