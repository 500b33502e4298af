"""Shards in files: who owns a vertex, what a file has, and files that are not whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import cliquepool as cp
from cliquepool import _core
from cliquepool.array_files import read_arrays, write_arrays
from cliquepool.budget import Budget
from cliquepool.errors import InputError, MissingDependency
from cliquepool.scale.shards import OrientedGraph, ShardArrays, ShardPaths, read_part, shard_owners
from cliquepool.scale.tasks import ending_with
from tests.helpers.planted_cliques import with_cliques

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = Budget()._limits()


def oriented(shards: int = 3) -> OrientedGraph:
    return OrientedGraph.build(with_cliques()._factors(), shards, "ranges", LIMITS, None)


def test_ranges_are_consecutive_and_balanced() -> None:
    graph = oriented(8)
    assert np.all(np.diff(graph.owner) >= 0)
    edges = np.bincount(graph.owner, np.diff(graph.offsets) + 1, minlength=8)
    assert edges.max() < 1.3 * edges.mean()
    assert set(graph.owner.tolist()) == set(range(8))


def test_metis_needs_fewer_halo_edges_on_planted_cliques(tmp_path: Path) -> None:
    pytest.importorskip("pymetis")
    parts = [cp.Graph.from_edges(np.argwhere(np.ones((9, 9))), 9).edges() + 9 * i for i in range(40)]
    chain = [(9 * i, 9 * i + 9) for i in range(39)]
    order = np.random.default_rng(1).permutation(360)
    factors = cp.Graph.from_edges(order[np.concatenate([*parts, chain])], 360)._factors()
    halo = {}
    for by in ("ranges", "metis"):
        graph = OrientedGraph.build(factors, 4, by, LIMITS, None)
        cut = [_core.cut_shard(graph.offsets, graph.later, graph.owner, s, LIMITS, None) for s in range(4)]
        halo[by] = sum(shard[5] for shard in cut)
        assert sum(shard[4] for shard in cut) == len(graph.later)
    assert halo["metis"] <= halo["ranges"]


def test_a_shard_is_read_as_it_was_written(tmp_path: Path) -> None:
    graph = oriented()
    graph.write(tmp_path / "oriented", "run")
    again = OrientedGraph.read(tmp_path / "oriented", "run")
    assert all(map(np.array_equal, graph, again))
    paths = ShardPaths.of(tmp_path, 1)
    cut = ShardArrays.cut(again, 1, paths, "run", limits=LIMITS, progress=ending_with("run"))
    shard = ShardArrays.read(paths.shard, "run")
    assert graph.order[read_part(paths.ranks, "ranks", "run", ("ranks",))[0]["ranks"]].tolist() == (
        shard.vertices.tolist()
    )
    assert cut.own_edges + cut.halo_edges == len(shard.later)
    assert np.array_equal(shard.vertices[shard.own], graph.order[graph.owner == 1])
    before = paths.shard.stat().st_mtime_ns
    assert ShardArrays.cut(again, 1, paths, "run", limits=LIMITS, progress=ending_with("run")) == cut
    assert paths.shard.stat().st_mtime_ns == before  # it was there, and whole


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: content[:-3], "expected an array inside the file"),
        (lambda content: content[:40], "truncated"),
        (lambda content: content[:0], "truncated"),
        (lambda content: content[:-1] + bytes([content[-1] ^ 1]), "damaged"),
        (lambda content: content.replace(b'"kind": "shard"', b'"kind": "shirt"'), "damaged"),
    ],
)
def test_a_shard_that_is_not_whole_is_refused(tmp_path: Path, damage: object, message: str) -> None:
    paths = ShardPaths.of(tmp_path, 0)
    ShardArrays.cut(oriented(), 0, paths, "run", limits=LIMITS, progress=ending_with("run"))
    paths.shard.write_bytes(damage(paths.shard.read_bytes()))  # type: ignore[operator]
    with pytest.raises(InputError, match=rf"shard-0000\.safetensors: .*{message}"):
        ShardArrays.read(paths.shard, "run")


def test_shards_of_another_graph_or_version_are_refused(tmp_path: Path) -> None:
    paths = ShardPaths.of(tmp_path, 0)
    ShardArrays.cut(oriented(), 0, paths, "run", limits=LIMITS, progress=ending_with("run"))
    with pytest.raises(InputError, match="expected run other, got run"):
        ShardArrays.read(paths.shard, "other")
    file = read_arrays(paths.shard)
    write_arrays(paths.shard, file.arrays, file.metadata | {"version": "999"})
    with pytest.raises(InputError, match="expected format version 3"):
        ShardArrays.read(paths.shard, "run")


def test_wrong_arrays_do_not_crash_the_search() -> None:
    def shard(**changed: object) -> _core.ShardSearcher:
        arrays = {"weights": [1, 1, 1], "own": [0, 1], "later": [2, 1, 2], "offsets": [0, 2, 3, 3]} | changed
        of = {name: np.array(array, dtype=np.int32) for name, array in arrays.items()}
        return _core.ShardSearcher(
            of["weights"], of["own"], of["offsets"].astype(np.int64), of["later"], LIMITS
        )

    live = np.ones(3, dtype=np.uint8)
    assert shard().find_bounds(live, 9, LIMITS, None) == 3
    for wrong in (
        {"later": [2, 3, 2]},
        {"later": [-1, 1, 2]},
        {"later": [1, 2, 2]},
        {"later": [2, 0, 2]},
        {"own": [1, 0]},
        {"own": [3]},
        {"weights": [1, 0, 1]},
        {"offsets": [0, 3, 2, 3]},
        {"offsets": [0, 2, 3]},
    ):
        with pytest.raises(cp.GraphError):
            shard(**wrong)
    with pytest.raises(cp.GraphError):
        shard().find_bounds(live[:2], 9, LIMITS, None)
    searcher = shard()
    searcher.find_bounds(live, 9, LIMITS, None)
    with pytest.raises(cp.GraphError, match="weight"):
        searcher.find_cliques(live, 2, LIMITS, None)
    offsets, members, bound = searcher.find_cliques(live, 3, LIMITS, None)
    assert (offsets.tolist(), sorted(members.tolist()), bound) == ([0, 3], [0, 1, 2], 2)


def test_unknown_ways_and_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = oriented()
    with pytest.raises(InputError, match='expected "ranges" or "metis"'):
        shard_owners(graph.offsets, graph.later, 2, "hash")  # type: ignore[arg-type]
    monkeypatch.setitem(__import__("sys").modules, "pymetis", None)
    with pytest.raises(MissingDependency, match="pip install pymetis"):
        shard_owners(graph.offsets, graph.later, 2, "metis")
