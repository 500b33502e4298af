"""Colours over a hierarchy are those of the definition, and depend on the graph alone."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.generators.atlas import graph_atlas_g

import cliquepool as cp
from tests.helpers.naive_colours import colour_counts
from tests.helpers.small_graphs import (
    Sample,
    cycle,
    graphs,
    graphs_and_orders,
    hypercube,
    path,
    sample_graphs,
    union,
)

SIX_CYCLE = cycle(6)
TWO_TRIANGLES = union(cycle(3), cycle(3))
BOWTIE = Sample(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])


def sizes_of_colours(colours: cp.WLColours) -> list[list[int]]:
    """Return how many nodes have each colour, by level, without the colours."""
    return [sorted(colours.multiset(level)[1].tolist()) for level in range(len(colours))]


def sizes_by_definition(sample: Sample, levels: int | None = None, labels: Any = None) -> list[list[int]]:
    (counts,) = colour_counts([sample.neighbours()], levels, None if labels is None else [labels])
    by_level: dict[int, list[int]] = {level: [] for level, _ in counts}
    for (level, _), count in counts.items():
        by_level[level].append(count)
    return [sorted(by_level[level]) for level in sorted(by_level)]


# ---- against the definition ----


def test_colours_of_every_small_graph_are_those_of_the_definition() -> None:
    for graph in graph_atlas_g()[1:]:
        if len(graph) < 7:
            sample = Sample(len(graph), list(graph.edges))
            assert sizes_of_colours(cp.wl_colours(sample.graph())) == sizes_by_definition(sample), sample


def test_colours_of_random_graphs_are_those_of_the_definition() -> None:
    for sample in sample_graphs(140, seed=3):
        if sample.num_nodes and max(cp.clique_hierarchy(sample.graph(), 2).sizes) <= 60:
            colours = cp.wl_colours(sample.graph(), 2)
            assert sizes_of_colours(colours) == sizes_by_definition(sample, 2), sample


@given(graphs(7), st.integers(0, 2), st.data())
@settings(max_examples=60)
def test_labels_split_the_colours_as_in_the_definition(
    sample: Sample, levels: int, data: st.DataObject
) -> None:
    size = sample.num_nodes
    labels = data.draw(st.lists(st.integers(-2, 2), min_size=size, max_size=size))
    if size:
        found = sizes_of_colours(cp.wl_colours(sample.graph(), levels, node_labels=labels))
        assert found == sizes_by_definition(sample, levels, labels)


@given(graphs(6), graphs(6), st.sampled_from([0, 1, 2, None]))
@settings(max_examples=150)
def test_pairs_are_told_apart_exactly_where_the_definition_does(
    one: Sample, other: Sample, levels: int | None
) -> None:
    first, second = colour_counts([one.neighbours(), other.neighbours()], levels)
    assert (cp.wl_colours(one.graph(), levels) == cp.wl_colours(other.graph(), levels)) == (first == second)


@pytest.mark.parametrize("levels", [0, 1, None])
def test_pairs_of_regular_graphs_are_told_apart_exactly_where_the_definition_does(levels: int | None) -> None:
    regular = [nx.random_regular_graph(3, 8, seed=seed) for seed in range(8)]
    samples = [Sample(8, list(graph.edges)) for graph in regular] + [hypercube(3), union(cycle(4), cycle(4))]
    for one, other in combinations(samples, 2):
        first, second = colour_counts([one.neighbours(), other.neighbours()], levels)
        assert (cp.wl_colours(one.graph(), levels) == cp.wl_colours(other.graph(), levels)) == (
            first == second
        )


# ---- what is told apart ----


def test_only_the_levels_tell_a_six_cycle_from_two_triangles() -> None:
    graphs_of_two = SIX_CYCLE.graph(), TWO_TRIANGLES.graph()
    assert len({cp.wl_colours(graph, 0) for graph in graphs_of_two}) == 1
    assert len({cp.wl_colours(graph, 1) for graph in graphs_of_two}) == 2
    assert len({cp.wl_colours(graph) for graph in graphs_of_two}) == 2


def test_regular_graphs_of_different_degree_are_told_apart_without_levels() -> None:
    """Their colours are stable at once, so that only the round that shows this tells them apart."""
    prism = nx.circular_ladder_graph(3)
    assert cp.wl_colours(SIX_CYCLE.graph(), 0) != cp.wl_colours(prism, 0)


@pytest.mark.parametrize(("levels", "told_apart"), [(0, 1226), (None, 1252)])
def test_the_atlas_is_told_apart_as_by_the_definition(levels: int | None, told_apart: int) -> None:
    """The 1,252 graphs are pairwise not isomorphic."""
    samples = [Sample(len(graph), list(graph.edges)) for graph in graph_atlas_g()[1:]]
    digests = [cp.wl_colours(sample.graph(), levels).digest for sample in samples]
    counts = colour_counts([sample.neighbours() for sample in samples], levels)
    defined = [frozenset(count.items()) for count in counts]
    assert (
        len(set(digests)) == len(set(defined)) == len(set(zip(digests, defined, strict=True))) == told_apart
    )


# ---- of the graph alone ----


@given(graphs_and_orders(9), st.sampled_from([0, 1, None]))
@settings(max_examples=150)
def test_colours_do_not_depend_on_node_numbers(drawn: tuple[Sample, list[int]], levels: int | None) -> None:
    sample, order = drawn
    colours = cp.wl_colours(sample.graph(), levels, node_labels=[v % 2 for v in range(sample.num_nodes)])
    labels = [0] * sample.num_nodes
    for v, new in enumerate(order):
        labels[new] = v % 2
    other = cp.wl_colours(sample.relabelled(order).graph(), levels, node_labels=labels)
    assert other == colours
    assert hash(other) == hash(colours)
    assert other.digests == colours.digests
    np.testing.assert_array_equal(other.of_nodes(0)[order], colours.of_nodes(0))


def test_isomorphic_graphs_of_the_atlas_have_equal_colours() -> None:
    draw = np.random.default_rng(0)
    for graph in graph_atlas_g()[1:]:
        order = draw.permutation(len(graph))
        copy = Sample(len(graph), list(graph.edges)).relabelled(order.tolist())
        assert cp.wl_colours(copy.graph()) == cp.wl_colours(graph)


@pytest.mark.parametrize(
    ("sample", "options", "digest"),
    [
        (SIX_CYCLE, {}, "fece29d079d88f5f4242766562f890ea"),
        (TWO_TRIANGLES, {}, "048852c5bf2dcd2c2c630d3ae9a5b36e"),
        (BOWTIE, {"levels": 0}, "650d47f79159f10162d35d33debe5c56"),
        (BOWTIE, {"node_labels": [3, -1, 0, 2**40, 5]}, "bf6f832b1aa9e4a80cb7ec32148e631f"),
        (BOWTIE, {"node_labels": ["C", "N", "O", "é", ""]}, "89811ccdc44983a3bf4452cf3935a7e6"),
        (Sample(0, []), {}, "bc3c82df71525cfa167bd6f8e39e21f1"),
        (path(40), {"rounds": 3}, "9575d297f7d620acb1802a15c8de0395"),
    ],
)
def test_digests_are_those_of_earlier_versions(sample: Sample, options: dict[str, Any], digest: str) -> None:
    assert cp.wl_colours(sample.graph(), **options).digest == digest


def test_twin_classes_change_nothing() -> None:
    """Coarse graphs are stored by their twin classes; expanded, they have the same colours."""
    for sample in sample_graphs(70, seed=5):
        coarse = cp.clique_pool(sample.graph()).coarse
        expanded = cp.Graph.from_csr(coarse.indptr, coarse.indices)
        assert cp.wl_colours(coarse, 1) == cp.wl_colours(expanded, 1)


def test_the_dense_coarse_graph_of_many_tied_pools_is_not_expanded() -> None:
    star = cp.Graph.from_edges([(0, v) for v in range(1, 20_001)])
    hierarchy = cp.clique_hierarchy(star)
    colours = cp.wl_colours(hierarchy)
    assert colours.num_colours == (2, 1, 1)
    assert hierarchy.graph(1).num_edges == 20_000 * 19_999 // 2
    assert hierarchy.graph(1)._csr is None


# ---- arguments and the result ----


def test_a_hierarchy_a_graph_and_graphs_of_other_libraries_give_the_same_colours() -> None:
    graph = BOWTIE.graph()
    expected = cp.wl_colours(cp.clique_hierarchy(graph))
    other = nx.Graph(BOWTIE.edges)
    assert expected == cp.wl_colours(graph) == cp.wl_colours(other) == cp.wl_colours(graph.to_scipy())
    assert cp.wl_colours(cp.clique_hierarchy(graph), 1) == cp.wl_colours(graph, 1) != expected
    assert cp.wl_colours(cp.clique_hierarchies([graph])[0]) == expected


def test_the_result_has_colours_of_nodes_and_a_multiset_of_each_level() -> None:
    colours = cp.wl_colours(BOWTIE.graph())
    assert colours.sizes == (5, 2, 1)
    assert colours.num_colours == (2, 1, 1)
    assert len(colours) == 3
    assert Counter(colours.of_nodes(0).tolist()) == dict(zip(*map(list, colours.multiset(0)), strict=True))
    assert colours.of_nodes(0).dtype == np.uint64
    assert repr(colours) == f"WLColours(5 -> 2 -> 1 nodes, 2 -> 1 -> 1 colours, 2 rounds, {colours.digest})"
    assert colours != "colours"


def test_the_result_cannot_be_changed_and_survives_pickling() -> None:
    colours = cp.wl_colours(BOWTIE.graph())
    with pytest.raises(ValueError, match="read-only"):
        colours.of_nodes(0)[0] = 0
    with pytest.raises(AttributeError):
        colours.digest = ""  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(colours)) == colours


def test_rounds_end_the_refinement() -> None:
    graph = path(40).graph()
    assert cp.wl_colours(graph, 0, rounds=0).num_colours == (1,)
    assert cp.wl_colours(graph, 0, rounds=2).num_colours == (3,)
    assert cp.wl_colours(graph, 0).num_colours == (20,)
    assert cp.wl_colours(graph, 0, rounds=1000) == cp.wl_colours(graph, 0)


def test_text_and_integer_labels_differ() -> None:
    pair = Sample(2, [(0, 1)]).graph()
    assert cp.wl_colours(pair, node_labels=["1", "1"]) != cp.wl_colours(pair, node_labels=[1, 1])
    assert cp.wl_colours(pair, node_labels=np.array([1, 1], np.int16)) == cp.wl_colours(
        pair, node_labels=[1, 1]
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": -1}, "levels: expected an integer of at least 0 or None, got -1"),
        ({"levels": 1.5}, "levels: expected an integer of at least 0 or None, got 1.5"),
        ({"levels": 3}, "levels: expected at most the 2 of the hierarchy, got 3"),
        ({"rounds": True}, "rounds: expected an integer of at least 0 or None, got True"),
        ({"node_labels": [1, 2]}, r"node_labels: expected one for each of 5 nodes of level 0, got .*\(2,\)"),
        ({"node_labels": [0.5] * 5}, "node_labels: expected integers, got float64"),
        ({"node_labels": ["a", 1, 2, 3, 4]}, "node_labels: expected .* all text, got 1 beside text"),
    ],
)
def test_wrong_arguments_say_what_was_expected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        cp.wl_colours(cp.clique_hierarchy(BOWTIE.graph()), **options)


def test_other_objects_and_levels_are_refused() -> None:
    with pytest.raises(cp.GraphError, match="expected a Graph, a networkx"):
        cp.wl_colours([(0, 1)])  # type: ignore[arg-type]
    with pytest.raises(cp.GraphError, match="expected a level from 0 to 2, got 3"):
        cp.wl_colours(BOWTIE.graph()).of_nodes(3)


def test_the_budget_limits_the_time_of_refinement() -> None:
    hierarchy = cp.clique_hierarchy(path(50).graph(), 0)
    with pytest.raises(cp.BudgetExceeded, match="max_seconds reached while refining colours"):
        cp.wl_colours(hierarchy, budget=cp.Budget(max_seconds=0))
