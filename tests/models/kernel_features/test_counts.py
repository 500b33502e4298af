"""Counts of structures, and the kernels over them, against their definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.models.kernel_features import counts as module
from cliquepool.models.kernel_features.counts import INTERSECTIONS, PRODUCTS, GraphCounts

lists = st.lists(st.lists(st.integers(0, 5), max_size=12), max_size=12)


def counted(rows: list[list[int]]) -> GraphCounts:
    graphs = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return GraphCounts.of(graphs, np.array([key for row in rows for key in row], dtype=np.uint64), len(rows))


def test_counts_are_sorted_by_graph_and_key() -> None:
    found = counted([[7, 3, 7], [], [3]])
    assert found.start.tolist() == [0, 2, 2, 3]
    assert found.keys.tolist() == [3, 7, 3]
    assert found.counts.tolist() == [1, 2, 1]
    taken = found.take(np.array([2, 0]))
    assert (taken.start.tolist(), taken.keys.tolist(), taken.counts.tolist()) == (
        [0, 1, 3],
        [3, 3, 7],
        [1, 1, 2],
    )


def test_given_counts_are_added() -> None:
    keys = np.array([4, 4, 9], dtype=np.uint64)
    found = GraphCounts.of(np.array([0, 0, 1]), keys, 2, np.array([10, 5, 1]))
    assert found.counts.tolist() == [15, 1]
    assert len(GraphCounts.of(np.zeros(0, int), keys[:0], 3, np.zeros(0, int))) == 3


@given(lists, lists)
def test_kernels_are_sums_over_common_structures(first: list[list[int]], second: list[list[int]]) -> None:
    one, other = list(map(Counter, first)), list(map(Counter, second))
    inner = [[sum(a[key] * b[key] for key in a) for b in other] for a in one]
    smaller = [[(a & b).total() for b in other] for a in one]
    shape = (len(first), len(second))
    found = PRODUCTS.matrix(counted(first), counted(second))
    np.testing.assert_array_equal(found, np.array(inner).reshape(shape))
    found = INTERSECTIONS.matrix(counted(first), counted(second))
    np.testing.assert_array_equal(found, np.array(smaller).reshape(shape))


@given(lists)
def test_diagonals_are_those_of_the_matrices(rows: list[list[int]]) -> None:
    for kernel in (PRODUCTS, INTERSECTIONS):
        matrix = kernel.matrix(counted(rows), counted(rows))
        assert kernel.diagonal(counted(rows)).tolist() == np.diagonal(matrix).tolist()


def test_dense_and_sparse_columns_give_the_same(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    random = np.random.default_rng(0)
    rows = counted([random.geometric(0.05, size=30).tolist() for _ in range(40)])
    found = {}
    for share in (0, 8, 10**6):  # all columns sparse, some, all dense
        monkeypatch.setattr(module, "_DENSE_SHARE", share)
        monkeypatch.setattr(module, "_BLOCK", 7 * len(rows))
        found[share] = [kernel.matrix(rows, rows).tolist() for kernel in (PRODUCTS, INTERSECTIONS)]
    assert found[0] == found[8] == found[10**6]
    smallest = np.linalg.eigvalsh(np.array(found[8][1])).min()
    assert smallest > -1e-9
