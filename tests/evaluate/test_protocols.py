"""The protocols: who sees which graphs, what is recorded, and how a run ends and goes on."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cliquepool.evaluate import (
    EvaluationError,
    FoldFailed,
    FoldRecord,
    RecordFile,
    RunWatcher,
    evaluate,
    plan_run,
    summarise,
)
from cliquepool.evaluate.splits import outer_folds
from tests.evaluate.small_model import SmallModel, rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.evaluate import Epoch, Unit

DATA = rings_and_stars()


def told(log: Path) -> list[tuple[str, set[int]]]:
    return [(line["what"], set(line["ids"])) for line in map(json.loads, log.read_text().splitlines())]


def without_times(records: list[FoldRecord]) -> list[dict[str, Any]]:
    return [record.model_dump(exclude={"seconds", "finished_at"}) for record in records]


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
        assert record.candidates == [dict(model.settings) for model in models]
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

        def epoch(self, unit: Unit, epoch: Epoch) -> None:
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
from tests.evaluate.small_model import SmallModel, rings_and_stars
from cliquepool.evaluate import evaluate
if __name__ == "__main__":
    model = SmallModel(epochs=40, seconds_an_epoch=0.02)
    evaluate(model, rings_and_stars(), "fair", sys.argv[1], folds=5, seeds=2, jobs=2)
"""


def start(tmp_path: Path, path: Path) -> subprocess.Popen[bytes]:
    script = tmp_path / "run.py"
    script.write_text(RUN)
    return subprocess.Popen(
        [sys.executable, script, path],
        env={**os.environ, "PYTHONPATH": os.getcwd()},  # noqa: PTH109 (where tests is)
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for_records(path: Path, number: int) -> None:
    ends = time.monotonic() + 60
    while not (path.exists() and path.read_bytes().count(b"\n") >= number):
        assert time.monotonic() < ends
        time.sleep(0.01)


def wait_for_a_fold_that_has_begun(path: Path) -> None:
    """Wait until a fold has some epochs behind it and many before it."""
    ends = time.monotonic() + 60
    while True:
        assert time.monotonic() < ends
        for file in path.with_name(f"{path.name}.checkpoints").rglob("*.safetensors"):
            with contextlib.suppress(FileNotFoundError):
                if len(json.loads(file.read_text())["losses"]) < 20:
                    return
        time.sleep(0.005)


def group_is_gone(group: int, seconds: float) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda how: how.name)
def test_a_run_that_was_killed_leaves_no_process_and_goes_on_to_the_same_result(
    tmp_path: Path, how: signal.Signals
) -> None:
    path = tmp_path / "r.jsonl"
    process = start(tmp_path, path)
    wait_for_records(path, 3)
    wait_for_a_fold_that_has_begun(path)
    process.send_signal(how)
    process.communicate(timeout=10)
    assert process.returncode != 0
    assert group_is_gone(process.pid, 5)
    before = RecordFile.read(path).records
    assert 3 <= len(before) < 10
    assert list((tmp_path / "r.jsonl.checkpoints").rglob("*.safetensors"))

    log = tmp_path / "log"
    model = SmallModel(epochs=40, log=str(log))
    records = evaluate(model, DATA, "fair", path, folds=5, seeds=2, jobs=1)
    assert any(what == "resumed" for what, _ in told(log))
    assert sum(what == "test" for what, _ in told(log)) == 10 - len(before)
    fresh = evaluate(SmallModel(epochs=40), DATA, "fair", tmp_path / "f.jsonl", folds=5, seeds=2, jobs=1)
    assert without_times(records) == without_times(fresh)
    assert summarise(records)[0].figure == summarise(fresh)[0].figure
    assert not (tmp_path / "r.jsonl.checkpoints").exists()


def test_one_run_is_not_worked_on_by_two(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    process = start(tmp_path, path)
    try:
        wait_for_records(path, 1)
        model = SmallModel(epochs=40)
        with pytest.raises(EvaluationError, match="another process is at work on this run"):
            evaluate(model, DATA, "fair", path, folds=5, seeds=2, jobs=1)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)


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
    assert os.uname().nodename not in record.versions.values()
    assert record.test_accuracy is None
    assert record.finished_at.endswith("+00:00")


@pytest.mark.parametrize("seeds", [0, [], [1, 1], [-1]])
def test_seeds_have_to_be_seeds(tmp_path: Path, seeds: Any) -> None:
    with pytest.raises(EvaluationError, match="expected one seed or more"):
        plan_run(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", seeds=seeds)
