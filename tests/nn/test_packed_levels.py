"""Levels packed into one tensor: unpacked as they were, in batches too; other numbers are refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.nn.packed_levels import pack_levels, unpack_levels
from tests.helpers.small_graphs import Sample, cycle, graphs, path

some_graphs = st.lists(
    st.one_of(graphs(7), st.sampled_from([Sample(0, []), Sample(3, []), path(4), cycle(5)])),
    min_size=1,
    max_size=4,
)


def hierarchy(sample: Sample, levels: int = 2) -> cp.Hierarchy:
    return cp.clique_hierarchy(sample.graph(), levels=levels)


@given(some_graphs, st.integers(1, 3))
@settings(max_examples=60)
def test_a_batch_of_packed_graphs_has_their_levels_one_after_the_other(
    samples: list[Sample], pooled: int
) -> None:
    hierarchies = [hierarchy(sample, pooled) for sample in samples]
    levels, _ = unpack_levels(torch.cat([pack_levels(h) for h in hierarchies]))
    assert (levels.num_graphs, levels.pooled) == (len(samples), pooled)
    for place in range(pooled + 1):
        sizes = [h.graph(place).num_nodes for h in hierarchies]
        first = np.cumsum([0, *sizes])
        assert levels.node_start(place).tolist() == first.tolist()
        edges = [h.graph(place).to_edge_index()[::-1] + n for h, n in zip(hierarchies, first, strict=False)]
        assert levels.edge_index(place).tolist() == np.concatenate(edges, axis=1).tolist()
        level = levels.level(place)
        assert torch.equal(level.edge_index, levels.edge_index(place))
        assert level.neighbour_lists.members.tolist() == level.edge_index[0].tolist()
        assert level.degrees.tolist() == level.edge_index[1].bincount(minlength=sum(sizes)).tolist()
        if place == pooled:
            assert not level.pools
            continue
        pools = [pool + n for h, n in zip(hierarchies, first, strict=False) for pool in h[place].pools]
        lists = level.pool_lists
        assert [part.tolist() for part in lists.members.tensor_split(lists.offsets[1:-1])] == [
            pool.tolist() for pool in pools
        ] or not pools
        pairs = {(node, index) for index, pool in enumerate(pools) for node in pool.tolist()}
        back = lists.transposed
        assert list(zip(*level.membership.tolist(), strict=True)) == sorted(pairs, key=lambda p: p[::-1])
        assert list(zip(back.list_of_member.tolist(), back.members.tolist(), strict=True)) == sorted(pairs)


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.bool, torch.uint8]
)
@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
def test_edge_values_come_back_level_by_level(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    packed = [pack_levels(hierarchy(sample)) for sample in (path(4), Sample(2, []), cycle(5))]
    alone = [unpack_levels(part)[0] for part in packed]
    rows = [(10 * torch.rand(sum(one.num_entries), *shape)).to(dtype) for one in alone]
    levels, (values,) = unpack_levels(torch.cat(packed), [torch.cat(rows)])
    for place in range(3):
        expected = [one.edge_rows(part, place) for one, part in zip(alone, rows, strict=True)]
        assert torch.equal(levels.edge_rows(values, place), torch.cat(expected))


def test_edge_values_of_other_edges_are_refused() -> None:
    with pytest.raises(cp.GraphError, match="a value for each of 6 edges of all levels, got 3"):
        unpack_levels(pack_levels(hierarchy(path(3))), [torch.ones(3)])


def test_graphs_pooled_unequally_often_make_no_batch() -> None:
    packed = [pack_levels(hierarchy(path(4), levels)) for levels in (1, 2)]
    with pytest.raises(cp.GraphError, match="graphs pooled 1 and 2 times; use one CliqueCoarsening"):
        unpack_levels(torch.cat(packed))


def test_no_graphs_at_all_have_no_levels() -> None:
    levels, _ = unpack_levels(torch.empty(0, dtype=torch.int32))
    assert levels.num_graphs == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (torch.tensor([2.0]), "expected packed levels .* int32, got torch.float32"),
        (torch.zeros(2, 2, dtype=torch.int32), r"of shape \(2, 2\)"),
        (torch.zeros(2, dtype=torch.int32, device="meta"), "batch .* before moving"),
        (torch.tensor([5], dtype=torch.int32), "cut off"),
        (torch.tensor([9, 1, 0], dtype=torch.int32), "cut off"),
        (torch.tensor([-1, 1], dtype=torch.int32), "cut off"),
        (torch.tensor([2, 0], dtype=torch.int32), "number of levels"),
        (torch.tensor([2, 2**31 - 1], dtype=torch.int32), "number of levels"),
        (torch.tensor([7, 1, 0, 0, 0, 0, 2**31 - 1], dtype=torch.int32), "count that its length cannot hold"),
        (torch.tensor([7, 1, 0, 0, 0, 0, 1], dtype=torch.int32), "do not add up"),
        (torch.tensor([7, 1, 1, 0, 0, 0, 0], dtype=torch.int32), "a node that is in no pool"),
        (torch.tensor([7, 1, 0, 1, 0, 0, 0], dtype=torch.int32), "a pool without members"),
        (torch.tensor([9, 1, 1, 1, 0, 0, 1, 5, 0], dtype=torch.int32), "out of range"),
        (torch.tensor([11, 1, 2, 1, 0, 0, 2, 1, 0, 0, 0], dtype=torch.int32), "out of order"),
    ],
)
def test_numbers_that_are_no_levels_are_refused(wrong: torch.Tensor, message: str) -> None:
    with pytest.raises(cp.GraphError, match=message):
        unpack_levels(wrong)


@given(graphs(6), st.data())
@settings(max_examples=200)
def test_changed_numbers_are_refused_or_make_levels_in_range(sample: Sample, data: st.DataObject) -> None:
    packed = pack_levels(hierarchy(sample))
    position = data.draw(st.integers(0, len(packed) - 1))
    packed[position] = data.draw(st.integers(-3, 12) | st.sampled_from([2**31 - 1, -(2**31)]))
    try:
        levels, _ = unpack_levels(packed)
    except cp.GraphError:
        return
    for place in range(levels.pooled + 1):
        nodes = levels.num_nodes[place]
        assert all(0 <= end < nodes for end in levels.edge_index(place).flatten().tolist())
