"""Precompute the sums over neighbours of the first convolution: its inputs are the same in every epoch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from cliquepool.nn.layers import GCN, SAGE

if TYPE_CHECKING:
    from torch import Tensor, nn

    from cliquepool.data.features import NodeFeatures
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.nn.batch import Batch

__all__ = ["precompute_gathered"]

_MAX_BYTES: Final = 1 << 28
_GRAPHS_AT_ONCE: Final = 256


@torch.no_grad()
def precompute_gathered(convolution: nn.Module, data: PooledDataset, features: NodeFeatures) -> NodeFeatures:
    """Return the features with those that this convolution gathers, where they fit into memory.

    GCN multiplies its weight with sums over neighbours; SAGE its two weights with means over neighbours and
    with the features of the node itself. Neither changes during training.
    """
    if not isinstance(convolution, GCN | SAGE) or convolution.in_features > convolution.out_features:
        return features
    width = convolution.in_features * (2 if isinstance(convolution, SAGE) else 1)
    if 4 * width * data.dataset.num_nodes > _MAX_BYTES:
        return features
    batches = data.batches(np.arange(len(data)), features, batch_size=_GRAPHS_AT_ONCE)
    rows = [_gathered(convolution, batch) for batch in batches]
    gathered = torch.cat(rows).numpy() if rows else np.empty((0, width), dtype=np.float32)
    kind = "sage" if isinstance(convolution, SAGE) else "gcn"
    return replace(features, precomputed=gathered, precomputed_for=kind)


def _gathered(convolution: GCN | SAGE, batch: Batch) -> Tensor:
    level = batch.levels[0]
    if isinstance(convolution, GCN):
        return GCN.gather(batch.x, level)
    return torch.cat([SAGE.gather(batch.x, level), batch.x], dim=1)
