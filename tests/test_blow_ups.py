"""Calls whose cost explodes end within their budget, and the next call works."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx
import numpy as np
import pytest

import cliquepool as cp
from tests.helpers.small_graphs import complete_multipartite, hypercube

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 2.0
BYTES = 300 * 2**20


def triangles_complement() -> cp.Graph:
    return complete_multipartite([3] * 40).graph()


def dense_random() -> cp.Graph:
    return cp.Graph.from_edges(np.array(nx.gnp_random_graph(300, 0.9, seed=0).edges), 300)


def six_cube() -> cp.Graph:
    return hypercube(6).graph()


GRAPHS: dict[str, Callable[[], cp.Graph]] = {
    "complement of 40 triangles": triangles_complement,
    "G(300, 0.9)": dense_random,
    "6-dimensional hypercube": six_cube,
}

# Every call on the dense random graph takes all seconds of its budget.
every_graph = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "G(300, 0.9)" else name for name in GRAPHS]
)

CALLS: dict[str, Callable[..., object]] = {
    "pool": cp.clique_pool,
    "hierarchy": cp.clique_hierarchy,
    "list": cp.maximal_cliques,
    "count": cp.count_maximal_cliques,
    "maximum": cp.maximum_cliques,
}


class Outcome(NamedTuple):
    error: cp.BudgetExceeded | None
    processor_seconds: float
    added_bytes: int


def memory(field: str) -> int:
    """Read a field of the status of this process in bytes: VmRSS is its memory, VmHWM the peak."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def attempt(name: str, call: str, budget: cp.Budget, threads: int) -> Outcome:
    """Run one call; return its error and its cost; check that the next call works."""
    graph = GRAPHS[name]() if name in GRAPHS else cp.read_graph(name)
    before = memory("VmRSS")
    caught = None
    start = time.process_time()
    try:
        CALLS[call](graph, budget=budget, threads=threads)
    except cp.BudgetExceeded as error:
        caught = error
    seconds = time.process_time() - start
    added = memory("VmHWM") - before
    assert cp.clique_pool(cp.Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])).pools.tolist() == [
        [0, 1, 2],
        [3],
    ]
    return Outcome(caught, seconds, added)


def attempt_elsewhere(name: str, call: str, budget: cp.Budget, threads: int = 1) -> Outcome:
    """Run `attempt` in a new process, so that its memory is that of this call alone."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(attempt, name, call, budget, threads).result()


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc to measure memory")


@linux_only
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", CALLS)
@every_graph
def test_explosions_end_within_time_and_memory(name: str, call: str, threads: int) -> None:
    outcome = attempt_elsewhere(name, call, cp.Budget(max_seconds=SECONDS, max_bytes=BYTES), threads)
    assert outcome.processor_seconds < 2 * SECONDS * threads
    assert outcome.added_bytes < BYTES + 64 * 2**20
    if outcome.error is not None:
        assert outcome.error.limit in {"max_cliques", "max_seconds", "max_bytes"}
        assert outcome.error.reached >= outcome.error.allowed
        assert outcome.error.limit in str(outcome.error)


@linux_only
@pytest.mark.data
@pytest.mark.parametrize("call", ["list", "count"])
def test_listing_facebook_ends_within_time_and_memory(call: str, shared_data: Path) -> None:
    file = str(shared_data / "graphs" / "facebook_combined.txt.gz")
    outcome = attempt_elsewhere(file, call, cp.Budget(max_seconds=SECONDS, max_bytes=BYTES))
    assert outcome.processor_seconds < 2 * SECONDS
    assert outcome.added_bytes < BYTES + 64 * 2**20


@linux_only
def test_memory_alone_can_be_bounded() -> None:
    outcome = attempt_elsewhere("complement of 40 triangles", "list", cp.Budget(None, 60, 50 * 2**20))
    assert outcome.error is not None
    assert outcome.error.limit == "max_bytes"
    assert outcome.added_bytes < 100 * 2**20


@pytest.mark.parametrize("call", ["pool", "hierarchy", "list", "count", "maximum"])
def test_the_number_of_cliques_alone_can_be_bounded(call: str) -> None:
    with pytest.raises(cp.BudgetExceeded) as caught:
        CALLS[call](triangles_complement(), budget=cp.Budget(10_000, 60, None))
    assert caught.value.limit == "max_cliques"
    assert caught.value.allowed == 10_000


def test_many_graphs_at_once_share_one_budget() -> None:
    batch = [hypercube(2).graph(), triangles_complement(), hypercube(3).graph()]
    for threads in (1, 2):
        start = time.process_time()
        with pytest.raises(cp.BudgetExceeded):
            cp.clique_hierarchies(batch, levels=1, threads=threads, budget=cp.Budget(max_seconds=1))
        assert time.process_time() - start < 4 * threads
    assert [h.sizes for h in cp.clique_hierarchies([batch[0], batch[2]], levels=1)] == [(4, 4), (8, 12)]


def test_what_fits_in_the_budget_is_made_in_full() -> None:
    graph = complete_multipartite([3] * 8).graph()
    assert len(cp.clique_pool(graph, budget=cp.Budget(max_cliques=3**8)).pools) == 3**8
    with pytest.raises(cp.BudgetExceeded):
        cp.clique_pool(graph, budget=cp.Budget(max_cliques=3**8 - 1))


def test_expanding_a_coarse_graph_keeps_to_the_budget() -> None:
    """Pooling a star of 60,000 leaves makes as many tied pools, all pairs of them adjacent."""
    edges = np.column_stack([np.zeros(60_000, dtype=np.int64), np.arange(1, 60_001)])
    coarse = cp.clique_pool(cp.Graph.from_edges(edges)).coarse
    assert coarse.num_edges == 60_000 * 59_999 // 2
    assert coarse.twins.quotient.num_nodes == 1
    with pytest.raises(cp.BudgetExceeded):
        _ = coarse.indices
    assert coarse.num_nodes == 60_000


# Sends Ctrl-C when the call has run for a while; prints the CPU seconds from then to its end.
INTERRUPTED = """
import signal, sys, threading, time
import cliquepool as cp
from tests.test_blow_ups import CALLS, GRAPHS
name, call, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
graph = GRAPHS[name]()
sent = []
def interrupt(after):
    while time.process_time() < after:
        time.sleep(0.01)
    sent.append(time.process_time())
    signal.raise_signal(signal.SIGINT)
threading.Thread(target=interrupt, args=(time.process_time() + 0.3,), daemon=True).start()
try:
    CALLS[call](graph, threads=threads, budget=cp.Budget(None, 250, 4 * 2**30))
except KeyboardInterrupt:
    print("interrupted", time.process_time() - sent[0])
print(cp.clique_pool(cp.Graph.from_edges([(0, 1), (1, 2)])).pools.tolist())
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("G(300, 0.9)", "pool"),
        ("G(300, 0.9)", "hierarchy"),
        ("G(300, 0.9)", "maximum"),
        ("G(300, 0.9)", "count"),
        ("complement of 40 triangles", "count"),
        ("6-dimensional hypercube", "hierarchy"),
    ],
)
def test_ctrl_c_stops_a_long_call_within_a_second_of_work(name: str, call: str, threads: int) -> None:
    command = [sys.executable, "-c", INTERRUPTED, name, call, str(threads)]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer, after = done.stdout.splitlines()
    word, seconds = answer.split()
    assert word == "interrupted"
    assert float(seconds) < threads
    assert after == "[[0, 1], [1, 2]]"
