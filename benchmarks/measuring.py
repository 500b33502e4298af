"""Time and peak memory of one call, in a new process, on one thread.

Times are CPU times: on one thread they equal wall-clock times on an idle machine, and depend less on other
processes. `Measured.wall_seconds` is the wall-clock time.

A task is a function ``module:name`` of strings that returns two functions: the first makes the input of a
run; the second takes this input, and only it is measured. Memory is that of the first run, time that of the
fastest.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Task = tuple[Callable[[], Any], Callable[[Any], Any]]

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ENOUGH_SECONDS = 3.0
QUIET_SECONDS = 0.5  # quick calls are repeated this long, to find a moment when the machine is idle


@dataclass(frozen=True)
class Measured:
    """The time and memory of a task; if it failed, `seconds` is None and `answer` the reason."""

    seconds: float | None
    wall_seconds: float | None
    added_bytes: float | None
    answer: Any

    def per(self, other: Measured) -> float | None:
        """Return how many times longer this took than `other`."""
        return None if self.seconds is None or other.seconds is None else self.seconds / other.seconds


def measure(task: str, *arguments: str, repeat: int = 5, timeout: float = 900) -> Measured:
    """Run ``task(*arguments)`` about `repeat` times in a new process, fewer if it is slow."""
    command = [sys.executable, "-m", "benchmarks.measuring", task, str(repeat), *arguments]
    root = Path(__file__).parent.parent
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=os.environ | ONE_THREAD,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Measured(None, None, None, f"not finished in {timeout:g} s")
    if done.returncode:
        last_words = done.stderr.strip().splitlines()
        return Measured(
            None, None, None, last_words[-1] if last_words else f"ended with code {done.returncode}"
        )
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def _measured(make: Callable[[], Any], call: Callable[[Any], Any], repeat: int) -> dict[str, Any]:
    made = make()
    gc.collect()
    _trim_free_memory()
    before = _reset_peak()
    first, answer = _timed(call, made)
    peak = peak_bytes()
    runs = [first]
    while (spent := sum(wall for wall, _ in runs)) < ENOUGH_SECONDS and (
        len(runs) < repeat or spent < QUIET_SECONDS
    ):
        runs.append(_timed(call, make())[0])
    wall_seconds, seconds = (min(times) for times in zip(*runs, strict=True))
    added = None if before is None or peak is None else max(peak - before, 0)
    return {"seconds": seconds, "wall_seconds": wall_seconds, "added_bytes": added, "answer": answer}


def _timed(call: Callable[[Any], Any], made: Any) -> tuple[tuple[float, float], Any]:
    """Return wall-clock seconds and CPU seconds, and the answer."""
    clock, processor = time.perf_counter(), time.process_time()
    answer = call(made)
    return (time.perf_counter() - clock, time.process_time() - processor), answer


def in_turn(tasks: dict[str, Task], rounds: int, seconds: float) -> dict[str, tuple[float, float]]:
    """Run tasks alternately; return the CPU seconds and wall-clock seconds of the fastest run of each.

    Alternating, because other processes and changing clock rates then slow down all of them equally. There
    are at least `rounds` rounds, and more until `seconds` have passed.
    """
    made = {name: make() for name, (make, _) in tasks.items()}
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in tasks}
    begin = time.perf_counter()
    while len(next(iter(runs.values()))) < rounds or time.perf_counter() - begin < seconds:
        for name, (_, call) in tasks.items():
            runs[name].append(_timed(call, made[name])[0])
    return {
        name: (min(processor for _, processor in of_one), min(clock for clock, _ in of_one))
        for name, of_one in runs.items()
    }


def peak_bytes() -> int | None:
    """Return the peak memory of this process since the call to be measured began."""
    return _status("VmHWM")


def _trim_free_memory() -> None:
    """Return freed memory to the system, so that the call cannot reuse it unmeasured."""
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


def _reset_peak() -> int | None:
    """Reset the peak to the memory in use now, and return that."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return _status("VmRSS")


def _status(field: str) -> int | None:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(field)), None)


def _main() -> None:
    module, name = sys.argv[1].split(":")
    make, call = getattr(importlib.import_module(module), name)(*sys.argv[3:])
    print(json.dumps(_measured(make, call, int(sys.argv[2]))))


if __name__ == "__main__":
    _main()
