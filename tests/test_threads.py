"""Numbers of threads: one for each core by default, others checked; and the same results from any."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import cliquepool as cp
from benchmarks.scale_graphs import KINDS
from cliquepool import _core
from cliquepool.threads import thread_count

THREADS = (2, 3, 4, 8)
NO_LIMITS = cp.Budget(max_cliques=None, max_seconds=None, max_bytes=None)._limits()


def test_the_default_is_one_thread_for_each_core_of_this_process() -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert thread_count(None) == cores


@pytest.mark.parametrize("threads", [1, 2, 1024, np.int64(3)])
def test_integers_are_taken(threads: Any) -> None:
    assert thread_count(threads) == int(threads)


@pytest.mark.parametrize("threads", [0, -1, 1025, 10**30])
def test_other_numbers_are_refused(threads: int) -> None:
    with pytest.raises(cp.InputError, match="threads: expected an integer from 1 to 1024 or None, got"):
        thread_count(threads)


@pytest.mark.parametrize("threads", [1.5, "2", [1]])
def test_what_is_no_integer_is_refused(threads: Any) -> None:
    with pytest.raises(TypeError):
        thread_count(threads)


@pytest.fixture(scope="module", params=sorted(KINDS))
def edges(request: pytest.FixtureRequest) -> Any:
    """Make a graph of each kind, large enough for every phase to use threads."""
    return KINDS[request.param](300_000)


def fresh(graph: cp.Graph) -> cp.Graph:
    """Return the same graph, without its twin classes."""
    return cp.Graph._from_csr_trusted(graph.indptr, graph.indices)


def test_rows_are_the_same_for_any_number_of_threads(edges: Any) -> None:
    num_nodes = int(edges.max()) + 1
    expected = _core.build_csr(edges[:, 0], edges[:, 1], num_nodes, 1, NO_LIMITS)
    for threads in THREADS:
        found = _core.build_csr(edges[:, 0], edges[:, 1], num_nodes, threads, NO_LIMITS)
        assert all(np.array_equal(*pair) for pair in zip(expected, found, strict=True))


def test_pools_are_the_same_for_any_number_of_threads(edges: Any) -> None:
    graph = cp.Graph.from_edges(edges)
    expected = cp.clique_pool(fresh(graph), threads=1)
    for threads in THREADS:
        found = cp.clique_pool(fresh(graph), threads=threads)
        assert found.graph.twins.classes.tobytes() == expected.graph.twins.classes.tobytes()
        assert found.pools.offsets.tobytes() == expected.pools.offsets.tobytes()
        assert found.pools.members.tobytes() == expected.pools.members.tobytes()


def test_maximum_cliques_are_the_same_for_any_number_of_threads(edges: Any) -> None:
    graph = cp.Graph.from_edges(edges)
    expected = cp.maximum_cliques(fresh(graph), threads=1)
    for threads in THREADS:
        assert cp.maximum_cliques(fresh(graph), threads=threads) == expected


@pytest.mark.parametrize("threads", [1, 4])
def test_a_budget_holds_on_every_thread(threads: int) -> None:
    graph = cp.Graph.from_edges(KINDS["holme-kim"](300_000))
    with pytest.raises(cp.BudgetExceeded, match="max_cliques"):
        cp.clique_pool(graph, threads=threads, budget=cp.Budget(max_cliques=1000))
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        cp.clique_pool(graph, threads=threads, budget=cp.Budget(max_bytes=1_000_000))
    with pytest.raises(cp.BudgetExceeded, match="max_seconds"):
        cp.clique_pool(graph, threads=threads, budget=cp.Budget(max_seconds=1e-9))


def test_ids_of_32_bits_give_the_same_graph(edges: Any) -> None:
    assert edges.dtype == np.int32
    graph = cp.Graph.from_edges(edges)
    assert graph == cp.Graph.from_edges(edges.astype(np.int64))
    assert graph == cp.Graph.from_edge_index(np.ascontiguousarray(edges.T))
    some = edges[::3]
    assert cp.Graph.from_edges(some, compact=True) == cp.Graph.from_edges(some.astype(np.int64), compact=True)


def test_a_wrong_id_of_32_bits_is_named_by_its_edge() -> None:
    wrong = np.array([[0, 1], [1, 7]], dtype=np.int32)
    with pytest.raises(cp.GraphError, match=r"edge 1: expected node ids from 0 to 4, got \(1, 7\)"):
        cp.Graph.from_edges(wrong, num_nodes=5)
    with pytest.raises(cp.GraphError, match="expected node ids of at least 0, got -1"):
        cp.Graph.from_edges(np.array([[0, -1]], dtype=np.int32))
