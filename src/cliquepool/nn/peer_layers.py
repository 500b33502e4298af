"""Parts that networks share that clique pooling is compared with: reading batches, sums, norms, MLPs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from cliquepool.nn.layers import as_tensor, multiply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cliquepool.nn.batch import Batch, Level, NodeInput

__all__ = ["BatchNorm", "PyGInput", "linear", "mlp", "sum_features", "sum_nodes"]


class PyGInput(NamedTuple):
    """A batch as PyG's layers take it.

    >>> import torch
    >>> from cliquepool import Graph
    >>> from cliquepool.data import GraphDataset, PooledDataset
    >>> pair = PooledDataset(GraphDataset.from_graphs([Graph.from_edges([(0, 1)])]), levels=0)
    >>> PyGInput.of(pair.batch([0, 0])).edge_index.tolist()
    [[1, 0, 3, 2], [0, 1, 2, 3]]
    """

    x: Tensor
    edge_index: Tensor
    batch: Tensor
    num_graphs: int
    edge_attr: Tensor | None

    @classmethod
    def of(cls, batch: Batch) -> PyGInput:
        """Return the input graphs of a batch: level 0."""
        level = batch.levels[0]
        return cls(batch.x, level.edge_index, level.batch, batch.num_graphs, level.edge_attr)


def sum_nodes(x: Tensor, level: Level) -> Tensor:
    """Return the sum over the nodes of each graph; zeros for a graph without nodes."""
    return x.new_zeros(level.num_graphs, x.shape[1]).index_add(0, level.batch, x)


def sum_features(batch: Batch) -> Tensor:
    """Return the sum of the input features of each graph: of one-hot codes, how often each occurs."""
    nodes, level = batch.nodes, batch.levels[0]
    parts = [] if nodes.dense is None else [sum_nodes(nodes.dense, level)]
    if nodes.codes is not None:
        size = level.num_graphs * nodes.num_codes
        counts = torch.bincount(level.batch * nodes.num_codes + nodes.codes, minlength=size)
        parts.insert(0, counts.view(level.num_graphs, nodes.num_codes).to(torch.get_default_dtype()))
    return torch.cat(parts, dim=1)


def linear(layer: nn.Linear, x: Tensor | NodeInput) -> Tensor:
    """Apply a linear layer with a bias; a one-hot code selects a row of its weight."""
    if isinstance(x, Tensor) or x.codes is None:
        result: Tensor = layer(as_tensor(x))
        return result
    return multiply(x, layer.weight.t()) + layer.bias


class BatchNorm(nn.BatchNorm1d):
    """Batch normalisation of rows that also takes fewer than two rows while training.

    Such rows have no variance: they are normalised by the running statistics, which they do not change.
    """

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 (named so by torch)
        """Return the normalised rows."""
        if not self.training or len(input) > 1:
            return super().forward(input)
        return functional.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, training=False, eps=self.eps
        )


def mlp(widths: Sequence[int], *, dropout: float = 0.0, batch_norm: bool = False) -> nn.Sequential:
    """Return linear layers of these widths, with ReLU, and where asked batch norm and dropout, between them.

    >>> mlp([3, 8, 2], dropout=0.5)
    Sequential(
      (0): Linear(in_features=3, out_features=8, bias=True)
      (1): ReLU()
      (2): Dropout(p=0.5, inplace=False)
      (3): Linear(in_features=8, out_features=2, bias=True)
    )
    """
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        if layers:
            layers += [BatchNorm(before)] if batch_norm else []
            layers += [nn.ReLU()]
            layers += [nn.Dropout(dropout)] if dropout else []
        layers.append(nn.Linear(before, after))
    return nn.Sequential(*layers)
