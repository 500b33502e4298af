"""Pools, coarse graphs, weights and features are those of the definition."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.generators.atlas import graph_atlas_g
from numpy.lib.stride_tricks import sliding_window_view

import cliquepool as cp
from tests.helpers import oracle
from tests.helpers.small_graphs import Sample, blow_up, graphs, graphs_and_orders, grid, sample_graphs, union


def adjacency(graph: cp.Graph) -> np.ndarray:
    dense = np.zeros((graph.num_nodes, graph.num_nodes), dtype=np.int64)
    rows = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    dense[rows, graph.indices] = 1
    return dense


def membership(pooling: cp.Pooling, num_nodes: int) -> np.ndarray:
    dense = np.zeros((num_nodes, len(pooling.pools)), dtype=np.int64)
    for i, pool in enumerate(pooling.pools):
        dense[pool, i] = 1
    return dense


def random_sample(num_nodes: int, density: float, seed: int) -> Sample:
    return Sample(num_nodes, list(nx.gnp_random_graph(num_nodes, density, seed=seed).edges))


def assert_same_bytes(one: cp.Pooling, other: cp.Pooling) -> None:
    for mine, theirs in (
        (one.pools.offsets, other.pools.offsets),
        (one.pools.members, other.pools.members),
        (one.coarse.indptr, other.coarse.indptr),
        (one.coarse.indices, other.coarse.indices),
    ):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


# ---- against the definition ----


def test_pools_of_every_small_graph_are_those_of_the_definition() -> None:
    for known in graph_atlas_g():
        sample = Sample(len(known), list(known.edges))
        assert oracle.level_of(cp.clique_pool(sample.graph())) == oracle.pool_once(sample.neighbours())


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))]
)
def test_pools_of_random_graphs_are_those_of_the_definition(seed: int) -> None:
    for sample in sample_graphs(3500, seed):
        assert oracle.level_of(cp.clique_pool(sample.graph())) == oracle.pool_once(sample.neighbours()), (
            sample
        )


@pytest.mark.parametrize("seed", range(40))
def test_pools_of_larger_random_graphs_are_those_of_the_definition(seed: int) -> None:
    base = random_sample(20 + 2 * seed, 0.9 - 0.022 * seed, seed)
    twins = blow_up(base, [1 + (v * seed) % 3 for v in range(base.num_nodes)])
    for sample in (base, twins, union(base, twins)):
        assert oracle.level_of(cp.clique_pool(sample.graph())) == oracle.pool_once(sample.neighbours())


@given(graphs())
@settings(max_examples=500, deadline=None)
def test_pools_are_those_of_the_definition(sample: Sample) -> None:
    assert oracle.level_of(cp.clique_pool(sample.graph())) == oracle.pool_once(sample.neighbours())


# ---- cases checked by hand ----


def test_the_first_figure_of_the_paper() -> None:
    names = "ABCDEFGHIJ"
    edges = ["AB", "AC", "BC", "AI", "BD", "DE", "DF", "DG", "EF", "EG", "FG", "FH", "CH", "HJ", "CJ"]
    pooling = cp.clique_pool(Sample(10, [(names.index(u), names.index(v)) for u, v in edges]).graph())
    assert ["".join(names[v] for v in pool) for pool in pooling.pools] == ["DEFG", "ABC", "CHJ", "I"]
    assert oracle.edges_of(oracle.neighbours_of(pooling.coarse)) == [(0, 1), (0, 2), (1, 2), (1, 3)]


def test_remainders_are_ranked_by_what_is_left_of_them() -> None:
    edges = [*combinations(range(4), 2), *combinations((3, 4, 5), 2), *combinations((5, 6, 7), 2)]
    assert cp.clique_pool(Sample(9, edges).graph()).pools.tolist() == [[0, 1, 2, 3], [5, 6, 7], [4], [8]]


def test_max_pooling_a_grid_is_a_sliding_window_maximum_bit_for_bit() -> None:
    height, width = 9, 7
    image = np.random.default_rng(0).standard_normal((height, width, 3)).astype(np.float32)
    pooling = cp.clique_pool(grid(height, width, diagonals=True).graph())
    pooled = pooling.reduce(image.reshape(-1, 3), "max")
    windows = sliding_window_view(image, (2, 2), axis=(0, 1)).max(axis=(-1, -2))
    assert pooled.dtype == np.float32
    np.testing.assert_array_equal(pooled, windows.reshape(-1, 3))


def test_no_nodes_have_no_pools_and_lone_nodes_are_their_own() -> None:
    nothing = cp.clique_pool(Sample(0, []).graph())
    assert nothing.pools.tolist() == []
    assert nothing.coarse.num_nodes == nothing.coarse.num_edges == 0
    lone = cp.clique_pool(Sample(3, []).graph())
    assert lone.pools.tolist() == [[0], [1], [2]]
    assert (lone.coarse.num_nodes, lone.coarse.num_edges) == (3, 0)


# ---- what the result must not depend on ----


@given(graphs_and_orders())
@settings(max_examples=200, deadline=None)
def test_pools_do_not_depend_on_node_order(drawn: tuple[Sample, list[int]]) -> None:
    sample, new = drawn
    old = {name: v for v, name in enumerate(new)}
    renamed = cp.clique_pool(sample.relabelled(new).graph()).pools.tolist()
    mapped_back = oracle.canonical([old[v] for v in pool] for pool in renamed)
    assert mapped_back == [tuple(pool) for pool in cp.clique_pool(sample.graph()).pools.tolist()]


@given(graphs(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_pools_do_not_depend_on_edge_order_direction_repeats_or_loops(sample: Sample, draw) -> None:
    edges = [edge if draw.random() < 0.5 else edge[::-1] for edge in sample.edges]
    edges += [edge[::-1] for edge in edges if draw.random() < 0.3]
    edges += [(v, v) for v in range(sample.num_nodes) if draw.random() < 0.3]
    draw.shuffle(edges)
    assert_same_bytes(cp.clique_pool(Sample(sample.num_nodes, edges).graph()), cp.clique_pool(sample.graph()))


@pytest.mark.parametrize("threads", [2, 3])
def test_pools_do_not_depend_on_threads(threads: int) -> None:
    samples = [
        random_sample(100, 0.5, 1),
        random_sample(2000, 0.01, 2),
        random_sample(400, 0.2, 3),
        blow_up(random_sample(60, 0.4, 4), [1 + v % 4 for v in range(60)]),
        grid(40, 40, diagonals=True),
        *sample_graphs(70, seed=5),
    ]
    for sample in samples:
        graph = sample.graph()
        assert_same_bytes(cp.clique_pool(graph, threads=threads), cp.clique_pool(graph, threads=1))


def test_pooling_leaves_its_graph_untouched() -> None:
    graph = random_sample(50, 0.4, 7).graph()
    indptr, indices = graph.indptr.copy(), graph.indices.copy()
    cp.clique_pool(graph)
    np.testing.assert_array_equal(graph.indptr, indptr)
    np.testing.assert_array_equal(graph.indices, indices)


# ---- the coarse graph ----


@given(graphs())
@settings(max_examples=200, deadline=None)
def test_sizes_of_the_coarse_graph_are_known_without_expanding_it(sample: Sample) -> None:
    coarse = cp.clique_pool(sample.graph()).coarse
    num_nodes, num_edges = coarse.num_nodes, coarse.num_edges
    assert num_nodes == len(coarse.indptr) - 1
    assert 2 * num_edges == len(coarse.indices)


@given(graphs())
@settings(max_examples=200, deadline=None)
def test_coarse_weights_are_the_off_diagonal_of_the_pooled_adjacency(sample: Sample) -> None:
    graph = sample.graph()
    pooling = cp.clique_pool(graph)
    weights = pooling.coarse_weights()
    assert weights.dtype == np.int64
    S = membership(pooling, graph.num_nodes)
    expected = S.T @ adjacency(graph) @ S
    np.fill_diagonal(expected, 0)
    got = np.zeros_like(expected)
    rows = np.repeat(np.arange(len(pooling.pools)), np.diff(pooling.coarse.indptr))
    got[rows, pooling.coarse.indices] = weights
    np.testing.assert_array_equal(got, expected)


def test_coarse_weights_are_those_of_the_definition_on_larger_graphs() -> None:
    for sample in sample_graphs(350, seed=21):
        neighbours = sample.neighbours()
        level = oracle.pool_once(neighbours)
        weights = cp.clique_pool(sample.graph()).coarse_weights().tolist()
        expected = [
            oracle.coarse_weight(neighbours, level.pools[i], level.pools[j])
            for i in range(len(level.pools))
            for j in sorted(level.coarse[i])
        ]
        assert weights == expected


# ---- twins ----


def test_twin_classes_are_the_nodes_of_equal_closed_neighbourhoods() -> None:
    for sample in sample_graphs(700, seed=31):
        twins = sample.graph().twins
        members: dict[int, list[int]] = {}
        for v, group in enumerate(twins.classes.tolist()):
            members.setdefault(group, []).append(v)
        assert sorted(members.values()) == sorted(oracle.twin_classes(sample.neighbours()))
        assert [len(members[group]) for group in range(len(members))] == twins.sizes.tolist()
        assert twins.quotient.num_nodes == len(members)


@given(graphs())
@settings(max_examples=200, deadline=None)
def test_twin_classes_rebuild_the_adjacency_and_the_membership(sample: Sample) -> None:
    graph = sample.graph()
    for _ in range(3):
        twins = graph.twins
        C = np.zeros((graph.num_nodes, twins.quotient.num_nodes), dtype=np.int64)
        C[np.arange(graph.num_nodes), twins.classes] = 1
        Q = adjacency(twins.quotient) + np.eye(twins.quotient.num_nodes, dtype=np.int64)
        np.testing.assert_array_equal(adjacency(graph) + np.eye(graph.num_nodes, dtype=np.int64), C @ Q @ C.T)
        pooling = cp.clique_pool(graph)
        S = membership(pooling, graph.num_nodes)
        T = np.zeros((C.shape[1], S.shape[1]), dtype=np.int64)
        T[twins.classes] = S
        np.testing.assert_array_equal(S, C @ T)
        graph = pooling.coarse
        if graph.num_nodes > 60:
            break


# ---- members and features ----


@given(graphs())
@settings(max_examples=200, deadline=None)
def test_memberships_are_the_inverse_of_pools(sample: Sample) -> None:
    pooling = cp.clique_pool(sample.graph())
    pools = pooling.pools.tolist()
    expected = [[i for i, pool in enumerate(pools) if v in pool] for v in range(sample.num_nodes)]
    assert pooling.memberships.tolist() == expected
    assert all(expected), "every node is in a pool"


FEATURES = {
    "a column of floats": lambda rng, n: rng.standard_normal(n),
    "several columns": lambda rng, n: rng.standard_normal((n, 5)),
    "single precision": lambda rng, n: rng.standard_normal((n, 3)).astype(np.float32),
    "integers": lambda rng, n: rng.integers(-50, 50, (n, 2)),
    "no columns": lambda _, n: np.zeros((n, 0)),
    "columns in Fortran order": lambda rng, n: np.asfortranarray(rng.standard_normal((n, 4))),
    "every second row": lambda rng, n: rng.standard_normal((2 * n, 3))[::2],
}


@pytest.mark.parametrize("features", FEATURES.values(), ids=FEATURES)
@pytest.mark.parametrize("how", ["mean", "max", "sum"])
def test_features_of_a_pool_are_reduced_over_its_members(features, how: str) -> None:
    for seed, sample in enumerate(sample_graphs(70, seed=41)):
        pooling = cp.clique_pool(sample.graph())
        x = features(np.random.default_rng(seed), sample.num_nodes)
        reduced = pooling.reduce(x, how)
        assert reduced.shape == (len(pooling.pools), *x.shape[1:])
        for i, pool in enumerate(pooling.pools):
            expected = getattr(np, how)(x[pool], axis=0)
            np.testing.assert_allclose(reduced[i], expected, rtol=1e-5, atol=1e-6)


def test_the_mean_is_the_default_reduction() -> None:
    pooling = cp.clique_pool(Sample(4, [(0, 1), (1, 2), (0, 2), (2, 3)]).graph())
    assert pooling.reduce(np.array([1.0, 2.0, 6.0, 5.0])).tolist() == [3.0, 5.0]


@pytest.mark.parametrize("how", ["mean", "max", "sum"])
def test_missing_values_stay_missing_in_their_own_pools(how: str) -> None:
    pooling = cp.clique_pool(Sample(5, [(0, 1), (1, 2), (0, 2), (3, 4)]).graph())
    reduced = pooling.reduce(np.array([1.0, np.nan, 2.0, 3.0, np.inf]), how)
    assert np.isnan(reduced[0])
    assert not np.isnan(reduced[1])


def test_features_of_the_wrong_length_or_reduction_are_refused() -> None:
    pooling = cp.clique_pool(Sample(4, [(0, 1), (1, 2), (0, 2), (2, 3)]).graph())
    with pytest.raises(ValueError, match="4"):
        pooling.reduce(np.zeros(3))
    with pytest.raises(ValueError, match="4"):
        pooling.reduce(np.zeros((5, 2)))
    with pytest.raises(ValueError, match=r"2"):
        pooling.lift(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="median"):
        pooling.reduce(np.zeros(4), "median")


@pytest.mark.parametrize("features", FEATURES.values(), ids=FEATURES)
def test_lifting_gives_each_node_the_mean_of_its_pools(features) -> None:
    for seed, sample in enumerate(sample_graphs(70, seed=43)):
        pooling = cp.clique_pool(sample.graph())
        y = features(np.random.default_rng(seed), len(pooling.pools))
        lifted = pooling.lift(y)
        assert lifted.shape == (sample.num_nodes, *y.shape[1:])
        for v, own in enumerate(pooling.memberships):
            np.testing.assert_allclose(lifted[v], np.mean(y[own], axis=0), rtol=1e-5, atol=1e-6)


@given(graphs())
@settings(max_examples=50, deadline=None)
def test_a_constant_survives_pooling_and_lifting(sample: Sample) -> None:
    pooling = cp.clique_pool(sample.graph())
    there_and_back = pooling.lift(pooling.reduce(np.full(sample.num_nodes, 2.5), "mean"))
    np.testing.assert_array_equal(there_and_back, np.full(sample.num_nodes, 2.5))
