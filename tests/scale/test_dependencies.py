"""Dependency diagrams equal breadth-first search over plain sets, at any level and any number of hops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from tests.helpers.small_graphs import Sample, graphs, path


def plain_needs(h: cp.Hierarchy, level: int, hops: list[int], nodes: set[int]) -> list[dict[int, int]]:
    """Return for each level the nodes that are needed and the hop of each, by the definition."""
    found: list[dict[int, int]] = []
    for each in range(level, -1, -1):
        hop = dict.fromkeys(nodes, 0)
        graph, frontier = h.graph(each), set(nodes)
        for distance in range(1, hops[each] + 1):
            frontier = {w for v in frontier for w in graph.neighbours(v).tolist()} - hop.keys()
            hop |= dict.fromkeys(frontier, distance)
        found.append(hop)
        if each:
            nodes = {v for pool in hop for v in h[each - 1].pools[pool].tolist()}
    return found[::-1]


def as_dicts(diagram: cp.scale.DependencyDiagram) -> list[dict[int, int]]:
    for level in diagram.levels:
        assert np.all(np.diff(level.nodes) > 0)
    return [dict(zip(each.nodes.tolist(), each.hops.tolist(), strict=True)) for each in diagram.levels]


@given(graphs(12), st.data())
@settings(max_examples=200, deadline=None)
def test_diagrams_are_those_of_the_definition(sample: Sample, data: st.DataObject) -> None:
    h = cp.clique_hierarchy(sample.graph(), levels=data.draw(st.integers(0, 3)))
    level = data.draw(st.integers(0, len(h)))
    hops = data.draw(st.lists(st.integers(0, 3), min_size=level + 1, max_size=level + 1))
    nodes = data.draw(st.sets(st.integers(0, h.sizes[level] - 1), max_size=4)) if h.sizes[level] else set()
    dependencies = h.dependencies(level, hops)
    expected = plain_needs(h, level, hops, nodes)
    assert as_dicts(dependencies.of(sorted(nodes))) == expected
    assert as_dicts(dependencies.of(sorted(nodes))) == expected  # buffers are clean again


def test_without_hops_the_lowest_level_is_the_receptive_field() -> None:
    h = cp.clique_hierarchy(path(40).graph())
    for level in range(len(h) + 1):
        for node in range(0, h.sizes[level], 5):
            needed = h.dependencies(level, hops=0).of(node)[0]
            np.testing.assert_array_equal(needed, h.receptive_field(level, node))


def test_hops_may_be_one_number_for_all_levels() -> None:
    h = cp.clique_hierarchy(path(40).graph(), levels=2)
    assert as_dicts(h.dependencies(2, 2).of([5])) == as_dicts(h.dependencies(2, [2, 2, 2]).of([5]))


def test_a_coarse_graph_of_many_edges_is_not_expanded() -> None:
    leaves = 3000
    star = cp.Graph.from_edges([(0, leaf) for leaf in range(1, leaves + 1)])
    h = cp.clique_hierarchy(star, levels=1)
    assert h.graph(1).num_edges == leaves * (leaves - 1) // 2
    assert h.dependencies(1).of([7]).sizes == (leaves + 1, leaves)
    assert h.graph(1)._csr is None


def test_diagrams_say_what_they_are() -> None:
    h = cp.clique_hierarchy(path(10).graph(), levels=1)
    dependencies = h.dependencies(1, hops=[0, 1])
    assert repr(dependencies) == "Dependencies(9 nodes of level 1, hops 0, 1)"
    diagram = dependencies.of(3)
    assert repr(diagram) == "DependencyDiagram(6 of 10 <- 5 of 9)"
    assert (len(diagram), diagram.top, diagram.sizes) == (2, 1, (6, 5))
    assert diagram.levels[1].within(0).tolist() == [3]


@pytest.mark.parametrize(
    ("level", "hops", "message"),
    [
        (5, 1, "level: expected one from 0 to 2, got 5"),
        (1, [1], "hops: expected one for each level from 0 to 1, got 1"),
        (1, -1, "hops: expected numbers from 0, got -1"),
        (1, "many", "hops: expected an integer or one for each level, got 'many'"),
        (1, 1.5, "hops: expected an integer or one for each level, got 1.5"),
    ],
)
def test_wrong_levels_and_hops_are_refused(level: int, hops: object, message: str) -> None:
    h = cp.clique_hierarchy(path(10).graph(), levels=2)
    with pytest.raises(cp.GraphError) as raised:
        h.dependencies(level, hops)  # type: ignore[arg-type]
    assert str(raised.value) == message


def test_nodes_that_the_level_does_not_have_are_refused() -> None:
    h = cp.clique_hierarchy(path(10).graph(), levels=2)
    with pytest.raises(cp.GraphError, match="nodes: expected nodes of level 1, from 0 to 8, got 2 to 9"):
        h.dependencies(1).of([2, 9])
    with pytest.raises(cp.GraphError, match="nodes"):
        h.dependencies(1).of(["a"])
