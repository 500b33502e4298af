"""Incidences of torch are ragged arrays with their transposes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool import nn
from cliquepool.nn.incidence import Incidence, offsets_of_sorted
from tests.helpers.torch_lists import lists_of

TARGETS = 5
lists_of_sets = st.lists(st.sets(st.integers(0, TARGETS - 1)).map(sorted), max_size=6)


def as_lists(lists: Incidence) -> list[list[int]]:
    return [lists.members[a:b].tolist() for a, b in pairwise(lists.offsets.tolist())]


def assert_equal(one: Incidence, other: Incidence) -> None:
    for a, b in ((one, other), (one.transposed, other.transposed)):
        assert as_lists(a) == as_lists(b)
        assert a.num_targets == b.num_targets
        assert (a.offsets.dtype, a.members.dtype) == (torch.int64, torch.int32)


@given(lists_of_sets)
def test_every_constructor_makes_the_lists_and_their_transpose(lists: list[list[int]]) -> None:
    expected = lists_of(lists, TARGETS)
    ragged = cp.Ragged(expected.offsets.numpy(), expected.members.numpy())
    pairs = expected.list_of_member, expected.index
    assert_equal(Incidence.from_ragged(ragged, TARGETS), expected)
    assert_equal(Incidence.from_sorted_pairs(*pairs, len(lists), TARGETS), expected)
    order = torch.from_numpy(np.random.default_rng(0).permutation(len(pairs[0])))
    assert_equal(Incidence.from_pairs(pairs[0][order], pairs[1][order], len(lists), TARGETS), expected)


@given(lists_of_sets)
def test_properties_are_those_of_the_lists(lists: list[list[int]]) -> None:
    made = lists_of(lists, TARGETS)
    assert len(made) == len(lists)
    assert made.sizes.tolist() == list(map(len, lists))
    assert made.list_of_member.tolist() == [i for i, part in enumerate(lists) for _ in part]
    assert made.index.dtype == torch.int64
    assert made.arrays[1].tolist() == made.members.tolist()
    assert as_lists(made.transposed.transposed) == lists
    assert torch.equal(offsets_of_sorted(made.list_of_member, len(lists)), made.offsets)


def test_symmetric_lists_are_their_own_transpose() -> None:
    path = cp.Ragged(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32))
    made = Incidence.from_ragged(path, 3, symmetric=True)
    assert made.by_target is None
    assert made.transposed is made
    assert repr(made) == "Incidence(3 lists, 4 members of 3)"


def test_moving_moves_the_transpose_too() -> None:
    moved = lists_of([[0, 1], [1]], 2).to("meta")
    assert moved.members.is_meta
    assert moved.by_target is not None
    assert moved.by_target.offsets.is_meta


def test_wrong_pairs_are_refused() -> None:
    with pytest.raises(cp.GraphError, match="members: expected ids from 0 to 1, got 0 to 2"):
        Incidence.from_pairs(torch.tensor([0, 0]), torch.tensor([0, 2]), 1, 2)
    with pytest.raises(cp.GraphError, match="lists: expected ids from 0 to 0"):
        Incidence.from_pairs(torch.tensor([-1]), torch.tensor([0]), 1, 2)
    with pytest.raises(cp.GraphError, match="each member once in a list"):
        Incidence.from_pairs(torch.tensor([0, 0]), torch.tensor([1, 1]), 1, 2)
    with pytest.raises(cp.GraphError, match="expected a member for each list"):
        Incidence.from_pairs(torch.tensor([0]), torch.tensor([0, 1]), 1, 2)


def test_the_name_of_earlier_versions_works() -> None:
    assert nn.Lists is nn.Incidence is Incidence
