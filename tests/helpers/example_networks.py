"""Two networks that use every layer, for tests of devices and of torch.compile."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import SAGEConv, global_mean_pool

from cliquepool.nn import (
    GCN,
    SAGE,
    CliqueLift,
    CliquePool,
    PyGConvolution,
    Readout,
)
from cliquepool.nn.functional import relu_normalise


class Documented(nn.Module):
    """The model of docs/pyg.md."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = SAGEConv(3, 8), SAGEConv(8, 8)
        self.pool = CliquePool()
        self.head = nn.Linear(8, 2)

    def forward(self, data: Any) -> Tensor:
        x = self.first(data.x, data.edge_index).relu()
        fine, coarse = data.level(0), data.level(1)
        x = self.pool(x, fine)
        x = self.second(x, coarse.edge_index).relu()
        result: Tensor = self.head(global_mean_pool(x, coarse.batch, size=coarse.num_graphs))
        return result


class Ours(nn.Module):
    """A network with every layer of this library."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.last = GCN(3, 8), SAGE(8, 4), GCN(4, 2)
        self.pyg = PyGConvolution(SAGEConv(8, 8))

    def forward(self, data: Any) -> Tensor:
        bottom, middle, top = (data.level(place) for place in range(3))
        x = self.pyg(relu_normalise(self.first(data.x, bottom)), bottom)
        y = self.second(CliquePool("max")(x, bottom), middle)
        z = self.last(CliquePool("sum")(y, middle), top)
        lifted = CliqueLift()(y, bottom)
        weights = bottom.edge_attr
        assert weights is not None
        return torch.cat([Readout()(lifted, bottom), Readout()(z, top)], dim=1) + weights.mean()
