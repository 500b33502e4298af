"""Pooling by soft assignments of nodes to clusters, as in DiffPool and MinCut, and the losses of both.

S has a row for each node, which sums to 1 over the clusters. Everything is computed from ``Sᵀ X``,
``Sᵀ A S`` and ``Sᵀ S`` of each graph, never from a dense matrix over pairs of nodes: the norm of ``A - S Sᵀ``
is, squared, ``‖A‖² - 2 tr(Sᵀ A S) + ‖Sᵀ S‖²``. Losses are means over the graphs of a batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import torch

if TYPE_CHECKING:
    from torch import Tensor

    from cliquepool.nn.graph_operators import GraphOperator

__all__ = ["SoftPooling", "soft_pool"]

_TINY: Final = 1e-12


@dataclass(frozen=True)
class SoftPooling:
    """The result of pooling graphs by soft assignments.

    Attributes
    ----------
    graphs : GraphOperator
        The graphs that were pooled.
    s : Tensor
        The assignments, after the softmax.
    x : Tensor
        ``Sᵀ X``, of shape (graphs, clusters, features).
    adjacency : Tensor
        ``Sᵀ A S``, of shape (graphs, clusters, clusters).
    overlap : Tensor
        ``Sᵀ S``, of the same shape.
    """

    graphs: GraphOperator
    s: Tensor
    x: Tensor
    adjacency: Tensor
    overlap: Tensor

    def link_loss(self) -> Tensor:
        """Return DiffPool's loss of link prediction: ``‖A - S Sᵀ‖`` over the number of entries of A."""
        squared = (
            self.graphs.squared_norms - 2 * _trace(self.adjacency) + self.overlap.square().sum(dim=(-1, -2))
        )
        # The square root has no finite gradient at 0, which rounding can also pass.
        norms = squared.clamp(min=_TINY).sqrt()
        return (norms / self.graphs.sizes.clamp(min=1).square()).mean()

    def entropy_loss(self) -> Tensor:
        """Return the mean over nodes of the entropy of their assignments."""
        entropies = -torch.xlogy(self.s, self.s.clamp(min=_TINY)).sum(dim=-1)
        return (self.graphs.sum(entropies) / self.graphs.sizes.clamp(min=1)).mean()

    def cut_loss(self) -> Tensor:
        """Return MinCut's ``-tr(Sᵀ A S) / tr(Sᵀ D S)``; 0 for a graph without edges."""
        within = _trace(self.adjacency)
        volume = self.graphs.sum(self.graphs.degrees * self.s.square().sum(dim=-1))
        return -torch.where(volume > 0, within / volume.clamp(min=_TINY), 0).mean()

    def orthogonality_loss(self) -> Tensor:
        """Return MinCut's ``‖Sᵀ S / ‖Sᵀ S‖ - I / √clusters‖``."""
        clusters = self.overlap.shape[-1]
        scaled = self.overlap / _norms(self.overlap)[:, None, None]
        identity = torch.eye(clusters, device=scaled.device, dtype=scaled.dtype) / clusters**0.5
        return _norms(scaled - identity).mean()

    def cut_adjacency(self) -> Tensor:
        """Return MinCut's coarse adjacency: without the diagonal, symmetrically normalised by the degrees."""
        between = self.adjacency * (1 - torch.eye(self.adjacency.shape[-1], device=self.adjacency.device))
        degrees = between.sum(dim=-1)
        scale = torch.where(degrees > 0, degrees.clamp(min=_TINY).rsqrt(), 0)
        return scale[:, :, None] * between * scale[:, None, :]


def soft_pool(graphs: GraphOperator, x: Tensor, logits: Tensor) -> SoftPooling:
    """Pool the features x of the nodes by the softmax of `logits` over clusters."""
    s = torch.softmax(logits, dim=-1)
    parts = [x.shape[-1], s.shape[-1], s.shape[-1]]
    products = graphs.project(s, torch.cat([x, graphs.multiply(s), s], dim=-1))
    pooled, adjacency, overlap = torch.split(products, parts, dim=-1)
    return SoftPooling(graphs, s, pooled, adjacency, overlap)


def _trace(matrices: Tensor) -> Tensor:
    return matrices.diagonal(dim1=-2, dim2=-1).sum(dim=-1)


def _norms(matrices: Tensor) -> Tensor:
    """Return the Frobenius norm of each matrix, with a gradient also at 0."""
    return matrices.square().sum(dim=(-1, -2)).clamp(min=_TINY).sqrt()
