"""Locks between processes: held by one at a time, released when it ends, also when it is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from cliquepool.evaluate import EvaluationError, locks

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys
from pathlib import Path
from cliquepool.evaluate.locks import alone

with alone(Path(sys.argv[1]), "taken"):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Start a process that holds the lock until its input ends."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_is_held_by_one_process_and_its_file_removed(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "lock"
    with holder(path) as process:
        with pytest.raises(EvaluationError, match="taken"), locks.alone(path, "taken"):
            pass
        assert path.exists()
        process.communicate()
    assert not path.exists()
    with locks.alone(path, "taken"):
        assert path.exists()


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holder(path) as process:
        process.kill()
        process.wait()
    assert path.exists()
    with locks.alone(path, "taken"):
        pass
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="a lock of POSIX")
def test_a_lock_on_a_file_that_was_removed_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first has ended, and removed its lock file, between the second's opening and locking it."""
    path = tmp_path / "lock"
    lock_descriptor, removed = locks.lock_descriptor, []

    def lock_late(handle: int, *, blocking: bool) -> bool:
        if not removed:
            path.unlink()
            removed.append(True)
        return lock_descriptor(handle, blocking=blocking)

    monkeypatch.setattr(locks, "lock_descriptor", lock_late)
    with locks.alone(path, "taken"):
        assert path.exists()
        monkeypatch.undo()
        with pytest.raises(EvaluationError, match="taken"), locks.alone(path, "taken"):
            pass
    assert not path.exists()


def test_an_open_file_is_locked_in_turn(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("text")
    with path.open("rb") as first, path.open("rb") as second:
        with locks.in_turn(first.fileno()):
            assert not locks.lock_descriptor(second.fileno(), blocking=False)
        with locks.in_turn(second.fileno()):
            assert not locks.lock_descriptor(first.fileno(), blocking=False)
    assert path.read_text() == "text"
