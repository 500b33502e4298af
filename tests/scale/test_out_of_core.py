"""Hierarchies on disk: byte for byte those in memory, resumable, damage is an error that names the file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import cliquepool as cp
from benchmarks.tied_core import tied_core
from cliquepool import _core
from cliquepool.scale import convert_graph, pool_out_of_core
from tests.helpers.random_edges import random_edges
from tests.helpers.same_levels import expect_same_levels


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


def converted(folder: Path, edges: Any, **options: Any) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "edges.txt").write_text("".join(f"{u} {v}\n" for u, v in edges))
    convert_graph(folder / "edges.txt", folder / "graph", **options)
    return folder / "graph"


@settings(max_examples=40)
@given(drawn=random_edges(9))
def test_hierarchies_are_those_in_memory(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    with tempfile.TemporaryDirectory() as parent:
        graph = converted(Path(parent), drawn[1])
        expected = cp.clique_hierarchy(cp.Graph.open(graph))
        expect_same_levels(pool_out_of_core(graph, Path(parent, "h"), memory=1), expected)
        expect_same_levels(cp.Hierarchy.open(Path(parent, "h"), validate=True), expected)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """A random graph with names, and with a clique of twins."""
    draw = np.random.default_rng(1)
    edges = {tuple(sorted(pair)) for pair in draw.integers(0, 60, (200, 2)).tolist()}
    edges |= {(u, v) for v in range(60, 66) for u in range(60, v)}
    return converted(tmp_path, [(f"n{u:02}", f"n{v:02}") for u, v in sorted(edges)])


def test_labels_and_levels(graph: Path, tmp_path: Path) -> None:
    expected = cp.clique_hierarchy(cp.Graph.open(graph), 2)
    found = pool_out_of_core(graph, tmp_path / "h", 2)
    expect_same_levels(found, expected)
    assert found.graph(0).labels is not None
    assert found.graph(0).labels.tolist() == cp.Graph.open(graph).labels.tolist()  # type: ignore[union-attr]
    assert not found[0].pools.members.flags.writeable
    found.check()
    assert len(pool_out_of_core(graph, tmp_path / "none", 0)) == 0


def test_a_run_adds_the_levels_that_are_missing(
    graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = cp.clique_hierarchy(cp.Graph.open(graph))
    pool_out_of_core(graph, tmp_path / "h", 1)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_core, "later_lists", interrupt)
        with pytest.raises(KeyboardInterrupt):
            pool_out_of_core(graph, tmp_path / "h")
    assert (tmp_path / "h" / "graph-1").is_dir()
    assert not (tmp_path / "h" / "pools-2").exists()
    expect_same_levels(cp.Hierarchy.open(tmp_path / "h"), cp.clique_hierarchy(cp.Graph.open(graph), 1))
    before = (tmp_path / "h" / "pools-1" / "members").stat().st_mtime_ns
    expect_same_levels(pool_out_of_core(graph, tmp_path / "h"), expected)
    assert (tmp_path / "h" / "pools-1" / "members").stat().st_mtime_ns == before
    left = [path.name for path in (tmp_path / "h").iterdir() if path.name.startswith(".")]
    assert left == []


def test_the_last_of_a_number_of_graphs_is_computed_on_first_use(graph: Path, tmp_path: Path) -> None:
    found = pool_out_of_core(graph, tmp_path / "h", 1)
    assert not (tmp_path / "h" / "graph-1").exists()
    expect_same_levels(found, cp.clique_hierarchy(cp.Graph.open(graph), 1))
    again = pool_out_of_core(graph, tmp_path / "h", 1)
    assert again.sizes == found.sizes


def test_a_run_that_ends_in_the_first_level_leaves_a_folder_to_continue(graph: Path, tmp_path: Path) -> None:
    with pytest.raises(cp.BudgetExceeded):
        pool_out_of_core(graph, tmp_path / "h", budget=cp.Budget(max_bytes=1))
    with pytest.raises(cp.GraphError, match="expected at least one graph, got a folder that was only begun"):
        cp.Hierarchy.open(tmp_path / "h")
    expect_same_levels(pool_out_of_core(graph, tmp_path / "h"), cp.clique_hierarchy(cp.Graph.open(graph)))


def test_coarse_graphs_larger_than_the_budget_are_written_to_the_disk(tmp_path: Path) -> None:
    edges = tied_core(9, common=40)
    graph = converted(tmp_path, edges.tolist())
    expected = cp.clique_hierarchy(cp.Graph.open(graph))
    quotient = 4 * len(expected.graph(1)._factors().indices)
    small = cp.Budget(max_bytes=quotient // 3)
    with pytest.raises(cp.BudgetExceeded):
        cp.clique_pool(cp.Graph.open(graph), budget=small).coarse  # noqa: B018 (computed on first use)
    expect_same_levels(pool_out_of_core(graph, tmp_path / "h", memory=2**14, budget=small), expected)


def test_a_full_disk_is_an_error_that_names_the_file(
    graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full, raising=False)
        with pytest.raises(OSError, match="No space left") as error:
            pool_out_of_core(graph, tmp_path / "h")
    assert str(tmp_path / "h") in str(error.value.filename)
    expect_same_levels(pool_out_of_core(graph, tmp_path / "h"), cp.clique_hierarchy(cp.Graph.open(graph)))


def test_folders_of_other_graphs_and_other_folders_are_refused(graph: Path, tmp_path: Path) -> None:
    pool_out_of_core(graph, tmp_path / "h", 1)
    other = converted(tmp_path / "other", [(0, 1)])
    with pytest.raises(cp.GraphError, match=r"expected the hierarchy of .*other.*, got that of another"):
        pool_out_of_core(other, tmp_path / "h", 1)
    with pytest.raises(FileExistsError):
        pool_out_of_core(graph, tmp_path)
    with pytest.raises(cp.GraphError, match=r"expected a folder with a manifest.json"):
        pool_out_of_core(tmp_path, tmp_path / "g")
    with pytest.raises(ValueError, match="levels: expected 0 or more, got -1"):
        pool_out_of_core(graph, tmp_path / "g", -1)
    with pytest.raises(ValueError, match="memory: expected at least 1 byte"):
        pool_out_of_core(graph, tmp_path / "g", memory=0)


@pytest.mark.slow
def test_pools_of_real_graphs_are_those_in_memory(shared_data: Path, tmp_path: Path) -> None:
    for file in sorted((shared_data / "graphs").glob("*.txt.gz")):
        name = file.name.removesuffix(".txt.gz")
        graph = convert_graph(file, tmp_path / name)
        assert graph == cp.read_graph(file), name
        found = pool_out_of_core(tmp_path / name, tmp_path / f"{name}-levels", 1, memory=2**22)
        assert found[0].pools == cp.clique_pool(graph).pools, name
