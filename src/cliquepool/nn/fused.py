"""All convolutions, pools and readouts of a classifier as one autograd function with a hand-written gradient.

The results equal those of the layers up to rounding. This saves the overhead of autograd for some thirty
small operations, which on batches of small graphs costs as much as the operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from cliquepool.nn import kernels
from cliquepool.nn.functional import sum_chain
from cliquepool.nn.layers import GCN, SAGE, CliquePool, as_tensor, multiply, multiply_backward, precomputed

if TYPE_CHECKING:
    from torch import nn

    from cliquepool.nn.batch import Batch, Level, NodeInput

__all__ = ["can_fuse", "embed"]


def can_fuse(convolutions: nn.ModuleList, pool: CliquePool, batch: Batch) -> bool:
    """Return whether `embed` supports these layers; it gives gradients of their weights alone."""
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
    """Return the readouts of all layers, side by side."""
    weights = [weight for convolution in convolutions for weight in convolution.parameters()]
    result: Tensor = _Embed.apply(convolutions, pool.reduce == "mean", batch, *weights)  # type: ignore[no-untyped-call]
    return result


@dataclass
class _Layer:
    """The results of the forward pass of a layer that its gradient needs.

    given : its input
    gathered : the sums over neighbours, if the weight was applied to them
    y : its output
    first : the first column of its readout
    norms, where : the norms of the rows, and the row of each maximum of the readout
    """

    given: Tensor | NodeInput
    gathered: Tensor | None
    y: Tensor
    first: int
    norms: Tensor
    where: Tensor


class _Embed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, convolutions: Any, mean: bool, batch: Batch, *_: Tensor) -> Tensor:
        given: Tensor | NodeInput = batch.nodes
        layers: list[_Layer] = []
        widths = [2 * convolution.out_features for convolution in convolutions]
        read: Tensor = next(convolutions.parameters()).new_empty(batch.num_graphs, sum(widths))
        for index, convolution in enumerate(convolutions):
            level = batch.levels[index]
            gathered, y = _convolve(convolution, given, level)
            first = sum(widths[:index])
            layer = _Layer(
                given, gathered, y, first, *kernels.relu_normalise_readout(level.node_start, y, read, first)
            )
            layers.append(layer)
            if index + 1 < len(convolutions):
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
        for index in reversed(range(len(layers))):
            level, layer = batch.levels[index], layers[index]
            if of_pools is None:
                of_z = torch.zeros_like(layer.y)
            else:
                by_node = tuple(lists.transposed for lists in reversed(level.pools))
                of_z = sum_chain(by_node, of_pools, row_scale=level.pool_scale if mean else None)
            of_bias = kernels.relu_normalise_readout_backward(
                level.node_start, layer.y, layer.norms, layer.where, of_read, layer.first, of_z
            )
            convolution = convolutions[index]
            of_pools, own = _convolve_backward(
                convolution, layer, level, of_z, of_bias, needs_input_gradient=index > 0
            )
            of_weights = own + of_weights
        return None, None, None, *of_weights


def _convolve(
    convolution: nn.Module, given: Tensor | NodeInput, level: Level
) -> tuple[Tensor | None, Tensor]:
    """Return the sums over neighbours, if the weight was applied to them, and the output."""
    if isinstance(convolution, SAGE):
        gathered = precomputed("sage", given, convolution.own.weight)
        if gathered is not None:
            return None, torch.addmm(convolution.neighbours.bias, gathered, convolution.stacked_weight().t())
        x = as_tensor(given)
        gathered = SAGE.gather(x, level)
        z = torch.addmm(convolution.neighbours.bias, gathered, convolution.neighbours.weight.t())
        return gathered, z.addmm_(x, convolution.own.weight.t())
    assert isinstance(convolution, GCN)
    if convolution.gathers_first:
        gathered = convolution.gathered(given, level)
        return gathered, torch.addmm(convolution.bias, gathered, convolution.weight)
    return None, GCN.gather(multiply(given, convolution.weight), level).add_(convolution.bias)


def _convolve_backward(
    convolution: nn.Module,
    layer: _Layer,
    level: Level,
    of_z: Tensor,
    of_bias: Tensor,
    *,
    needs_input_gradient: bool,
) -> tuple[Tensor | None, list[Tensor]]:
    """Return the gradients of the input, if `needs_input_gradient`, and of the weights."""
    if isinstance(convolution, SAGE):
        gathered = precomputed("sage", layer.given, convolution.own.weight)
        if gathered is not None:
            of_neighbours, of_own = (of_z.t() @ gathered).chunk(2, dim=1)
            return None, [of_neighbours, of_bias, of_own]
        assert layer.gathered is not None
        x = as_tensor(layer.given)
        own = [of_z.t() @ layer.gathered, of_bias, of_z.t() @ x]
        if not needs_input_gradient:
            return None, own
        of_x = SAGE.gather_backward(of_z @ convolution.neighbours.weight, level)
        return of_x.addmm_(of_z, convolution.own.weight), own
    assert isinstance(convolution, GCN)
    if layer.gathered is not None:
        own = [layer.gathered.t() @ of_z, of_bias]
        return GCN.gather(of_z @ convolution.weight.t(), level) if needs_input_gradient else None, own
    of_product = GCN.gather(of_z, level)
    own = [multiply_backward(layer.given, of_product), of_bias]
    return of_product @ convolution.weight.t() if needs_input_gradient else None, own
