"""Layers over the levels of a batch: convolutions, clique pools, and readouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, get_args

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

__all__ = [
    "GCN",
    "GIN",
    "SAGE",
    "CliqueAttentionPool",
    "CliqueLift",
    "CliquePool",
    "PyGConvolution",
    "Readout",
]

Reduction = Literal["mean", "max", "sum", "share"]
ReadoutPart = Literal["mean", "max", "sum"]

_LARGEST_SCORE: Final = 10.0


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
        return torch.addmm(around, x if level.own is None else x[level.own], self.own.weight.t())

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


class GIN(nn.Module):
    """The graph isomorphism network of Xu et al.: an MLP of two layers on ``X + sum(X of neighbours)``.

    Equal to PyG's ``GINConv`` of ``Sequential(Linear, ReLU, Linear)`` with its default settings.
    """

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.first = nn.Linear(in_features, out_features)
        self.second = nn.Linear(out_features, out_features)

    @property
    def gathers_first(self) -> bool:
        """Whether neighbours are summed before the first weight is applied, as in `GCN`."""
        return self.in_features <= self.out_features

    def forward(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the new features of the level's nodes."""
        if self.gathers_first:
            hidden: Tensor = self.first(self.gathered(x, level))
        else:
            hidden = self.gather(multiply(x, self.first.weight.t()), level) + self.first.bias
        result: Tensor = self.second(hidden.relu_())
        return result

    def gathered(self, x: Tensor | NodeInput, level: Level) -> Tensor:
        """Return the sums over neighbours that the first weight is multiplied with, if `gathers_first`."""
        gathered = precomputed("gin", x, self.first.weight)
        return self.gather(as_tensor(x), level) if gathered is None else gathered

    @staticmethod
    def gather(x: Tensor, level: Level) -> Tensor:
        """Return the sum over each node and its neighbours."""
        return sum_neighbours(level, x, own=1.0)


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
    """Pools the nodes of a level: the mean, maximum or sum over the members of each pool.

    With ``"share"``, each node divides its features equally over its pools, which sum them; so the sum over
    all pools is that over all nodes.
    """

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
        return sum_chain(level.pools, x, list_scale=self.pool_scale(level), row_scale=self.node_scale(level))

    def pool_scale(self, level: Level) -> Tensor | None:
        """Return what the sum over each pool is multiplied with, if anything."""
        return level.pool_scale if self.reduce == "mean" else None

    def node_scale(self, level: Level) -> Tensor | None:
        """Return what each node is multiplied with before the sums, if anything."""
        return level.share_scale if self.reduce == "share" else None

    def extra_repr(self) -> str:
        """Return the reduction."""
        return repr(self.reduce)


class CliqueAttentionPool(nn.Module):
    """Pools the nodes of a level by means with learned weights: a softmax over the members of each pool.

    The score of a node is linear in its features, and bounded smoothly to 10 in absolute value, so that no
    weight underflows: ``10 tanh(x · a / 10)``. At first all weights of a pool are equal.
    """

    def __init__(self, in_features: int) -> None:
        super().__init__()
        self.in_features = in_features
        self.direction = nn.Parameter(torch.zeros(in_features))

    def forward(self, x: Tensor, level: Level) -> Tensor:
        """Return the features of the pools, which are the nodes of the next level."""
        if not level.pools:
            raise ValueError("expected a level that is pooled, got the last one")
        _expect_rows(x, level.num_nodes, "node")
        score = _LARGEST_SCORE * torch.tanh(x @ self.direction / _LARGEST_SCORE)
        weight = score.exp()[:, None]
        # The weights do not depend on the pool, so they are summed like the features.
        summed = sum_chain(level.pools, torch.cat([x * weight, weight], dim=1))
        return summed[:, :-1] / summed[:, -1:]

    def extra_repr(self) -> str:
        """Return the number of features."""
        return str(self.in_features)


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
    """Reads out one row for each graph: by default the mean and the maximum over its nodes, side by side."""

    def __init__(self, parts: tuple[ReadoutPart, ...] = ("mean", "max")) -> None:
        super().__init__()
        if not parts or not set(parts) <= set(get_args(ReadoutPart)):
            raise ValueError(f"parts: expected some of {', '.join(get_args(ReadoutPart))}, got {parts!r}")
        self.parts = tuple(parts)

    def forward(self, x: Tensor, level: Level) -> Tensor:
        """Return the features of the nodes once for each part; zeros for a graph without nodes."""
        return self.select(mean_and_max(level.node_start, x), level)

    def select(self, both: Tensor, level: Level) -> Tensor:
        """Return the parts to read, given means and maxima side by side."""
        if self.parts == ("mean", "max"):
            return both
        mean, largest = both.chunk(2, dim=1)
        sizes = level.node_start.diff()[:, None].to(both.dtype)
        made = {"mean": lambda: mean, "max": lambda: largest, "sum": lambda: mean * sizes}
        return torch.cat([made[part]() for part in self.parts], dim=1)

    def extra_repr(self) -> str:
        """Return the parts."""
        return ", ".join(self.parts)
