"""The same bytes from every way to pool: threads, out of core, clusters, a cluster that loses a worker.

``python -m benchmarks.scale_same --record same.jsonl`` pools every graph in all ways, once and to a
hierarchy, compares the SHA-256 of pools and coarse graphs, and prints a table. Each result is appended to the
record: a run that was interrupted goes on after the last line. `run` does the same for ``python -m benchmarks
scale`` without a record.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import signal
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import cliquepool as cp
from benchmarks.inputs import all_graphs, graph_file
from benchmarks.reporting import Report
from benchmarks.scale_graphs import KINDS
from cliquepool.implied import known_factors
from cliquepool.scale import Cluster, convert_graph, pool_out_of_core
from cliquepool.twins import TwinFactors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Pool = Callable[[Path], "cp.Hierarchy | cp.Pooling"]

GENERATED_EDGES = 10**6
LEVELS_OF_GENERATED = 2
SHARDS = 8
BUDGET = cp.Budget(max_seconds=300, max_bytes=2 << 30)
TASKS = ("pooling", "hierarchy")
REFERENCE = "1 thread"
KILLED = "worker killed"
DISK = "out of core"
SIGNS = {True: "same", False: "OTHER", None: "–"}


# ---- digests ----


def digests(found: cp.Hierarchy | cp.Pooling) -> list[str]:
    """Return the SHA-256 of the pools of each level and, below the last, of the graph between them.

    A level without stored rows, or whose rows do not fit into the budget, has only the digest of its pools.
    """
    levels = [found] if isinstance(found, cp.Pooling) else list(found)
    result = []
    for number, pooling in enumerate(levels):
        result.append(_digest(pooling._by_class.offsets, pooling._by_class.members))
        if number + 1 < len(levels):
            factors = known_factors(pooling.coarse)
            result.append(_digest(*factors) if isinstance(factors, TwinFactors) else "")
    return result


def agree(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether two lists of digests are equal; "" is a graph without stored rows, equal to any."""
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(a == b for a, b in pairs if a and b)


def _digest(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str} {len(array)}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


# ---- ways ----


class Ways:
    """The ways to pool a graph of a folder, `levels` times or until it converges; starts two clusters."""

    def __init__(self, two: Cluster, four: Cluster) -> None:
        self._clusters = {"2 workers": two, "4 workers": four, KILLED: two}

    def of(self, task: str, levels: int | None) -> dict[str, Pool]:
        """Return all ways by name; the first is the reference."""
        once = task == "pooling"
        threads = {
            f"{number} thread{'s' * (number > 1)}": partial(
                _in_memory, levels=levels, threads=number, once=once
            )
            for number in (1, 2, 4)
        }
        disk = {DISK: partial(_out_of_core, levels=1 if once else levels)}
        clusters = {
            name: partial(_on_cluster, cluster=cluster, levels=levels, once=once, kill=name == KILLED)
            for name, cluster in self._clusters.items()
        }
        return {**threads, **disk, **clusters}


def _in_memory(folder: Path, *, levels: int | None, threads: int, once: bool) -> cp.Hierarchy | cp.Pooling:
    graph = cp.Graph.open(folder)
    if once:
        return cp.clique_pool(graph, threads=threads, budget=BUDGET)
    return cp.clique_hierarchy(graph, levels, threads=threads, budget=BUDGET)


def _out_of_core(folder: Path, *, levels: int | None) -> cp.Hierarchy:
    """Pool out of core; where a coarse graph does not fit into memory, return the levels below it."""
    target = folder.with_name(f"{folder.name}-levels-{levels}")
    with contextlib.suppress(cp.BudgetExceeded):
        return pool_out_of_core(folder, target, levels, memory=2**22, budget=BUDGET)
    return cp.Hierarchy.open(target, validate=False)


def _on_cluster(
    folder: Path, *, cluster: Cluster, levels: int | None, once: bool, kill: bool
) -> cp.Hierarchy | cp.Pooling:
    graph = cp.Graph.open(folder)
    with losing_a_worker(cluster) if kill else contextlib.nullcontext():
        if once:
            return cluster.clique_pool(graph, shards=SHARDS, budget=BUDGET)
        return cluster.clique_hierarchy(graph, levels, shards=SHARDS, budget=BUDGET)


# ---- a worker that is killed inside a round ----


class _KillingStates(dict[Any, Any]):
    """What a worker remembers of its shards; SIGKILL ends it as soon as it searches one for a second time."""

    def pop(self, key: Any, default: Any = None) -> Any:
        if key in self:
            os.kill(os.getpid(), signal.SIGKILL)
        return default


def _arm() -> int:
    """Let this worker be killed inside a round; return its process id."""
    from cliquepool.scale import shard_tasks  # noqa: PLC0415 (in the worker)

    shard_tasks._states = _KillingStates()
    return os.getpid()


def _disarm() -> int:
    from cliquepool.scale import shard_tasks  # noqa: PLC0415 (in the worker)

    shard_tasks._states = {}
    return os.getpid()


@contextlib.contextmanager
def losing_a_worker(cluster: Cluster) -> Iterator[None]:
    """Kill one worker of a cluster while it holds a running task of a round; raise if none was killed."""
    client = cluster._connection.client
    first = min(cluster._connection.workers())
    pid = client.run(_arm, workers=[first])[first]
    try:
        yield
    finally:
        alive = client.run(_disarm).values()
    if pid in alive:
        raise NotKilled("expected a worker that searches a shard twice, got none: too few rounds")


class NotKilled(RuntimeError):
    """The worker that was to be killed is still there."""


# ---- the matrix ----


@dataclass(frozen=True)
class Result:
    """One cell of the matrix."""

    graph: str
    task: str
    way: str
    digests: list[str]
    sizes: list[int]
    seconds: float
    error: str = ""


def graphs(wanted: Sequence[str] | None) -> list[str]:
    """List the names of all graphs, real ones first."""
    return [name for name in [*all_graphs(), *KINDS] if wanted is None or name in wanted]


def write_graph(name: str, folder: Path, num_edges: int) -> Path:
    """Write a graph to a folder of arrays, from its file or from generated edges."""
    target = folder / name
    if name not in KINDS:
        convert_graph(graph_file(name), target)
        return target
    text = folder / f"{name}.txt"
    np.savetxt(text, KINDS[name](num_edges), fmt="%d")
    convert_graph(text, target)
    text.unlink()
    return target


def pool(name: str, task: str, way: str, call: Pool, folder: Path) -> Result:
    """Compute a cell."""
    began = time.perf_counter()
    try:
        found = call(folder)
        sizes = list(found.sizes) if isinstance(found, cp.Hierarchy) else [found.num_pools]
        return Result(name, task, way, digests(found), sizes, time.perf_counter() - began)
    except (cp.BudgetExceeded, cp.GraphError, NotKilled) as error:
        return Result(name, task, way, [], [], time.perf_counter() - began, str(error))


def verdict(reference: Result, other: Result) -> bool | None:
    """Tell whether a way agrees with the reference; None where it has no result.

    Where it stopped at a coarse graph that does not fit, the levels below that are compared.
    """
    if not other.digests or not reference.digests:
        return None
    most = len(other.digests) if other.way == DISK else None
    return agree(reference.digests[:most], other.digests)


def sign(reference: Result, other: Result | None) -> str:
    """Return a word for a cell of the table."""
    found = None if other is None else verdict(reference, other)
    word = SIGNS[found]
    if other is not None and found and len(other.digests) < len(reference.digests):
        word += f", {len(other.digests) // 2 + 1} levels"
    return word


def fill(names: Sequence[str], num_edges: int, known: list[Result]) -> Iterator[Result]:
    """Yield all results that are not known yet."""
    done = {(result.graph, result.task, result.way) for result in known}
    with (
        Cluster(workers=2, timeout=600) as two,
        Cluster(workers=4, timeout=600) as four,
        tempfile.TemporaryDirectory() as parent,
    ):
        ways = Ways(two, four)
        for name in names:
            levels = LEVELS_OF_GENERATED if name in KINDS else None
            cells = [(task, way, call) for task in TASKS for way, call in ways.of(task, levels).items()]
            cells = [cell for cell in cells if (name, *cell[:2]) not in done]
            if cells:
                folder = write_graph(name, Path(parent), num_edges)
                for task, way, call in cells:
                    yield pool(name, task, way, call, folder)


def show(report: Report, results: Sequence[Result]) -> None:
    """Print a table for each task, and whether all ways agree."""
    differences, cells = 0, 0
    for task in TASKS:
        of_task = [result for result in results if result.task == task]
        ways = list(dict.fromkeys(result.way for result in of_task))
        rows, notes = [], []
        for name in dict.fromkeys(result.graph for result in of_task):
            by_way = {result.way: result for result in of_task if result.graph == name}
            reference = by_way[REFERENCE]
            verdicts = {way: verdict(reference, found) for way, found in by_way.items()}
            sizes = _summary(reference.sizes) or reference.error.split(".")[0]
            rows.append((name, *(sign(reference, by_way.get(way)) for way in ways[1:]), sizes))
            differences += sum(found is False for found in verdicts.values())
            cells += sum(found is not None for way, found in verdicts.items() if way != REFERENCE)
            notes += [
                f"{name}, {way}: {found.error.split('. ')[0]}" for way, found in by_way.items() if found.error
            ]
        columns = [
            "graph",
            *ways[1:],
            "levels" if task == "hierarchy" else "pools",
        ]
        report.table(f"Same bytes as {REFERENCE}: {task}", columns, rows, "\n".join(notes))
    report.console.print(f"{cells} results compared with those of {REFERENCE}")
    report.at_most("ways that give other bytes than one thread", 0, differences if cells else float("nan"))


def _summary(sizes: Sequence[int]) -> str:
    """Return the number of pools, or of levels with the nodes of the last one."""
    if len(sizes) < 2:
        return "".join(f"{size:,}" for size in sizes)
    return f"{len(sizes) - 1}, to {sizes[-1]:,} nodes"


def run(report: Report) -> None:
    """Fill the matrix for ``python -m benchmarks scale``."""
    results = list(fill(graphs(report.only), GENERATED_EDGES, []))
    for result in results:
        report.keep("scale_same", **asdict(result))
    show(report, results)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale_same", description=__doc__)
    parser.add_argument("--record", type=Path, required=True, help="JSON lines: read, then appended to")
    parser.add_argument("--graphs", metavar="A,B", help="only these graphs")
    parser.add_argument("--edges", type=int, default=GENERATED_EDGES, help="of generated graphs")
    given = parser.parse_args()
    names = graphs(given.graphs.split(",") if given.graphs else None)
    known = []
    if given.record.exists():
        known = [Result(**json.loads(line)) for line in given.record.read_text().splitlines()]
    with given.record.open("a", encoding="utf-8") as record:
        for result in fill(names, given.edges, known):
            known.append(result)
            print(json.dumps(asdict(result)), file=record, flush=True)
            print(result.graph, result.task, result.way, result.sizes or result.error, flush=True)
    report = Report()
    report.machine()
    show(report, [result for result in known if result.graph in names])
    return report.summary()


if __name__ == "__main__":
    sys.exit(main())
