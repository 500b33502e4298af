"""Collated batches are their graphs one by one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import FeatureEncoder, NodeFeatures
from tests.helpers.small_batches import (
    CLIQUES_OF_TWINS,
    DOT,
    MIXED,
    NO_NODES,
    kept,
    pooled,
    samples,
    small_batch,
)
from tests.helpers.small_graphs import Sample, cycle, path

if TYPE_CHECKING:
    from cliquepool.nn.incidence import Incidence

LISTS = ("neighbour_lists", "pool_lists")


@st.composite
def choices(draw: st.DrawFn) -> tuple[list[Sample], list[int]]:
    """Graphs and some of them: in any order, some twice, or none at all."""
    drawn = draw(samples(5))
    return drawn, draw(st.lists(st.integers(0, len(drawn) - 1), max_size=7))


def as_lists(lists: Incidence) -> list[list[int]]:
    return [lists.members[a:b].tolist() for a, b in pairwise(lists.offsets.tolist())]


def end_to_end(parts: list[list[list[int]]], steps: list[int]) -> list[list[int]]:
    """Lists one after the other, the members of each part counted on from the part before."""
    first = np.cumsum([0, *steps]).tolist()
    return [
        [member + base for member in members]
        for part, base in zip(parts, first, strict=False)
        for members in part
    ]


@given(choices(), st.booleans())
def test_a_batch_is_its_graphs_one_by_one(choice: tuple[list[Sample], list[int]], by_classes: bool) -> None:
    drawn, chosen = choice
    data = kept(pooled(drawn), by_classes=by_classes)
    features = FeatureEncoder.fit(data.dataset, standardise=False).encode(data.dataset)
    batch = data.batch(chosen, features)
    alone = [data.batch([graph], features) for graph in chosen]
    assert batch.num_graphs == len(chosen)
    assert batch.y.tolist() == data.dataset.targets[chosen].tolist()
    assert batch.x.tolist() == [row for one in alone for row in one.x.tolist()]
    for depth, level in enumerate(batch.levels):
        parts = [one.levels[depth] for one in alone]
        sizes = [part.num_nodes for part in parts]
        assert level.num_graphs == len(chosen)
        assert level.num_nodes == sum(sizes)
        assert level.node_start.tolist() == np.cumsum([0, *sizes]).tolist()
        assert level.batch.tolist() == [place for place, size in enumerate(sizes) for _ in range(size)]
        assert level.degrees.tolist() == [degree for part in parts for degree in part.degrees.tolist()]
        for name in LISTS if level.pools else LISTS[:1]:
            expected = end_to_end([as_lists(getattr(part, name)) for part in parts], sizes)
            assert as_lists(getattr(level, name)) == expected


@given(samples())
def test_levels_of_a_batch_are_those_of_the_hierarchy(drawn: list[Sample]) -> None:
    data = pooled(drawn)
    for place, sample in enumerate(drawn):
        hierarchy = cp.clique_hierarchy(sample.graph(), 2)
        for depth, level in enumerate(data.batch([place]).levels):
            graph = hierarchy.graph(depth)
            edges = sorted(zip(*level.edge_index.tolist(), strict=True))
            assert edges == sorted(
                (u, v) for u in range(graph.num_nodes) for v in graph.neighbours(u).tolist()
            )
            if level.pools:
                pools = hierarchy[depth].pools.tolist()
                assert as_lists(level.pool_lists) == pools
                columns = [(v, p) for p, pool in enumerate(pools) for v in pool]
                assert list(zip(*level.membership.tolist(), strict=True)) == columns


def test_levels_are_kept_in_the_cheaper_way() -> None:
    data = pooled([CLIQUES_OF_TWINS, CLIQUES_OF_TWINS])
    assert [level.neighbours is None for level in data.batch([1]).levels] == [
        level.worth_factoring for level in data.levels
    ]
    assert data.levels[0].worth_factoring
    assert not pooled([path(4)]).levels[0].worth_factoring


@pytest.mark.parametrize("by_classes", [False, True])
def test_an_empty_choice_and_graphs_without_nodes_make_batches(by_classes: bool) -> None:
    for batch in (
        kept(pooled(MIXED), by_classes=by_classes).batch([]),
        small_batch([NO_NODES, NO_NODES], by_classes=by_classes),
    ):
        assert batch.num_graphs in (0, 2)
        for level in batch.levels:
            assert level.num_nodes == 0
            assert level.edge_index.shape == (2, 0)
            assert level.batch.shape == (0,)
            if level.pools:
                assert level.membership.shape == (2, 0)


@pytest.mark.parametrize("wrong", [[-1], [7], [0, 99], [2**40], [-(2**40)]])
@pytest.mark.parametrize("with_features", [False, True])
def test_graphs_that_are_not_there_are_refused(wrong: list[int], with_features: bool) -> None:
    data = pooled(MIXED)
    features = FeatureEncoder.fit(data.dataset).encode(data.dataset) if with_features else None
    with pytest.raises(cp.GraphError, match="expected indices of graphs that are there"):
        data.batch(wrong, features)


def test_without_features_every_node_has_a_one() -> None:
    batch = pooled([path(3), DOT]).batch([1, 0])
    assert batch.x.tolist() == [[1.0]] * 4
    assert batch.x.dtype == torch.float32


@given(samples(3), st.sampled_from(["labels", "attributes", "both", "degree", "constant"]))
def test_features_are_gathered_as_they_were_encoded(drawn: list[Sample], kind: str) -> None:
    data = pooled(drawn)
    features: NodeFeatures = FeatureEncoder.fit(
        data.dataset,
        kind=kind,  # type: ignore[arg-type]
        standardise=False,
    ).encode(data.dataset)
    start = data.dataset.node_start
    chosen = [*range(len(drawn))][::-1]
    expected = np.concatenate([features.to_dense()[start[g] : start[g + 1]] for g in chosen])
    x = data.batch(chosen, features).x.numpy()
    assert x.dtype == np.float32
    assert x.tobytes() == expected.tobytes()


def test_batches_go_through_all_graphs_in_order_or_as_drawn() -> None:
    data = pooled([path(n) for n in range(1, 8)])
    in_order = list(data.batches(np.arange(7), batch_size=3))
    assert [batch.num_graphs for batch in in_order] == [3, 3, 1]
    assert [np.diff(b.levels[0].node_start).tolist() for b in in_order] == [[1, 2, 3], [4, 5, 6], [7]]
    drawn = list(data.batches(np.arange(7), batch_size=3, shuffle=np.random.default_rng(5)))
    sizes = [size for b in drawn for size in np.diff(b.levels[0].node_start).tolist()]
    assert sizes == (np.random.default_rng(5).permutation(7) + 1).tolist()


@given(choices())
def test_batches_are_the_same_with_each_level_in_one_form(choice: tuple[list[Sample], list[int]]) -> None:
    drawn, chosen = choice
    data, lean = pooled([*drawn, CLIQUES_OF_TWINS]), pooled([*drawn, CLIQUES_OF_TWINS])
    lean._keep_one_form()
    assert lean.sizes.tolist() == data.sizes.tolist()
    for mine, other in zip(lean.batch(chosen).levels, data.batch(chosen).levels, strict=True):
        assert (mine.neighbours is None) == (other.neighbours is None)
        assert mine.node_start.tolist() == other.node_start.tolist()
        assert mine.degrees.tolist() == other.degrees.tolist()
        for name in LISTS if other.pools else LISTS[:1]:
            assert as_lists(getattr(mine, name)) == as_lists(getattr(other, name))
            if name == "pool_lists":
                assert as_lists(mine.pool_lists.transposed) == as_lists(other.pool_lists.transposed)


def test_the_first_level_of_a_training_shares_the_edges_of_the_data_set() -> None:
    data = pooled([path(4), cycle(5)])
    data._keep_one_form()
    assert np.shares_memory(data.levels[0].neighbours.local.members, data.dataset.indices)
