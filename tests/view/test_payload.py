"""Parts of a page: integers and arrays are packed, and read again, without loss."""

from __future__ import annotations

import json
import zlib

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from cliquepool.ragged import Ragged
from cliquepool.view.payload import first_uses, half_edges, member_steps, pack, steps, varints


def read_varints(content: bytes) -> list[int]:
    values, value, shift = [], 0, 0
    for byte in content:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_varints_are_read_again(values: list[int]) -> None:
    assert read_varints(varints(np.array(values, dtype=np.int64))) == values


@given(st.lists(st.integers(0, 2**31 - 1)))
def test_steps_are_not_negative_and_sum_up_to_the_values(values: list[int]) -> None:
    encoded = steps(np.array(values, dtype=np.int64)).tolist()
    assert all(step >= 0 for step in encoded)
    changes = [-(step + 1) // 2 if step % 2 else step // 2 for step in encoded]
    assert np.cumsum(changes).tolist() == values


@given(st.lists(st.integers(0, 5)))
def test_groups_in_the_order_of_first_use_are_read_again(values: list[int]) -> None:
    numbers: dict[int, int] = {}
    groups = [numbers.setdefault(value, len(numbers)) for value in values]
    found: list[int] = []
    following = 0
    for back in first_uses(np.array(groups, dtype=np.int64)).tolist():
        found.append(following if back == 0 else following - back)
        following += back == 0
    assert found == groups


@given(st.lists(st.sets(st.integers(0, 30))))
def test_ascending_lists_are_read_again(sets: list[set[int]]) -> None:
    lists = [sorted(one) for one in sets]
    ragged = Ragged(
        np.cumsum([0, *map(len, lists)]), np.array([v for one in lists for v in one], dtype=np.int32)
    )
    encoded = iter(member_steps(ragged).tolist())
    found = []
    for one in lists:
        members: list[int] = []
        for _ in one:
            members.append(next(encoded) + (members[-1] + 1 if members else 0))
        found.append(members)
    assert found == lists


@given(st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda pair: pair[0] < pair[1])))
def test_half_the_edges_give_all_of_them(edges: set[tuple[int, int]]) -> None:
    both = sorted([*edges, *((v, u) for u, v in edges)])
    sources, targets = (np.array([pair[i] for pair in both], dtype=np.int32) for i in (0, 1))
    counts, distances = half_edges(Ragged.from_pairs(sources, targets, 9))
    encoded = iter(distances.tolist())
    found = set()
    for source, count in enumerate(counts.tolist()):
        target = source
        for _ in range(count):
            target += next(encoded) + 1
            found.add((source, target))
    assert found == edges


def test_a_part_has_its_header_then_its_arrays() -> None:
    content = zlib.decompress(pack({"nodes": 3}, {"a": b"xy", "b": b"z"}))
    length = int.from_bytes(content[:4], "little")
    assert json.loads(content[4 : 4 + length]) == {"nodes": 3, "arrays": [["a", 2], ["b", 1]]}
    assert content[4 + length :] == b"xyz"
