"""One level of many graphs: what is computed from its twin classes is what the expanded graphs give."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from cliquepool.data import GraphDataset, PooledDataset
from tests.helpers.graph_datasets import graph_lists, matrix_of
from tests.helpers.small_graphs import Sample, blow_up, path


@given(graph_lists(least=1))
def test_values_are_those_of_the_expanded_lists(samples: list[Sample]) -> None:
    data = PooledDataset(GraphDataset.from_graphs([s.graph() for s in samples]))
    for level in data.levels:
        adjacency = matrix_of(level.neighbours)
        assert np.array_equal(level.degrees, adjacency.sum(axis=1))
        assert np.array_equal(level.float_degrees, level.degrees)
        assert level.edge_count == adjacency.sum()
        assert level.edge_start.tolist() == np.cumsum([0, *level.degrees])[level.node_start].tolist()
        if level.pools is not None:
            sizes = matrix_of(level.pools).sum(axis=1)
            assert np.array_equal(level.pool_sizes, sizes)
            assert np.array_equal(level.float_pool_sizes, sizes)
    assert data.levels[-1].pools is None


def test_graphs_of_twins_are_worth_factoring() -> None:
    twins = blow_up(path(3), [9, 9, 9]).graph()
    first, *_ = PooledDataset(GraphDataset.from_graphs([twins])).levels
    assert first.has_twins
    assert first.worth_factoring
    assert first.nodes_of_class.local.sizes.tolist() == [9, 9, 9]
    plain, *_ = PooledDataset(GraphDataset.from_graphs([path(4).graph()])).levels
    assert not plain.has_twins
    assert not plain.worth_factoring
    assert plain.neighbours is plain.quotient


@given(graph_lists(least=1))
def test_a_level_by_nodes_is_the_same_level_without_twins(samples: list[Sample]) -> None:
    for level in PooledDataset(GraphDataset.from_graphs([s.graph() for s in samples])).levels:
        by_nodes = level.by_nodes()
        assert not by_nodes.has_twins
        assert not by_nodes.worth_factoring
        assert by_nodes.neighbours.local == level.neighbours.local
        assert np.array_equal(by_nodes.float_degrees, level.float_degrees)
        assert np.array_equal(by_nodes.float_pool_sizes, level.float_pool_sizes)
        assert (by_nodes.pools is None) == (level.pools is None)
        if level.pools is not None and by_nodes.pools is not None:
            assert by_nodes.pools.local == level.pools.local
            assert by_nodes.pools.transposed.local == level.pools.transposed.local
        classes = np.concatenate([np.arange(size) for size in np.diff(level.node_start)])
        assert np.array_equal(by_nodes.class_of_node, classes)
