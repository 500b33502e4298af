"""Listing maximal cliques agrees with the definition, with networkx and with igraph."""

from __future__ import annotations

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from networkx.generators.atlas import graph_atlas_g

import cliquepool as cp
from tests.helpers import oracle
from tests.helpers.small_graphs import (
    Sample,
    blow_up,
    complete_multipartite,
    graphs,
    grid,
    hypercube,
    sample_graphs,
    union,
)


def as_sets(cliques: cp.Ragged) -> set[frozenset[int]]:
    sets = {frozenset(clique) for clique in cliques.tolist()}
    assert len(sets) == len(cliques), "a clique was listed twice"
    return sets


def random_sample(num_nodes: int, density: float, seed: int) -> Sample:
    return Sample(num_nodes, list(nx.gnp_random_graph(num_nodes, density, seed=seed).edges))


def test_cliques_of_every_small_graph_are_those_of_the_definition() -> None:
    for known in graph_atlas_g():
        sample = Sample(len(known), list(known.edges))
        assert as_sets(cp.maximal_cliques(sample.graph())) == set(oracle.maximal_cliques(sample.neighbours()))


def test_cliques_of_thousands_of_random_graphs_are_those_of_the_definition() -> None:
    for sample in sample_graphs(5000, seed=11):
        assert as_sets(cp.maximal_cliques(sample.graph())) == set(oracle.maximal_cliques(sample.neighbours()))


# Beyond 64, 128 and 256 later neighbours the rows of the search get wider.
WIDE = [
    (30, 0.9),
    (40, 0.7),
    (70, 0.6),
    (90, 0.5),
    (150, 0.3),
    (300, 0.1),
    (300, 0.3),
    (700, 0.05),
    (1000, 0.004),
]


@pytest.mark.parametrize(("num_nodes", "density"), WIDE)
def test_listing_agrees_with_networkx_and_igraph(num_nodes: int, density: float) -> None:
    sample = random_sample(num_nodes, density, seed=num_nodes)
    ours = as_sets(cp.maximal_cliques(sample.graph()))
    assert ours == set(map(frozenset, igraph.Graph(num_nodes, sample.edges).maximal_cliques()))
    known = nx.Graph(sample.edges)
    known.add_nodes_from(range(num_nodes))
    assert ours == set(map(frozenset, nx.find_cliques(known)))


@pytest.mark.parametrize("num_blocks", [1, 3, 5, 7])
def test_listing_agrees_with_igraph_where_rows_are_hundreds_of_nodes_wide(num_blocks: int) -> None:
    clique = Sample(1, [])
    hub = blow_up(clique, [70 * num_blocks])
    edges = [*hub.edges, *((v, hub.num_nodes + v % 9) for v in range(0, hub.num_nodes, 2))]
    sample = Sample(hub.num_nodes + 9, edges)
    ours = as_sets(cp.maximal_cliques(sample.graph()))
    assert ours == set(map(frozenset, igraph.Graph(sample.num_nodes, sample.edges).maximal_cliques()))


@given(graphs())
@settings(max_examples=300, deadline=None)
def test_every_clique_is_listed_once_and_is_maximal(sample: Sample) -> None:
    assert as_sets(cp.maximal_cliques(sample.graph())) == set(oracle.maximal_cliques(sample.neighbours()))


@given(graphs())
@settings(max_examples=150, deadline=None)
def test_counts_and_maximum_cliques_are_those_of_the_listing(sample: Sample) -> None:
    graph = sample.graph()
    cliques = oracle.maximal_cliques(sample.neighbours())
    largest = max(map(len, cliques), default=0)
    assert cp.count_maximal_cliques(graph) == len(cliques)
    assert cp.clique_number(graph) == largest
    assert as_sets(cp.maximum_cliques(graph)) == set(oracle.maximum_cliques(sample.neighbours()))
    for least in range(1, largest + 2):
        listed = cp.maximal_cliques(graph, min_size=least)
        assert as_sets(listed) == {clique for clique in cliques if len(clique) >= least}
        assert cp.count_maximal_cliques(graph, min_size=least) == len(listed)


@pytest.mark.parametrize("seed", range(20))
def test_maximum_cliques_of_larger_graphs_agree_with_igraph(seed: int) -> None:
    sample = random_sample(60 + 5 * seed, 0.9 - 0.04 * seed, seed)
    theirs = igraph.Graph(sample.num_nodes, sample.edges).largest_cliques()
    assert as_sets(cp.maximum_cliques(sample.graph())) == set(map(frozenset, theirs))
    assert cp.clique_number(sample.graph()) == len(theirs[0])


def test_the_count_of_a_complement_of_disjoint_triangles_is_a_power_of_three() -> None:
    for triangles in range(1, 10):
        graph = complete_multipartite([3] * triangles).graph()
        assert cp.count_maximal_cliques(graph) == len(cp.maximal_cliques(graph)) == 3**triangles
        assert cp.clique_number(graph) == triangles


@pytest.mark.parametrize("threads", [2, 3])
def test_listings_do_not_depend_on_threads(threads: int) -> None:
    for sample in (
        random_sample(120, 0.5, 1),
        hypercube(6),
        union(grid(5, 5, diagonals=True), random_sample(50, 0.6, 2)),
    ):
        alone = cp.maximal_cliques(sample.graph(), threads=1)
        together = cp.maximal_cliques(sample.graph(), threads=threads)
        np.testing.assert_array_equal(alone.offsets, together.offsets)
        np.testing.assert_array_equal(alone.members, together.members)


def test_no_nodes_have_no_cliques_and_lone_nodes_are_their_own() -> None:
    nothing = Sample(0, []).graph()
    assert cp.maximal_cliques(nothing).tolist() == []
    assert cp.maximum_cliques(nothing).tolist() == []
    assert cp.count_maximal_cliques(nothing) == cp.clique_number(nothing) == 0
    lone = Sample(3, []).graph()
    assert sorted(cp.maximal_cliques(lone).tolist()) == [[0], [1], [2]]
    assert cp.maximal_cliques(lone, min_size=2).tolist() == []


def test_cliques_come_as_a_ragged_array() -> None:
    cliques = cp.maximal_cliques(Sample(5, [(0, 1), (1, 2), (0, 2), (2, 3)]).graph())
    assert len(cliques) == 3
    rows = [clique.tolist() for clique in cliques]
    assert rows == cliques.tolist()
    assert sorted(rows) == [[0, 1, 2], [2, 3], [4]]
    assert all(isinstance(clique, np.ndarray) for clique in cliques)
    assert cliques[-1].tolist() == rows[-1]
    np.testing.assert_array_equal(np.diff(cliques.offsets), [len(row) for row in rows])
    np.testing.assert_array_equal(cliques.members, np.concatenate(rows))
    with pytest.raises(IndexError):
        cliques[3]


@pytest.mark.parametrize("least", [0, -1])
def test_a_least_size_below_one_is_refused(least: int) -> None:
    with pytest.raises(ValueError, match="min_size"):
        cp.maximal_cliques(Sample(3, [(0, 1)]).graph(), min_size=least)
