"""Mini-batches cut out of the flat arrays of a pooled data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from cliquepool.data.indexing import gather_rows
from cliquepool.nn.batch import Batch, Level, Lists, NodeInput

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cliquepool.data.features import NodeFeatures
    from cliquepool.data.pooled import PooledDataset, PooledLevel

__all__ = ["collate"]


def collate(data: PooledDataset, chosen: npt.NDArray[np.int64], features: NodeFeatures | None) -> Batch:
    """Cut the chosen graphs out of the flat arrays of all."""
    parts = _CutParts(data, chosen)
    levels = [_cut_level(level, parts) for level in data.levels]
    nodes = _cut_nodes(data.levels[0].node_start, chosen, features, levels[0].num_nodes)
    y = torch.from_numpy(data.dataset.targets[chosen])
    if data.edge_values is not None:
        for cut, level, values in zip(levels, data.levels, data.edge_values, strict=True):
            cut.edge_attr = torch.from_numpy(gather_rows(level.edge_start, values, chosen))
    return Batch(nodes, y, levels)


def _cut_nodes(
    start: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
    features: NodeFeatures | None,
    num_nodes: int,
) -> NodeInput:
    if features is None:
        return NodeInput(None, 0, torch.ones(num_nodes, 1))
    codes, dense, ahead = (
        None if rows is None else torch.from_numpy(gather_rows(start, rows, chosen, num_nodes))
        for rows in (features.codes, features.dense, features.ahead)
    )
    return NodeInput(codes, features.num_codes, dense, ahead, features.ahead_of)


class _CutParts:
    """The parts of a batch in the order in which `PooledDataset.cutter` was given them."""

    def __init__(self, data: PooledDataset, chosen: npt.NDArray[np.int64]) -> None:
        offsets, offset_sizes, members, member_sizes, values, value_sizes = data.cutter.cut(chosen)
        every_offset = _split(offsets, offset_sizes)
        self._starts = iter(every_offset[: len(data.levels)])
        self._offsets = iter(every_offset[len(data.levels) :])
        self._members = iter(_split(members, member_sizes))
        self._values = iter(_split(values, value_sizes))

    def start(self) -> Tensor:
        return next(self._starts)

    def values(self) -> Tensor:
        return next(self._values)

    def lists(self, num_targets: int, *, with_back: bool = False) -> Lists:
        lists = Lists(next(self._offsets), next(self._members), num_targets)
        if with_back:
            lists.back = Lists(next(self._offsets), next(self._members), len(lists))
        return lists


def _split(array: npt.NDArray[Any], sizes: list[int]) -> tuple[Tensor, ...]:
    return torch.split_with_sizes(torch.from_numpy(array), sizes)


def _cut_level(level: PooledLevel, parts: _CutParts) -> Level:
    node_start, degrees = parts.start(), parts.values()
    neighbours = class_of_node = quotient = pool_sizes = None
    pools: tuple[Lists, ...] = ()
    if level.worth_factoring:
        quotient = parts.lists(0)
        quotient.num_targets = len(quotient)
        class_of_node = parts.lists(len(quotient), with_back=True)
        if level.pools_by_class is not None:
            pools = (class_of_node.transposed, parts.lists(len(quotient), with_back=True))
    else:
        neighbours = parts.lists(degrees.numel())
        if level.pools is not None:
            pools = (parts.lists(degrees.numel(), with_back=True),)
    if pools:
        pool_sizes = parts.values()
    return Level(node_start, degrees, neighbours, class_of_node, quotient, pools, pool_sizes)
