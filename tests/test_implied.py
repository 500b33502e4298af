"""Levels without stored rows are those with stored rows, and everything but the rows is there."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.generators.atlas import graph_atlas_g

import cliquepool as cp
from benchmarks.tied_core import tied_core
from cliquepool import hierarchy as hierarchy_module
from cliquepool.implied import ImpliedGraph
from tests.helpers import oracle

if TYPE_CHECKING:
    from pathlib import Path

CORE = cp.Graph.from_edges(tied_core(6, common=10, contacts=2))


@pytest.fixture
def store_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the rows of every level that has edges between its classes."""
    monkeypatch.setattr(hierarchy_module, "_MOST_STORED", 0)


def implied_hierarchy(graph: cp.Graph, most_stored: int, levels: int | None = None) -> cp.Hierarchy:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hierarchy_module, "_MOST_STORED", most_stored)
        return cp.clique_hierarchy(graph, levels, threads=1)


def expect_levels_of_oracle(neighbours: oracle.Neighbours, most_stored: int) -> None:
    graph = cp.Graph.from_edges(oracle.edges_of(neighbours), num_nodes=len(neighbours))
    below = neighbours
    for pooling in implied_hierarchy(graph, most_stored, levels=3):
        expected = oracle.pool_once(below)
        assert oracle.level_of(pooling) == expected
        below = expected.coarse


def test_levels_of_the_atlas_without_rows_are_those_of_the_definition() -> None:
    for graph in graph_atlas_g()[1::5]:
        expect_levels_of_oracle(oracle.graph_of(len(graph), graph.edges), 0)


@given(st.integers(8, 14), st.floats(0.1, 0.6), st.integers(0, 10**6), st.sampled_from([0, 10, 40]))
@settings(max_examples=60, deadline=None)
def test_levels_of_random_graphs_without_rows_are_those_of_the_definition(
    nodes: int, density: float, seed: int, most_stored: int
) -> None:
    graph = nx.gnp_random_graph(nodes, density, seed=seed)
    expect_levels_of_oracle(oracle.graph_of(nodes, graph.edges), most_stored)


def test_a_budget_too_small_for_the_rows_of_a_level_leaves_them_out() -> None:
    graph = cp.Graph.from_edges(tied_core(9, common=40))
    whole = cp.clique_hierarchy(graph)
    budget = cp.Budget(max_bytes=3_000_000)
    for threads in (1, 2):
        without = cp.clique_hierarchy(graph, threads=threads, budget=budget)
        assert isinstance(without.graph(1), ImpliedGraph)
        assert not isinstance(whole.graph(1), ImpliedGraph)
        assert without.sizes == whole.sizes
        assert all(a.pools == b.pools for a, b in zip(without, whole, strict=True))
    with pytest.raises(cp.BudgetExceeded, match="joining pools") as caught:
        without.graph(1).expand(budget=budget)
    rows = whole.graph(1).twins.quotient
    assert caught.value.reached >= 8 * rows.num_edges
    with pytest.raises(cp.BudgetExceeded, match="joining pools"):
        _ = without.graph(1).twins.quotient.indptr  # within the budget of the hierarchy
    assert without.graph(1).expand() == whole.graph(1)
    assert np.array_equal(without.graph(1).indices, whole.graph(1).indices)


@pytest.mark.usefixtures("store_nothing")
def test_an_error_at_a_level_without_rows_says_what_they_would_need() -> None:
    pools = cp.clique_pool(CORE).num_pools
    told = r"pooling level 2 without the rows of level 1, which would need about [0-9.e-]+ MiB"
    with pytest.raises(cp.BudgetExceeded, match=told) as caught:
        cp.clique_hierarchy(CORE, budget=cp.Budget(max_cliques=pools))
    assert caught.value.limit == "max_cliques"


def test_a_graph_without_rows_knows_its_degrees_and_neighbours() -> None:
    whole, without = cp.clique_hierarchy(CORE).graph(1), implied_hierarchy(CORE, 0).graph(1)
    assert (without.num_nodes, without.num_edges) == (whole.num_nodes, whole.num_edges)
    assert repr(without) == repr(whole)
    assert np.array_equal(without.degrees, whole.degrees)
    for node in range(0, whole.num_nodes, 10):
        assert np.array_equal(without.neighbours(node), whole.neighbours(node))
    assert without.twins.quotient._csr is None, "no rows were computed for this"
    assert without == whole


@pytest.mark.usefixtures("store_nothing")
def test_features_and_receptive_fields_need_no_rows() -> None:
    without = cp.clique_hierarchy(CORE)
    whole = implied_hierarchy(CORE, 2**60)
    features = np.arange(CORE.num_nodes, dtype=np.float64)
    for level, (pooling, expected) in enumerate(zip(without, whole, strict=True), start=1):
        assert pooling.largest == expected.largest
        assert pooling.memberships == expected.memberships
        lifted = pooling.lift(pooling.reduce(features))
        assert np.array_equal(lifted, expected.lift(expected.reduce(features)))
        assert np.array_equal(without.receptive_field(level, 0), whole.receptive_field(level, 0))
        features = pooling.reduce(features)
        assert pooling.coarse.twins.quotient._csr is None or not isinstance(pooling.coarse, ImpliedGraph)


@pytest.mark.usefixtures("store_nothing")
def test_hierarchies_without_rows_are_saved_loaded_checked_and_pickled(tmp_path: Path) -> None:
    without = cp.clique_hierarchy(CORE)
    path = tmp_path / "h.safetensors"
    without.save(path)
    loaded = cp.Hierarchy.load(path)
    assert loaded.sizes == without.sizes
    assert isinstance(loaded.graph(1), ImpliedGraph)
    assert loaded.graph(1) == without.graph(1)
    assert loaded.graph(1).twins.quotient._csr is None, "equal without rows"
    assert all(a.pools == b.pools for a, b in zip(loaded, without, strict=True))
    loaded.check(CORE)
    assert pickle.loads(pickle.dumps(loaded[1])).graph == without.graph(1)


def test_hierarchies_are_checked_against_one_with_rows(tmp_path: Path) -> None:
    path = tmp_path / "h.safetensors"
    implied_hierarchy(CORE, 0).save(path)
    cp.Hierarchy.load(path).check(CORE)
    implied_hierarchy(CORE, 2**60).save(path)
    loaded = cp.Hierarchy.load(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hierarchy_module, "_MOST_STORED", 0)
        loaded.check(CORE)
    assert not isinstance(loaded.graph(1), ImpliedGraph)


@pytest.mark.parametrize("weight", [0, 10**6])
def test_impossible_closed_weights_in_a_file_are_refused(tmp_path: Path, weight: int) -> None:
    without = implied_hierarchy(CORE, 0)
    twins = without.graph(1)._implied_twins()
    weights = twins.closed_weights.copy()
    weights[3] = weight
    object.__setattr__(twins, "closed_weights", weights)
    without.save(tmp_path / "h.safetensors")
    with pytest.raises(cp.GraphError, match="level 1: twins: expected the nodes of each class"):
        cp.Hierarchy.load(tmp_path / "h.safetensors")
