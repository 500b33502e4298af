"""Records: whole lines or none, and a file that says what is wrong with it."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.evaluate import EvaluationError, RecordFile, read_records
from cliquepool.evaluate.records import canonical
from tests.helpers.commands import HANGS_AFTER_SECONDS
from tests.helpers.fold_records import record


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


@pytest.mark.parametrize(
    "content",
    [
        b"my only notes",
        b"{",
        b'{"format":1',
        b'{"name": "settings of mine"}',
        b"first line\nsecond line without its end",
        b'{"format":1,"protocol":"paper"}',
    ],
)
def test_a_file_of_someone_elses_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    notes = tmp_path / "notes"
    notes.write_bytes(content)
    with pytest.raises(EvaluationError, match=r"notes, line 1: expected the record of a fold"):
        RecordFile.read(notes)
    with pytest.raises(EvaluationError, match="expected the record of a fold"):
        RecordFile(notes).append(record(1))
    assert notes.read_bytes() == content


@pytest.mark.parametrize("path", ["/dev/zero", "."])
def test_a_device_or_a_folder_is_no_file_of_records(path: str) -> None:
    if not Path(path).exists():
        pytest.skip(f"no {path} here")
    with pytest.raises(EvaluationError, match="expected a file of records, got a folder or a device"):
        RecordFile.read(path)


def test_a_tail_of_someone_elses_is_refused_and_left_as_it_is(path: Path) -> None:
    content = path.read_bytes() + b"a note at the end"
    path.write_bytes(content)
    with pytest.raises(EvaluationError, match="line 4: expected the record of a fold, got 'a note"):
        RecordFile.read(path)
    with pytest.raises(EvaluationError, match="line 4: expected the record of a fold"):
        RecordFile(path).append(record(4))
    assert path.read_bytes() == content


def test_a_full_disk_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, before = RecordFile.read(path), path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, line: write(handle, line[:100]))
    with pytest.raises(OSError, match="cannot write: No space left on device") as caught:
        file.append(record(4))
    assert caught.value.filename == str(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert len(file.records) == 3


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o007)
    try:
        RecordFile(tmp_path / "r.jsonl").append(record(1))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "r.jsonl").stat().st_mode) == 0o660


def test_the_committed_records_agree_with_themselves() -> None:
    files = sorted((Path(__file__).parents[2] / "results").rglob("*.jsonl"))
    assert files
    for file in files:
        assert RecordFile.read(file).records


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
from tests.helpers.fold_records import record
for fold in range(int(sys.argv[2]), 80, 4):
    curves = {"validation_accuracy": [0.5] * 3000}
    RecordFile(Path(sys.argv[1])).append(record(fold + 1, folds=80, curves=curves))
"""


def test_several_processes_append_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "toy.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, str(first)], cwd=Path(__file__).parents[2])
        for first in range(4)
    ]
    assert [writer.wait(timeout=HANGS_AFTER_SECONDS) for writer in writers] == [0, 0, 0, 0]
    assert sorted(one.fold for one in RecordFile.read(path).records) == list(range(1, 81))


def test_fields_that_were_added_later_leave_earlier_identities_as_they_were() -> None:
    old = record(3)
    parts = ["fair", "TOY", "0" * 64, "small", '[{"rate":0.5}]', 10, 0]
    assert old.run.sha256 == hashlib.sha256(canonical(parts).encode()).hexdigest()
    assert old.identity == hashlib.sha256(canonical([*parts, 3, 0, f"{3:064}"]).encode()).hexdigest()
    later = [
        record(3, splits={"name": "errica", "sha256": "1" * 64}),
        record(3, splits={"name": "errica", "sha256": "2" * 64}),
        record(3, selection="per fold"),
    ]
    assert len({one.identity for one in [old, *later]}) == 4
    assert record(3, splits={"name": "mine", "sha256": "1" * 64}).identity == later[0].identity
    assert record(3, cost={"epoch_seconds": 1.0}, predictions={"ids": [0], "classes": ["a"]}).run == old.run
