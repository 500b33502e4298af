"""What all logs of runs share: every epoch of every fold once, whatever was interrupted or fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.errors import InputError
from cliquepool.evaluate import RecordFile, summarise
from cliquepool.evaluate.run_logs import FoldPlace, RunLogger, curve_values, setting_texts, settings_of
from tests.helpers.fold_records import record
from tests.helpers.interrupted_run import EPOCHS, interrupted_run, small_run

if TYPE_CHECKING:
    from pathlib import Path


class ListLogger(RunLogger):
    """A log in memory; `lines` are kept from one run to the next, as those of a file are."""

    def __init__(self, lines: list[Any] | None = None, fails_at: str = "", **others: Any) -> None:
        super().__init__("a list", **others)
        self.lines: list[Any] = [] if lines is None else lines
        self._fails_at = fails_at

    def _add(self, what: str, *details: Any) -> None:
        if what == self._fails_at:
            raise OSError("disk full\nand more")
        self.lines.append((what, *details))

    def _open(self, plan: Any) -> None:
        self._add("open", len(plan.left))

    def _has(self, place: FoldPlace) -> bool:
        return ("finish", place.fold) in self.lines

    def _begin(self, place: FoldPlace, first_epoch: int) -> bool:
        logged = [line[2] for line in self.lines if line[:2] == ("epoch", place.fold)]
        return logged == list(range(1, first_epoch))

    def _restart(self, place: FoldPlace) -> None:
        self.lines = [line for line in self.lines if line[:2] != ("epoch", place.fold)]

    def _log_epochs(self, place: FoldPlace, values: Any) -> None:
        for epoch, found in values.items():
            self._add("epoch", place.fold, epoch, round(found["loss"], 5), found["validation_accuracy"])

    def _finish(self, record: Any) -> None:
        self._add("finish", record.fold)

    def _close(self, summary: Any) -> None:
        self._add("close", None if summary is None else str(summary.figure))


def epochs(log: ListLogger) -> dict[int, list[Any]]:
    return {fold: [line[2:] for line in log.lines if line[:2] == ("epoch", fold)] for fold in range(1, 4)}


def from_curves(path: Path) -> dict[int, list[Any]]:
    return {
        one.fold: [(e, v["loss"], v["validation_accuracy"]) for e, v in curve_values(one).items()]
        for one in RecordFile.read(path).records
    }


def same(log: ListLogger, path: Path) -> bool:
    """Return whether the log has every epoch of every record once, in order."""
    return {
        fold: [(e, pytest.approx(a), pytest.approx(b, abs=1e-5)) for e, a, b in found]
        for fold, found in from_curves(path).items()
    } == epochs(log)


def test_a_log_has_every_epoch_of_every_fold_and_the_figure(tmp_path: Path) -> None:
    log = ListLogger()
    (summary,) = summarise(small_run(tmp_path / "r.jsonl", log))
    assert same(log, tmp_path / "r.jsonl")
    assert log.lines[0] == ("open", 3)
    assert log.lines[-1] == ("close", str(summary.figure))


def test_an_interrupted_run_goes_on_in_its_log(tmp_path: Path) -> None:
    log = ListLogger()
    interrupted_run(tmp_path / "r.jsonl", log)
    assert log.lines[-1] == ("close", None)
    assert [len(found) for found in epochs(log).values()] == [EPOCHS, 3, 0]
    again = ListLogger(log.lines)
    small_run(tmp_path / "r.jsonl", again)
    assert same(again, tmp_path / "r.jsonl")
    assert [line for line in again.lines if line[0] == "finish"] == [("finish", n) for n in (1, 2, 3)]


def test_folds_of_a_run_without_a_log_are_logged_from_their_records(tmp_path: Path) -> None:
    interrupted_run(tmp_path / "r.jsonl")
    log = ListLogger()
    small_run(tmp_path / "r.jsonl", log)  # fold 2 goes on at epoch 4, and is logged when it is finished
    assert same(log, tmp_path / "r.jsonl")
    before = list(log.lines)
    again = ListLogger(log.lines)
    small_run(tmp_path / "r.jsonl", again)
    assert again.lines[len(before) :] == [("open", 0), before[-1]]


def test_a_log_that_cannot_be_opened_stops_the_run_before_it_starts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^a list: cannot log there: disk full$"):
        small_run(tmp_path / "r.jsonl", ListLogger(fails_at="open"))
    assert not (tmp_path / "r.jsonl").exists()


@pytest.mark.parametrize("fails_at", ["epoch", "finish", "close"])
def test_a_log_that_fails_later_is_given_up_and_the_run_goes_on(tmp_path: Path, fails_at: str) -> None:
    said: list[str] = []
    records = small_run(tmp_path / "r.jsonl", ListLogger(fails_at=fails_at, warn=said.append))
    assert len(records) == 3
    assert said == ["a list: the log is given up: disk full"]


def test_by_default_a_log_that_is_given_up_warns(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="the log is given up"):
        small_run(tmp_path / "r.jsonl", ListLogger(fails_at="finish"))


def test_settings_of_several_candidates_are_all_named() -> None:
    several = record(candidates=[{"rate": 0.5, "mlp": [64]}, {"rate": 0.1, "mlp": [64]}])
    assert setting_texts(several.run) == {"mlp": "[64]", "rate": "0.5 or 0.1"}
    assert settings_of(several.run) == {"mlp": "[64]", "rate": "0.5 or 0.1"}
    assert settings_of(record().run) == {"rate": 0.5}
