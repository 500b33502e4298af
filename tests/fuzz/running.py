"""Run the loaders on mutated files in child processes, and collect findings."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MEMORY = 2**30
SILENCE = 180.0  # a loader without output for this many seconds hangs: its budget is far below
_END = 2**62


@dataclass
class Finding:
    """A mutated file that a loader did not handle properly, and how to load it again."""

    kind: str
    seed: int
    index: int
    what: str
    trace: str
    saved: Path

    def __str__(self) -> str:
        again = f'python -m tests.fuzz --kind "{self.kind}" --seed {self.seed} --first {self.index} --count 1'
        last = self.trace.strip().splitlines()[-1:] or [""]
        return (
            f"{self.kind}: {self.what}: {last[0]}\n  saved in {self.saved}\n  again by {again}\n{self.trace}"
        )


@dataclass
class Report:
    """The outcomes of the files of one kind."""

    kind: str
    next_index: int
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The number of files that were loaded."""
        return sum(self.outcomes.values())

    def __str__(self) -> str:
        outcomes = ", ".join(f"{count:,} {name}" for name, count in sorted(self.outcomes.items()))
        return f"{self.kind}: {self.total:,} files ({outcomes}), {len(self.findings)} findings"


def fuzz(
    kind: str,
    seed: int,
    *,
    first: int = 0,
    count: int | None = None,
    seconds: float | None = None,
    saved: Path,
) -> Report:
    """Load `count` mutated files of a kind, or as many as fit into some seconds; a crash is a finding."""
    report = Report(kind, first)
    end = _END if count is None else first + count
    while report.next_index < end:
        with tempfile.TemporaryDirectory(dir=_fast_folder()) as folder:
            job = {
                "kind": kind,
                "seed": seed,
                "first": report.next_index,
                "end": end,
                "seconds": seconds,
                "memory": MEMORY,
                "folder": folder,
            }
            if _run_child(job, report, saved):
                break
    return report


def _fast_folder() -> str | None:
    """Return a folder in memory if there is one, because tens of thousands of files are written."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _run_child(job: dict[str, Any], report: Report, saved: Path) -> bool:
    """Let one process load files; return whether it finished."""
    command = [sys.executable, "-m", "tests.fuzz.child", json.dumps(job)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    kind, seed, folder = job["kind"], job["seed"], Path(job["folder"])
    with (
        (folder / "stderr").open("wb") as errors,
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=errors) as child,
    ):
        assert child.stdout is not None
        lines: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=_hear, args=(child.stdout, lines), daemon=True).start()
        ended = ""
        while True:
            try:
                line = lines.get(timeout=SILENCE)
            except queue.Empty:
                ended = f"silent for {SILENCE:.0f} s"
                child.kill()
                break
            if line is None:
                break
            told = json.loads(line)
            if "finding" in told:
                target = _kept(folder / f"finding-{told['index']}", job, told["index"], saved)
                found = Finding(kind, seed, told["index"], told["finding"], told["trace"], target)
                report.findings.append(found)
            elif "done" in told:
                report.outcomes += Counter(told["outcomes"])
                report.next_index = told["index"]
                return True
        child.wait()
    # The process crashed, or hung, while it loaded the file that is still there.
    trace = (folder / "stderr").read_text(errors="replace")
    if not (folder / "index").exists():
        raise RuntimeError(f"{job['kind']}: the whole files cannot be loaded:\n{trace}")
    index = int((folder / "index").read_text())
    what = ended or f"ended with code {child.returncode}"
    target = _kept(folder / "input", job, index, saved)
    report.findings.append(Finding(kind, seed, index, what, trace, target))
    report.outcomes["crashed"] += 1
    report.outcomes["before a crash"] += (
        index - report.next_index
    )  # their outcomes were lost with the process
    report.next_index = index + 1
    return False


def _hear(stream: Any, lines: queue.Queue[bytes | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _kept(source: Path, job: dict[str, Any], index: int, saved: Path) -> Path:
    """Copy the files of a finding to the folder of saved files."""
    target = saved / f"{job['kind'].replace(' ', '-')}-{job['seed']}-{index}"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    return target
