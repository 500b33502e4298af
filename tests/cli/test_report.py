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
