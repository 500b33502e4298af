"""Precompute the sums over neighbours of the first convolution: its inputs are the same in every epoch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from cliquepool.nn.layers import GCN, GIN, SAGE

if TYPE_CHECKING:
    from torch import Tensor, nn

    from cliquepool.data.features import NodeFeatures
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.nn.batch import Batch

__all__ = ["precompute_gathered"]

_MAX_BYTES: Final = 1 << 28
_GRAPHS_AT_ONCE: Final = 32


@torch.no_grad()
def precompute_gathered(convolution: nn.Module, data: PooledDataset, features: NodeFeatures) -> NodeFeatures:
    """Return the features with those that this convolution gathers, where they fit into memory.

    GCN and GIN multiply their weight with sums over neighbours; SAGE its two weights with means over
    neighbours and with the features of the node itself. None of these change during training.
    """
    if not isinstance(convolution, GCN | SAGE | GIN) or convolution.in_features > convolution.out_features:
        return features
    if next(convolution.parameters()).dtype != torch.float32:  # `precomputed` would refuse the features
        return features
    width = convolution.in_features * (2 if isinstance(convolution, SAGE) else 1)
    if 4 * width * data.dataset.num_nodes > _MAX_BYTES:
        return features
    # Few graphs at once, and no second copy: memory for this would be the peak of a training on small graphs.
    gathered = np.empty((data.dataset.num_nodes, width), dtype=np.float32)
    begin = 0
    for batch in data.batches(np.arange(len(data)), features, batch_size=_GRAPHS_AT_ONCE):
        end = begin + len(batch.x)
        gathered[begin:end] = _gathered(convolution, batch).numpy()
        begin = end
    kind = type(convolution).__name__.lower()
    return replace(features, precomputed=gathered, precomputed_for=kind)


def _gathered(convolution: GCN | SAGE | GIN, batch: Batch) -> Tensor:
    gathered = convolution.gather(batch.x, batch.levels[0])
    return torch.cat([gathered, batch.x], dim=1) if isinstance(convolution, SAGE) else gathered
