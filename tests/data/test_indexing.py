"""Indices into data sets, ranges of rows, and the rows of chosen graphs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cliquepool.data.indexing import Ranges, checked_index, checked_indices, gather_rows, runs_of


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 400)), max_size=6))
def test_ranges_are_slices_end_to_end_however_long_they_are(ranges: list[tuple[int, int]]) -> None:
    begins = np.array([begin for begin, _ in ranges], dtype=np.int64)
    ends = begins + np.array([length for _, length in ranges], dtype=np.int64)
    rows = np.arange(1300)
    expected = np.concatenate([rows[:0], *(rows[a:b] for a, b in zip(begins, ends, strict=True))])
    assert Ranges(begins, ends).of(rows).tolist() == expected.tolist()
    assert Ranges(begins, ends).of(None) is None


@given(st.lists(st.integers(0, 9), max_size=12))
def test_runs_put_end_to_end_are_the_indices(indices: list[int]) -> None:
    begins, ends = runs_of(np.array(indices, dtype=np.int64))
    runs = [list(range(begin, end)) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    assert [index for run in runs for index in run] == indices
    assert all(a[-1] + 1 != b[0] for a, b in pairwise(runs))


def test_indices_count_from_either_end() -> None:
    assert [checked_index(index, 3) for index in (0, 2, -1, np.int64(-3))] == [0, 2, 2, 0]
    assert checked_indices([0, -1, 2], 3).tolist() == [0, 2, 2]
    assert checked_indices([], 3).tolist() == []
    assert checked_indices(np.array([True, False, True]), 3).tolist() == [0, 2]


def test_wrong_indices_are_refused() -> None:
    for wrong in (3, -4):
        with pytest.raises(IndexError, match="expected a graph from -3 to 2"):
            checked_index(wrong, 3)
        with pytest.raises(IndexError, match="expected graphs from -3 to 2"):
            checked_indices([0, wrong], 3)
    with pytest.raises(TypeError, match="expected an integer, a slice, or an array"):
        checked_index("a", 3)
    with pytest.raises(TypeError, match="float64 of shape"):
        checked_indices([0.5], 3)
    with pytest.raises(IndexError, match="expected 3 truth values"):
        checked_indices(np.array([True, False]), 3)


@settings(max_examples=50)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
    st.sampled_from([(), (1,), (3,), (0,), (2, 2)]),
    st.sampled_from([np.int32, np.float32, np.float64, np.uint8]),
    st.data(),
)
def test_gathered_rows_are_those_of_the_chosen_graphs(
    sizes: list[int], shape: tuple[int, ...], dtype: type, data: st.DataObject
) -> None:
    start = np.cumsum([0, *sizes])
    rows = np.arange(start[-1] * int(np.prod(shape)), dtype=dtype).reshape(start[-1], *shape)
    chosen = np.array(data.draw(st.lists(st.integers(0, len(sizes) - 1), max_size=6)), dtype=np.int64)
    expected = np.concatenate([rows[:0], *(rows[start[g] : start[g + 1]] for g in chosen)])
    gathered = gather_rows(start, rows, chosen)
    assert gathered.dtype == rows.dtype
    assert gathered.shape == expected.shape
    assert (gathered == expected).all()
