"""`cliquepool report`: tables and learning curves from records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cliquepool.evaluate import RecordFile
from tests.helpers.fold_records import record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a working folder with the records of a run."""
    for fold in (1, 2):
        RecordFile.read(tmp_path / "run.jsonl").append(record(fold, folds=2, test_accuracy=0.25 * fold))
    return tmp_path


def test_the_table_and_the_curves_of_a_run_are_written(folder: Path, succeeded: Callable[..., str]) -> None:
    shown = succeeded("report", "run.jsonl", "--out", "report")
    assert "37.50 ± 12.50" in shown
    assert "37.50 ± 12.50" in (folder / "report" / "table.md").read_text(encoding="utf-8")
    assert [path.read_bytes()[:4] for path in (folder / "report").glob("*.png")] == [b"\x89PNG"]


def test_a_missing_file_is_refused(refused: Callable[..., str]) -> None:
    assert "none.jsonl: no such file" in refused("report", "none.jsonl")


def test_damaged_records_are_refused_with_the_line(folder: Path, refused: Callable[..., str]) -> None:
    (folder / "bad.jsonl").write_text('{"format": 1}\n{}\n')
    assert "bad.jsonl, line 1: expected the record of a fold" in refused("report", "bad.jsonl")


# ---- the page ----


def test_a_page_is_written_beside_the_table(folder: Path, succeeded: Callable[..., str]) -> None:
    shown = succeeded("report", "run.jsonl", "--html", "report.html")
    assert "37.50 ± 12.50" in shown
    assert "report written to report.html" in shown
    page = (folder / "report.html").read_bytes()
    assert b"37.50 \xc2\xb1 12.50 %" in page
    succeeded("report", "run.jsonl", "--html", "again.html")
    assert (folder / "again.html").read_bytes() == page


def test_a_folder_stands_for_all_records_below_it(folder: Path, succeeded: Callable[..., str]) -> None:
    inner = folder / "results" / "compare"
    inner.mkdir(parents=True)
    for fold in (1, 2):
        RecordFile.read(inner / "other.jsonl").append(record(fold, folds=2, model="other"))
    (folder / "run.jsonl").rename(folder / "results" / "run.jsonl")
    shown = succeeded("report", "results", "--html", "report.html")
    assert "small" in shown
    assert "other" in shown
    assert "<h1>2 runs</h1>" in (folder / "report.html").read_text(encoding="utf-8")


def test_nothing_is_written_where_a_page_cannot_be_made(folder: Path, refused: Callable[..., str]) -> None:
    (folder / "empty").mkdir()
    (folder / "no.model").write_bytes(b"no model")
    before = sorted(folder.rglob("*"))
    assert "got none in empty" in refused("report", "empty", "--html", "report.html")
    assert "there is no folder none" in refused("report", "run.jsonl", "--html", "none/report.html")
    assert "expected a file to write, got a directory" in refused("report", "run.jsonl", "--html", "empty")
    assert "--model: expected with --html" in refused("report", "run.jsonl", "--model", "no.model")
    assert "no.model" in refused("report", "run.jsonl", "--html", "report.html", "--model", "no.model")
    assert sorted(folder.rglob("*")) == before


def test_an_old_page_stays_where_a_new_one_cannot_be_made(folder: Path, refused: Callable[..., str]) -> None:
    (folder / "report.html").write_text("old")
    for fold in (1, 2):
        RecordFile.read(folder / "copy.jsonl").append(record(fold, folds=2))
    assert "expected one record of each fold" in refused(
        "report", "run.jsonl", "copy.jsonl", "--html", "report.html"
    )
    assert (folder / "report.html").read_text() == "old"
