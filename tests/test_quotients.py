"""Large graphs with few twins are pooled node by node, without a quotient, with the same result."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
from hypothesis import given

import cliquepool as cp
from cliquepool import graph as graph_module
from cliquepool import quotients
from cliquepool.quotients import InducedQuotient, pools_by_nodes
from tests.helpers import oracle
from tests.helpers.small_graphs import Sample, graphs

TWINS = Sample(6, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)])


def as_large(sample: Sample) -> cp.Graph:
    """Make a graph with a quotient that is built on first use, whatever its size."""
    graph = sample.graph()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_module, "_ENTRIES_OF_LARGE_GRAPHS", 0)
        assert graph.twins.quotient.num_nodes == len(graph.twins.sizes)
    return graph


def allow_any_twins(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(quotients, "_MOST_TWINS", 1.0)
    patch.setattr(quotients, "_LARGEST_CLASS", sys.maxsize)


@given(graphs())
def test_pools_by_nodes_are_those_of_the_definition(sample: Sample) -> None:
    expected = cp.clique_pool(sample.graph())
    for threads in (1, 3):
        graph = as_large(sample)
        with pytest.MonkeyPatch.context() as patch:
            allow_any_twins(patch)
            pooling = cp.clique_pool(graph, threads=threads)
        if isinstance(graph.twins.quotient, InducedQuotient):
            assert not graph.twins.quotient.is_stored, "pooling does not build it"
        assert pooling._by_class.tolist() == expected._by_class.tolist()
        assert oracle.level_of(pooling) == oracle.pool_once(sample.neighbours())


@given(graphs())
def test_a_quotient_built_late_is_that_built_at_once(sample: Sample) -> None:
    expected, quotient = sample.graph().twins.quotient, as_large(sample).twins.quotient
    assert quotient.num_nodes == expected.num_nodes
    assert np.array_equal(quotient.degrees, expected.degrees)
    assert quotient.num_edges == expected.num_edges
    assert quotient == expected
    for node in range(expected.num_nodes):
        assert quotient.neighbours(node).tolist() == expected.neighbours(node).tolist()
    assert as_large(sample)._factors().equals(sample.graph()._factors())
    assert pickle.loads(pickle.dumps(as_large(sample))) == sample.graph()


def test_neighbours_and_degrees_build_the_quotient() -> None:
    assert as_large(TWINS).twins.quotient.neighbours(1).tolist() == [0, 2]
    assert as_large(TWINS).twins.quotient.degrees.tolist() == [1, 2, 2, 1]
    assert as_large(TWINS).twins.quotient.num_edges == 3


def test_a_stored_quotient_and_many_or_large_classes_are_pooled_by_classes() -> None:
    pair = Sample(20, [(0, 1)])
    assert not pools_by_nodes(pair.graph().twins), "a small graph has its quotient at once"
    assert pools_by_nodes(as_large(pair).twins)
    assert not pools_by_nodes(as_large(TWINS).twins), "a third of its nodes have twins"
    clique = Sample(80, [(u, v) for v in range(9) for u in range(v)])
    assert not pools_by_nodes(as_large(clique).twins), "a class of nine nodes"
    graph = as_large(pair)
    graph.twins.quotient.expand()
    assert not pools_by_nodes(graph.twins), "its quotient is stored"
    assert cp.clique_pool(graph).pools.tolist() == cp.clique_pool(pair.graph()).pools.tolist()


def test_a_large_graph_with_few_twins_is_pooled_without_a_quotient() -> None:
    rng = np.random.default_rng(4)
    edges = np.concatenate([rng.integers(30_000, size=(150_000, 2)), [[30_000, 30_001]]])
    graph = cp.Graph.from_edges(edges)
    pooling = cp.clique_pool(graph)
    assert isinstance(graph.twins.quotient, InducedQuotient)
    assert not graph.twins.quotient.is_stored
    by_class = cp.clique_pool(cp.Graph._from_twins(*graph._factors()))
    assert np.array_equal(pooling._by_class.offsets, by_class._by_class.offsets)
    assert np.array_equal(pooling._by_class.members, by_class._by_class.members)
    assert pooling.coarse == by_class.coarse
