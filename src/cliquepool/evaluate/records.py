"""Records of finished folds: lines of JSON in an append-only file."""

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
from cliquepool.evaluate.costs import FitCost  # noqa: TC001 (pydantic reads it)
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.locks import in_turn
from cliquepool.files import naming_errors

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "MOST_FOLDS",
    "FoldRecord",
    "NamedSplits",
    "Predictions",
    "Protocol",
    "RecordFile",
    "RunKey",
    "read_records",
]

Protocol: TypeAlias = Literal["paper", "fair"]
MOST_FOLDS: Final = 100_000
"""The most folds of a run: leave-one-out on a large data set."""

_BEGINNING: Final = b'{"format":1,"protocol":"'  # every record starts with this
_BINARY: Final = getattr(os, "O_BINARY", 0)  # on Windows, keeps line ends as they are


class RunKey(NamedTuple):
    """The common properties of all folds of a run; records with another key belong to another run.

    `splits` is the hash of the splits of a file, and `selection` says how one of several candidates was
    chosen; see `FoldRecord`.
    """

    protocol: Protocol
    dataset: str
    fingerprint: str
    model: str
    candidates: str
    folds: int
    split_seed: int
    splits: str | None = None
    selection: str | None = None

    @property
    def identifying(self) -> list[Any]:
        """The properties, as they are hashed: without those added after version 0.1.0 that are None."""
        later = {name: getattr(self, name) for name in ("splits", "selection")}
        given = {name: value for name, value in later.items() if value is not None}
        return [*self[: -len(later)], *([given] if given else [])]

    @property
    def sha256(self) -> str:
        """A hash that identifies the run."""
        return hashlib.sha256(canonical(self.identifying).encode()).hexdigest()


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class NamedSplits(_Part):
    """The splits of a file, by their name and a hash of all folds."""

    name: str
    sha256: str


class Predictions(_Part):
    """The predicted class of each test sample, by its position in the data set."""

    ids: list[int]
    classes: list[int | float | str]


class FoldRecord(BaseModel):
    """One finished fold under one seed, with everything needed to repeat it.

    Accuracies are fractions; `fold` and `best_epoch` count from 1. `candidates` are the settings that were
    tried, `settings` those that the validation samples chose, and `curves` those of the chosen candidate.

    `selection` is "per fold" where one of several candidates was chosen once for all seeds of a fold, by
    `candidate_accuracies`, and then trained again for every other seed. It is None with a single candidate,
    and in records of version 0.1.0, in which every seed chose anew. `splits` is None where the folds were
    drawn from `split_seed`.
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
    splits: NamedSplits | None = None
    selection: Literal["per fold"] | None = None
    predictions: Predictions | None = None
    cost: FitCost | None = None

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
            None if self.splits is None else self.splits.sha256,
            self.selection,
        )

    @property
    def identity(self) -> str:
        """A hash of everything the result depends on: two records with an equal one repeat a computation."""
        return identity(self.run, self.fold, self.seed, self.split_sha256)


def canonical(value: Any) -> str:
    """Return canonical JSON: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def identity(run: RunKey, fold: int, seed: int, split_sha256: str) -> str:
    """Return a hash that identifies one fold of a run under one seed."""
    return hashlib.sha256(canonical([*run.identifying, fold, seed, split_sha256]).encode()).hexdigest()


@dataclass(slots=True)
class RecordFile:
    """The records of a file, in its order, and its last line if that is truncated.

    A process that is killed while it writes leaves a truncated last line, which begins like a record. It is
    in `torn` and not among the records; the next `append` removes it. Any other line that is not a record,
    or that contradicts itself, raises EvaluationError, and the file is left unchanged.
    """

    path: Path
    records: list[FoldRecord] = field(default_factory=list)
    torn: str | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> RecordFile:
        """Read all records; a missing file has none."""
        file = cls(Path(path))
        if not file.path.exists():
            return file
        if not file.path.is_file():  # reading a device may never end
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
        """Append a record, atomically; it is on the disk when this returns.

        Raises EvaluationError for a record that contradicts itself, or under `paper` the length of the curves
        of its run, and for a file of something else.
        """
        wrong = contradiction_in(record)
        if wrong is not None:
            raise EvaluationError(f"expected a record that agrees with its own curves, got {wrong}")
        self._expect_as_many_epochs(record)
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

    def _expect_as_many_epochs(self, record: FoldRecord) -> None:
        """Under `paper`, whose figure is of one epoch of all folds, refuse curves of another length."""
        others = () if record.protocol != "paper" else (one for one in self.records if one.run == record.run)
        epochs = len(record.curves["validation_accuracy"])
        for other in others:
            expected = len(other.curves["validation_accuracy"])
            if epochs != expected:
                raise EvaluationError(
                    f"expected curves of {expected} epochs, as in the fold before, got {epochs}: the paper "
                    "protocol needs as many epochs in every fold, without early stopping"
                )


def read_records(paths: Iterable[str | os.PathLike[str]]) -> list[FoldRecord]:
    """Read the records of several files, without truncated last lines."""
    return [record for path in paths for record in RecordFile.read(path).records]


def _parse(line: bytes, path: Path, number: int) -> FoldRecord:
    try:
        record = FoldRecord.model_validate_json(line)
        wrong = contradiction_in(record)
        if wrong is None:
            assert record.identity  # computing it raises ValueError for integers of too many digits
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
    """Return whether the end of a file is a truncated record, and not a line of something else.

    A tail shorter than `_BEGINNING` counts as a truncated record only after other records.
    """
    if not tail.startswith(_BEGINNING) and not (tail and follows_others and _BEGINNING.startswith(tail)):
        return False
    try:
        json.loads(tail)
    except (ValueError, RecursionError):
        return True
    return False  # complete JSON: a record, or a line that `_parse` refuses


def _append_line(path: Path, handle: int, line: bytes) -> None:
    """Append a line to a locked file, replacing a truncated last one; on an error, undo it."""
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
    if written != len(line):  # a full disk may take a part without an error
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)} after {written} of {len(line)} bytes")
