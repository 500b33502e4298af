"""Collation: chosen graphs of a pooled data set as one batch of torch tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from cliquepool.data.indexing import gather_rows
from cliquepool.nn.batch import Batch, Level, NodeInput
from cliquepool.nn.incidence import Incidence

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cliquepool.data.collation import GatheredArrays, LevelSlots, ListSlots
    from cliquepool.data.features import NodeFeatures
    from cliquepool.data.pooled import PooledDataset

__all__ = ["collate"]


def collate(data: PooledDataset, chosen: npt.NDArray[np.int64], features: NodeFeatures | None) -> Batch:
    """Return the chosen graphs as one batch, in their order."""
    parts = _Parts(data.collation.gather(chosen), num_starts=len(data.levels))
    levels = [_collate_level(slots, parts) for slots in data.collation.levels]
    nodes = _collate_nodes(data.levels[0].node_start, chosen, features, levels[0].num_nodes)
    y = torch.from_numpy(data.dataset.targets[chosen])
    if data.edge_values is not None:
        for collated, level, values in zip(levels, data.levels, data.edge_values, strict=True):
            collated.edge_attr = torch.from_numpy(gather_rows(level.edge_start, values, chosen))
    of_graphs = None if features is None else features.of_graphs
    return Batch(nodes, y, levels, None if of_graphs is None else torch.from_numpy(of_graphs[chosen]))


def _collate_nodes(
    start: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
    features: NodeFeatures | None,
    num_nodes: int,
) -> NodeInput:
    if features is None:
        return NodeInput(None, 0, torch.ones(num_nodes, 1))
    codes, dense, precomputed = (
        None if rows is None else torch.from_numpy(gather_rows(start, rows, chosen, num_nodes))
        for rows in (features.codes, features.dense, features.precomputed)
    )
    return NodeInput(codes, features.num_codes, dense, precomputed, features.precomputed_for)


class _Parts:
    """The gathered parts of a batch as tensors, by slot."""

    def __init__(self, gathered: GatheredArrays, num_starts: int) -> None:
        offsets = _split(gathered.offsets, gathered.offset_lengths)
        self.starts = offsets[:num_starts]
        self.values = _split(gathered.values, gathered.value_lengths)
        self._offsets = offsets[num_starts:]
        self._members = _split(gathered.members, gathered.member_lengths)

    def symmetric(self, slot: int) -> Incidence:
        """Return lists that are their own transpose, and have as many targets as lists."""
        offsets = self._offsets[slot]
        return Incidence(offsets, self._members[slot], offsets.numel() - 1)

    def lists(self, slots: ListSlots, num_targets: int) -> Incidence:
        """Return lists with their transpose."""
        lists = Incidence(self._offsets[slots.lists], self._members[slots.lists], num_targets)
        lists.by_target = Incidence(
            self._offsets[slots.transposed], self._members[slots.transposed], len(lists)
        )
        return lists


def _split(array: npt.NDArray[Any], lengths: list[int]) -> tuple[Tensor, ...]:
    return torch.split_with_sizes(torch.from_numpy(array), lengths)


def _collate_level(slots: LevelSlots, parts: _Parts) -> Level:
    node_start, degrees = parts.starts[slots.node_start], parts.values[slots.degrees]
    neighbours = None if slots.neighbours is None else parts.symmetric(slots.neighbours)
    quotient = None if slots.quotient is None else parts.symmetric(slots.quotient)
    class_of_node = None
    pools: tuple[Incidence, ...] = ()
    if slots.classes is not None:
        assert quotient is not None
        class_of_node = parts.lists(slots.classes, len(quotient))
    if slots.pools is not None and class_of_node is not None:
        pools = (class_of_node.transposed, parts.lists(slots.pools, class_of_node.num_targets))
    elif slots.pools is not None:
        pools = (parts.lists(slots.pools, degrees.numel()),)
    pool_sizes = None if slots.pool_sizes is None else parts.values[slots.pool_sizes]
    return Level(node_start, degrees, neighbours, class_of_node, quotient, pools, pool_sizes)
