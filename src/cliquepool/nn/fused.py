"""All convolutions, pools and readouts of a classifier as one operation, its gradient written out.

The same numbers as layer by layer, up to rounding, without a step of autograd for each of some thirty small
operations: on graphs of this size those steps cost as much as the operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from cliquepool.nn import kernels
from cliquepool.nn.functional import sum_chain
from cliquepool.nn.layers import GCN, SAGE, CliquePool, made_ahead, multiply, multiply_back, written_out

if TYPE_CHECKING:
    from torch import nn

    from cliquepool.nn.batch import Batch, Level, NodeInput

__all__ = ["can_fuse", "embed"]


def can_fuse(convolutions: nn.ModuleList, pool: CliquePool, batch: Batch) -> bool:
    """Whether `embed` does what these layers do, and a gradient is asked of their weights alone."""
    kinds = {type(convolution) for convolution in convolutions}
    weight = next(convolutions[0].parameters())
    dense = batch.nodes.dense
    return (
        kinds in ({GCN}, {SAGE})
        and pool.reduce != "max"
        and kernels.runs_in_core(weight)
        and torch.is_grad_enabled()
        and not torch.compiler.is_compiling()
        and (dense is None or (not dense.requires_grad and dense.dtype == weight.dtype))
    )


def embed(convolutions: nn.ModuleList, pool: CliquePool, batch: Batch) -> Tensor:
    """What is read out of all layers, side by side."""
    weights = [weight for convolution in convolutions for weight in convolution.parameters()]
    result: Tensor = _Embed.apply(convolutions, pool.reduce == "mean", batch, *weights)  # type: ignore[no-untyped-call]
    return result


@dataclass
class _Layer:
    """What the gradient of a layer needs of its forward pass."""

    given: Tensor | NodeInput
    gathered: Tensor | None
    y: Tensor
    first: int
    divisor: Tensor
    where: Tensor


class _Embed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, convolutions: Any, mean: bool, batch: Batch, *_: Tensor) -> Tensor:
        given: Tensor | NodeInput = batch.nodes
        layers: list[_Layer] = []
        widths = [2 * convolution.out_features for convolution in convolutions]
        read: Tensor = next(convolutions.parameters()).new_empty(batch.num_graphs, sum(widths))
        for place, convolution in enumerate(convolutions):
            level = batch.levels[place]
            gathered, y = _convolve(convolution, given, level)
            first = sum(widths[:place])
            layer = _Layer(
                given, gathered, y, first, *kernels.rectified_and_read(level.node_start, y, read, first)
            )
            layers.append(layer)
            if place + 1 < len(convolutions):
                given = sum_chain(level.pools, y, list_scale=level.pool_scale if mean else None)
        ctx.run = (convolutions, mean, batch, layers)
        return read

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        convolutions, mean, batch, layers = ctx.run
        of_read = gradients[0].contiguous()
        of_weights: list[Tensor] = []
        of_pools: Tensor | None = None
        for place in reversed(range(len(layers))):
            level, layer = batch.levels[place], layers[place]
            if of_pools is None:
                of_z = torch.zeros_like(layer.y)
            else:
                back = tuple(lists.transposed for lists in reversed(level.pools))
                of_z = sum_chain(back, of_pools, row_scale=level.pool_scale if mean else None)
            of_bias = kernels.rectified_and_read_back(
                level.node_start, layer.y, layer.divisor, layer.where, of_read, layer.first, of_z
            )
            convolution = convolutions[place]
            of_pools, own = _convolve_back(convolution, layer, level, of_z, of_bias, further=place > 0)
            of_weights = own + of_weights
        return None, None, None, *of_weights


def _convolve(
    convolution: nn.Module, given: Tensor | NodeInput, level: Level
) -> tuple[Tensor | None, Tensor]:
    """What was gathered from the neighbours, if it was before the weight; and what came of it."""
    if isinstance(convolution, SAGE):
        ahead = made_ahead("sage", given, convolution.own.weight)
        if ahead is not None:
            return None, torch.addmm(convolution.neighbours.bias, ahead, convolution.stacked_weight().t())
        x = written_out(given)
        gathered = SAGE.gather(x, level)
        z = torch.addmm(convolution.neighbours.bias, gathered, convolution.neighbours.weight.t())
        return gathered, z.addmm_(x, convolution.own.weight.t())
    assert isinstance(convolution, GCN)
    if convolution.gathers_first:
        gathered = convolution.gathered(given, level)
        return gathered, torch.addmm(convolution.bias, gathered, convolution.weight)
    return None, GCN.gather(multiply(given, convolution.weight), level).add_(convolution.bias)


def _convolve_back(
    convolution: nn.Module, layer: _Layer, level: Level, of_z: Tensor, of_bias: Tensor, *, further: bool
) -> tuple[Tensor | None, list[Tensor]]:
    """The gradients of what the layer was given, if they are needed `further`, and of its weights."""
    if isinstance(convolution, SAGE):
        ahead = made_ahead("sage", layer.given, convolution.own.weight)
        if ahead is not None:
            of_neighbours, of_own = (of_z.t() @ ahead).chunk(2, dim=1)
            return None, [of_neighbours, of_bias, of_own]
        assert layer.gathered is not None
        x = written_out(layer.given)
        own = [of_z.t() @ layer.gathered, of_bias, of_z.t() @ x]
        if not further:
            return None, own
        of_x = SAGE.gather_back(of_z @ convolution.neighbours.weight, level)
        return of_x.addmm_(of_z, convolution.own.weight), own
    assert isinstance(convolution, GCN)
    if layer.gathered is not None:
        own = [layer.gathered.t() @ of_z, of_bias]
        return GCN.gather(of_z @ convolution.weight.t(), level) if further else None, own
    of_product = GCN.gather(of_z, level)
    own = [multiply_back(layer.given, of_product), of_bias]
    return of_product @ convolution.weight.t() if further else None, own
