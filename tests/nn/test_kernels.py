"""The core's loops over rows and lists refuse arrays that do not fit, and never crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool import _core

if TYPE_CHECKING:
    from collections.abc import Callable


def calls(*arrays: np.ndarray) -> dict[str, Callable[[], None]]:
    """Every call of the core's layers over the same arrays."""
    offsets, members, x, y, where, starts, read, top = arrays
    divisor = np.ones(len(y), dtype=x.dtype)
    sums = np.zeros(x.shape[1], dtype=x.dtype)
    return {
        "sum_lists": lambda: _core.sum_lists(offsets, members, x, None, None, None, 0.0, 1, y),
        "sum_lists, oneself": lambda: _core.sum_lists(offsets, members, x, None, None, None, 1.0, 1, y),
        "max_lists": lambda: _core.max_lists(offsets, members, x, 1, y, where),
        "scatter": lambda: _core.scatter(where, y, x),
        "mean_and_max": lambda: _core.mean_and_max(starts, x, read, top),
        "mean_and_max_backward": lambda: _core.mean_and_max_backward(starts, top, read, x),
        "rectify": lambda: _core.relu_normalise(x, 1e-12, y, divisor),
        "rectify_backward": lambda: _core.relu_normalise_backward(y, divisor, 1e-12, y, x),
        "rectify_and_read": lambda: _core.relu_normalise_readout(starts, x, 1e-12, divisor, read, 0, top),
        "rectify_and_read, further on": lambda: _core.relu_normalise_readout(
            starts, x, 1e-12, divisor, np.tile(read, (1, 2)), 6, top
        ),
        "rectify_and_read_backward": lambda: _core.relu_normalise_readout_backward(
            starts, x, divisor, 1e-12, top, read, 0, y, sums
        ),
    }


@settings(max_examples=150)
@given(st.data())
def test_the_core_refuses_arrays_that_do_not_fit_and_never_crashes(data: st.DataObject) -> None:
    def integers(most: int) -> list[int]:
        return data.draw(
            st.lists(st.one_of(st.integers(0, 4), st.integers(-(2**31), 2**31 - 1)), max_size=most)
        )

    def matrix(dtype: type) -> np.ndarray:
        shape = data.draw(st.tuples(st.integers(0, 4), st.integers(0, 3)))
        if dtype == np.int32:
            return np.resize(np.array([*integers(6), 0], dtype=dtype), shape)
        return np.ones(shape, dtype=dtype)

    offsets, members, starts = integers(5), integers(6), integers(4)
    if data.draw(st.booleans()):  # more of them nearly right
        offsets = sorted([0, *(o for o in offsets if 0 <= o <= len(members)), len(members)])
        starts = sorted([0, *(s for s in starts if 0 <= s <= 4)])
    arrays = (
        np.array(offsets, dtype=np.int64),
        np.array(members, dtype=np.int32),
        matrix(np.float32),
        matrix(np.float32),
        matrix(np.int32),
        np.array(starts, dtype=np.int64),
        matrix(np.float32),
        matrix(np.int32),
    )
    for name in calls(*arrays):
        given_to_it = [array.copy() for array in arrays]
        try:
            calls(*given_to_it)[name]()
        except cp.GraphError:
            assert all(map(np.array_equal, given_to_it, arrays)), f"{name} wrote before it had checked"
        else:
            assert all(np.array_equal(given_to_it[index], arrays[index]) for index in (0, 1, 5))


GOOD = (
    np.array([0, 2, 3]),
    np.array([0, 1, 1], dtype=np.int32),
    np.full((2, 3), 2, dtype=np.float32),
    np.ones((2, 3), dtype=np.float32),
    np.zeros((2, 3), dtype=np.int32),
    np.array([0, 2]),
    np.ones((1, 6), dtype=np.float32),
    np.zeros((1, 3), dtype=np.int32),
)


UNIT = 3**-0.5  # each of the three numbers of a row of equal ones, L2-normalised
# The first column of every array that a call changes, by the index of the array in GOOD.
CHANGED: dict[str, dict[int, list[float]]] = {
    "sum_lists": {3: [4, 2]},
    "sum_lists, oneself": {3: [6, 4]},
    "max_lists": {3: [2, 2], 4: [0, 1]},
    "scatter": {2: [4, 2]},
    "mean_and_max": {6: [2]},
    "mean_and_max_backward": {2: [1.5, 0.5]},
    "rectify": {3: [UNIT, UNIT]},
    "rectify_backward": {2: [-2, -2]},
    "rectify_and_read": {2: [UNIT, UNIT], 6: [UNIT]},
    "rectify_and_read, further on": {2: [UNIT, UNIT]},
    "rectify_and_read_backward": {3: [-27.5, -16.5]},  # g − x (x·g) for g = 1 + 1.5 and 1 + 0.5
}


@pytest.mark.parametrize("name", calls(*GOOD))
def test_the_core_computes_over_arrays_that_fit(name: str) -> None:
    arrays = [array.copy() for array in GOOD]
    calls(*arrays)[name]()
    for index, (array, before) in enumerate(zip(arrays, GOOD, strict=True)):
        if index in CHANGED[name]:
            assert array[:, 0].tolist() == pytest.approx(CHANGED[name][index])
            assert (array == array[:, :1]).all()
        else:
            assert np.array_equal(array, before)


@pytest.mark.parametrize(
    ("name", "place", "wrong"),
    [
        ("sum_lists", 0, np.array([0, 2])),
        ("sum_lists", 0, np.array([0, 4, 3])),
        ("sum_lists", 0, np.array([0, -1, 3])),
        ("sum_lists", 0, np.array([1, 2, 3])),
        ("sum_lists", 1, np.array([0, 2, 1], dtype=np.int32)),
        ("sum_lists", 1, np.array([0, -1, 1], dtype=np.int32)),
        ("sum_lists", 3, np.ones((2, 4), dtype=np.float32)),
        ("sum_lists, oneself", 2, np.ones((3, 3), dtype=np.float32)),
        ("max_lists", 1, np.array([0, 2, 1], dtype=np.int32)),
        ("max_lists", 4, np.zeros((2, 2), dtype=np.int32)),
        ("scatter", 4, np.full((2, 3), 2, dtype=np.int32)),
        ("scatter", 4, np.zeros((1, 3), dtype=np.int32)),
        ("mean_and_max", 5, np.array([0, 3])),
        ("mean_and_max", 5, np.array([0, 3, 2])),
        ("mean_and_max_backward", 7, np.full((1, 3), 2, dtype=np.int32)),
        ("mean_and_max_backward", 7, np.full((1, 3), -1, dtype=np.int32)),
        ("mean_and_max_backward", 5, np.array([1, 2])),
        ("rectify", 3, np.ones((2, 4), dtype=np.float32)),
        ("rectify_backward", 3, np.ones((1, 3), dtype=np.float32)),
        ("rectify_and_read", 5, np.array([0, 3])),
        ("rectify_and_read", 5, np.array([], dtype=np.int64)),
        ("rectify_and_read", 6, np.ones((1, 5), dtype=np.float32)),
        ("rectify_and_read", 7, np.zeros((1, 2), dtype=np.int32)),
        ("rectify_and_read, further on", 6, np.ones((1, 5), dtype=np.float32)),
        ("rectify_and_read_backward", 3, np.ones((3, 3), dtype=np.float32)),
        ("rectify_and_read_backward", 5, np.array([1, 2])),
        ("rectify_and_read_backward", 7, np.full((1, 3), -1, dtype=np.int32)),
        ("rectify_and_read_backward", 7, np.full((1, 3), 2, dtype=np.int32)),
    ],
)
def test_the_core_says_what_it_expected(name: str, place: int, wrong: np.ndarray) -> None:
    arrays = [array.copy() for array in GOOD]
    arrays[place] = wrong
    if name == "mean_and_max" and len(wrong) == 3:
        arrays[6], arrays[7] = np.ones((2, 6), dtype=np.float32), np.zeros((2, 3), dtype=np.int32)
    with pytest.raises(cp.GraphError, match=r"^expected"):
        calls(*arrays)[name]()


@pytest.mark.parametrize(
    ("list_start", "offsets", "members", "target_start", "chosen"),
    [
        ([0, 5], [0, 1, 2], [0, 0], [0, 2], [0]),
        ([0, 3, 2], [0, 1, 2], [0, 0], [0, 1, 2], [0]),
        ([0, 1, 2], [0, 7, 2], [0, 0], [0, 1, 2], [0]),
        ([0, 1, 2], [0, -7, 2], [0, 0], [0, 1, 2], [1]),
        ([0, 1, 2], [0, 1, 2], [0, 0], [0, 1], [1]),
        ([0, 2], [0, 1, 2], [0, 0], [0, 2], [1]),
        ([], [0], [], [0], [0]),
    ],
)
def test_collation_refuses_lists_that_do_not_fit(
    list_start: list[int], offsets: list[int], members: list[int], target_start: list[int], chosen: list[int]
) -> None:
    a, b, d, e = (np.array(part, dtype=np.int64) for part in (list_start, offsets, target_start, chosen))
    with pytest.raises(cp.GraphError, match=r"^expected"):
        _core.Collator([a], [(a, b, np.array(members, dtype=np.int32), d)], []).collate(e)


def test_collation_refuses_rows_that_do_not_fit() -> None:
    rows, cut = np.zeros((4, 2), dtype=np.uint8), np.zeros((2, 2), dtype=np.uint8)
    for start, chosen in (
        ([0, 2], [0]),
        ([0, 9, 4], [0]),
        ([0, 3, 4], [0]),
        ([0, 2, 4], [2]),
        ([0, -2, 4], [1]),
    ):
        with pytest.raises(cp.GraphError, match=r"^expected"):
            _core.gather_rows(np.array(start), rows, np.array(chosen), cut)
