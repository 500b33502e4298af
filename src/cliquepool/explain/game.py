"""The game of an explanation: the scores of a model when only some pools of a graph are kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

import numpy as np
import torch

from cliquepool.errors import BudgetExceeded, GraphError

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.budget import Budget
    from cliquepool.explain.fields import PoolFields
    from cliquepool.explain.masked_model import MaskedModel

    Kept = npt.NDArray[np.bool_]
    Scores = npt.NDArray[np.float64]

__all__ = ["MaskingGame", "all_subsets", "expect_time_left"]


class MaskingGame:
    """The scores when the nodes outside the fields of the kept pools have baseline features.

    A node of several pools keeps its features as long as one of them is kept. Edges, pools and sizes stay as
    they are. `evaluations` counts the forward passes of the graph so far.
    """

    def __init__(self, model: MaskedModel, fields: PoolFields, budget: Budget) -> None:
        self.model = model
        self.fields = fields
        self.budget = budget
        self.evaluations = 0
        self._began = time.perf_counter()

    def __len__(self) -> int:
        return len(self.fields)

    def scores(self, kept: Kept) -> Scores:
        """Return the scores (columns) for rows of kept pools; rows that keep the same nodes count once."""
        pools = len(self)
        if kept.ndim != 2 or kept.shape[1] != pools:
            raise GraphError(f"expected a column for each of {pools} pools, got shape {kept.shape}")
        self.expect_memory(4 * kept.size)
        packed, rows = np.unique(np.packbits(self._nodes_kept(kept), axis=1), axis=0, return_inverse=True)
        nodes = np.unpackbits(packed, axis=1, count=self.fields.num_nodes).astype(bool)
        return self.node_scores(nodes)[rows.reshape(-1)]

    def _nodes_kept(self, kept: Kept) -> Kept:
        return self.fields.nodes_kept(kept)

    @torch.no_grad()
    def node_scores(self, nodes: Kept) -> Scores:
        """Return the scores (columns) for rows of nodes that have their own features."""
        step = self.model.copies_at_once
        parts = []
        for begin in range(0, len(nodes), step):
            self.expect_time()
            mask = torch.from_numpy(nodes[begin : begin + step])[:, :, None]
            masked = torch.where(mask, self.model.x, self.model.baseline)
            parts.append(self.model.scores(masked).numpy())
        self.evaluations += len(nodes)
        return np.concatenate(parts) if parts else np.zeros((0, len(self.model.scale.names)))

    def all_scores(self) -> Scores:
        """Return the scores of all subsets of pools: row Σ 2^i over the kept pools i."""
        return self.scores(all_subsets(len(self)))

    def restart(self) -> Self:
        """Count the time of the budget from now: for a new question about the same graph."""
        self._began = time.perf_counter()
        return self

    def expect_time(self) -> None:
        """Raise BudgetExceeded where the time is over."""
        expect_time_left(self._began, self.budget)

    def expect_memory(self, needed: int) -> None:
        """Raise BudgetExceeded where so many bytes are more than allowed."""
        allowed = self.budget.max_bytes
        if allowed is not None and needed > allowed:
            raise BudgetExceeded("max_bytes", allowed, needed, "explaining")


def expect_time_left(began: float, budget: Budget) -> None:
    """Raise BudgetExceeded where more than the allowed time has passed since `began`."""
    seconds, allowed = time.perf_counter() - began, budget.max_seconds
    if allowed is not None and seconds > allowed:
        raise BudgetExceeded("max_seconds", allowed, seconds, "explaining")


def all_subsets(number: int) -> Kept:
    """Return all subsets of `number` pools as rows: pool i is in row r where bit i of r is set.

    >>> all_subsets(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    rows = np.arange(1 << number)
    bits: Kept = ((rows[:, None] >> np.arange(number)) & 1).astype(bool)
    return bits
