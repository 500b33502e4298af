"""Parts own every node once, and hold exactly what convolutions, pools and lifts of their nodes read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.scale.level_rows import rows_of_hierarchy
from cliquepool.scale.partitioning import hierarchy_fingerprint
from tests.helpers.small_graphs import Sample, blow_up, graphs, grid, path

if TYPE_CHECKING:
    from pathlib import Path


def sets(lists: cp.Ragged) -> list[set[int]]:
    return [set(one) for one in lists.tolist()]


def check_level(h: cp.Hierarchy, parts: list[cp.scale.Part], level: int) -> None:
    graph = h.graph(level)
    owned = np.concatenate([part.nodes(level) for part in parts])
    assert sorted(owned.tolist()) == list(range(graph.num_nodes))
    for part in parts:
        own = set(part.nodes(level).tolist())
        around = {w for v in own for w in graph.neighbours(v).tolist()}
        assert set(part.halo(level).tolist()) == around - own
        views = part.levels[level].views
        assert views["neighbours"].numbers.tolist() == graph.degrees[views["neighbours"].rows].tolist()
        if level == len(h):
            assert set(views) == {"neighbours"}
            continue
        pools, above = sets(h[level].pools), set(part.nodes(level + 1).tolist())
        assert set(views["pools"].rows.tolist()) == {v for pool in above for v in pools[pool]}
        memberships = sets(h[level].memberships)
        assert set(views["lift"].rows.tolist()) == {pool for v in own for pool in memberships[v]}
        assert views["pools"].numbers.tolist() == [len(memberships[v]) for v in views["pools"].rows.tolist()]


def check_exchange(parts: list[cp.scale.Part], level: int) -> None:
    """Check that what each part sends is what the others expect, row by row."""
    for kind, view in ((kind, view) for part in parts for kind, view in part.levels[level].views.items()):
        assert sorted(view.sources.members.tolist()) == list(range(len(view.rows)))
        assert kind == view.kind
    for reader in parts:
        for kind, view in reader.levels[level].views.items():
            at = level + (kind == "lift")
            for sender in parts:
                sent = sender.nodes(at)[sender.levels[at].sends[kind][reader.index]]
                assert view.rows[view.sources[sender.index]].tolist() == sent.tolist()


@given(graphs(10), st.integers(0, 2), st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_parts_own_every_node_once_and_hold_what_they_read(
    sample: Sample, levels: int, num_parts: int
) -> None:
    h = cp.clique_hierarchy(sample.graph(), levels=levels)
    parts = list(cp.scale.partition(h, num_parts))
    assert len(parts) == num_parts
    for level in range(len(h) + 1):
        check_level(h, parts, level)
        check_exchange(parts, level)


def test_levels_with_many_twins_are_divided_by_twin_classes() -> None:
    h = cp.clique_hierarchy(blow_up(path(8), [6] * 8).graph(), levels=1)
    rows = rows_of_hierarchy(h)
    assert [level.factored for level in rows] == [True, False]
    parts = cp.scale.partition(h, 3)
    assert parts.header.factored == (True, False)
    classes = h.graph(0).twins.classes
    for part in parts:
        others = np.setdiff1d(np.arange(48), part.nodes(0))
        assert not set(classes[part.nodes(0)].tolist()) & set(classes[others].tolist())
        assert part.num_edges(0) < h.graph(0).degrees[part.nodes(0)].sum()


def test_pools_keep_together() -> None:
    cliques = cp.Graph.from_edges(
        [(6 * c + i, 6 * c + j) for c in range(20) for i in range(6) for j in range(i)]
    )
    h = cp.clique_hierarchy(cliques, levels=1)
    parts = cp.scale.partition(h, 4)
    for part in parts:
        below = {v for pool in part.nodes(1).tolist() for v in h[0].pools[pool].tolist()}
        assert set(part.nodes(0).tolist()) == below
        assert len(part.halo(0)) == 0


def test_parts_of_a_folder_are_opened_again(tmp_path: Path) -> None:
    h = cp.clique_hierarchy(grid(5, 5, diagonals=True).graph(), levels=2)
    made = cp.scale.partition(h, 3, tmp_path / "new" / "folder")
    opened = cp.scale.Parts.open(tmp_path / "new" / "folder", h)
    opened.check()
    assert repr(opened) == "Parts(3 parts of 25 -> 16 -> 4)"
    assert opened.header.partition == made.header.partition
    assert [part.index for part in opened[1:]] == [1, 2]
    assert opened[-1].nodes(0).tolist() == made[2].nodes(0).tolist()
    assert opened.file_size(0) == (tmp_path / "new" / "folder" / "part-00000.safetensors").stat().st_size
    assert repr(opened[0]).startswith("Part(0, own nodes ")


def test_a_temporary_folder_goes_with_its_parts() -> None:
    parts = cp.scale.partition(cp.clique_hierarchy(path(5).graph()), 2)
    folder = parts.folder
    assert folder.is_dir()
    del parts
    assert not folder.exists()


def test_parts_of_another_hierarchy_are_refused(tmp_path: Path) -> None:
    h, other = (cp.clique_hierarchy(path(n).graph(), levels=1) for n in (9, 10))
    assert hierarchy_fingerprint(h) != hierarchy_fingerprint(other)
    cp.scale.partition(h, 2, tmp_path)
    with pytest.raises(
        cp.GraphError, match=r"expected the parts of Hierarchy.10 -> 9., got those of another"
    ):
        cp.scale.Parts.open(tmp_path, other)


def test_an_interrupted_partition_is_not_taken_for_whole(tmp_path: Path) -> None:
    h = cp.clique_hierarchy(path(9).graph(), levels=1)
    cp.scale.partition(h, 2, tmp_path)

    def stop(what: str, done: int, total: int) -> None:
        if (what, done, total) == ("writing parts", 1, 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cp.scale.partition(h, 2, tmp_path, progress=stop)
    with pytest.raises(FileNotFoundError, match="expected the parts of a graph"):
        cp.scale.Parts.open(tmp_path)


@pytest.mark.parametrize("number", [0, -1, 10_001])
def test_impossible_numbers_of_parts_are_refused(number: int) -> None:
    with pytest.raises(cp.GraphError, match=f"parts: expected a number from 1 to 10,000, got {number}"):
        cp.scale.partition(cp.clique_hierarchy(path(5).graph()), number)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        cp.scale.partition(cp.clique_hierarchy(path(5).graph()), 2, tmp_path / "file")
