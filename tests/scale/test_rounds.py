"""Rounds over shards: the pools of the whole graph, whatever the shards, the workers and what they forget."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.errors import InputError
from cliquepool.scale.rounds import pool_in_shards
from tests.helpers import oracle
from tests.helpers.in_process_workers import InProcessWorkers
from tests.helpers.planted_cliques import with_cliques
from tests.helpers.small_graphs import graphs, sample_graphs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.small_graphs import Sample


def pools_in_shards(graph: cp.Graph, workers: Any = None, **options: Any) -> Any:
    chosen = {"folder": None, "shards": 3, "by": "ranges", "budget": cp.Budget(), "progress": None} | options
    return pool_in_shards(workers or InProcessWorkers(), graph._factors(), **chosen)


def expect_pools(graph: cp.Graph, **options: Any) -> None:
    offsets, members, _ = pools_in_shards(graph, **options)
    expected = cp.clique_pool(graph)._by_class
    assert offsets.tobytes() == expected.offsets.tobytes()
    assert members.tobytes() == expected.members.tobytes()


@settings(max_examples=20)
@given(graphs(), st.integers(1, 5), st.integers(0, 3))
def test_pools_are_those_of_the_definition(sample: Sample, shards: int, forgetful: int) -> None:
    graph = cp.Graph.from_edges(sample.edges, sample.num_nodes)
    offsets, members, _ = pools_in_shards(graph, InProcessWorkers(forgetful), shards=shards)
    pools = cp.Pooling(graph, offsets, members).pools.tolist()
    assert pools == [list(pool) for pool in oracle.pools_of(oracle.graph_of(sample.num_nodes, sample.edges))]


@pytest.mark.parametrize("by", ["ranges", "metis"])
def test_bytes_are_those_of_one_process(by: str) -> None:
    if by == "metis":
        pytest.importorskip("pymetis")
    for number, sample in enumerate(sample_graphs(15, seed=5)):
        expect_pools(cp.Graph.from_edges(sample.edges, sample.num_nodes), shards=1 + number % 4, by=by)
    for shards in (1, 2, 7):
        expect_pools(with_cliques(shards), shards=shards, by=by)


def test_coarse_graphs_with_twin_classes_are_pooled_by_weight() -> None:
    tree = cp.Graph.from_edges([(node, random.Random(node).randrange(node)) for node in range(1, 200)])
    graph = cp.clique_pool(tree).coarse
    assert len(graph.twins.sizes) < graph.num_nodes
    expect_pools(graph)


def test_the_report_counts_edges_rounds_and_traffic() -> None:
    graph = with_cliques()
    _, members, report = pools_in_shards(graph, shards=4)
    assert report.own_edges == len(graph._factors().indices) // 2
    assert 0 < report.halo_per_own_edge < 3
    assert report.rounds >= 4
    assert 0 < report.sent < 4 * 4 * graph.num_nodes
    assert report.received >= 4 * (len(members) - graph.num_nodes)
    assert pools_in_shards(graph, shards=1)[2].halo_edges == 0


def test_progress_tells_the_round_and_what_is_left() -> None:
    heard: list[tuple[str, int, int]] = []
    pools_in_shards(with_cliques(), progress=lambda *words: heard.append(words))
    rounds = [words for words in heard if words[0].startswith("pooling: round")]
    assert "nodes left" in rounds[0][0]
    assert "cliques so far" in rounds[0][0]
    assert any("left" in words[0].rpartition(",")[2] for words in rounds[1:])
    assert [done for _, done, _ in rounds] == sorted(done for _, done, _ in rounds)
    assert ("cutting shards", 3, 3) in heard


class Interrupted(InProcessWorkers):
    """Workers that fail at a task, once."""

    def __init__(self, at: int, error: Exception) -> None:
        super().__init__()
        self._at = at
        self._error = error

    def run(self, tasks: Any, origin: Any) -> Any:
        for found in super().run(tasks, origin):
            if self.tasks == self._at:
                raise self._error
            yield found


@pytest.mark.parametrize("error", [cp.errors.ClusterError("shard 2: lost"), OSError(28, "disk is full")])
def test_a_run_that_failed_goes_on_from_its_last_round(tmp_path: Path, error: Exception) -> None:
    graph = with_cliques()
    whole = InProcessWorkers()
    expect_pools(graph, workers=whole)
    with pytest.raises(type(error)) as raised:
        pools_in_shards(graph, Interrupted(whole.tasks - 4, error), folder=tmp_path)
    if not isinstance(error, OSError):
        assert "the same call goes on from there" in str(raised.value)
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    rounds = sorted(folder.glob("round-*"))
    assert len(rounds) > 3
    # Neither a round nor a shard that is not whole is taken for one; a partial file is none at all.
    rounds[-1].write_bytes(rounds[-1].read_bytes()[:-5])
    shard = folder / "shard-0001.safetensors"
    shard.write_bytes(shard.read_bytes()[:100])
    resumed = InProcessWorkers()
    expect_pools(graph, workers=resumed, folder=tmp_path)
    assert resumed.tasks < whole.tasks
    assert not list(tmp_path.iterdir())


def test_files_that_changed_places_are_not_taken_for_right(tmp_path: Path) -> None:
    graph = with_cliques()
    with pytest.raises(OSError, match="disk is full"):
        pools_in_shards(graph, Interrupted(30, OSError(28, "disk is full")), folder=tmp_path)
    for one, other in (("shard-0000", "shard-0001"), ("round-00001", "round-00002")):
        (first,), (second,) = (list(tmp_path.glob(f"*/{name}.safetensors")) for name in (one, other))
        contents = first.read_bytes(), second.read_bytes()
        second.write_bytes(contents[0])
        first.write_bytes(contents[1])
    expect_pools(graph, folder=tmp_path)


def test_a_shard_that_is_damaged_in_the_middle_of_a_run_is_named(tmp_path: Path) -> None:
    def damage(what: str, done: int, total: int) -> None:
        if what == "cutting shards" and done == total:
            (path,) = tmp_path.glob("*/shard-0001.safetensors")
            path.write_bytes(path.read_bytes()[:-1] + b"?")

    with pytest.raises(InputError, match=r"shard-0001\.safetensors: expected .*damaged"):
        pools_in_shards(with_cliques(), folder=tmp_path, progress=damage)
    expect_pools(with_cliques(), folder=tmp_path)


def test_a_folder_serves_one_process_at_a_time(tmp_path: Path) -> None:
    heard: list[str] = []

    def again(what: str, _done: int, _total: int) -> None:
        if not heard:
            heard.append(what)
            with pytest.raises(cp.errors.ClusterError, match="another process is at work"):
                pools_in_shards(with_cliques(), folder=tmp_path)

    pools_in_shards(with_cliques(), folder=tmp_path, progress=again)
    assert heard


@pytest.mark.parametrize(
    ("limits", "reached"),
    [
        ({"max_cliques": 20}, "max_cliques"),
        ({"max_seconds": 0}, "max_seconds"),
        ({"max_bytes": 2000}, "max_bytes"),
    ],
)
def test_a_budget_holds_over_all_rounds(limits: dict[str, int], reached: str) -> None:
    with pytest.raises(cp.BudgetExceeded, match=reached):
        pools_in_shards(with_cliques(), budget=cp.Budget(**limits))


def test_graphs_without_nodes_or_edges() -> None:
    for nodes in (0, 1, 5):
        expect_pools(cp.Graph.from_edges(np.zeros((0, 2), dtype=int), nodes), shards=4)


def test_node_order_does_not_matter_to_shards() -> None:
    graph = with_cliques(nodes=60)
    order = list(range(60))
    random.Random(1).shuffle(order)
    renamed = cp.Graph.from_edges([(order[u], order[v]) for u, v in graph.edges().tolist()], 60)
    expect_pools(renamed, shards=5)
