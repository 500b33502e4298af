"""The process that loads mutated files under a memory limit, and reports its progress after every file."""

from __future__ import annotations

import faulthandler
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cliquepool as cp
from tests.fuzz.kinds import KINDS

if TYPE_CHECKING:
    from tests.fuzz.kind import Files, Kind

_TOLD_EVERY_SECONDS = 1.0


def expected_outcome(error: BaseException) -> str | None:
    """Return the name of an error that a loader may raise; None for any other error."""
    for kind in (cp.GraphError, cp.InputError, cp.BudgetExceeded, ValueError, OSError):
        if isinstance(error, kind):
            return kind.__name__
    return None


def limit_memory(extra: int) -> None:
    """Limit the memory of this process to `extra` bytes more than it has, if the system supports that."""
    try:
        import resource  # noqa: PLC0415 (not on every system)

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        return
    limit = pages * resource.getpagesize() + extra
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def write_files(folder: Path, files: Files) -> Path:
    """Write files to the folder ``input``, which has nothing else then; return it."""
    inside = folder / "input"
    shutil.rmtree(inside, ignore_errors=True)
    inside.mkdir()
    for name, content in files.items():
        (inside / name).parent.mkdir(exist_ok=True, parents=True)
        (inside / name).write_bytes(content)
    return inside


def load_mutated(kind: Kind, samples: list[Files], seed: int, index: int, folder: Path) -> tuple[str, str]:
    """Write and load one mutated file; return the outcome, and a traceback if that is a finding."""
    draw = random.Random(f"{kind.name} {seed} {index}")
    inside = write_files(folder, kind.mutate(samples, draw))
    try:
        kind.load(inside)
    except Exception as error:  # noqa: BLE001 (to find those is what this is for)
        outcome = expected_outcome(error)
        return (outcome, "") if outcome else (type(error).__name__, traceback.format_exc())
    return "loaded", ""


def main(job: dict[str, Any]) -> None:
    """Load the files of a job; print a line of JSON regularly, and at the end."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    kind, folder = KINDS[job["kind"]], Path(job["folder"])
    with tempfile.TemporaryDirectory() as made:
        samples = kind.samples(Path(made))
    for sample in samples:  # also runs all lazy imports before memory is limited
        kind.load(write_files(folder, sample))
    limit_memory(job["memory"])
    outcomes: Counter[str] = Counter()
    began = told = time.monotonic()
    index, findings = job["first"], 0
    progress = folder / "index"
    while index < job["end"] and (job["seconds"] is None or time.monotonic() - began < job["seconds"]):
        progress.write_text(str(index))
        outcome, trace = load_mutated(kind, samples, job["seed"], index, folder)
        outcomes[outcome] += 1
        if trace:
            findings += 1
            shutil.copytree(folder / "input", folder / f"finding-{index}")
            _tell(finding=outcome, index=index, trace=trace)  # its reader copies the files
        index += 1
        if time.monotonic() - told > _TOLD_EVERY_SECONDS:
            told = time.monotonic()
            _tell(index=index)
    _tell(done=True, index=index, outcomes=outcomes)


def _tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    main(json.loads(sys.argv[1]))
