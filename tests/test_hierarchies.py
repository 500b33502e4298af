"""Many graphs in one call have the hierarchies that each has by itself."""

from __future__ import annotations

import numpy as np
import pytest

import cliquepool as cp
from tests.helpers.same_levels import expect_same_levels
from tests.helpers.small_graphs import sample_graphs


@pytest.mark.parametrize("threads", [1, 2, 3, None])
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_many_graphs_at_once_are_pooled_as_one_by_one(threads: int | None, levels: int) -> None:
    batch = [sample.graph() for sample in sample_graphs(210, seed=7)]
    together = cp.clique_hierarchies(batch, levels=levels, threads=threads)
    assert len(together) == len(batch)
    for graph, hierarchy in zip(batch, together, strict=True):
        expect_same_levels(hierarchy, cp.clique_hierarchy(graph, levels=levels))


def test_no_graphs_have_no_hierarchies() -> None:
    assert len(cp.clique_hierarchies([], levels=2)) == 0


def test_sizes_have_a_row_for_each_graph_and_a_column_for_each_level() -> None:
    batch = [sample.graph() for sample in sample_graphs(30, seed=3)]
    together = cp.clique_hierarchies(batch, levels=2)
    one_by_one = np.array([hierarchy.sizes for hierarchy in together])
    assert np.array_equal(together.sizes, one_by_one)
    assert [len(hierarchy) for hierarchy in together[3:5]] == [2, 2]
    assert repr(together) == "Hierarchies(30 graphs, up to 2 levels)"
