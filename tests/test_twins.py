"""Twin classes, and graphs that are stored by them."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given

import cliquepool as cp
from tests.helpers.small_graphs import Sample, graphs


def by_twins(graph: cp.Graph) -> cp.Graph:
    """Keep the same graph by its twin classes alone."""
    return cp.Graph._from_twins(*graph._factors(), graph.labels)


@given(graphs())
def test_twin_classes_are_the_equal_closed_neighbourhoods(sample: Sample) -> None:
    closed = [neighbours | {v} for v, neighbours in enumerate(sample.neighbours())]
    twins = sample.graph().twins
    for u, v in np.ndindex(sample.num_nodes, sample.num_nodes):
        assert (twins.classes[u] == twins.classes[v]) == (closed[u] == closed[v])
    assert np.array_equal(np.bincount(twins.classes, minlength=len(twins.sizes)), twins.sizes)
    C = scipy.sparse.csr_array(np.eye(len(twins.sizes), dtype=int)[twins.classes])
    Q = twins.quotient.to_scipy() + scipy.sparse.eye_array(len(twins.sizes), dtype=int)
    A = sample.graph().to_scipy() + scipy.sparse.eye_array(sample.num_nodes, dtype=int)
    assert np.array_equal((C @ Q @ C.T).toarray(), A.toarray())


@given(graphs())
def test_a_graph_kept_by_twin_classes_is_the_same_graph(sample: Sample) -> None:
    explicit, factored = sample.graph(), by_twins(sample.graph())
    assert (factored.num_nodes, factored.num_edges) == (explicit.num_nodes, explicit.num_edges)
    assert np.array_equal(factored.degrees, explicit.degrees)
    for v in range(sample.num_nodes):
        assert factored.neighbours(v).tolist() == explicit.neighbours(v).tolist()
    assert factored == explicit
    assert by_twins(explicit) == factored
    if len(factored.twins.sizes) < sample.num_nodes:
        assert factored._csr is None, "none of this writes the graph out"
    assert np.array_equal(factored.indptr, explicit.indptr)
    assert np.array_equal(factored.indices, explicit.indices)


def test_a_graph_without_twins_shares_its_rows_with_its_quotient() -> None:
    graph = cp.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    assert graph.twins.quotient.indices is graph.indices
    assert graph.twins.sizes.tolist() == [1, 1, 1, 1]
    assert graph.twins is graph.twins


def test_counting_the_edges_of_a_huge_graph_needs_no_room() -> None:
    size = 2**21
    classes = np.repeat(np.arange(2, dtype=np.int32), size)
    sizes = np.full(2, size, dtype=np.int32)
    graph = cp.Graph._from_twins(classes, sizes, np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int32))
    assert graph.num_edges == size * (size - 1)
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        graph.indices  # noqa: B018
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        graph.expand(budget=cp.Budget(max_bytes=10**6))
    assert "4,194,304 nodes" in repr(graph)


def test_expand_writes_the_graph_out_within_its_budget() -> None:
    graph = by_twins(cp.Graph.from_networkx(nx.complete_graph(100)))
    with pytest.raises(cp.BudgetExceeded):
        graph.expand(budget=cp.Budget(max_bytes=1000))
    assert graph.expand(budget=cp.Budget(max_bytes=10**6)) is graph
    assert len(graph.indices) == 9900


@given(graphs())
def test_twins_kept_apart_are_the_same_graph(sample: Sample) -> None:
    graph = sample.graph()
    apart = cp.Graph._from_twins(
        np.arange(sample.num_nodes, dtype=np.int32),
        np.ones(sample.num_nodes, dtype=np.int32),
        graph.indptr,
        graph.indices,
    )
    assert apart == by_twins(graph)
    assert pickle.loads(pickle.dumps(apart)) == graph
