"""Torch expands twin classes on any device, to what the core expands them to."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from torch import Tensor

from cliquepool.nn.expansion import members_of_pools, neighbours_of_nodes
from tests.helpers.pyg_graphs import PAPER_FIGURE
from tests.helpers.small_batches import CLIQUES_OF_TWINS, samples, small_batch
from tests.helpers.small_graphs import Sample, cycle, path


@pytest.mark.parametrize("by_classes", [False, True])
def test_edges_and_pools_are_expanded_on_any_device(by_classes: bool) -> None:
    batch = small_batch([PAPER_FIGURE, cycle(4), path(3)], by_classes=by_classes)
    elsewhere = batch.to("meta")
    for level, other in zip(batch.levels, elsewhere.levels, strict=True):
        assert other.edge_index.shape == level.edge_index.shape
        if level.pools:
            assert other.membership.shape == level.membership.shape


@given(samples(2))
@settings(max_examples=25)
def test_torch_expands_edges_and_pools_as_the_core_does(drawn: list[Sample]) -> None:
    for level in small_batch([*drawn, CLIQUES_OF_TWINS], by_classes=True).apply(Tensor.clone).levels:
        assert level.class_of_node is not None
        assert level.quotient is not None
        assert level.expanded_sizes is not None
        class_pairs, entries, memberships = level.expanded_sizes
        targets, sources = neighbours_of_nodes(level.class_of_node, level.quotient, class_pairs, entries)
        assert torch.equal(torch.stack([sources, targets]), level.edge_index)
        if level.pools:
            pools, nodes = members_of_pools(level.class_of_node, level.pools[1], memberships)
            assert torch.equal(torch.stack([nodes, pools]), level.membership)
