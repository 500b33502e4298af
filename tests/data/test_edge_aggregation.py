"""What coarse edges carry is what the edges behind them carry, reduced."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import edge_aggregation
from cliquepool.data.edge_aggregation import aggregate_edges, coarse_edge_values, values_by_entry
from tests.helpers.small_graphs import Sample, graphs

REDUCTIONS = ("sum", "mean", "max")


def rows_of(graph: cp.Graph) -> np.ndarray:
    return np.repeat(np.arange(graph.num_nodes), graph.degrees)


def reference(pooling: cp.Pooling, values: np.ndarray, reduce: str) -> np.ndarray:
    """What lies behind each coarse entry, written down pair by pair."""
    graph, pools = pooling.graph, pooling.pools
    entry = {(u, v): e for e, (u, v) in enumerate(zip(rows_of(graph), graph.indices, strict=True))}
    result = []
    for p, q in zip(rows_of(pooling.coarse), pooling.coarse.indices, strict=True):
        behind = [values[entry[u, v]] for u in pools[p] for v in pools[q] if (u, v) in entry]
        result.append({"sum": np.sum, "mean": np.mean, "max": np.max}[reduce](behind, axis=0))
    return np.array(result).reshape(-1, *values.shape[1:])


@given(graphs(), st.sampled_from(REDUCTIONS), st.sampled_from([(), (3,), (2, 2)]), st.integers(0, 99))
def test_values_are_those_of_the_definition(
    sample: Sample, reduce: str, shape: tuple[int, ...], seed: int
) -> None:
    pooling = cp.clique_pool(sample.graph())
    values = np.random.default_rng(seed).standard_normal((len(pooling.graph.indices), *shape))
    carried = coarse_edge_values(pooling, values, reduce)
    assert carried.shape == (len(pooling.coarse.indices), *shape)
    np.testing.assert_allclose(carried, reference(pooling, values, reduce), rtol=1e-12, atol=1e-12)


@given(graphs(), st.integers(0, 99))
def test_sums_are_the_matrix_product_off_its_diagonal(sample: Sample, seed: int) -> None:
    pooling = cp.clique_pool(sample.graph())
    graph, coarse = pooling.graph, pooling.coarse
    values = np.random.default_rng(seed).integers(-9, 10, size=len(graph.indices))
    weights = np.zeros((graph.num_nodes, graph.num_nodes), dtype=np.int64)
    weights[rows_of(graph), graph.indices] = values
    S = pooling.assignment().toarray()
    product = S.T @ weights @ S
    np.testing.assert_array_equal(
        coarse_edge_values(pooling, values), product[rows_of(coarse), coarse.indices]
    )


@given(graphs())
def test_the_sum_of_ones_is_the_weight(sample: Sample) -> None:
    pooling = cp.clique_pool(sample.graph())
    ones = np.ones(len(pooling.graph.indices), dtype=np.int8)
    carried = coarse_edge_values(pooling, ones)
    assert carried.dtype == np.int64
    np.testing.assert_array_equal(carried, pooling.coarse_weights())


def test_the_size_of_a_block_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    pooling = cp.clique_pool(cp.Graph.from_networkx(nx.barabasi_albert_graph(200, 6, seed=1)))
    values = np.random.default_rng(0).standard_normal((len(pooling.graph.indices), 2)).astype(np.float32)
    whole = {reduce: coarse_edge_values(pooling, values, reduce) for reduce in REDUCTIONS}
    for block in (1, 7, 300):
        monkeypatch.setattr(edge_aggregation, "_BLOCK", block)
        for reduce in REDUCTIONS:
            carried = coarse_edge_values(pooling, values, reduce)
            assert carried.dtype == np.float32
            assert carried.tobytes() == whole[reduce].tobytes()


def test_an_edge_inside_a_pool_is_behind_the_edge_to_a_pool_that_shares_a_node() -> None:
    pooling = cp.clique_pool(cp.Graph.from_edges([(0, 1), (1, 2)]))
    assert pooling.pools.tolist() == [[0, 1], [1, 2]]
    values = np.array([1, 10, 100, 1000])  # of 0-1, 1-0, 1-2, 2-1
    # From {0, 1} to {1, 2}: 0 to 1, and 1 to 2. Back: 1 to 0, and 2 to 1.
    assert coarse_edge_values(pooling, values).tolist() == [101, 1010]
    assert coarse_edge_values(pooling, values, "max").tolist() == [100, 1000]
    assert coarse_edge_values(pooling, values, "mean").tolist() == [50.5, 505.0]


@pytest.mark.parametrize(
    ("dtype", "reduce", "expected"),
    [
        (np.float32, "mean", np.float32),
        (np.float16, "sum", np.float16),
        (np.int32, "mean", np.float64),
        (np.uint8, "sum", np.int64),
        (np.uint8, "max", np.uint8),
        (np.bool_, "sum", np.int64),
        (np.bool_, "max", np.bool_),
    ],
)
def test_types_are_kept_where_they_can_be(dtype: Any, reduce: str, expected: Any) -> None:
    pooling = cp.clique_pool(cp.Graph.from_edges([(0, 1), (1, 2)]))
    carried = coarse_edge_values(pooling, np.ones(4, dtype=dtype), reduce)
    assert carried.dtype == expected
    assert carried.tolist() == [2 if reduce == "sum" else 1] * 2


def test_a_graph_without_edges_or_nodes_carries_nothing() -> None:
    for num_nodes in (0, 3):
        pooling = cp.clique_pool(cp.Graph.from_edges([], num_nodes=num_nodes))
        assert coarse_edge_values(pooling, np.zeros((0, 2))).shape == (0, 2)


def test_wrong_arguments_are_refused() -> None:
    pooling = cp.clique_pool(cp.Graph.from_edges([(0, 1), (1, 2)]))
    with pytest.raises(cp.GraphError, match="one for each of 4 edges, got 3"):
        coarse_edge_values(pooling, np.ones(3))
    with pytest.raises(cp.GraphError, match="expected numbers"):
        coarse_edge_values(pooling, np.array(["a"] * 4))
    with pytest.raises(ValueError, match="expected one of sum, mean, max, got 'min'"):
        coarse_edge_values(pooling, np.ones(4), "min")
    rows = cp.Ragged(pooling.graph.indptr, pooling.graph.indices)
    no_edges = cp.Ragged(np.zeros(3, dtype=np.int64), np.zeros(0, dtype=np.int32))
    with pytest.raises(cp.GraphError, match="expected the coarse graph of these pools"):
        aggregate_edges(rows, pooling.pools, no_edges, np.ones(4))


def test_budgets_hold() -> None:
    pooling = cp.clique_pool(cp.Graph.from_networkx(nx.karate_club_graph()))
    assert pooling.coarse.indices.size
    values = np.ones(len(pooling.graph.indices))
    with pytest.raises(cp.BudgetExceeded, match="max_bytes reached while carrying edge values"):
        coarse_edge_values(pooling, values, budget=cp.Budget(max_bytes=1000))
    with pytest.raises(cp.BudgetExceeded, match="max_seconds reached while carrying edge values"):
        coarse_edge_values(pooling, values, budget=cp.Budget(max_seconds=0))


# ---- from listed edges to entries ----


@given(graphs(6), st.sampled_from(REDUCTIONS), st.integers(0, 99))
def test_listed_edges_are_reduced_by_direction(sample: Sample, reduce: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    both = np.array(sample.edges, dtype=np.int64).reshape(-1, 2)
    listed = np.concatenate([both, both[:, ::-1], both[: len(both) // 2], both[:1] * 0])
    listed = listed[random.permutation(len(listed))[: 1 + len(listed) // 2 + seed % 5]].T
    graph = cp.Graph.from_edge_index(listed, sample.num_nodes)
    values = random.standard_normal(listed.shape[1])
    carried = values_by_entry(listed, cp.Ragged(graph.indptr, graph.indices), values, reduce)
    how = {"sum": np.sum, "mean": np.mean, "max": np.max}[reduce]
    for target, source, value in zip(rows_of(graph), graph.indices, carried, strict=True):
        here = values[(listed[0] == source) & (listed[1] == target)]
        back = values[(listed[0] == target) & (listed[1] == source)]
        np.testing.assert_allclose(value, how(here if here.size else back))
