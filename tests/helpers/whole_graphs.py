"""Networks on whole graphs, to compare with those over parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.nn import Batch
from cliquepool.nn.batch import NodeInput

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    import cliquepool as cp


def whole_batch(graph: cp.Graph, levels: int, features: npt.NDArray[np.float64]) -> Batch:
    """Return one graph with its levels and features as a batch."""
    data = PooledDataset(GraphDataset.from_graphs([graph]), levels=levels)
    batch = data.batch([0])
    return Batch(NodeInput(None, 0, torch.from_numpy(features.copy())), batch.y, batch.levels)


def gradients_of(model: nn.Module, compute: Callable[[], Tensor]) -> dict[str, Tensor]:
    """Return the gradients of the parameters after `compute`, which runs the backward pass."""
    model.zero_grad()
    compute()
    return {
        name: torch.zeros_like(p) if p.grad is None else p.grad.clone()
        for name, p in model.named_parameters()
    }
