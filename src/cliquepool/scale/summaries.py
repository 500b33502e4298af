"""What couples all parts of a level: readouts and the statistics of batch norm, combined from each part's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from cliquepool.errors import InputError
from cliquepool.nn import kernels
from cliquepool.nn.functional import mean_and_max
from cliquepool.nn.peer_layers import BatchNorm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch.nn.modules.batchnorm import _BatchNorm

    from cliquepool.nn.layers import Readout

__all__ = [
    "Statistics",
    "combine_moments",
    "combine_readouts",
    "maxima_nodes",
    "normalise",
    "part_moments",
    "part_readout",
    "update_running",
]


class Statistics(NamedTuple):
    """The mean and the biased variance of each feature over all nodes of a level."""

    mean: Tensor
    variance: Tensor


# ---- readouts ----


def part_readout(x: Tensor) -> Tensor:
    """Return the mean and the maximum over the rows of a part, side by side; zeros for none."""
    return mean_and_max(torch.tensor([0, len(x)]), x)


def maxima_nodes(x: Tensor, nodes: Tensor) -> Tensor:
    """Return for each feature the node of its first maximum; of no rows, -1."""
    if not len(x):
        return torch.full((x.shape[1],), -1)
    _, where = kernels.mean_and_max(torch.tensor([0, len(x)]), x.detach())
    return nodes[where[0].long()].long()


def combine_readouts(
    readout: Readout, parts: Sequence[Tensor], nodes: Sequence[Tensor], counts: Sequence[int]
) -> Tensor:
    """Return the readout of a level, given those of its parts, their maxima's nodes and their node counts.

    The maximum of equal parts is that of the smallest node, to which the gradient flows as in a whole graph.
    """
    present = [index for index, count in enumerate(counts) if count]
    total = sum(counts)
    if not present:
        both = torch.zeros_like(parts[0])
    else:
        means, maxima = (
            torch.cat(halves) for halves in zip(*(parts[i].chunk(2, dim=1) for i in present), strict=True)
        )
        share = torch.tensor([counts[i] / total for i in present], dtype=torch.float64)
        mean = (means.double() * share[:, None]).sum(dim=0, keepdim=True).to(means.dtype)
        attained = maxima.detach() == maxima.detach().amax(dim=0)
        ids = torch.stack([nodes[i] for i in present]).masked_fill(~attained, torch.iinfo(torch.int64).max)
        both = torch.cat([mean, maxima.gather(0, ids.argmin(dim=0, keepdim=True))], dim=1)
    level: Any = SimpleNamespace(node_start=torch.tensor([0, total]))
    return readout.select(both, level)


# ---- batch norm ----


def part_moments(x: Tensor) -> Tensor:
    """Return the mean of the rows of a part and the sum of squared deviations from it; zeros for none."""
    if not len(x):
        return x.new_zeros(2, x.shape[1])
    mean = x.double().mean(dim=0)
    return torch.stack([mean, (x.double() - mean).square().sum(dim=0)]).to(x.dtype)


def combine_moments(norm: _BatchNorm, parts: Sequence[Tensor], counts: Sequence[int]) -> Statistics:
    """Return the statistics of all nodes, given the moments of the parts.

    Fewer than two nodes have no variance: the batch norm of our networks uses the running statistics then,
    as on a whole graph; that of torch raises an error there, and here.
    """
    total = sum(counts)
    if total < 2:
        if not isinstance(norm, BatchNorm) or norm.running_mean is None or norm.running_var is None:
            raise InputError(
                f"batch norm: expected two nodes or more to normalise while training, got {total}"
            )
        return Statistics(norm.running_mean, norm.running_var)
    share = torch.tensor(counts, dtype=torch.float64)[:, None]
    means, deviations = (torch.stack(rows).double() for rows in zip(*parts, strict=True))
    mean = (means * share).sum(dim=0) / total
    variance = (deviations + share * (means - mean).square()).sum(dim=0) / total
    return Statistics(mean.to(parts[0].dtype), variance.to(parts[0].dtype))


def normalise(norm: _BatchNorm, x: Tensor, statistics: Statistics) -> Tensor:
    """Return the rows normalised by the statistics of all nodes, with the weight and bias of the layer."""
    y = (x - statistics.mean) * (statistics.variance + norm.eps).rsqrt()
    return torch.addcmul(norm.bias, y, norm.weight) if norm.affine else y


@torch.no_grad()
def update_running(norm: _BatchNorm, statistics: Statistics, total: int) -> None:
    """Update the running statistics of a layer as its own forward pass on all nodes would."""
    if total < 2 or not norm.training or norm.running_mean is None or norm.running_var is None:
        return
    momentum = norm.momentum
    if norm.num_batches_tracked is not None:
        norm.num_batches_tracked.add_(1)
        if momentum is None:
            momentum = 1.0 / float(norm.num_batches_tracked)
    assert momentum is not None
    norm.running_mean.lerp_(statistics.mean.detach().to(norm.running_mean.dtype), momentum)
    unbiased = statistics.variance.detach() * (total / (total - 1))
    norm.running_var.lerp_(unbiased.to(norm.running_var.dtype), momentum)
