"""Dense matrices of ragged arrays and levels, to compute the expected results of layers with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from cliquepool.nn import Incidence
    from cliquepool.nn.batch import Level


def matrix_of(lists: Incidence, dtype: torch.dtype = torch.float64) -> Tensor:
    """Return a row for each list and a column for each target, with ones for members."""
    matrix = torch.zeros(len(lists), lists.num_targets, dtype=dtype)
    offsets, members = lists.offsets.tolist(), lists.members.tolist()
    for row in range(len(lists)):
        for member in members[offsets[row] : offsets[row + 1]]:
            matrix[row, member] += 1
    return matrix


def adjacency(level: Level, dtype: torch.dtype = torch.float64) -> Tensor:
    return matrix_of(level.neighbour_lists, dtype)


def membership(level: Level, dtype: torch.dtype = torch.float64) -> Tensor:
    """Return S: a row for each node, a column for each pool."""
    return matrix_of(level.pool_lists, dtype).T
