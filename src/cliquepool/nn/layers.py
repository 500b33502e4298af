"""Layers over the levels of a batch: convolutions, clique pools, and readouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import torch
from torch import Tensor, nn

from cliquepool.nn.functional import (
    max_lists,
    mean_and_max,
    sum_chain,
    sum_lists,
    sum_neighbours,
)

if TYPE_CHECKING:
    from cliquepool.nn.batch import Level, NodeInput

__all__ = ["GCN", "SAGE", "CliqueLift", "CliquePool", "PyGConvolution", "Readout"]

Reduction = Literal["mean", "max", "sum"]


def as_tensor(x: Tensor | NodeInput) -> Tensor:
    """Return the features as one dense tensor."""
    return x if isinstance(x, Tensor) else x.x


def precomputed(convolution: str, x: Tensor | NodeInput, weight: Tensor) -> Tensor | None:
    """Return the features that this kind of convolution multiplies with its weight, if precomputed."""
    if isinstance(x, Tensor) or x.precomputed is None or x.precomputed_for != convolution:
        return None
    return x.precomputed if x.precomputed.dtype == weight.dtype else None


def multiply(x: Tensor | NodeInput, weight: Tensor) -> Tensor:
    """Return ``x @ weight``; a one-hot code selects a row of the weight."""
    if isinstance(x, Tensor) or x.codes is None:
        return as_tensor(x) @ weight
    of_codes = nn.functional.embedding(x.codes, weight[: x.num_codes])
    return of_codes if x.dense is None else torch.addmm(of_codes, x.dense, weight[x.num_codes :])


def multiply_backward(x: Tensor | NodeInput, of_product: Tensor) -> Tensor:
    """Return the gradient of the weight, given that of ``x @ weight``."""
    if isinstance(x, Tensor) or x.codes is None:
        return as_tensor(x).t() @ of_product
    of_weight = of_product.new_zeros(x.num_codes, of_product.shape[1]).index_add_(0, x.codes, of_product)
    return of_weight if x.dense is None else torch.cat([of_weight, x.dense.t() @ of_product])


def _expect_rows(x: Tensor, expected: int, what: str) -> None:
    if x.dim() != 2 or x.shape[0] != expected:
        raise ValueError(
            f"expected features with a row for each {what} of the level ({expected}), "
            f"got shape {tuple(x.shape)}"
        )


class GCN(nn.Module):
    """The graph convolution of Kipf and Welling: ``D^(-1/2) (A + I) D^(-1/2) X W + b``.

    Equal to PyG's ``GCNConv``, but computed by sums over lists instead of a message for each edge; by twin
    classes where the level is kept so.
    """

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.empty(out_features))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights by the rule of Glorot and Bengio; set the bias to zero."""
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)

    @property
    def gathers_first(self) -> bool:
        """Whether neighbours are summed before the weight is applied, which is cheaper on a narrow input."""
        return self.in_features <= self.out_features

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the new features of the level's nodes."""
        if self.gathers_first:
            return torch.addmm(self.bias, self.gathered(x, level), self.weight)
        return self.gather(multiply(x, self.weight), level) + self.bias

    def gathered(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the sums over neighbours that the weight is multiplied with, if `gathers_first`."""
        gathered = precomputed("gcn", x, self.weight)
        return self.gather(as_tensor(x), level) if gathered is None else gathered

    @staticmethod
    def gather(x: Tensor, level: Level) -> Tensor:
        """Return the scaled sum over each node and its neighbours, before any weight."""
        scale = level.gcn_scale
        return sum_neighbours(level, x, list_scale=scale, row_scale=scale, own=1.0)

    def extra_repr(self) -> str:
        """Return the numbers of input and output features."""
        return f"{self.in_features}, {self.out_features}"


class SAGE(nn.Module):
    """GraphSAGE with the mean of the neighbours: ``X W_own + mean(X of neighbours) W_neighbours + b``.

    Equal to PyG's ``SAGEConv`` with its default settings.
    """

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.neighbours = nn.Linear(in_features, out_features)
        self.own = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the new features of the level's nodes."""
        gathered = precomputed("sage", x, self.own.weight)
        if gathered is not None:
            return torch.addmm(self.neighbours.bias, gathered, self.stacked_weight().t())
        x = as_tensor(x)
        around = self.neighbours(self.gather(x, level))
        return torch.addmm(around, x, self.own.weight.t())

    def stacked_weight(self) -> Tensor:
        """Return the weights of the neighbours' mean and of the node's own features, side by side."""
        return torch.cat([self.neighbours.weight, self.own.weight], dim=1)

    @staticmethod
    def gather(x: Tensor, level: Level) -> Tensor:
        """Return the mean over each node's neighbours, zero where there is none."""
        return sum_neighbours(level, x, list_scale=level.mean_scale)

    @staticmethod
    def gather_backward(of_means: Tensor, level: Level) -> Tensor:
        """Return the gradient of the neighbours, given that of their means."""
        return sum_neighbours(level, of_means, row_scale=level.mean_scale)


class PyGConvolution(nn.Module):
    """Wraps any PyG convolution: it is called with the ``edge_index`` of the level."""

    def __init__(self, convolution: nn.Module, *, edge_attr: bool = False) -> None:
        super().__init__()
        self.convolution = convolution
        self.edge_attr = edge_attr

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the new features of the level's nodes."""
        further: dict[str, Any] = {"edge_attr": level.edge_attr} if self.edge_attr else {}
        result: Tensor = self.convolution(as_tensor(x), level.edge_index, **further)
        return result


class CliquePool(nn.Module):
    """Pools the nodes of a level: the mean, maximum or sum over the members of each pool."""

    def __init__(self, reduce: Reduction = "mean") -> None:
        super().__init__()
        if reduce not in get_args(Reduction):
            raise ValueError(f"reduce: expected one of {', '.join(get_args(Reduction))}, got {reduce!r}")
        self.reduce = reduce

    def forward(self, x: Tensor, level: Level) -> Tensor:
        """Return the features of the pools, which are the nodes of the next level."""
        if not level.pools:
            raise ValueError("expected a level that is pooled, got the last one")
        _expect_rows(x, level.num_nodes, "node")
        if self.reduce == "max":
            for lists in level.pools:
                x = max_lists(lists, x)
            return x
        scale = level.pool_scale if self.reduce == "mean" else None
        return sum_chain(level.pools, x, list_scale=scale)

    def extra_repr(self) -> str:
        """Return the reduction."""
        return repr(self.reduce)


class CliqueLift(nn.Module):
    """Unpools: each node gets the mean over the pools that it is in."""

    def forward(self, y: Tensor, level: Level) -> Tensor:
        """Return the features of the level's nodes, given those of its pools."""
        if not level.pools:
            raise ValueError("expected a level that is pooled, got the last one")
        _expect_rows(y, len(level.pools[-1]), "pool")
        by_node = tuple(lists.transposed for lists in reversed(level.pools))
        # The mean is taken in the first step: a twin class is in as many pools as each of its nodes.
        y = sum_lists(by_node[0], y, list_scale=by_node[0].sizes.reciprocal())
        for lists in by_node[1:]:
            y = sum_lists(lists, y)
        return y


class Readout(nn.Module):
    """Reads out one row for each graph: the mean and the maximum over its nodes, side by side."""

    def forward(self, x: Tensor, level: Level) -> Tensor:
        """Return twice as many features as the nodes have; zeros for a graph without nodes."""
        return mean_and_max(level.node_start, x)
