"""The network that poolings are compared in: convolutions, a pooling between each two, readouts of all."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, NamedTuple

from cliquepool._extras import require

require("pyg", __name__)

import torch
from pydantic import Field
from torch import Tensor, nn
from torch_geometric.nn import GCNConv
from torch_geometric.nn.pool.select import SelectOutput

from cliquepool.nn.functional import mean_and_max
from cliquepool.nn.peer_layers import BatchNorm, PyGInput, mlp
from cliquepool.nn.peer_settings import LayerCount, PeerSettings
from cliquepool.nn.ranking import top_nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from cliquepool.nn.batch import Batch
    from cliquepool.nn.network_sizes import NetworkSizes

__all__ = [
    "Nodes",
    "PoolNetwork",
    "PoolSettings",
    "RatioSettings",
    "SelectTop",
    "jumping_readout",
    "select_top",
]


class PoolSettings(PeerSettings):
    """The settings of a network with a pooling between each two convolutions, and of its training."""

    layers: LayerCount = 3
    """The number of convolutions; graphs are pooled between each two."""


class RatioSettings(PoolSettings):
    """The same for a pooling that keeps a share of the nodes."""

    ratio: Annotated[float, Field(gt=0, le=1)] = 0.5
    """The share of each graph's nodes that a pooling keeps, rounded up."""


class Nodes(NamedTuple):
    """The nodes and edges of the graphs of a batch between two layers; `batch` has the graph of each node."""

    x: Tensor
    edge_index: Tensor
    edge_weight: Tensor | None
    batch: Tensor

    @property
    def weight(self) -> Tensor:
        """The weight of each edge, 1 where there are none."""
        if self.edge_weight is not None:
            return self.edge_weight
        return torch.ones(self.edge_index.shape[1], device=self.edge_index.device)


class SelectTop(nn.Module):
    """Selects the nodes of highest score, for PyG's poolings in the place of their `SelectTopK`.

    That one sorts without regard to ties, so that a graph's nodes depend on the rest of its batch, and it
    multiplies a single score by a random sign.
    """

    def __init__(self, ratio: float) -> None:
        super().__init__()
        self.ratio = ratio

    def forward(self, scores: Tensor, batch: Tensor) -> SelectOutput:
        """Return the selected nodes, ascending, and the hyperbolic tangent of their scores as weights."""
        return select_top(scores.view(-1), batch, self.ratio)


def select_top(scores: Tensor, batch: Tensor, ratio: float) -> SelectOutput:
    """Return the nodes of highest score, ascending, with the hyperbolic tangent of their scores as weights.

    Nodes are ranked by the scores themselves: the tangents of large ones are equal up to rounding.
    """
    kept = top_nodes(scores, batch, ratio)
    index = torch.arange(len(kept), device=kept.device)
    return SelectOutput(kept, len(scores), index, len(kept), weight=scores[kept].tanh())


def jumping_readout(x: Tensor, batch: Tensor, num_graphs: int) -> Tensor:
    """Return the mean and the maximum over each graph's nodes, side by side; zeros where it has none."""
    counts = torch.bincount(batch, minlength=num_graphs)
    return mean_and_max(torch.cat([counts.new_zeros(1), counts.cumsum(0)]), x)


class PoolNetwork(nn.Module):
    """Graph convolutions, a pooling between each two, readouts of all layers, and an MLP over them.

    Each convolution (`GCNConv`) has batch norm and ReLU; readouts are means and maxima over nodes, side by
    side. This is the clique-pool network with another pooling: `make_pool`, called with the number of
    features, returns a layer from `Nodes` to `Nodes`.
    """

    def __init__(
        self, settings: PoolSettings, sizes: NetworkSizes, make_pool: Callable[[int], nn.Module]
    ) -> None:
        super().__init__()
        hidden, layers = settings.hidden, settings.layers
        widths = [sizes.num_features, *[hidden] * layers]
        self.convolutions = nn.ModuleList(GCNConv(a, b) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(BatchNorm(hidden) for _ in range(layers))
        self.pools = nn.ModuleList(make_pool(hidden) for _ in range(layers - 1))
        self.head = mlp([2 * hidden * layers, hidden, sizes.num_outputs], dropout=settings.dropout)

    @property
    def pooling_modules(self) -> tuple[nn.Module, ...]:
        """The layers that pool."""
        return (self.pools,)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each class (columns) for each graph (rows)."""
        given = PyGInput.of(batch)
        nodes = Nodes(given.x, given.edge_index, None, given.batch)
        read = []
        for index, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            if index:
                nodes = self.pools[index - 1](nodes)
            x = norm(convolution(nodes.x, nodes.edge_index, nodes.edge_weight)).relu()
            nodes = nodes._replace(x=x)
            read.append(jumping_readout(x, nodes.batch, given.num_graphs))
        return self.head(torch.cat(read, dim=1))  # type: ignore[no-any-return]
