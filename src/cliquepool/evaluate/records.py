"""Finished folds as lines of an append-only file, so that nothing that was computed is lost or made up."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cliquepool.evaluate.consistency import contradiction_in
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.locks import in_turn
from cliquepool.files import naming_errors

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MOST_FOLDS", "FoldRecord", "Protocol", "RecordFile", "RunKey", "read_records"]

Protocol: TypeAlias = Literal["paper", "fair"]
MOST_FOLDS: Final = 100_000
"""How many folds a run may have: one for each graph of a large data set."""

_BEGINNING: Final = b'{"format":1,"protocol":"'  # of every record
_BINARY: Final = getattr(os, "O_BINARY", 0)  # Windows would write other line ends


class RunKey(NamedTuple):
    """What the folds of one run have in common; records of other runs are never mixed in."""

    protocol: Protocol
    dataset: str
    fingerprint: str
    model: str
    candidates: str
    folds: int
    split_seed: int

    @property
    def sha256(self) -> str:
        """A name of the run."""
        return hashlib.sha256(canonical(self).encode()).hexdigest()


class FoldRecord(BaseModel):
    """One finished fold under one seed, with all that is needed to do it again.

    Accuracies are fractions, `fold` and `best_epoch` count from 1. `candidates` are the settings that were
    tried and `settings` those that the validation graphs chose; `curves` are theirs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: Literal[1] = 1
    protocol: Protocol
    dataset: str
    fingerprint: str
    model: str
    settings: dict[str, Any]
    candidates: list[dict[str, Any]] = Field(min_length=1)
    candidate_accuracies: list[float] = Field(min_length=1)
    folds: int = Field(ge=2, le=MOST_FOLDS)
    fold: int = Field(ge=1, le=MOST_FOLDS)
    seed: int = Field(ge=0, lt=2**64)
    split_seed: int = Field(ge=-(2**63), lt=2**64)
    split_sha256: str
    curves: dict[str, list[float]]
    best_epoch: int = Field(ge=1)
    validation_accuracy: float = Field(ge=0, le=1)
    test_accuracy: float | None = Field(ge=0, le=1)
    seconds: float = Field(ge=0)
    finished_at: str
    versions: dict[str, str]

    @property
    def run(self) -> RunKey:
        """The run that this fold belongs to."""
        return RunKey(
            self.protocol,
            self.dataset,
            self.fingerprint,
            self.model,
            canonical(self.candidates),
            self.folds,
            self.split_seed,
        )

    @property
    def identity(self) -> str:
        """What the fold was of: two records with the same one are of the same computation."""
        return identity(self.run, self.fold, self.seed, self.split_sha256)


def canonical(value: Any) -> str:
    """JSON with one way to write each value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def identity(run: RunKey, fold: int, seed: int, split_sha256: str) -> str:
    """Name one fold of a run under one seed."""
    return hashlib.sha256(canonical([*run, fold, seed, split_sha256]).encode()).hexdigest()


@dataclass(slots=True)
class RecordFile:
    """The records of a file, in its order, and the end of a last line that was cut off while being written.

    A process that is killed while it writes leaves a torn last line, which begins like a record. It is told
    of in `torn` and not counted; the next `append` takes it away. Any other line that is not a record, or one
    that contradicts itself, raises EvaluationError, and the file is left as it is.
    """

    path: Path
    records: list[FoldRecord] = field(default_factory=list)
    torn: str | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> RecordFile:
        """Read all records; a file that is not there has none."""
        file = cls(Path(path))
        if not file.path.exists():
            return file
        if not file.path.is_file():  # a device may have no end
            raise EvaluationError(f"{file.path}: expected a file of records, got a folder or a device")
        with file.path.open("rb") as opened, in_turn(opened.fileno()):
            content = opened.read()
        *lines, tail = content.split(b"\n")
        file.records = [_parse(line, file.path, number) for number, line in enumerate(lines, start=1)]
        if _is_torn(tail, bool(lines)):
            file.torn = tail.decode(errors="replace")
        elif tail:
            file.records.append(_parse(tail, file.path, len(lines) + 1))
        _expect_no_doubles(file)
        return file

    def append(self, record: FoldRecord) -> None:
        """Write a record with a single write that is on the disk when this returns; all of it, or nothing.

        Raises EvaluationError for a record that contradicts itself, and for a file that is not of records.
        """
        wrong = contradiction_in(record)
        if wrong is not None:
            raise EvaluationError(f"expected a record that agrees with its own curves, got {wrong}")
        line = (record.model_dump_json() + "\n").encode()
        with naming_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, 0o666)
            try:
                with in_turn(handle):
                    _append_line(self.path, handle, line)
            finally:
                os.close(handle)
        self.records.append(record)


def read_records(paths: Iterable[str | os.PathLike[str]]) -> list[FoldRecord]:
    """The records of several files, torn last lines left out."""
    return [record for path in paths for record in RecordFile.read(path).records]


def _parse(line: bytes, path: Path, number: int) -> FoldRecord:
    try:
        record = FoldRecord.model_validate_json(line)
        wrong = contradiction_in(record)
        if wrong is None:
            assert record.identity  # what it is known by, which very long numbers do not have
            return record
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        wrong = f"{f'{where}: ' if where else ''}{first['msg']}"
    except ValueError as error:
        wrong = str(error)
    raise EvaluationError(
        f"{path}, line {number}: expected the record of a fold, got {_shortened(line)}: {wrong}"
    )


def _shortened(line: bytes) -> str:
    text = repr(line.decode(errors="replace"))
    return text if len(text) <= 60 else f"{text[:57]}..."


def _expect_no_doubles(file: RecordFile) -> None:
    lines: dict[str, int] = {}
    for number, record in enumerate(file.records, start=1):
        first = lines.setdefault(record.identity, number)
        if first != number:
            raise EvaluationError(
                f"{file.path}, line {number}: expected one record of each fold, got fold {record.fold}, "
                f"seed {record.seed} of {record.model} on {record.dataset} again (first in line {first})"
            )


def _is_torn(tail: bytes, follows_others: bool) -> bool:
    """Tell whether the end of a file is the beginning of a record, and not a line of someone else's.

    Fewer bytes than all records begin with are a torn record only where there are records before.
    """
    if not tail.startswith(_BEGINNING) and not (tail and follows_others and _BEGINNING.startswith(tail)):
        return False
    try:
        json.loads(tail)
    except (ValueError, RecursionError):
        return True
    return False  # a whole value: a record, or a line to be refused


def _append_line(path: Path, handle: int, line: bytes) -> None:
    """Write a line to a locked file after its last whole one, without a torn one; or leave it as it was."""
    with open(handle, "rb", closefd=False) as file:
        content = file.read()
    begin = content.rfind(b"\n") + 1
    if _is_torn(content[begin:], begin > 0):
        os.ftruncate(handle, begin)
    elif begin < len(content):
        _parse(content[begin:], path, content.count(b"\n") + 1)
        line = b"\n" + line
    size = os.fstat(handle).st_size
    try:
        _write_whole(handle, line)
        os.fsync(handle)
    except BaseException:
        os.ftruncate(handle, size)
        raise


def _write_whole(handle: int, line: bytes) -> None:
    written = os.write(handle, line)
    if written != len(line):  # without an error, where some of it still fits on the disk
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)} after {written} of {len(line)} bytes")
