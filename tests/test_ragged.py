"""Ragged arrays do what lists of lists do."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.ragged import Ragged, concatenated_ranges, offsets_from_lengths

TARGETS = 6
lists_of_sets = st.lists(st.sets(st.integers(0, TARGETS - 1)).map(sorted), max_size=7)


def ragged(lists: list[list[int]]) -> Ragged:
    members = [member for part in lists for member in part]
    return Ragged(np.cumsum([0, *map(len, lists)]), np.array(members, dtype=np.int32))


@given(lists_of_sets, st.slices(7))
def test_it_is_a_sequence_of_lists(lists: list[list[int]], part: slice) -> None:
    made = ragged(lists)
    assert made.tolist() == [list(members) for members in made] == lists
    assert len(made) == len(lists)
    assert made.sizes.tolist() == list(map(len, lists))
    assert made[part].tolist() == lists[part]
    assert made[part] == ragged(lists[part])
    assert [made[i].tolist() for i in range(-len(lists), len(lists))] == lists * 2
    with pytest.raises(IndexError):
        made[len(lists)]


@given(lists_of_sets)
def test_arrays_are_read_only_and_of_fixed_types(lists: list[list[int]]) -> None:
    made = ragged(lists)
    for result in (made, made.transpose(TARGETS), made.take(np.arange(len(lists))), made[::-1]):
        assert result.offsets.dtype == np.int64
        assert result.members.dtype == np.int32
        assert not result.offsets.flags.writeable
        assert not result.members.flags.writeable


@given(lists_of_sets)
def test_the_transpose_has_the_lists_of_each_target(lists: list[list[int]]) -> None:
    expected = [[i for i, part in enumerate(lists) if target in part] for target in range(TARGETS)]
    assert ragged(lists).transpose(TARGETS).tolist() == expected
    assert ragged(lists).transpose(TARGETS).transpose(len(lists)) == ragged(lists)


@given(lists_of_sets)
def test_pairs_in_any_order_of_the_lists_make_them(lists: list[list[int]]) -> None:
    made = ragged(lists)
    order = np.argsort(np.random.default_rng(len(lists)).random(len(lists)), kind="stable")
    shuffled = made.take(order)
    again = Ragged.from_pairs(order[shuffled.list_of_member], shuffled.members, len(lists))
    assert again == made
    assert shuffled.tolist() == [lists[i] for i in order]


@given(lists_of_sets)
def test_sums_over_lists_are_those_of_the_definition(lists: list[list[int]]) -> None:
    values = np.array([3, -1, 10, 0, 7, 2**31 - 1], dtype=np.int32)
    assert ragged(lists).sum_over(values).tolist() == [sum(values[part].tolist()) for part in lists]


@given(lists_of_sets, st.data())
def test_a_part_has_offsets_from_zero(lists: list[list[int]], data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(lists)))
    end = data.draw(st.integers(begin, len(lists)))
    offsets, members = ragged(lists).part(begin, end)
    assert offsets[0] == 0
    assert Ragged(offsets, members).tolist() == lists[begin:end]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 4)), max_size=6))
def test_ranges_are_concatenated(ranges: list[tuple[int, int]]) -> None:
    begins, lengths = (np.array([pair[i] for pair in ranges], dtype=np.int64) for i in (0, 1))
    expected = [index for begin, length in ranges for index in range(begin, begin + length)]
    assert concatenated_ranges(begins, lengths).tolist() == expected
    assert offsets_from_lengths(lengths).tolist() == np.cumsum([0, *lengths.tolist()]).tolist()


def test_it_is_compared_by_value_printed_and_pickled() -> None:
    made = ragged([[0, 1, 2], [3]])
    assert made == ragged([[0, 1, 2], [3]])
    assert made != ragged([[0, 1], [2, 3]])
    assert made != [[0, 1, 2], [3]]
    assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)
    assert repr(made) == "Ragged(2 lists: {0, 1, 2}, {3})"
    assert repr(ragged([])) == "Ragged(0 lists)"
    assert repr(ragged([[0]])) == "Ragged(1 list: {0})"
    assert repr(ragged([list(range(9))] * 8)).endswith("{0, 1, 2, 3, 4, 5, … 9 nodes}, …)")
    assert cp.Ragged is Ragged
