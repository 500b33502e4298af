"""Owners are balanced by edges, cut few of them, and do not depend on anything but the graph."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

import cliquepool as cp
from cliquepool.errors import MissingDependency
from cliquepool.scale.level_rows import rows_of_hierarchy
from cliquepool.scale.owners import choose_owners
from tests.helpers.small_graphs import path

if TYPE_CHECKING:
    from cliquepool.scale.owners import PartitionMethod

GEOMETRIC = cp.Graph.from_networkx(nx.random_geometric_graph(600, 0.08, seed=2))
METHODS: list[Any] = [
    "propagation",
    pytest.param("metis", marks=pytest.mark.skipif(find_spec("pymetis") is None, reason="needs pymetis")),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("levels", [0, 2, None])
def test_parts_are_balanced_and_cut_few_edges(method: PartitionMethod, levels: int | None) -> None:
    rows = rows_of_hierarchy(cp.clique_hierarchy(GEOMETRIC, levels=levels))
    owners = choose_owners(rows, 4, method)
    assert [len(each) for each in owners] == [level.num_units for level in rows]
    edges = sum(
        np.bincount(each[level.neighbours.list_of_member], minlength=4)
        for each, level in zip(owners, rows, strict=True)
    )
    assert edges.max() < 2 * edges.mean()
    lists = rows[0].neighbours
    assert np.mean(owners[0][lists.list_of_member] != owners[0][lists.members]) < 0.3


def test_owners_depend_on_the_graph_alone() -> None:
    rows = rows_of_hierarchy(cp.clique_hierarchy(GEOMETRIC, levels=2))
    for one, other in zip(choose_owners(rows, 5), choose_owners(rows, 5), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_hierarchy_that_ends_in_one_node_is_divided_below() -> None:
    rows = rows_of_hierarchy(cp.clique_hierarchy(path(200).graph()))
    owners = choose_owners(rows, 4)
    assert rows[-1].num_units == 1
    assert set(owners[0].tolist()) == {0, 1, 2, 3}


def test_unknown_methods_and_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of_hierarchy(cp.clique_hierarchy(path(5).graph()))
    with pytest.raises(cp.InputError, match="method: expected one of propagation, metis, got 'hash'"):
        choose_owners(rows, 2, "hash")  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(MissingDependency, match="a partition by METIS needs pymetis, which is not installed"):
        choose_owners(rows, 2, "metis")
