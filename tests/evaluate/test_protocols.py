"""Runs: how they end, resume, and keep other processes out."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cliquepool.evaluate import (
    EvaluationError,
    RecordFile,
    RunWatcher,
    Unit,
    evaluate,
    summarise,
)
from cliquepool.evaluate.splits import outer_folds
from tests.helpers.commands import HANGS_AFTER_SECONDS, on_posix, wait_until
from tests.helpers.fold_records import without_times
from tests.helpers.small_model import SmallModel, rings_and_stars, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cliquepool.evaluate import Plan

DATA = rings_and_stars()
ROOT = Path(__file__).parents[2]


RUN = """
import sys
from tests.helpers.small_model import SmallModel, rings_and_stars, told
from cliquepool.evaluate import evaluate
if __name__ == "__main__":
    model = SmallModel(epochs=40, waits_without=tuple(map(int, sys.argv[2:])))
    evaluate(model, rings_and_stars(), "fair", sys.argv[1], folds=5, seeds=2, jobs=2)
"""


@contextlib.contextmanager
def run_stopped_half_way(tmp_path: Path, path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a run in two processes; three folds are on record, and both processes wait half-way in another.

    All of its process group are ended at last.
    """
    script = tmp_path / "run.py"
    script.write_text(RUN)
    waits_without = [str(part[0]) for part in outer_folds(DATA.targets, 5, 0)[3:]]
    process = subprocess.Popen(
        [sys.executable, script, path, *waits_without],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") == 3, process)
        wait_until(lambda: epochs_kept(path) == [20, 20], process)
        yield process
    finally:
        process.kill()
        process.communicate()


def epochs_kept(path: Path) -> list[int]:
    """The number of epochs in each checkpoint of a run."""
    found = []
    for file in path.with_name(f"{path.name}.checkpoints").rglob("*.safetensors"):
        with contextlib.suppress(FileNotFoundError):
            found.append(len(json.loads(file.read_text())["losses"]))
    return found


def wait_until_group_is_gone(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        while True:
            os.killpg(group, 0)
            time.sleep(0.02)


@on_posix
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT", "SIGTERM"])
def test_a_run_that_was_killed_leaves_no_process_and_continues_to_the_same_result(
    tmp_path: Path, how: str
) -> None:
    path = tmp_path / "r.jsonl"
    with run_stopped_half_way(tmp_path, path) as process:
        process.send_signal(signal.Signals[how])
        process.communicate(timeout=HANGS_AFTER_SECONDS)
        assert process.returncode != 0
        wait_until_group_is_gone(process.pid)
    before = RecordFile.read(path).records
    assert sorted(record.fold for record in before) == [1, 2, 3]
    assert list((tmp_path / "r.jsonl.checkpoints").rglob("*.safetensors"))

    log = tmp_path / "log"
    model = SmallModel(epochs=40, log=str(log))
    records = evaluate(model, DATA, "fair", path, folds=5, seeds=2, jobs=1)
    assert [ids for what, ids in told(log) if what == "resumed"] == [{20}, {20}]
    assert sum(what == "test" for what, _ in told(log)) == 10 - len(before)
    fresh = evaluate(SmallModel(epochs=40), DATA, "fair", tmp_path / "f.jsonl", folds=5, seeds=2, jobs=1)
    assert without_times(records) == without_times(fresh)
    assert summarise(records)[0].figure == summarise(fresh)[0].figure
    assert not (tmp_path / "r.jsonl.checkpoints").exists()


def test_one_run_is_not_worked_on_by_two(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with (
        run_stopped_half_way(tmp_path, path),
        pytest.raises(EvaluationError, match="another process is at work on this run"),
    ):
        evaluate(SmallModel(epochs=40), DATA, "fair", path, folds=5, seeds=2, jobs=1)


class TellsAndWaits(RunWatcher):
    def planned(self, plan: Plan) -> None:
        print(len(plan.left), flush=True)
        sys.stdin.read()


HOLD = """
import sys
from cliquepool.evaluate import EvaluationError, evaluate
from tests.helpers.small_model import SmallModel, rings_and_stars, told
from tests.evaluate.test_protocols import TellsAndWaits
try:
    evaluate(
        SmallModel(), rings_and_stars(), "paper", sys.argv[1], folds=4, jobs=1, watcher=TellsAndWaits()
    )
except EvaluationError as error:
    print(error)
"""


def test_of_two_processes_on_one_run_one_runs_and_the_other_says_so(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    command = [sys.executable, "-c", HOLD, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "4\n"  # it has the lock, and waits
        second = subprocess.run(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
        )
        assert second.stdout == f"another process is at work on this run of {path}\n"
        first.communicate()
    assert first.returncode == 0
    third = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    assert third.stdout == "0\n"
    assert len(RecordFile.read(path).records) == 4
    assert not (tmp_path / "r.jsonl.checkpoints").exists()


@pytest.mark.parametrize("fold", [1, 4])
def test_checkpoints_of_folds_on_record_are_removed_on_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fold: int
) -> None:
    path = tmp_path / "r.jsonl"

    def interrupt(unit: Unit) -> None:
        if unit.fold == fold:
            raise KeyboardInterrupt

    monkeypatch.setattr(Unit, "remove_checkpoints", interrupt)
    with pytest.raises(KeyboardInterrupt):
        evaluate(SmallModel(), DATA, "paper", path, folds=4, jobs=1)
    monkeypatch.undo()
    checkpoints = tmp_path / "r.jsonl.checkpoints"
    (kept, *_) = checkpoints.rglob("*.safetensors")
    kept.with_name(f".{kept.name}.0123456789abcdef.partial").touch()  # and what a kill left
    evaluate(SmallModel(), DATA, "paper", path, folds=4, jobs=1)
    assert not checkpoints.exists()


def test_a_torn_line_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    whole = evaluate(SmallModel(), DATA, "paper", path, folds=4, jobs=1)
    content = path.read_bytes()
    path.write_bytes(content[:-40])
    log = tmp_path / "log"
    records = evaluate(SmallModel(log=str(log)), DATA, "paper", path, folds=4, jobs=1)
    assert len(told(log)) == 2
    assert without_times(records) == without_times(whole)
    assert len(RecordFile.read(path).records) == 4
