"""Sparse graphs grow under clique pooling, and documentation and errors say so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data, HeteroData

import cliquepool as cp
from benchmarks.scale_graphs import graph500
from cliquepool.nn import CliqueCoarsening

ROOT = Path(__file__).parent.parent


def sparse_graph() -> cp.Graph:
    draw = np.random.default_rng(0)
    return cp.Graph.from_edges(draw.integers(0, 2000, (10_000, 2)), num_nodes=2000)


def test_a_sparse_random_graph_has_more_pools_than_nodes() -> None:
    graph = sparse_graph()
    assert 2 * graph.num_nodes < len(cp.clique_pool(graph)) <= graph.num_edges


@pytest.mark.parametrize("limit", [{"max_bytes": 2**19}, {"max_seconds": 0}])
def test_a_budget_that_growth_exceeds_says_so(limit: dict[str, float]) -> None:
    with pytest.raises(cp.BudgetExceeded, match="few triangles grows with every level") as found:
        cp.clique_hierarchy(sparse_graph(), 3, budget=cp.Budget(**limit))  # type: ignore[arg-type]
    assert "fewer levels" in str(found.value)
    assert "sparser" not in str(found.value)


@pytest.mark.parametrize("documented", [cp.clique_pool, cp.clique_hierarchy, CliqueCoarsening])
def test_docstrings_mention_growth(documented: object) -> None:
    assert "994,252" in str(documented.__doc__)


def test_readme_and_documentation_mention_growth() -> None:
    for page in ("README.md", "docs/concepts.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert "994,252" in text
        assert "adj_t" in text
        assert "eterogeneous" in text


def test_what_is_not_supported_is_refused_with_what_to_do() -> None:
    for pool in (cp.clique_pool, CliqueCoarsening(1)):
        with pytest.raises(cp.GraphError, match=r"to_homogeneous\(\)"):
            pool(HeteroData())
        with pytest.raises(cp.GraphError, match=r"adj_t.*ToSparseTensor"):
            pool(Data(adj_t=torch.eye(3), num_nodes=3))


def test_a_graph500_graph_ends_within_its_budget_and_says_what_its_levels_would_need() -> None:
    """The same as benchmarks/scale_budget.py, of a graph that takes milliseconds."""
    graph = cp.Graph.from_edges(graph500(50_000))
    with pytest.raises(cp.BudgetExceeded, match=r"pooling level 1, after \d+ cliques: .*tied cliques") as few:
        cp.clique_hierarchy(graph, threads=1, budget=cp.Budget(max_bytes=2**19))
    assert few.value.limit == "max_bytes"
    told = (
        r"pooling level 2 without the rows of level 1, which would need about [0-9.]+ MiB, after \d+ cliques"
    )
    with pytest.raises(cp.BudgetExceeded, match=told) as more:
        cp.clique_hierarchy(graph, threads=1, budget=cp.Budget(max_bytes=2**20))
    assert more.value.reached < 2**21, "told before the memory is used"
    assert len(cp.clique_hierarchy(graph, threads=1, budget=cp.Budget(max_bytes=2**23))) == 8
