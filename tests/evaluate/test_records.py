"""Records: whole lines or none, and a file that says what is wrong with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.evaluate import EvaluationError, FoldRecord, RecordFile, read_records


def record(fold: int = 1, **changes: Any) -> FoldRecord:
    content: dict[str, Any] = {
        "protocol": "fair",
        "dataset": "TOY",
        "fingerprint": "0" * 64,
        "model": "small",
        "settings": {"rate": 0.5},
        "candidates": [{"rate": 0.5}],
        "candidate_accuracies": [0.5],
        "folds": 10,
        "fold": fold,
        "seed": 0,
        "split_seed": 0,
        "split_sha256": f"{fold:064}",
        "curves": {"validation_accuracy": [0.25, 0.5]},
        "best_epoch": 2,
        "validation_accuracy": 0.5,
        "test_accuracy": 0.75,
        "seconds": 1.5,
        "finished_at": "2020-01-01T00:00:00+00:00",
        "versions": {"cliquepool": "0"},
    }
    return FoldRecord.model_validate(content | changes)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = RecordFile.read(tmp_path / "deep" / "toy.jsonl")
    for fold in (1, 2, 3):
        file.append(record(fold))
    return file.path


def test_records_come_back_as_they_were(path: Path) -> None:
    assert path.read_bytes().count(b"\n") == 3
    assert RecordFile.read(path).records == [record(1), record(2), record(3)]
    assert read_records([path]) == [record(1), record(2), record(3)]


def test_a_file_that_is_not_there_has_no_records(tmp_path: Path) -> None:
    assert RecordFile.read(tmp_path / "none.jsonl").records == []


@given(cut=st.integers(1, 2000))
def test_wherever_the_last_line_is_cut_the_others_stay(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "toy.jsonl"
    for fold in (1, 2):
        RecordFile.read(path).append(record(fold))
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    path.write_bytes(whole[: len(whole) - 1 - min(cut, last - 2)])
    file = RecordFile.read(path)
    assert file.records == [record(1)]
    assert file.torn
    assert record(2).model_dump_json().startswith(file.torn)
    file.append(record(2))
    assert path.read_bytes() == whole
    assert RecordFile.read(path).torn is None


def test_a_last_line_without_its_end_is_whole_all_the_same(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    file = RecordFile.read(path)
    assert len(file.records) == 3
    assert file.torn is None
    file.append(record(4))
    assert path.read_bytes()[: len(whole)] == whole
    assert len(RecordFile.read(path).records) == 4


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"format": 1, "prot', "Invalid JSON"),
        ("", "Invalid JSON"),
        ('{"format": 1}', "protocol: Field required"),
        (record(2).model_dump_json().replace('"seed":0', '"seed":"x"'), "seed: "),
        (record(2).model_dump_json().replace('"format":1', '"format":2'), "format: "),
        (record(2).model_dump_json().replace("0.75", "NaN"), "test_accuracy: "),
        (record(2).model_dump_json()[:-1] + ',"surprise":1}', "surprise: "),
    ],
)
def test_another_bad_line_is_an_error_with_its_number(path: Path, line: str, reason: str) -> None:
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], line, lines[2]]) + "\n")
    with pytest.raises(EvaluationError, match=rf"toy.jsonl, line 2: expected the record of a fold.*{reason}"):
        RecordFile.read(path)


def test_the_same_fold_twice_is_an_error_with_both_lines(path: Path) -> None:
    path.write_text(path.read_text() + record(2).model_dump_json() + "\n")
    with pytest.raises(EvaluationError, match=r"line 4: expected one record of each fold.*first in line 2"):
        RecordFile.read(path)


def test_a_record_is_known_by_all_that_its_result_depends_on() -> None:
    base = record(1)
    others = [
        record(2, split_sha256=base.split_sha256),
        record(1, protocol="paper"),
        record(1, fingerprint="1" * 64),
        record(1, model="other"),
        record(1, candidates=[{"rate": 0.6}]),
        record(1, folds=5),
        record(1, seed=1),
        record(1, split_sha256="f" * 64),
    ]
    assert len({one.identity for one in (base, *others)}) == 9
    same = record(1, seconds=9.0, curves={}, versions={}, finished_at="", validation_accuracy=0.1)
    assert same.identity == base.identity


WRITER = """
import sys
from pathlib import Path
from cliquepool.evaluate import RecordFile
from tests.evaluate.test_records import record
for fold in range(int(sys.argv[2]), 80, 4):
    RecordFile(Path(sys.argv[1])).append(record(fold + 1, folds=80, curves={"loss": [0.5] * 3000}))
"""


def test_several_processes_append_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "toy.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, str(first)], cwd=Path.cwd())
        for first in range(4)
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0, 0]
    assert sorted(one.fold for one in RecordFile.read(path).records) == list(range(1, 81))
