"""What the first convolution does before its weights come in, done once instead of in every epoch."""

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

__all__ = ["gather_ahead"]

_MOST_BYTES: Final = 1 << 28
_GRAPHS_AT_ONCE: Final = 256


@torch.no_grad()
def gather_ahead(convolution: nn.Module, data: PooledDataset, features: NodeFeatures) -> NodeFeatures:
    """The features, with what this convolution gathers of them, where that is worth its memory.

    GCN multiplies its weight with sums over neighbours, SAGE both of its weights with means over neighbours
    and a node's own features. Neither changes while the network learns.
    """
    if not isinstance(convolution, GCN | SAGE) or convolution.in_features > convolution.out_features:
        return features
    width = convolution.in_features * (2 if isinstance(convolution, SAGE) else 1)
    if 4 * width * data.dataset.num_nodes > _MOST_BYTES:
        return features
    batches = data.batches(np.arange(len(data)), features, batch_size=_GRAPHS_AT_ONCE)
    rows = [_gathered(convolution, batch) for batch in batches]
    ahead = torch.cat(rows).numpy() if rows else np.empty((0, width), dtype=np.float32)
    return replace(features, ahead=ahead, ahead_of="sage" if isinstance(convolution, SAGE) else "gcn")


def _gathered(convolution: GCN | SAGE, batch: Batch) -> Tensor:
    level = batch.levels[0]
    if isinstance(convolution, GCN):
        return GCN.gather(batch.x, level)
    return torch.cat([SAGE.gather(batch.x, level), batch.x], dim=1)
