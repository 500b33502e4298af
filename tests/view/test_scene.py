"""The scene of a hierarchy: bundles of every level, their positions, and the level that is shown first."""

from __future__ import annotations

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.view.scene import make_scene

NX = 12
GRID = cp.Graph.from_edges(
    [(r * NX + c, r * NX + c + 1) for r in range(NX) for c in range(NX - 1)]
    + [(r * NX + c, r * NX + c + NX) for r in range(NX - 1) for c in range(NX)]
)


def test_every_bundle_has_a_finite_position_and_the_same_one_each_time() -> None:
    hierarchy = cp.clique_hierarchy(GRID)
    scene, again = make_scene(hierarchy), make_scene(hierarchy)
    for level, other in zip(scene.levels, again.levels, strict=True):
        assert level.positions.shape == (len(level.bundles), 2)
        assert np.isfinite(level.positions).all()
        assert (level.positions == other.positions).all()


def test_a_scene_starts_at_the_finest_level_within_its_limits() -> None:
    hierarchy = cp.clique_hierarchy(GRID)
    items = make_scene(hierarchy).num_items
    for level, count in enumerate(items):
        start = make_scene(hierarchy, most_items=count, most_edges=10**9).start
        assert items[start] <= count
        assert all(items[finer] > count for finer in range(start))
        assert start <= level
    assert make_scene(hierarchy, most_items=0).start == len(hierarchy)


def test_pools_stand_among_their_members() -> None:
    path = cp.Graph.from_edges([(v, v + 1) for v in range(20)])
    scene = make_scene(cp.clique_hierarchy(path))
    bottom, first = scene.levels[0], scene.levels[1]
    assert first.pools is not None
    assert bottom.pools is not None
    group = first.bundles.of_class[first.classes]
    for pool, members in enumerate(bottom.pools):
        mean = bottom.positions[bottom.bundles.of_class[members]].mean(axis=0)
        assert (
            np.linalg.norm(first.positions[group[pool]] - mean) < np.ptp(bottom.positions, axis=0).max() / 4
        )


@pytest.mark.parametrize("edges", [[], [(0, 1)]])
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_small_graphs_have_a_scene(edges: list[tuple[int, int]], count: int) -> None:
    graph = cp.Graph.from_edges(
        np.array(edges, dtype=np.int64).reshape(-1, 2), num_nodes=max(count, 2 * len(edges))
    )
    scene = make_scene(cp.clique_hierarchy(graph))
    assert [level.num_nodes for level in scene.levels] == [
        int(level.bundles.sizes.sum()) for level in scene.levels
    ]


def test_the_layout_stays_within_its_budget() -> None:
    hierarchy = cp.clique_hierarchy(GRID)
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        make_scene(hierarchy, budget=cp.Budget(max_bytes=100))


def test_edges_of_a_level_that_outgrow_those_of_the_graph_are_left_to_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cliquepool.view.scene._MOST_EDGES_KEPT", 0)
    scene = make_scene(cp.clique_hierarchy(GRID))
    limit = scene.levels[0].bundles.num_edges
    assert [level.keeps_edges for level in scene.levels] == [
        level.bundles.num_edges <= limit for level in scene.levels
    ]
    assert not scene.levels[1].keeps_edges
