"""Batches and their levels: the same however they are kept, and on any device."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.nn.batch import Batch, Level, NodeInput
from tests.helpers.small_batches import (
    DOT,
    kept,
    pooled,
    samples,
    small_batch,
)
from tests.helpers.small_graphs import Sample, path

if TYPE_CHECKING:
    from cliquepool.data import PooledDataset
    from cliquepool.nn.incidence import Incidence


@st.composite
def choices(draw: st.DrawFn) -> tuple[list[Sample], list[int]]:
    """Graphs and some of them: in any order, some twice, or none at all."""
    drawn = draw(samples(5))
    return drawn, draw(st.lists(st.integers(0, len(drawn) - 1), max_size=7))


def as_lists(lists: Incidence) -> list[list[int]]:
    return [lists.members[a:b].tolist() for a, b in pairwise(lists.offsets.tolist())]


def assert_equal_levels(one: Level, other: Level) -> None:
    assert one.node_start.tolist() == other.node_start.tolist()
    assert one.degrees.tolist() == other.degrees.tolist()
    assert one.edge_index.tolist() == other.edge_index.tolist()
    assert as_lists(one.neighbour_lists) == as_lists(other.neighbour_lists)
    assert bool(one.pools) == bool(other.pools)
    if one.pools:
        assert one.pool_sizes is not None
        assert other.pool_sizes is not None
        assert one.pool_sizes.tolist() == other.pool_sizes.tolist()
        assert as_lists(one.pool_lists) == as_lists(other.pool_lists)
        assert as_lists(one.pool_lists.transposed) == as_lists(other.pool_lists.transposed)
        assert one.membership.tolist() == other.membership.tolist()


@given(choices())
def test_a_level_kept_by_classes_is_the_one_written_out(choice: tuple[list[Sample], list[int]]) -> None:
    drawn, chosen = choice
    by_classes = kept(pooled(drawn), by_classes=True).batch(chosen)
    plain = kept(pooled(drawn), by_classes=False).batch(chosen)
    for one, other in zip(by_classes.levels, plain.levels, strict=True):
        assert one.neighbours is None
        assert other.class_of_node is None
        assert_equal_levels(one, other)


@pytest.mark.parametrize("by_classes", [False, True])
def test_a_batch_moved_to_a_device_is_the_same(by_classes: bool) -> None:
    batch = small_batch(by_classes=by_classes)
    for moved in (batch.to("cpu"), batch.to(torch.device("cpu"), non_blocking=True)):
        assert isinstance(moved, Batch)
        assert moved.x.tolist() == batch.x.tolist()
        assert moved.y.tolist() == batch.y.tolist()
        for one, other in zip(moved.levels, batch.levels, strict=True):
            assert_equal_levels(one, other)


@pytest.mark.parametrize("by_classes", [False, True])
def test_moving_a_batch_moves_every_tensor_of_it(by_classes: bool) -> None:
    level = small_batch(by_classes=by_classes).to("meta").levels[0]
    lists = [level.neighbours, level.class_of_node, level.quotient, *level.pools]
    lists += [part.by_target for part in lists if part is not None]
    tensors = [tensor for part in lists if part is not None for tensor in (part.offsets, part.members)]
    assert len(tensors) >= 6
    for tensor in (level.node_start, level.degrees, level.pool_sizes, *tensors):
        assert tensor is not None
        assert tensor.is_meta


@pytest.mark.skipif(not torch.cuda.is_available(), reason="page-locked memory needs a GPU")
def test_a_batch_in_page_locked_memory_is_the_same() -> None:
    batch = small_batch(by_classes=True)
    assert batch.pin_memory().x.is_pinned()
    assert_equal_levels(batch.pin_memory().levels[0], batch.levels[0])


def test_features_without_codes_and_dense_part_are_refused() -> None:
    with pytest.raises(ValueError, match="expected codes or a dense part"):
        _ = NodeInput(None, 0, None).x


def test_the_last_level_has_no_pools() -> None:
    last = small_batch(by_classes=False).levels[-1]
    for name in ("pool_lists", "pool_scale", "membership"):
        with pytest.raises(ValueError, match="expected a level that is pooled"):
            getattr(last, name)


def test_a_batch_shows_its_graphs_nodes_and_features() -> None:
    data: PooledDataset = pooled([path(4), DOT], 1)
    assert repr(data.batch([0, 1])) == "Batch(2 graphs, nodes 5 -> 4, 1 features)"
