"""Hierarchies converge, have the levels of the definition, and survive a round trip through a file."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.generators.atlas import graph_atlas_g
from numpy.lib.stride_tricks import sliding_window_view

import cliquepool as cp
from tests.helpers import oracle
from tests.helpers.same_levels import expect_same_levels
from tests.helpers.small_graphs import Sample, complete_multipartite, graphs, grid, path, sample_graphs

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


# ---- against the definition ----


def test_hierarchies_of_every_small_graph_are_those_of_the_definition() -> None:
    for graph in graph_atlas_g():
        assert_as_defined(Sample(len(graph), list(graph.edges)))


@pytest.mark.parametrize(
    "seed", [100, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(101, 106))]
)
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
    one, many = (cp.clique_hierarchy(graph, levels=3, threads=number) for number in (1, threads))
    expect_same_levels(many, one)
    assert many.graph(3) == one.graph(3)


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
