"""Layers over the levels of a batch: convolutions, clique pools, and what is read out of a level."""

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


def written_out(x: Tensor | NodeInput) -> Tensor:
    """The features as one tensor."""
    return x if isinstance(x, Tensor) else x.x


def made_ahead(convolution: str, x: Tensor | NodeInput, weight: Tensor) -> Tensor | None:
    """What this convolution multiplies with its weight, if it was made ahead."""
    if isinstance(x, Tensor) or x.ahead is None or x.ahead_of != convolution or x.ahead.dtype != weight.dtype:
        return None
    return x.ahead


def multiply(x: Tensor | NodeInput, weight: Tensor) -> Tensor:
    """``x @ weight``, a row of the weight taken for each code."""
    if isinstance(x, Tensor) or x.codes is None:
        return written_out(x) @ weight
    of_codes = nn.functional.embedding(x.codes, weight[: x.num_codes])
    return of_codes if x.dense is None else torch.addmm(of_codes, x.dense, weight[x.num_codes :])


def multiply_back(x: Tensor | NodeInput, of_product: Tensor) -> Tensor:
    """The gradient of the weight, from that of ``x @ weight``."""
    if isinstance(x, Tensor) or x.codes is None:
        return written_out(x).t() @ of_product
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

    What PyG's ``GCNConv`` computes, by sums over lists instead of a message for each edge; through the
    twin classes of a level where that is fewer.
    """

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.empty(out_features))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew, as Glorot and Bengio do; the bias starts at zero."""
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)

    @property
    def gathers_first(self) -> bool:
        """Whether features are summed before the weight, which is cheaper where they are fewer there."""
        return self.in_features <= self.out_features

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """The new features of the level's nodes."""
        if self.gathers_first:
            return torch.addmm(self.bias, self.gathered(x, level), self.weight)
        return self.gather(multiply(x, self.weight), level) + self.bias

    def gathered(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """What the weight is multiplied with, where features are summed before it."""
        ahead = made_ahead("gcn", x, self.weight)
        return self.gather(written_out(x), level) if ahead is None else ahead

    @staticmethod
    def gather(x: Tensor, level: Level) -> Tensor:
        """What a node gets from itself and its neighbours, before any weight."""
        scale = level.gcn_scale
        return sum_neighbours(level, x, list_scale=scale, row_scale=scale, own=1.0)

    def extra_repr(self) -> str:
        """The numbers of features in and out."""
        return f"{self.in_features}, {self.out_features}"


class SAGE(nn.Module):
    """GraphSAGE with the mean of the neighbours: ``X W_own + mean(X of neighbours) W_neighbours + b``.

    What PyG's ``SAGEConv`` computes with its default settings.
    """

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.neighbours = nn.Linear(in_features, out_features)
        self.own = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """The new features of the level's nodes."""
        ahead = made_ahead("sage", x, self.own.weight)
        if ahead is not None:
            return torch.addmm(self.neighbours.bias, ahead, self.stacked_weight().t())
        x = written_out(x)
        around = self.neighbours(self.gather(x, level))
        return torch.addmm(around, x, self.own.weight.t())

    def stacked_weight(self) -> Tensor:
        """The weights of the neighbours' mean and of a node's own features, side by side."""
        return torch.cat([self.neighbours.weight, self.own.weight], dim=1)

    @staticmethod
    def gather(x: Tensor, level: Level) -> Tensor:
        """The mean of each node's neighbours, zero where there is none."""
        return sum_neighbours(level, x, list_scale=level.mean_scale)

    @staticmethod
    def gather_back(of_means: Tensor, level: Level) -> Tensor:
        """The gradient of the neighbours, from that of their means."""
        return sum_neighbours(level, of_means, row_scale=level.mean_scale)


class PyGConvolution(nn.Module):
    """Any PyG convolution in the place of ours: it is called with the level's ``edge_index``."""

    def __init__(self, convolution: nn.Module, *, edge_attr: bool = False) -> None:
        super().__init__()
        self.convolution = convolution
        self.edge_attr = edge_attr

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """The new features of the level's nodes."""
        further: dict[str, Any] = {"edge_attr": level.edge_attr} if self.edge_attr else {}
        result: Tensor = self.convolution(written_out(x), level.edge_index, **further)
        return result


class CliquePool(nn.Module):
    """From the nodes of a level to its pools: the mean, maximum or sum over each pool's members."""

    def __init__(self, reduce: Reduction = "mean") -> None:
        super().__init__()
        if reduce not in get_args(Reduction):
            raise ValueError(f"reduce: expected one of {', '.join(get_args(Reduction))}, got {reduce!r}")
        self.reduce = reduce

    def forward(self, x: Tensor, level: Level) -> Tensor:
        """The features of the pools, which are the nodes of the next level."""
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
        """The reduction."""
        return repr(self.reduce)


class CliqueLift(nn.Module):
    """From the pools back to the nodes: each gets the mean of the pools that it is in."""

    def forward(self, y: Tensor, level: Level) -> Tensor:
        """The features of the level's nodes, from those of its pools."""
        if not level.pools:
            raise ValueError("expected a level that is pooled, got the last one")
        _expect_rows(y, len(level.pools[-1]), "pool")
        back = tuple(lists.transposed for lists in reversed(level.pools))
        # A node's class is in as many pools as the node is.
        y = sum_lists(back[0], y, list_scale=back[0].sizes.reciprocal())
        for lists in back[1:]:
            y = sum_lists(lists, y)
        return y


class Readout(nn.Module):
    """One row for each graph: the mean and the maximum over its nodes, side by side."""

    def forward(self, x: Tensor, level: Level) -> Tensor:
        """Twice as many features as the nodes have; zeros for a graph without nodes."""
        return mean_and_max(level.node_start, x)
