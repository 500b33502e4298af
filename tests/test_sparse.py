"""Damaged sparse matrices are refused before SciPy reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp

TAIL = [(0, 1), (0, 2), (1, 2), (2, 3)]


INDEX = torch.tensor(TAIL).T


MATRIX = scipy.sparse.coo_array((np.ones(4), INDEX.numpy()), shape=(4, 4))


def damaged(form: str, part: str, value: Any) -> Any:
    matrix = getattr(scipy.sparse, f"{form}_matrix")(MATRIX.toarray())
    setattr(matrix, part, np.asarray(value))
    return matrix


DAMAGED: list[tuple[str, str, Any, str]] = [
    ("csr", "indptr", [0, 2, 3, 9, 9], "expected offsets up to its number of entries, 4 indices .*, got 9"),
    ("csr", "indptr", [0, 3, 2, 4, 4], "expected offsets from 0 that never fall"),
    ("csr", "indptr", [1, 2, 3, 4, 4], "expected offsets from 0"),
    ("csr", "indptr", [0, 2, 4], "expected 5 offsets, got 3"),
    ("csr", "indptr", [0.0, 2.0, 3.0, 4.0, 4.0], "expected a list of integers, got float64"),
    (
        "csr",
        "indices",
        [1, 2, 2, 10**9],
        "indices of the matrix: expected indices from 0 to 3, got 1 to 1000",
    ),
    ("csr", "indices", [1, -2, 2, 3], "expected indices from 0 to 3, got -2 to 3"),
    ("csr", "indices", [1, 2], "2 indices and 4 values, got 4"),
    ("csr", "data", [1.0], "4 indices and 1 values, got 4"),
    ("csr", "data", [1.0, np.nan, 1.0, 1.0], "NaN"),
    ("csr", "data", [1.0, complex(0, np.nan), 1.0, 1.0], "NaN"),
    ("csr", "data", ["a", "b", "c", "d"], "expected a matrix of numbers, got <U1"),
    ("csc", "indices", [0, 0, 1, 4], "expected indices from 0 to 3, got 0 to 4"),
    ("csc", "indptr", [0, 0, 1, 3], "expected 5 offsets, got 4"),
    ("bsr", "indices", [1, 2, 2, 7], "indices of the matrix: expected indices from 0 to"),
    ("bsr", "indptr", [0, 9, 9, 9, 9], "indptr of the matrix: expected"),
    ("bsr", "data", np.ones((2, 3, 3)), "expected blocks that fill it"),
    ("coo", "row", [0, 0, 1, 400], "row of the matrix: expected indices from 0 to 3, got 0 to 400"),
    ("coo", "col", [0, 0, 1, -1], "col of the matrix: expected indices from 0 to 3, got -1 to 1"),
    ("coo", "data", [1.0], "as many rows as columns and values"),
]


@pytest.mark.parametrize(("form", "part", "value", "message"), DAMAGED)
def test_damaged_matrices_are_refused(form: str, part: str, value: Any, message: str) -> None:
    with pytest.raises(cp.GraphError, match=message):
        cp.clique_pool(damaged(form, part, value))


def test_other_damage_is_refused_too() -> None:
    ragged = scipy.sparse.lil_matrix(MATRIX.toarray())
    ragged.data[0] = [1.0]
    outside = scipy.sparse.lil_matrix(MATRIX.toarray())
    outside.rows[3], outside.data[3] = [99], [1.0]
    words = scipy.sparse.lil_matrix(MATRIX.toarray())
    words.rows[0] = ["a", "b"]
    without = scipy.sparse.csr_matrix(MATRIX)
    del without.indptr
    listed = scipy.sparse.csr_matrix(MATRIX)
    listed.data = [1.0] * 4
    flat = scipy.sparse.dia_matrix(MATRIX.toarray())
    flat.offsets = np.array([0])
    for matrix, message in (
        (ragged, "row 0 of the matrix: expected as many values as columns, got 1 and 2"),
        (outside, "indices of the matrix: expected indices from 0 to 3"),
        (words, "expected a whole sparse matrix, got lil_matrix"),
        (without, "expected a whole sparse matrix, got csr_matrix"),
        (listed, "data of the matrix: expected an array of 1 dimension, got list"),
        (flat, "a row of the data of the matrix for each of its offsets"),
    ):
        with pytest.raises(cp.GraphError, match=message):
            cp.Graph.from_scipy(matrix)


@settings(max_examples=150)
@given(
    st.sampled_from(["csr", "csc"]),
    st.lists(st.integers(-2, 6), min_size=1, max_size=6),
    st.lists(st.integers(-2, 5), max_size=6),
    st.integers(0, 6),
)
def test_any_index_arrays_give_a_graph_or_a_graph_error(
    form: str, indptr: list[int], indices: list[int], values: int
) -> None:
    matrix = getattr(scipy.sparse, f"{form}_array")((4, 4))
    matrix.indptr, matrix.indices = np.array(indptr, np.int32), np.array(indices, np.int32)
    matrix.data = np.ones(values)
    try:
        graph = cp.Graph.from_scipy(matrix)
    except cp.GraphError:
        return
    assert cp.Graph.from_csr(graph.indptr, graph.indices).num_edges == graph.num_edges


def test_room_left_over_in_a_matrix_is_not_read() -> None:
    matrix = scipy.sparse.csr_array(MATRIX)
    matrix.indices, matrix.data = np.append(matrix.indices, 99), np.append(matrix.data, np.nan)
    assert cp.Graph.from_scipy(matrix) == cp.Graph.from_edges(TAIL)
