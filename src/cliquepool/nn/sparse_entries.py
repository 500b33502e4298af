"""Sparse matrices as lists of entries, and their products with gradients.

torch multiplies sparse matrices with gradients only in a format that it calls experimental, with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Entries"]


@dataclass(frozen=True)
class Entries:
    """The entries of a sparse matrix: rows, columns and values; entries at the same position are added."""

    rows: Tensor
    columns: Tensor
    values: Tensor
    shape: tuple[int, int]

    @property
    def transposed(self) -> Entries:
        """The transpose."""
        return Entries(self.columns, self.rows, self.values, self.shape[::-1])

    def merged(self) -> Entries:
        """Return the same matrix with one entry for each position, ordered by row and column."""
        width = max(self.shape[1], 1)
        keys, position = torch.unique(self.rows * width + self.columns, return_inverse=True)
        values = self.values.new_zeros(len(keys)).index_add(0, position, self.values)
        return Entries(keys // width, keys % width, values, self.shape)

    def __matmul__(self, other: Entries) -> Entries:
        """Return the product, merged; gradients flow to the values of both.

        >>> swap = Entries(torch.tensor([0, 1]), torch.tensor([1, 0]), torch.tensor([1.0, 2.0]), (2, 2))
        >>> (swap @ swap).values.tolist()
        [2.0, 2.0]
        """
        order = torch.argsort(other.rows, stable=True)
        counts = torch.bincount(other.rows, minlength=other.shape[0])
        starts = counts.cumsum(0) - counts
        # Each entry (i, j) meets all entries of row j of the other.
        met = counts[self.columns]
        mine = torch.repeat_interleave(torch.arange(len(met), device=met.device), met)
        within = torch.arange(len(mine), device=met.device) - (met.cumsum(0) - met)[mine]
        theirs = order[starts[self.columns[mine]] + within]
        return Entries(
            self.rows[mine],
            other.columns[theirs],
            self.values[mine] * other.values[theirs],
            (self.shape[0], other.shape[1]),
        ).merged()
