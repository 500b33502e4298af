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
from cliquepool.nn.layers import (
    GCN,
    GIN,
    SAGE,
    CliquePool,
    as_tensor,
    multiply,
    multiply_backward,
    precomputed,
)

if TYPE_CHECKING:
    from torch import nn

    from cliquepool.nn.batch import Batch, Level, NodeInput
    from cliquepool.nn.network import GraphClassifier

__all__ = ["can_fuse", "embed"]


def can_fuse(network: GraphClassifier, batch: Batch) -> bool:
    """Return whether `embed` supports these layers; it gives gradients of their weights alone."""
    kinds = {type(convolution) for convolution in network.convolutions}
    weight = next(network.convolutions[0].parameters())
    dense = batch.nodes.dense
    return (
        kinds in ({GCN}, {SAGE}, {GIN})
        and network.settings.layers == 1
        and network.settings.normalise
        and not network.norms
        and all(isinstance(pool, CliquePool) and pool.reduce != "max" for pool in network.pools)
        and kernels.runs_in_core(weight)
        and torch.is_grad_enabled()
        and not torch.compiler.is_compiling()
        and (dense is None or (not dense.requires_grad and dense.dtype == weight.dtype))
    )


def embed(network: GraphClassifier, batch: Batch) -> list[Tensor]:
    """Return the readouts of all layers."""
    weights = list(network.convolutions.parameters())
    read: Tensor = _Embed.apply(network.convolutions, network.pools, batch, *weights)  # type: ignore[no-untyped-call]
    if network.readout.parts == ("mean", "max"):
        return [read]
    of_layers = read.chunk(len(network.convolutions), dim=1)  # all are as wide
    return [network.readout.select(both, level) for both, level in zip(of_layers, batch.levels, strict=False)]


@dataclass
class _Layer:
    """The results of the forward pass of a layer that its gradient needs.

    given : its input, unless the weight was applied to the sums over neighbours
    gathered : the sums over neighbours, if the weight was applied to them
    inner : the hidden features of the MLP of GIN
    y : its output
    first : the first column of its readout
    norms, where : the norms of the rows, and the row of each maximum of the readout
    """

    given: Tensor | NodeInput | None
    gathered: Tensor | None
    inner: Tensor | None
    y: Tensor
    first: int
    norms: Tensor
    where: Tensor


class _Embed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, convolutions: Any, pools: Any, batch: Batch, *_: Tensor) -> Tensor:
        read, layers = _run(convolutions, pools, batch)
        ctx.run = (convolutions, pools, batch, layers)
        return read

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        convolutions, pools, batch, layers = ctx.run
        if not layers:  # an earlier backward pass, which kept the graph, has freed them
            layers = _run(convolutions, pools, batch)[1]
        of_read = gradients[0].contiguous()
        of_weights: list[Tensor] = []
        of_pools: Tensor | None = None
        while layers:
            layer: _Layer = layers.pop()  # and so freed before the layer below is reached
            index = len(layers)
            convolution, level = convolutions[index], batch.levels[index]
            of_z = (
                torch.zeros_like(layer.y)
                if of_pools is None
                else _pool_backward(pools[index], of_pools, level)
            )
            of_bias = kernels.relu_normalise_readout_backward(
                level.node_start, layer.y, layer.norms, layer.where, of_read, layer.first, of_z
            )
            given, gathered, inner = layer.given, layer.gathered, layer.inner
            del layer, of_pools  # what follows takes as much memory
            of_second: list[Tensor] = []
            if isinstance(convolution, GIN):
                assert inner is not None
                of_second = [of_z.t() @ inner, of_bias]
                of_z = (of_z @ convolution.second.weight).mul_(inner > 0)
                of_bias = of_z.sum(dim=0)
            del inner
            of_pools, of_first = _convolve_backward(
                convolution, given, gathered, level, of_z, of_bias, needs_input_gradient=index > 0
            )
            of_weights = of_first + of_second + of_weights
        return None, None, None, *of_weights


def _run(convolutions: Any, pools: Any, batch: Batch) -> tuple[Tensor, list[_Layer]]:
    """Return the readouts of all layers side by side, and the results that the gradient needs."""
    given: Tensor | NodeInput = batch.nodes
    layers: list[_Layer] = []
    widths = [2 * convolution.out_features for convolution in convolutions]
    read: Tensor = next(convolutions.parameters()).new_empty(batch.num_graphs, sum(widths))
    for index, convolution in enumerate(convolutions):
        level = batch.levels[index]
        gathered, inner, y = _convolve(convolution, given, level)
        first = sum(widths[:index])
        norms, where = kernels.relu_normalise_readout(level.node_start, y, read, first)
        kept = given if gathered is None or isinstance(convolution, SAGE) else None
        layers.append(_Layer(kept, gathered, inner, y, first, norms, where))
        if index < len(pools):
            given = pools[index](y, level)
    return read, layers


def _pool_backward(pool: CliquePool, of_pools: Tensor, level: Level) -> Tensor:
    """Return the gradient of the nodes, given that of their pools."""
    by_node = tuple(lists.transposed for lists in reversed(level.pools))
    return sum_chain(by_node, of_pools, list_scale=pool.node_scale(level), row_scale=pool.pool_scale(level))


def _convolve(
    convolution: nn.Module, given: Tensor | NodeInput, level: Level
) -> tuple[Tensor | None, Tensor | None, Tensor]:
    """Return sums over neighbours, if the weight was applied to them, GIN's hidden features, the output."""
    if isinstance(convolution, SAGE):
        gathered = precomputed("sage", given, convolution.own.weight)
        if gathered is not None:
            z = torch.addmm(convolution.neighbours.bias, gathered, convolution.stacked_weight().t())
            return None, None, z
        x = as_tensor(given)
        gathered = SAGE.gather(x, level)
        z = torch.addmm(convolution.neighbours.bias, gathered, convolution.neighbours.weight.t())
        return gathered, None, z.addmm_(x, convolution.own.weight.t())
    assert isinstance(convolution, GCN | GIN)
    weight, bias = _weight_of_sums(convolution)
    if convolution.gathers_first:
        gathered = convolution.gathered(given, level)
        z = torch.addmm(bias, gathered, weight)
    else:
        gathered = None
        z = convolution.gather(multiply(given, weight), level).add_(bias)
    if isinstance(convolution, GCN):
        return gathered, None, z
    inner = z.relu_()
    return gathered, inner, torch.addmm(convolution.second.bias, inner, convolution.second.weight.t())


def _weight_of_sums(convolution: GCN | GIN) -> tuple[Tensor, Tensor]:
    """Return the weight and the bias that are applied to the sums over neighbours."""
    if isinstance(convolution, GCN):
        return convolution.weight, convolution.bias
    return convolution.first.weight.t(), convolution.first.bias


def _convolve_backward(  # noqa: PLR0917 (two of the results of a layer, so that the others are freed)
    convolution: nn.Module,
    given: Tensor | NodeInput | None,
    gathered: Tensor | None,
    level: Level,
    of_z: Tensor,
    of_bias: Tensor,
    *,
    needs_input_gradient: bool,
) -> tuple[Tensor | None, list[Tensor]]:
    """Return the gradients of the input, if `needs_input_gradient`, and of the weights up to `z`.

    `z` is the output, but the hidden features of GIN before the ReLU.
    """
    if isinstance(convolution, SAGE):
        assert given is not None
        return _sage_backward(convolution, given, gathered, level, of_z, of_bias, needs_input_gradient)
    assert isinstance(convolution, GCN | GIN)
    weight = _weight_of_sums(convolution)[0]
    of_x: Tensor | None = None
    if gathered is not None:
        of_weight = gathered.t() @ of_z
        if needs_input_gradient:
            of_x = convolution.gather(of_z @ weight.t(), level)
    else:
        assert given is not None
        of_product = convolution.gather(of_z, level)
        of_weight = multiply_backward(given, of_product)
        if needs_input_gradient:
            of_x = of_product @ weight.t()
    return of_x, [of_weight if isinstance(convolution, GCN) else of_weight.t(), of_bias]


def _sage_backward(  # noqa: PLR0917 (as `_convolve_backward`)
    convolution: SAGE,
    given: Tensor | NodeInput,
    gathered: Tensor | None,
    level: Level,
    of_z: Tensor,
    of_bias: Tensor,
    needs_input_gradient: bool,
) -> tuple[Tensor | None, list[Tensor]]:
    if gathered is None:
        known = precomputed("sage", given, convolution.own.weight)
        assert known is not None
        of_neighbours, of_own = (of_z.t() @ known).chunk(2, dim=1)
        return None, [of_neighbours, of_bias, of_own]
    x = as_tensor(given)
    own = [of_z.t() @ gathered, of_bias, of_z.t() @ x]
    if not needs_input_gradient:
        return None, own
    of_x = SAGE.gather_backward(of_z @ convolution.neighbours.weight, level)
    return of_x.addmm_(of_z, convolution.own.weight), own
