"""PooledDataset: every level of every graph is what pooling that graph alone gives."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.data.pooled import _ENTRIES_PER_THREAD, _threads_for
from tests.helpers.graph_datasets import graph_lists, lists_of_graph, matrix_of
from tests.helpers.small_graphs import Sample, blow_up, complete_multipartite, cycle, path, sample_graphs

NO_NODES, DOT, TWO_DOTS = Sample(0, []), Sample(1, []), Sample(2, [])
CLIQUES_OF_TWINS = blow_up(path(5), [9, 8, 7, 9, 8])

level_counts = st.one_of(st.none(), st.integers(0, 3))


def pooled(samples: list[Sample], levels: int | None = 2, **how: Any) -> PooledDataset:
    return PooledDataset(GraphDataset.from_graphs([s.graph() for s in samples]), levels, **how)


def rows_of(start: np.ndarray, rows: np.ndarray, graph: int) -> list[Any]:
    return rows[start[graph] : start[graph + 1]].tolist()


def neighbours_of(graph: cp.Graph) -> list[list[int]]:
    return [graph.indices[a:b].tolist() for a, b in pairwise(graph.indptr)]


def assert_graph_is_pooled_as_alone(data: PooledDataset, place: int, hierarchy: cp.Hierarchy) -> None:
    for depth, level in enumerate(data.levels):
        # Above its own last level a graph stays as it is, one node for each component.
        graph = hierarchy.graph(min(depth, len(hierarchy)))
        assert data.sizes[place, depth] == graph.num_nodes
        assert lists_of_graph(level.neighbours, place) == neighbours_of(graph)
        assert rows_of(level.node_start, level.degrees, place) == graph.degrees.tolist()
        if depth == data.num_pools:
            continue
        dots = [[v] for v in range(graph.num_nodes)]
        pools = hierarchy[depth].pools.tolist() if depth < len(hierarchy) else dots
        assert level.pools is not None
        assert level.pools_by_class is not None
        assert lists_of_graph(level.pools, place) == pools
        assert rows_of(level.pools.list_start, level.pool_sizes, place) == [len(pool) for pool in pools]


@given(graph_lists(), level_counts)
def test_levels_are_those_of_each_graph_alone(samples: list[Sample], levels: int | None) -> None:
    data = pooled(samples, levels)
    assert len(data) == len(samples)
    assert data.num_pools == len(data.levels) - 1
    if levels is not None and samples:
        assert data.num_pools == levels
    for place, sample in enumerate(samples):
        assert_graph_is_pooled_as_alone(data, place, cp.clique_hierarchy(sample.graph(), levels))


@pytest.mark.parametrize("levels", [None, 1, 3])
def test_levels_are_those_of_each_graph_alone_over_all_kinds_of_graphs(levels: int | None) -> None:
    samples = [NO_NODES, DOT, TWO_DOTS, *sample_graphs(120, seed=7), CLIQUES_OF_TWINS, NO_NODES]
    # Those whose levels grow into the thousands have tests of their own.
    samples = [s for s in samples if max(cp.clique_hierarchy(s.graph(), levels).sizes) < 200]
    assert len(samples) > 100
    data = pooled(samples, levels)
    for place, sample in enumerate(samples):
        assert_graph_is_pooled_as_alone(data, place, cp.clique_hierarchy(sample.graph(), levels))


def test_without_a_number_of_levels_the_deepest_graph_sets_it() -> None:
    data = pooled([path(3), DOT, path(16), NO_NODES, cycle(3)], levels=None)
    assert data.sizes.tolist() == [
        [3, 2, 1, 1, 1],
        [1, 1, 1, 1, 1],
        [16, 15, 13, 9, 1],
        [0, 0, 0, 0, 0],
        [3, 1, 1, 1, 1],
    ]


@pytest.mark.parametrize("levels", [None, 0, 2])
def test_nothing_can_be_pooled_too(levels: int | None) -> None:
    for samples in ([], [NO_NODES], [NO_NODES, NO_NODES], [DOT], [TWO_DOTS, NO_NODES]):
        data = pooled(samples, levels)
        assert data.num_pools == ((levels or 0) if samples else 0)
        assert all(level.edge_count == 0 and not level.has_twins for level in data.levels)
        assert data.sizes.tolist() == [[s.num_nodes] * (data.num_pools + 1) for s in samples]


@given(graph_lists(), st.integers(0, 2))
def test_twin_classes_and_quotient_give_the_graph_and_its_pools(samples: list[Sample], levels: int) -> None:
    for level in pooled(samples, levels).levels:
        C = matrix_of(level.classes)
        Q = matrix_of(level.quotient) + np.eye(len(level.class_sizes), dtype=int)
        A = matrix_of(level.neighbours)
        assert (A + np.eye(len(A), dtype=int) == C @ Q @ C.T).all()
        assert (level.class_sizes == C.sum(axis=0)).all()
        assert (matrix_of(level.nodes_of_class) == C.T).all()
        if level.pools is not None and level.pools_by_class is not None:
            assert (matrix_of(level.pools).T == C @ matrix_of(level.pools_by_class).T).all()


def test_dense_cliques_of_twins_are_kept_by_classes_and_sparse_graphs_are_not() -> None:
    dense, sparse = pooled([CLIQUES_OF_TWINS]).levels[0], pooled([path(9), cycle(8)]).levels[0]
    assert dense.has_twins
    assert dense.worth_factoring
    assert not sparse.worth_factoring
    assert not pooled([complete_multipartite([2] * 6)]).levels[0].worth_factoring  # dense, but no twins


@given(graph_lists())
def test_keeping_by_classes_is_chosen_by_the_number_of_additions(samples: list[Sample]) -> None:
    level = pooled(samples, 0).levels[0]
    by_classes = 2 * level.num_nodes + len(level.quotient.local.members) + len(level.class_sizes)
    assert level.worth_factoring == (by_classes < len(level.neighbours.local.members))
    assert level.edge_count == len(level.neighbours.local.members)


def test_levels_do_not_depend_on_the_number_of_threads() -> None:
    samples = list(sample_graphs(60, seed=3))
    one, two = (pooled(samples, 2, threads=threads) for threads in (1, 2))
    for a, b in zip(one.levels, two.levels, strict=True):
        for lists in ("neighbours", "pools", "classes", "quotient"):
            mine, other = getattr(a, lists), getattr(b, lists)
            if mine is not None:
                assert mine.local.offsets.tobytes() == other.local.offsets.tobytes()
                assert mine.local.members.tobytes() == other.local.members.tobytes()


def test_a_budget_that_is_too_small_is_named() -> None:
    with pytest.raises(cp.BudgetExceeded, match="max_cliques"):
        pooled([complete_multipartite([3] * 8)], 1, budget=cp.Budget(max_cliques=1000))


def test_a_wrong_number_of_levels_is_refused() -> None:
    with pytest.raises((cp.GraphError, ValueError), match="-1"):
        pooled([path(3)], -1)


def test_its_repr_shows_the_nodes_of_each_level() -> None:
    graphs = [path(16).graph(), path(3).graph()]
    data = PooledDataset(GraphDataset.from_graphs(graphs, name="paths"), 3)
    assert repr(data) == "PooledDataset(paths, 2 graphs, nodes 19 -> 17 -> 14 -> 10)"


def test_small_data_sets_are_pooled_on_one_thread_unless_more_are_asked_for() -> None:
    small = GraphDataset.from_graphs([path(4).graph()])
    assert _threads_for(small, None) == 1
    assert _threads_for(small, 3) == 3
    clique = GraphDataset.from_graphs([blow_up(path(1), [520]).graph()])
    assert len(clique.indices) > _ENTRIES_PER_THREAD
    assert 1 <= _threads_for(clique, None) <= len(clique.indices) // _ENTRIES_PER_THREAD
