"""A cluster of processes: the bytes of one process, also when a worker is killed inside a round."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.errors import ClusterError, InputError
from tests.helpers.planted_cliques import with_cliques

pytest.importorskip("distributed")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cliquepool.scale import Cluster


def same_bytes(pooling: cp.Pooling, other: cp.Pooling) -> bool:
    ours, theirs = pooling._by_class, other._by_class
    return (
        ours.offsets.tobytes() == theirs.offsets.tobytes()
        and ours.members.tobytes() == theirs.members.tobytes()
    )


def tied(groups: int, size: int = 3) -> cp.Graph:
    """Return a graph of size^groups maximum cliques, in which no nodes are twins."""
    group = np.arange(groups * size) // size
    return cp.Graph.from_edges(np.argwhere(group[:, None] != group), groups * size)


def test_pools_are_those_of_one_process(two_workers: Cluster) -> None:
    for graph, shards in ((with_cliques(), 5), (tied(4), 1), (cp.Graph.from_edges([(0, 1)]), 2)):
        assert same_bytes(two_workers.clique_pool(graph, shards=shards), cp.clique_pool(graph))
    assert two_workers.report is not None
    assert two_workers.report.shards == 2


def test_a_hierarchy_is_that_of_one_process(two_workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = with_cliques(nodes=100)
    expected = cp.clique_hierarchy(graph)
    for least, levels in ((1, None), (1, 2), (2**17, None), (2**17, 3)):
        monkeypatch.setattr("cliquepool.scale.cluster._EDGES_WORTH_SHARDS", least)
        found = two_workers.clique_hierarchy(graph, levels)
        assert found.sizes == expected.sizes[: None if levels is None else levels + 1]
        for ours, theirs in zip(found, expected, strict=False):
            assert same_bytes(ours, theirs)
            assert ours.coarse._factors().equals(theirs.coarse._factors())


def test_a_worker_killed_in_a_round_changes_nothing(two_workers: Cluster) -> None:
    graph = tied(11)
    expected = cp.clique_pool(graph)
    client = two_workers._connection.client
    pids = client.run(os.getpid)
    killed: list[int] = []

    def kill_the_busy_one() -> None:
        while not killed:
            for address, keys in client.processing().items():
                if any(str(key).startswith("search_shard") for key in keys) and address in pids:
                    os.kill(pids[address], signal.SIGKILL)
                    killed.append(pids[address])
                    return
            time.sleep(0.001)

    killer = threading.Thread(target=kill_the_busy_one)
    killer.start()
    pooling = two_workers.clique_pool(graph, shards=2)
    killer.join()
    assert killed
    assert same_bytes(pooling, expected)


def test_budgets_and_wrong_arguments_are_told(two_workers: Cluster) -> None:
    from cliquepool.scale import Cluster  # noqa: PLC0415 (only where dask is installed)

    with pytest.raises(cp.BudgetExceeded, match="max_cliques"):
        two_workers.clique_pool(tied(8), budget=cp.Budget(max_cliques=100))
    for shards in (0, -1, 10_000):
        with pytest.raises(InputError, match="shards: expected an integer from 1 to 9,999"):
            two_workers.clique_pool(tied(2), shards=shards)
    with pytest.raises(InputError, match='by: expected "ranges" or "metis"'):
        two_workers.clique_pool(tied(2), by="hash")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected none with an address"):
        Cluster("tcp://127.0.0.1:1", workers=2)


@pytest.mark.slow
def test_four_workers_give_the_bytes_of_two(two_workers: Cluster, tmp_path: Path) -> None:
    graph = with_cliques(7, 2000)
    expected = cp.clique_pool(graph)
    assert same_bytes(two_workers.clique_pool(graph, shards=8), expected)
    with type(two_workers)(workers=4, folder=tmp_path) as four:
        for by in ("ranges", "metis"):
            assert same_bytes(four.clique_pool(graph, shards=8, by=by), expected)
        assert four.num_workers == 4
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured on Linux")
def test_a_shard_whose_workers_run_out_of_memory_is_named(two_workers: Cluster, tmp_path: Path) -> None:
    graph = tied(14)  # 4.8 million cliques
    told = r"shard 1 of 1: .*out of memory; finished rounds are kept in"
    with (
        type(two_workers)(workers=1, memory=256 * 2**20, folder=tmp_path) as small,
        pytest.raises(ClusterError, match=told),
    ):
        small.clique_pool(graph)
    kept = [path.name for path in tmp_path.glob("*/shard-*")]
    assert kept == ["shard-0000.safetensors"]


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Return the address and the process of a scheduler with a worker, as on another machine."""
    file = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "text": True}
    python = [sys.executable, "-m"]
    options = ["--scheduler-file", str(file), "--no-dashboard"]
    head: subprocess.Popen[Any] = subprocess.Popen(
        [*python, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *options], **quiet
    )
    worker: subprocess.Popen[Any] = subprocess.Popen(
        [*python, "distributed.cli.dask_worker", "--nthreads", "1", *options], **quiet
    )
    try:
        while not file.exists() or not file.read_text():
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], head
    finally:
        for process in (worker, head):
            process.terminate()
            process.wait()


@pytest.mark.slow
def test_a_dead_scheduler_ends_a_run_that_then_goes_on(
    two_workers: Cluster, scheduler: tuple[str, subprocess.Popen[str]], tmp_path: Path
) -> None:
    address, process = scheduler
    folder = tmp_path / "shared"
    graph = with_cliques(3)

    def end_it(what: str, _done: int, _total: int) -> None:
        if what.startswith("pooling: round 4"):
            process.kill()

    told = r"the connection to the scheduler was lost; finished rounds"
    with type(two_workers)(address, folder=folder) as remote, pytest.raises(ClusterError, match=told):
        remote.clique_pool(graph, shards=2, progress=end_it)
    with type(two_workers)(workers=1, folder=folder) as local:
        assert same_bytes(local.clique_pool(graph, shards=2), cp.clique_pool(graph))
        assert local.report is not None
        assert local.report.resumed >= 3


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["ca-GrQc", "email-Enron", "soc-Epinions1", "web-NotreDame"])
def test_real_graphs_give_the_bytes_of_one_process(
    two_workers: Cluster, shared_data: Path, name: str
) -> None:
    graph = cp.read_graph(shared_data / "graphs" / f"{name}.txt.gz")
    assert same_bytes(two_workers.clique_pool(graph, shards=8), cp.clique_pool(graph))
