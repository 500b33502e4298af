"""Hierarchies converge, have the levels of the definition, and survive a round trip through a file."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.generators.atlas import graph_atlas_g
from numpy.lib.stride_tricks import sliding_window_view
from safetensors.numpy import load_file, save_file

import cliquepool as cp
from tests.helpers import oracle
from tests.helpers.resealed_files import resealed
from tests.helpers.small_graphs import Sample, complete_multipartite, graphs, grid, path, sample_graphs, union

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_LEVEL_TO_CHECK = 100


def known(graph: nx.Graph) -> Sample:
    number = {name: i for i, name in enumerate(graph)}
    return Sample(len(graph), [(number[u], number[v]) for u, v in graph.edges])


def levels_of(hierarchy: cp.Hierarchy) -> list[oracle.Level]:
    return [oracle.level_of(hierarchy[i]) for i in range(len(hierarchy))]


def assert_as_defined(sample: Sample) -> None:
    made = oracle.hierarchy(sample.neighbours(), max_nodes=LARGEST_LEVEL_TO_CHECK)
    converged = not made or not any(made[-1].coarse)
    hierarchy = cp.clique_hierarchy(sample.graph(), levels=None if converged else len(made))
    assert levels_of(hierarchy) == made, sample
    assert hierarchy.sizes == (sample.num_nodes, *(len(level.pools) for level in made))


def assert_equal(one: cp.Hierarchy, other: cp.Hierarchy) -> None:
    assert one.sizes == other.sizes
    for level in range(len(one)):
        np.testing.assert_array_equal(one[level].pools.offsets, other[level].pools.offsets)
        np.testing.assert_array_equal(one[level].pools.members, other[level].pools.members)
    for level in range(len(one) + 1):
        np.testing.assert_array_equal(one.graph(level).indptr, other.graph(level).indptr)
        np.testing.assert_array_equal(one.graph(level).indices, other.graph(level).indices)


# ---- against the definition ----


def test_hierarchies_of_every_small_graph_are_those_of_the_definition() -> None:
    for graph in graph_atlas_g():
        assert_as_defined(Sample(len(graph), list(graph.edges)))


@pytest.mark.parametrize("seed", range(100, 106))
def test_hierarchies_of_random_graphs_are_those_of_the_definition(seed: int) -> None:
    for sample in sample_graphs(3500, seed):
        assert_as_defined(sample)


@given(graphs(9))
@settings(max_examples=300, deadline=None)
def test_hierarchies_are_those_of_the_definition(sample: Sample) -> None:
    assert_as_defined(sample)


@given(graphs(7))
@settings(max_examples=200, deadline=None)
def test_hierarchies_converge_to_one_node_for_each_component(sample: Sample) -> None:
    hierarchy = cp.clique_hierarchy(sample.graph())
    parts = oracle.components(sample.neighbours())
    assert hierarchy.sizes[-1] == len(parts)
    assert hierarchy.graph(len(hierarchy)).num_edges == 0
    fields = [hierarchy.receptive_field(len(hierarchy), v).tolist() for v in range(len(parts))]
    assert sorted(fields) == parts


@pytest.mark.parametrize(
    ("sample", "sizes"),
    [
        (path(16), (16, 15, 13, 9, 1)),
        (known(nx.petersen_graph()), (10, 15, 243, 1)),
        (complete_multipartite([5, 5]), (10, 25, 1)),
        (known(nx.karate_club_graph()), (34, 21, 15, 13, 1)),
        (known(nx.les_miserables_graph()), (77, 38, 29, 20, 19, 1)),
        (grid(8, 8, diagonals=True), (64, 49, 25, 1)),
        (grid(32, 32, diagonals=True), tuple(side**2 for side in (32, 31, 29, 25, 17, 1))),
        (Sample(0, []), (0,)),
        (Sample(1, []), (1,)),
        (Sample(4, []), (4,)),
        (Sample(2, [(0, 1)]), (2, 1)),
    ],
    ids=["path", "Petersen", "K5,5", "karate", "Les Misérables", "8×8", "32×32", "0", "1", "4", "edge"],
)
def test_sizes_of_known_hierarchies(sample: Sample, sizes: tuple[int, ...]) -> None:
    assert cp.clique_hierarchy(sample.graph()).sizes == sizes


@given(st.integers(1, 200), st.integers(1, 8))
@settings(max_examples=100, deadline=None)
def test_n_pools_shorten_a_path_by_two_to_the_n_minus_one(num_nodes: int, levels: int) -> None:
    sizes = cp.clique_hierarchy(path(num_nodes).graph(), levels=levels).sizes
    for level, size in enumerate(sizes):
        assert size == max(1, num_nodes - (2**level - 1))


@pytest.mark.parametrize(("height", "width"), [(8, 8), (9, 9), (6, 11), (17, 17), (32, 32)])
def test_levels_of_a_grid_are_its_windows_with_stride_one(height: int, width: int) -> None:
    hierarchy = cp.clique_hierarchy(grid(height, width, diagonals=True).graph())
    side = 2
    for level in hierarchy:
        if side > min(height, width):
            break
        nodes = np.arange(height * width).reshape(height, width)
        windows = sliding_window_view(nodes, (side, side)).reshape(-1, side * side)
        assert level.pools.tolist() == windows.tolist()
        height, width, side = height - side + 1, width - side + 1, 2 * side - 1


def test_level_counts_are_kept_when_a_graph_converges_early() -> None:
    made = oracle.hierarchy(path(3).neighbours(), levels=4)
    assert [len(level.pools) for level in made] == [2, 1, 1, 1]
    assert cp.clique_hierarchy(path(3).graph(), levels=4).sizes == (3, 2, 1, 1, 1)
    assert cp.clique_hierarchy(path(3).graph(), levels=1).sizes == (3, 2)
    assert cp.clique_hierarchy(path(3).graph(), levels=0).sizes == (3,)


# ---- what the result must not depend on ----


@given(graphs(8), st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_hierarchies_do_not_depend_on_threads(sample: Sample, threads: int) -> None:
    graph = sample.graph()
    assert_equal(
        cp.clique_hierarchy(graph, levels=3, threads=threads), cp.clique_hierarchy(graph, levels=3, threads=1)
    )


@pytest.mark.parametrize("threads", [1, 2, 3, None])
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_many_graphs_at_once_are_pooled_as_one_by_one(threads: int | None, levels: int) -> None:
    batch = [sample.graph() for sample in sample_graphs(210, seed=7)]
    together = cp.clique_hierarchies(batch, levels=levels, threads=threads)
    assert len(together) == len(batch)
    for graph, hierarchy in zip(batch, together, strict=True):
        assert_equal(hierarchy, cp.clique_hierarchy(graph, levels=levels))


def test_no_graphs_have_no_hierarchies() -> None:
    assert len(cp.clique_hierarchies([], levels=2)) == 0


# ---- looking at a hierarchy ----


def test_receptive_fields_are_those_of_the_definition() -> None:
    for sample in sample_graphs(210, seed=51):
        made = oracle.hierarchy(sample.neighbours(), levels=2)
        hierarchy = cp.clique_hierarchy(sample.graph(), levels=2)
        for level in range(3):
            for v in range(hierarchy.sizes[level]):
                assert hierarchy.receptive_field(level, v).tolist() == oracle.receptive_field(made, level, v)


def test_receptive_fields_of_nodes_or_levels_that_are_not_there_are_refused() -> None:
    hierarchy = cp.clique_hierarchy(path(5).graph())
    for level, v in [(9, 0), (1, 4), (0, 5), (-9, 0)]:
        with pytest.raises((IndexError, cp.GraphError)):
            hierarchy.receptive_field(level, v)


def test_graphs_of_the_levels_are_the_coarse_graphs() -> None:
    graph = grid(5, 5, diagonals=True).graph()
    hierarchy = cp.clique_hierarchy(graph)
    assert oracle.neighbours_of(hierarchy.graph(0)) == oracle.neighbours_of(graph)
    for level in range(len(hierarchy)):
        coarse = oracle.neighbours_of(hierarchy[level].coarse)
        assert oracle.neighbours_of(hierarchy.graph(level + 1)) == coarse
    with pytest.raises((IndexError, cp.GraphError)):
        hierarchy.graph(len(hierarchy) + 1)
    with pytest.raises(IndexError):
        hierarchy[len(hierarchy)]


# ---- files ----


@given(sample=graphs(8))
@settings(max_examples=40, deadline=None)
def test_a_saved_hierarchy_is_loaded_as_it_was(
    sample: Sample, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("saved") / "h.safetensors"
    hierarchy = cp.clique_hierarchy(sample.graph(), levels=3)
    hierarchy.save(file)
    loaded = cp.Hierarchy.load(file)
    assert_equal(loaded, hierarchy)
    for level in range(len(hierarchy)):
        assert loaded[level].memberships.tolist() == hierarchy[level].memberships.tolist()
        np.testing.assert_array_equal(loaded[level].coarse_weights(), hierarchy[level].coarse_weights())
    for v in range(loaded.sizes[-1]):
        assert loaded.receptive_field(3, v).tolist() == hierarchy.receptive_field(3, v).tolist()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    file = tmp_path / "h.safetensors"
    sample = union(grid(4, 5, diagonals=True), complete_multipartite([3, 2, 1]), path(6))
    cp.clique_hierarchy(sample.graph()).save(file)
    return file


def test_saving_replaces_a_file_and_leaves_nothing_beside_it(saved: Path) -> None:
    cp.clique_hierarchy(path(4).graph()).save(str(saved))
    assert cp.Hierarchy.load(str(saved)).sizes == (4, 3, 1)
    assert list(saved.parent.iterdir()) == [saved]


def test_a_save_that_fails_leaves_the_old_file(saved: Path, tmp_path: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises((OSError, cp.GraphError)):
        cp.clique_hierarchy(path(4).graph()).save(tmp_path / "no such folder" / "h.safetensors")
    assert saved.read_bytes() == before


def test_a_truncated_file_is_refused_wherever_it_ends(saved: Path) -> None:
    content = saved.read_bytes()
    for end in [0, 1, 7, 8, 9, *range(20, len(content) - 1, 97), len(content) - 1]:
        saved.write_bytes(content[:end])
        with pytest.raises(cp.GraphError):
            cp.Hierarchy.load(saved)


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.safetensors"
    save_file({"weight": np.zeros((3, 3), dtype=np.float32)}, file)
    with pytest.raises(cp.GraphError):
        cp.Hierarchy.load(file)
    for junk in (
        b"",
        b"PK\x03\x04" + bytes(100),
        b"\x80\x04.",
        b"0 1\n1 2\n",
        bytes(range(256)) * 10,
        b"\xff" * 64,
    ):
        file.write_bytes(junk)
        with pytest.raises(cp.GraphError):
            cp.Hierarchy.load(file)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises((FileNotFoundError, cp.GraphError), match="nowhere"):
        cp.Hierarchy.load(tmp_path / "nowhere.safetensors")


def test_a_file_of_another_format_version_is_refused(saved: Path) -> None:
    def from_the_future(_: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
        (name,) = (name for name in metadata if "version" in name)
        metadata[name] = "999"

    resealed(saved, from_the_future)
    with pytest.raises(cp.GraphError, match="999"):
        cp.Hierarchy.load(saved)


def walk(hierarchy: cp.Hierarchy) -> None:
    """Touch everything, so that a bad index anywhere would be followed."""
    for level in range(len(hierarchy)):
        pooling = hierarchy[level]
        pooling.pools.tolist()
        pooling.memberships.tolist()
        pooling.reduce(np.ones(hierarchy.sizes[level]))
        pooling.lift(np.ones(hierarchy.sizes[level + 1]))
        pooling.coarse_weights()
        assert len(hierarchy.graph(level + 1).indptr) == hierarchy.sizes[level + 1] + 1
    for v in range(hierarchy.sizes[-1]):
        hierarchy.receptive_field(len(hierarchy), v)


def test_changed_tensors_are_refused_or_harmless(saved: Path) -> None:
    content = saved.read_bytes()
    names = sorted(load_file(saved))
    draw = random.Random(0)

    def spoil(tensors: dict[str, np.ndarray], _: dict[str, str]) -> None:
        name = draw.choice(names)
        tensor = tensors[name]
        how = draw.randrange(4)
        if how == 0:
            del tensors[name]
        elif how == 1:
            tensors[name] = np.ascontiguousarray(tensor[: len(tensor) // 2])
        elif how == 2:
            tensors[name] = tensor.astype(np.float64)
        elif tensor.size:
            tensor = tensor.copy()
            tensor.reshape(-1)[draw.randrange(tensor.size)] = draw.choice(
                [0, 1, 7, np.iinfo(tensor.dtype).max]
            )
            tensors[name] = tensor

    for _ in range(400):
        saved.write_bytes(content)
        resealed(saved, spoil)
        try:
            loaded = cp.Hierarchy.load(saved)
            walk(loaded)
        except (cp.GraphError, cp.BudgetExceeded):
            continue


def test_flipped_bytes_are_refused_or_harmless(saved: Path) -> None:
    content = saved.read_bytes()
    draw = random.Random(1)
    for _ in range(2000):
        spoilt = bytearray(content)
        for _ in range(draw.randint(1, 4)):
            spoilt[draw.randrange(len(spoilt))] = draw.randrange(256)
        saved.write_bytes(spoilt)
        try:
            loaded = cp.Hierarchy.load(saved)
            walk(loaded)
        except (cp.GraphError, cp.BudgetExceeded):
            continue


def test_a_loaded_hierarchy_is_checked_against_its_graph(saved: Path) -> None:
    hierarchy = cp.clique_hierarchy(path(5).graph())
    hierarchy.save(saved)
    cp.Hierarchy.load(saved).check()
    cp.Hierarchy.load(saved).check(path(5).graph())
    with pytest.raises(cp.GraphError, match="level 0: expected the graph given"):
        cp.Hierarchy.load(saved).check(path(6).graph())

    def other_pool(tensors: dict[str, np.ndarray], _: dict[str, str]) -> None:
        assert tensors["1.members"][:2].tolist() == [0, 1]
        tensors["1.members"][:2] = 0, 3

    resealed(saved, other_pool)
    spoilt = cp.Hierarchy.load(saved)
    with pytest.raises(cp.GraphError, match="level 1, pool 0: expected the nodes 0, 1, got 0, 3"):
        spoilt.check(path(5).graph())


def test_another_graph_between_the_pools_is_found(saved: Path) -> None:
    cp.clique_hierarchy(path(5).graph(), levels=1).save(saved)

    def fewer_edges(tensors: dict[str, np.ndarray], _: dict[str, str]) -> None:
        coarse = cp.Graph.from_edges([(0, 1), (1, 2)], num_nodes=4)
        names = ("classes", "sizes", "indptr", "indices")
        tensors |= {f"1.{name}": array for name, array in zip(names, coarse._factors(), strict=True)}

    resealed(saved, fewer_edges)
    with pytest.raises(cp.GraphError, match=r"level 1: expected .*4 nodes, 5 edges.* got another"):
        cp.Hierarchy.load(saved).check()


@given(sample=graphs(8))
@settings(max_examples=20, deadline=None)
def test_every_hierarchy_passes_its_check(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> None:
    graph = sample.graph()
    for hierarchy in (cp.clique_hierarchy(graph, 2), cp.clique_hierarchies([graph], 2)[0]):
        hierarchy.check(graph)
        file = tmp_path_factory.mktemp("saved") / "h.safetensors"
        hierarchy.save(file)
        cp.Hierarchy.load(file).check(graph)


# ---- the package ----


def test_importing_the_package_imports_neither_torch_nor_scipy() -> None:
    code = "import sys, cliquepool; print(*{'torch', 'scipy', 'networkx'}.intersection(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_importing_the_package_takes_little_longer_than_importing_numpy() -> None:
    """In time of the processor, the least of several: neither this machine nor what else it does decides."""

    def least_seconds(module: str) -> float:
        code = (
            f"import time; began = time.process_time(); import {module}; print(time.process_time() - began)"
        )
        runs = [
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            for _ in range(5)
        ]
        return min(float(run.stdout) for run in runs)

    assert least_seconds("cliquepool") < 3 * least_seconds("numpy")
