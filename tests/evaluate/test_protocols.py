"""The protocols: who sees which graphs, what is recorded, and how a run ends and goes on."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import multiprocessing
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cliquepool.evaluate import (
    EvaluationError,
    FoldFailed,
    FoldRecord,
    RecordFile,
    RunWatcher,
    Unit,
    evaluate,
    plan_run,
    run_plan,
    summarise,
)
from cliquepool.evaluate.splits import outer_folds
from tests.helpers.commands import HANGS_AFTER_SECONDS, on_posix, wait_until
from tests.helpers.fold_records import without_times
from tests.helpers.small_model import SmallModel, rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cliquepool.evaluate import EpochReport, Plan

DATA = rings_and_stars()
ROOT = Path(__file__).parents[2]


def told(log: Path) -> list[tuple[str, set[int]]]:
    return [(line["what"], set(line["ids"])) for line in map(json.loads, log.read_text().splitlines())]


# ---- who sees what ----


def test_under_fair_the_test_fold_is_read_once_and_never_trained_nor_chosen_by(tmp_path: Path) -> None:
    log = tmp_path / "log"
    models = [SmallModel(rate=rate, log=str(log)) for rate in (0.1, 2.0)]
    evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=5, seeds=2, jobs=1)
    everything = set(range(len(DATA)))
    events = told(log)
    assert [what for what, _ in events] == 10 * ["train", "validation", "train", "validation", "test"]
    tested = []
    for start in range(0, len(events), 5):
        (_, train), (_, validation), again, chosen_by, (_, test) = events[start : start + 5]
        assert (again[1], chosen_by[1]) == (train, validation)
        assert not test & (train | validation)
        assert not train & validation
        assert train | validation | test == everything
        tested.append(test)
    parts = [set(part.tolist()) for part in outer_folds(DATA.targets, 5, 0)]
    assert tested == parts + parts


def test_under_paper_the_watched_fold_is_not_trained_on_and_nothing_is_tested(tmp_path: Path) -> None:
    log = tmp_path / "log"
    evaluate(SmallModel(log=str(log)), DATA, "paper", tmp_path / "r.jsonl", folds=5, jobs=1)
    events = told(log)
    assert [what for what, _ in events] == 5 * ["train", "validation"]
    parts = [set(part.tolist()) for part in outer_folds(DATA.targets, 5, 0)]
    assert [ids for what, ids in events if what == "validation"] == parts
    for (_, train), (_, validation) in zip(events[::2], events[1::2], strict=True):
        assert train == set(range(len(DATA))) - validation


def test_the_best_of_several_settings_is_chosen_by_validation_accuracy(tmp_path: Path) -> None:
    models = [SmallModel(epochs=3, rate=0.0), SmallModel(epochs=60, rate=5.0)]
    records = evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=5, seeds=1, jobs=1)
    for record in records:
        assert record.candidates == [model.describe()[1] for model in models]
        best = int(np.argmax(record.candidate_accuracies))
        assert record.settings == record.candidates[best]
        assert record.validation_accuracy == max(record.candidate_accuracies)
        assert len(record.curves["loss"]) == record.settings["epochs"]
    assert {record.settings["rate"] for record in records} >= {5.0}


def test_paper_refuses_to_choose_among_settings(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="expected one model under the paper protocol, got 2"):
        plan_run([SmallModel(), SmallModel(rate=1.0)], DATA, "paper", tmp_path / "r.jsonl")


# ---- the figures ----


def test_the_paper_figure_is_the_highest_point_of_the_mean_curve(tmp_path: Path) -> None:
    records = evaluate(SmallModel(epochs=9), DATA, "paper", tmp_path / "r.jsonl", folds=4, seeds=2, jobs=1)
    curves = np.array([record.curves["validation_accuracy"] for record in records])
    mean = curves.mean(axis=0)
    (summary,) = summarise(records)
    assert summary.figure is not None
    assert summary.figure.mean == pytest.approx(100 * mean.max())
    assert summary.epoch == int(mean.argmax()) + 1
    by_fold = (curves[:4] + curves[4:])[:, mean.argmax()] / 2
    assert summary.figure.std == pytest.approx(100 * by_fold.std())
    assert summary.figure.mean <= 100 * curves.max(axis=1).mean()


def test_the_fair_figure_averages_seeds_then_folds(tmp_path: Path) -> None:
    records = evaluate(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", folds=4, jobs=1)
    assert len(records) == 12
    accuracies = np.array([record.test_accuracy for record in records]).reshape(3, 4)
    (summary,) = summarise(records)
    assert summary.figure is not None
    assert summary.figure.mean == pytest.approx(100 * accuracies.mean())
    assert summary.figure.std == pytest.approx(100 * accuracies.mean(axis=0).std())
    assert summary.extent == "4 folds × 3 seeds"


def test_a_run_with_a_fold_missing_has_no_figure(tmp_path: Path) -> None:
    records = evaluate(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", folds=5, seeds=1, jobs=1)
    (summary,) = summarise(records[:3] + records[4:])
    assert summary.figure is None
    assert summary.missing == ((4, 0),)
    assert summary.extent == "4 of 5 folds × 1 seed"


def test_records_of_other_settings_or_data_are_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    evaluate(SmallModel(), DATA, "paper", path, folds=4, jobs=1)
    evaluate(SmallModel(rate=2.0), DATA, "paper", path, folds=4, jobs=1)
    evaluate(SmallModel(), DATA, "paper", path, folds=4, split_seed=1, jobs=1)
    evaluate(SmallModel(), rings_and_stars(60), "paper", path, folds=4, jobs=1)
    summaries = summarise(RecordFile.read(path).records)
    assert [len(summary.records) for summary in summaries] == [4, 4, 4, 4]
    assert len({summary.run for summary in summaries}) == 4


# ---- processes ----


def test_processes_give_what_one_process_gives(tmp_path: Path) -> None:
    one = evaluate(SmallModel(), DATA, "fair", tmp_path / "one.jsonl", folds=3, seeds=2, jobs=1)
    two = evaluate(SmallModel(), DATA, "fair", tmp_path / "two.jsonl", folds=3, seeds=2, jobs=2)
    assert without_times(one) == without_times(two)
    assert not multiprocessing.active_children()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one.jsonl", "two.jsonl"]


def test_a_watcher_hears_every_epoch_of_every_fold(tmp_path: Path) -> None:
    class Ear(RunWatcher):
        def __init__(self) -> None:
            self.epochs: list[tuple[int, int]] = []
            self.done: list[int] = []

        def epoch(self, unit: Unit, epoch: EpochReport) -> None:
            self.epochs.append((unit.fold, epoch.epoch))

        def finished(self, record: FoldRecord) -> None:
            self.done.append(record.fold)

    ear = Ear()
    evaluate(SmallModel(epochs=3), DATA, "paper", tmp_path / "r.jsonl", folds=4, jobs=2, watcher=ear)
    assert sorted(ear.epochs) == [(fold, epoch) for fold in (1, 2, 3, 4) for epoch in (1, 2, 3)]
    assert sorted(ear.done) == [1, 2, 3, 4]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failed_fold_fails_the_run_and_is_named(tmp_path: Path, jobs: int) -> None:
    path = tmp_path / "r.jsonl"
    third = tuple(outer_folds(DATA.targets, 5, 0)[2].tolist())
    with pytest.raises(
        FoldFailed, match=r"fold 3, seed 0 failed: ArithmeticError: the weights are not finite"
    ):
        evaluate(SmallModel(fails_on=third), DATA, "paper", path, folds=5, jobs=jobs)
    assert not multiprocessing.active_children()
    before = RecordFile.read(path).records
    assert before
    assert 3 not in {record.fold for record in before}
    # Once it works, only what is missing is done.
    log = tmp_path / "log"
    records = evaluate(SmallModel(log=str(log)), DATA, "paper", path, folds=5, jobs=1)
    assert len(records) == 5
    assert sum(what == "train" for what, _ in told(log)) == 5 - len(before)


def test_a_fold_that_diverges_fails(tmp_path: Path) -> None:
    with pytest.raises(FoldFailed, match=r"fold 1, seed 0 failed: .*a finite loss, got nan in epoch 2"):
        evaluate(SmallModel(diverges=True), DATA, "paper", tmp_path / "r.jsonl", folds=4, jobs=1)


def test_a_process_that_dies_fails_the_run(tmp_path: Path) -> None:
    second = tuple(outer_folds(DATA.targets, 5, 0)[1].tolist())
    model = SmallModel(fails_on=second, dies=True)
    with pytest.raises(FoldFailed, match=r"fold 2, seed 0 failed: its process ended with code 7"):
        evaluate(model, DATA, "paper", tmp_path / "r.jsonl", folds=5, jobs=2)
    assert not multiprocessing.active_children()


RUN = """
import sys
from tests.helpers.small_model import SmallModel, rings_and_stars
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
def test_a_run_that_was_killed_leaves_no_process_and_goes_on_to_the_same_result(
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


def test_a_plan_is_compared_with_the_records_again_when_it_is_run(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    first, second = (plan_run(SmallModel(), DATA, "paper", path, folds=4) for _ in range(2))
    records = run_plan(first, DATA, jobs=1)
    log = tmp_path / "log"
    second = dataclasses.replace(second, models=(SmallModel(log=str(log)),))
    assert without_times(run_plan(second, DATA, jobs=1)) == without_times(records)
    assert not log.exists()  # nothing was trained again
    assert len(RecordFile.read(path).records) == 4


class TellsAndWaits(RunWatcher):
    def planned(self, plan: Plan) -> None:
        print(len(plan.left), flush=True)
        sys.stdin.read()


HOLD = """
import sys
from cliquepool.evaluate import EvaluationError, evaluate
from tests.helpers.small_model import SmallModel, rings_and_stars
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


def test_curves_are_rounded_and_versions_recorded(tmp_path: Path) -> None:
    (record, *_) = evaluate(SmallModel(), DATA, "paper", tmp_path / "r.jsonl", folds=4, jobs=1)
    assert record.curves["loss"] == [round(value, 5) for value in record.curves["loss"]]
    assert {"cliquepool", "python", "torch", "numpy", "processor"} <= set(record.versions)
    assert platform.node() not in record.versions.values()
    assert record.test_accuracy is None
    assert record.finished_at.endswith("+00:00")


@pytest.mark.parametrize("seeds", [0, [], [1, 1], [-1]])
def test_seeds_have_to_be_seeds(tmp_path: Path, seeds: Any) -> None:
    with pytest.raises(EvaluationError, match="expected one seed or more"):
        plan_run(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", seeds=seeds)
