"""Collation names every part of a batch; the parts are those of the chosen graphs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.helpers.graph_datasets import lists_of_graph
from tests.helpers.small_batches import MIXED, kept, pooled

if TYPE_CHECKING:
    from cliquepool.data.collation import ListSlots

CHOSEN = np.array([3, 0, 0, 2, 5], dtype=np.int64)


def split(array: np.ndarray, lengths: list[int]) -> list[np.ndarray]:
    assert sum(lengths) == len(array)
    return np.split(array, np.cumsum(lengths)[:-1])


@pytest.mark.parametrize("by_classes", [False, True])
def test_every_part_is_at_the_slot_of_its_name(by_classes: bool) -> None:
    data = kept(pooled(MIXED), by_classes=by_classes)
    gathered = data.collation.gather(CHOSEN)
    offsets = split(gathered.offsets, gathered.offset_lengths)
    members = split(gathered.members, gathered.member_lengths)
    values = split(gathered.values, gathered.value_lengths)
    starts, offsets = offsets[: len(data.levels)], offsets[len(data.levels) :]
    used: list[int] = []
    for level, slots in zip(data.levels, data.collation.levels, strict=True):
        assert np.diff(starts[slots.node_start]).tolist() == np.diff(level.node_start)[CHOSEN].tolist()
        rows = [np.arange(level.num_nodes)[slice(*level.node_start[g : g + 2])] for g in CHOSEN]
        assert values[slots.degrees].tolist() == level.degrees[np.concatenate(rows)].tolist()
        assert (slots.neighbours is None) == by_classes == (slots.quotient is not None)
        pools = level.pools_by_class if by_classes else level.pools
        named = {
            slots.neighbours: level.neighbours,
            slots.quotient: level.quotient,
            **_with_transpose(slots.classes, level.classes),
            **_with_transpose(slots.pools, pools),
        }
        assert (slots.pools is None) == (slots.pool_sizes is None) == (pools is None)
        for slot, lists in named.items():
            if slot is None:
                continue
            used.append(slot)
            sizes = [len(part) for graph in CHOSEN for part in lists_of_graph(lists, graph)]
            assert np.diff(offsets[slot]).tolist() == sizes
            targets = np.diff(lists.target_start)[CHOSEN]
            first = np.repeat(np.cumsum([0, *targets])[:-1], [_num_lists(lists, graph) for graph in CHOSEN])
            local = [part for graph in CHOSEN for part in lists_of_graph(lists, graph)]
            expected = [[m + base for m in part] for part, base in zip(local, first, strict=True)]
            assert [members[slot][a:b].tolist() for a, b in pairwise(offsets[slot])] == expected
    assert sorted(used) == list(range(len(members)))


def _num_lists(lists: object, graph: int) -> int:
    return len(lists_of_graph(lists, graph))  # type: ignore[arg-type]


def _with_transpose(slots: ListSlots | None, lists: object) -> dict[int, object]:
    if slots is None:
        return {}
    return {slots.lists: lists, slots.transposed: lists.transposed}  # type: ignore[attr-defined]
