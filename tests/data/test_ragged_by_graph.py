"""RaggedByGraph: local and global members, transposes, and the lists of chosen graphs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cliquepool import Ragged, _core
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.data.ragged_by_graph import RaggedByGraph
from tests.helpers.graph_datasets import lists_of_graph, matrix_of
from tests.helpers.small_graphs import Sample, blow_up, path, union


@st.composite
def ragged_by_graph(draw: st.DrawFn) -> RaggedByGraph:
    """Lists of distinct targets for a few graphs, some without lists or targets."""
    sizes = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=5))
    members = [
        sorted(draw(st.sets(st.integers(0, targets - 1)))) if targets else []
        for lists, targets in sizes
        for _ in range(lists)
    ]
    return RaggedByGraph(
        list_start=np.cumsum([0, *(lists for lists, _ in sizes)]),
        local=Ragged(
            np.cumsum([0, *map(len, members)]),
            np.array([m for part in members for m in part], dtype=np.int32),
        ),
        target_start=np.cumsum([0, *(targets for _, targets in sizes)]),
    )


@given(ragged_by_graph())
def test_transposing_lists_twice_gives_them_back(lists: RaggedByGraph) -> None:
    assert (matrix_of(lists.transposed) == matrix_of(lists).T).all()
    twice = lists.transposed.transposed
    assert twice.local == lists.local


def collated(lists: RaggedByGraph, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lists of the chosen graphs, collated as those of a batch."""
    parts = (lists.list_start, lists.local.offsets, lists.local.members, lists.target_start)
    offsets, sizes, members, *_ = _core.Collator([lists.list_start], [parts], []).collate(chosen)
    return offsets[sizes[0] :], members


@given(ragged_by_graph(), st.data())
def test_collated_lists_are_those_of_the_chosen_graphs(lists: RaggedByGraph, data: st.DataObject) -> None:
    graphs = len(lists.list_start) - 1
    chosen = data.draw(st.lists(st.integers(0, graphs - 1), max_size=8)) if graphs else []
    expected: list[list[int]] = []
    first = 0
    for graph in chosen:
        expected += [[member + first for member in part] for part in lists_of_graph(lists, graph)]
        first += int(lists.target_start[graph + 1] - lists.target_start[graph])
    offsets, members = collated(lists, np.array(chosen, dtype=np.int64))
    assert [members[a:b].tolist() for a, b in pairwise(offsets)] == expected


@given(ragged_by_graph())
def test_global_members_become_local_again(lists: RaggedByGraph) -> None:
    again = RaggedByGraph.from_global(lists.list_start, lists.global_lists, lists.target_start)
    assert again.local == lists.local


def test_a_union_of_graphs_is_collated_as_its_parts_are() -> None:
    parts = [path(4), blow_up(path(5), [9, 8, 7, 9, 8]), Sample(1, [])]
    alone, together = (
        PooledDataset(GraphDataset.from_graphs([sample.graph() for sample in samples]), 1)
        for samples in (parts, [union(*parts)])
    )
    offsets, members = collated(alone.levels[0].neighbours, np.arange(3))
    assert Ragged(offsets, members) == together.levels[0].neighbours.local
