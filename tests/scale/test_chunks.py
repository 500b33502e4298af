"""Data sets in chunks: the arrays of one process, from paths and ranges alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.errors import ClusterError, InputError
from cliquepool.scale import chunks
from cliquepool.scale.chunks import ChunkTask, chunk_starts, pool_chunk, pool_in_chunks
from cliquepool.scale.tasks import here
from tests.helpers.in_process_workers import InProcessWorkers
from tests.helpers.small_graphs import sample_graphs

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.scale import Cluster


def many_graphs() -> GraphDataset:
    graphs = [
        cp.Graph.from_edges(np.array(s.edges).reshape(-1, 2), s.num_nodes) for s in sample_graphs(40, 3)
    ]
    return GraphDataset.from_graphs(graphs, [number % 2 for number in range(40)])


def expect_same(ours: PooledDataset, theirs: PooledDataset) -> None:
    assert len(ours.levels) == len(theirs.levels)
    for a, b in zip(ours.levels, theirs.levels, strict=True):
        for name in ("node_start", "class_of_node", "class_start", "class_sizes"):
            left, right = getattr(a, name), getattr(b, name)
            assert (left.dtype, left.tobytes()) == (right.dtype, right.tobytes()), name
        assert a.quotient.local == b.quotient.local
        assert (a.pools_by_class is None) == (b.pools_by_class is None)
        if a.pools_by_class is not None and b.pools_by_class is not None:
            assert a.pools_by_class.local == b.pools_by_class.local
            assert np.array_equal(a.pools_by_class.list_start, b.pools_by_class.list_start)


def pool(
    source: Any, levels: int | None = 2, *, workers: InProcessWorkers | None = None, **options: Any
) -> PooledDataset:
    chosen = {"folder": None, "edge_reduce": None, "budget": cp.Budget(), "progress": None} | options
    return pool_in_chunks(workers or InProcessWorkers(), source, levels, **chosen)  # type: ignore[arg-type]


@pytest.mark.parametrize("levels", [0, 1, 2, None])
def test_levels_are_those_of_one_process(
    levels: int | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(chunks, "_LEAST_CHUNK", 1)
    monkeypatch.setattr(chunks, "_CHUNKS_PER_WORKER", 7)
    data = many_graphs()
    heard: list[tuple[str, int, int]] = []
    found = pool(data, levels, folder=tmp_path, progress=lambda *words: heard.append(words))
    expect_same(found, PooledDataset(data, levels))
    assert heard[-1] == ("pooling", 40, 40)
    assert len(heard) >= 7
    assert not list(tmp_path.iterdir())


def test_a_run_that_failed_goes_on_after_its_finished_chunks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(chunks, "_LEAST_CHUNK", 1)
    monkeypatch.setattr(chunks, "_CHUNKS_PER_WORKER", 7)
    data, whole = many_graphs(), InProcessWorkers()
    pool(data, workers=whole)

    def fail(_what: str, done: int, _total: int) -> None:
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool(data, folder=tmp_path, progress=fail)
    kept = sorted(path.name for path in tmp_path.glob("chunks-*/*"))
    assert 1 < len(kept) < whole.tasks
    resumed = InProcessWorkers()
    expect_same(pool(data, workers=resumed, folder=tmp_path), PooledDataset(data))
    assert resumed.tasks == whole.tasks - len(kept)
    assert not list(tmp_path.iterdir())


def test_a_real_cluster_pools_a_data_set_from_its_path(two_workers: Cluster, tmp_path: Path) -> None:
    data = many_graphs()
    data.save(tmp_path / "data")
    for source in (data, tmp_path / "data"):
        expect_same(two_workers.pool_dataset(source), PooledDataset(data))
    with pytest.raises(cp.BudgetExceeded, match="max_cliques"):
        two_workers.pool_dataset(data, budget=cp.Budget(max_cliques=3))


def test_edge_attributes_are_aggregated() -> None:
    edges = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    both = np.concatenate([edges, edges[:, ::-1]])
    graph = pytest.importorskip("networkx").Graph()
    graph.add_edges_from((int(u), int(v), {"length": float(u + v)}) for u, v in both)
    data = GraphDataset.from_networkx([graph, graph], [0, 1], edge_attributes="length")
    found, expected = (
        pool(data, edge_reduce="sum").edge_values,
        PooledDataset(data, edge_reduce="sum").edge_values,
    )
    assert found is not None
    assert expected is not None
    assert all(map(np.array_equal, found, expected))


def test_a_data_set_without_graphs() -> None:
    empty = GraphDataset.from_graphs([], [])
    assert pool(empty).sizes.shape == PooledDataset(empty).sizes.shape


def test_chunks_are_balanced_and_cover_all_graphs() -> None:
    data = many_graphs()
    for most in (1, 3, 40, 1000):
        starts = chunk_starts(data.node_start, data.indptr, most)
        assert (starts[0], starts[-1]) == (0, 40)
        assert starts == sorted(set(starts))
        assert len(starts) <= most + 1


def test_a_file_that_is_not_whole_or_another_is_refused(tmp_path: Path) -> None:
    data = many_graphs()
    path = tmp_path / "data"
    data.save(path)
    task = ChunkTask(here("run"), path, data.fingerprint, 0, 40, 1, False, cp.Budget()._limits())
    assert len(pool_chunk(task)[0]) == 40
    with pytest.raises(InputError, match="data: expected the data set aaa, got"):
        pool_chunk(task._replace(fingerprint="aaa"))
    with pytest.raises(ClusterError, match="expected a worker with cliquepool 0"):
        pool_chunk(task._replace(origin=here()._replace(version="0")))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"data: .*expected an array inside the file"):
        pool_chunk(task)
    with pytest.raises(cp.GraphError):
        pool(path)
