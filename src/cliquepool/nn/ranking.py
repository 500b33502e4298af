"""Orders of nodes and edges by learned scores, independent of rounding and of the other graphs of a batch.

Nodes that a network cannot tell apart have equal scores up to rounding, which differs with the size of a
batch. Scores that are equal up to a tolerance are therefore ties, broken by position within the graph. The
tolerance is relative to the largest score of the graph, since networks learn scores of any size.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["kept_counts", "ranks", "top_nodes"]

_TOLERANCE: Final = 5e-6  # scores in a batch and alone differ by up to 8e-7 of the largest, as measured
_SCRAMBLE: Final = 2654435761  # 2^32 divided by the golden ratio: successive multiples are far apart
_SCRAMBLED: Final = 1 << 32


def ranks(scores: Tensor, groups: Tensor, *, scramble: bool = False) -> Tensor:
    """Return the rank of each row: by group, within it from the highest score, ties by position.

    `groups` has the graph of each row. With `scramble`, ties are broken by a fixed pseudo-random order of
    positions: algorithms that choose all local minima of the rank in one round then need few rounds, where
    an order along a path would need a round for each of its nodes.

    >>> ranks(torch.tensor([0.1, 0.7, 0.7, 0.2]), torch.tensor([0, 0, 0, 1])).tolist()
    [2, 0, 1, 3]
    """
    count = len(scores)
    rows = torch.arange(count, device=scores.device)
    scores = scores.detach().double()
    order = torch.argsort(scores, descending=True, stable=True)
    order = order[torch.argsort(groups[order], stable=True)]
    by_score, by_group = scores[order], groups[order]
    begins_group = torch.ones(count, dtype=torch.bool, device=scores.device)
    begins_group[1:] = by_group[1:] != by_group[:-1]
    begins_class = begins_group.clone()
    number = begins_group.cumsum(0) - 1
    largest = scores.new_zeros(count).scatter_reduce(0, number, by_score.abs(), "amax")[number]
    begins_class[1:] |= by_score[:-1] - by_score[1:] > _TOLERANCE * largest[1:]
    classes = torch.empty_like(rows)
    classes[order] = begins_class.cumsum(0)
    ties = rows
    if scramble:
        starts = torch.where(begins_group, rows, 0).cummax(0).values
        # Rows of a group need not be adjacent: positions are counted in the order of rows.
        within = torch.empty_like(rows)
        within[torch.argsort(groups, stable=True)] = rows - starts
        ties = torch.argsort(within * _SCRAMBLE % _SCRAMBLED, stable=True).argsort()
    order = torch.argsort(classes * count + ties)
    result = torch.empty_like(rows)
    result[order] = rows
    return result


def kept_counts(counts: Tensor, ratio: float) -> Tensor:
    """Return ``ceil(ratio * n)`` for each number of nodes n, exactly, and at least 1 where n is.

    >>> kept_counts(torch.tensor([0, 1, 5, 10]), 0.8).tolist()
    [0, 1, 4, 8]
    """
    # 0.8 * 35 is above 28 in binary: the product is rounded before the ceiling.
    return (counts.double() * ratio).mul(1 << 20).round().div(1 << 20).ceil().long()


def top_nodes(scores: Tensor, batch: Tensor, ratio: float) -> Tensor:
    """Return the ``ceil(ratio * n)`` nodes of highest score of each graph of n nodes, ascending.

    `batch` has the graph of each node, ascending.

    >>> top_nodes(torch.tensor([0.1, 0.7, 0.2, 0.5]), torch.tensor([0, 0, 0, 1]), 0.5).tolist()
    [1, 2, 3]
    """
    if not (0 < ratio <= 1 and math.isfinite(ratio)):
        raise ValueError(f"ratio: expected a number above 0 and up to 1, got {ratio!r}")
    counts = torch.bincount(batch)
    starts = counts.cumsum(0) - counts
    within = ranks(scores, batch) - starts[batch]
    return torch.nonzero(within < kept_counts(counts, ratio)[batch]).view(-1)
