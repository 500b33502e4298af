"""Layers: equal to dense matrices and to PyG's, values and gradients, however a level is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv

from cliquepool.nn import (
    GCN,
    GIN,
    SAGE,
    CliqueAttentionPool,
    CliqueLift,
    CliquePool,
    PyGConvolution,
    Readout,
)
from cliquepool.nn.batch import NodeInput
from tests.helpers.dense_matrices import adjacency, membership
from tests.helpers.small_batches import MIXED, drawn, samples, small_batch
from tests.helpers.small_graphs import complete_multipartite

if TYPE_CHECKING:
    from collections.abc import Callable

    from cliquepool.nn import Level
    from tests.helpers.small_graphs import Sample

both_ways = pytest.mark.parametrize("by_classes", [False, True], ids=["plain", "by_classes"])


def close(a: Tensor, b: Tensor, tolerance: float = 1e-6) -> bool:  # scales are kept in 32 bits
    return a.shape == b.shape and torch.allclose(a, b, rtol=tolerance, atol=tolerance)


# ---- pools ----


def reduced(S: Tensor, x: Tensor, how: str) -> Tensor:
    """Pool by the dense membership matrix."""
    if how == "max":
        return torch.stack([x[S[:, p] > 0].amax(dim=0) for p in range(S.shape[1])]) if S.shape[1] else x[:0]
    summed = S.T @ (x / S.sum(dim=1)[:, None]) if how == "share" else S.T @ x
    return summed / S.sum(dim=0)[:, None] if how == "mean" else summed


@pytest.mark.parametrize("how", ["mean", "max", "sum", "share"])
@settings(max_examples=30)
@given(graphs=samples(), by_classes=st.booleans())
def test_pooling_is_the_product_with_the_membership_matrix(
    how: str, graphs: list[Sample], by_classes: bool
) -> None:
    batch = small_batch(graphs, by_classes=by_classes)
    for level, above in zip(batch.levels, batch.levels[1:], strict=False):
        x = drawn(level.num_nodes, 3).requires_grad_()
        y = CliquePool(how)(x, level)  # type: ignore[arg-type]
        expected = reduced(membership(level), x, how)
        assert len(y) == above.num_nodes
        assert close(y, expected)
        g = drawn(*y.shape, seed=1)
        assert close(torch.autograd.grad(y, x, g)[0], torch.autograd.grad(expected, x, g)[0])


@settings(max_examples=30)
@given(samples(), st.booleans())
def test_shares_of_all_nodes_add_up_to_the_sum_over_nodes(graphs: list[Sample], by_classes: bool) -> None:
    batch = small_batch(graphs, by_classes=by_classes)
    x = drawn(batch.levels[0].num_nodes, 3)
    whole = Readout(("sum",))(x, batch.levels[0])
    for level, above in zip(batch.levels, batch.levels[1:], strict=False):
        x = CliquePool("share")(x, level)
        assert close(Readout(("sum",))(x, above), whole, 1e-5)


@settings(max_examples=30)
@given(graphs=samples(), by_classes=st.booleans())
def test_attention_is_the_softmax_over_the_members_of_each_pool(
    graphs: list[Sample], by_classes: bool
) -> None:
    for level in small_batch(graphs, by_classes=by_classes).levels[:-1]:
        S, layer = membership(level), CliqueAttentionPool(3).double()
        x = drawn(level.num_nodes, 3).requires_grad_()
        assert close(layer(x, level), reduced(S, x, "mean"))  # as long as nothing is learned
        layer.direction.data = torch.tensor([2.0, -1.0, 30.0], dtype=torch.float64)
        scores = 10 * torch.tanh(x @ layer.direction / 10)
        weights = torch.softmax(scores[:, None].where(S > 0, -torch.inf), dim=0) if len(S) else S
        expected, y = weights.T @ x, layer(x, level)
        assert close(y, expected)
        if not len(S):
            continue
        g, given_ = drawn(*y.shape, seed=1), (x, layer.direction)
        for a, b in zip(
            torch.autograd.grad(y, given_, g), torch.autograd.grad(expected, given_, g), strict=True
        ):
            assert close(a, b, 1e-5)


@settings(max_examples=30)
@given(samples(), st.booleans())
def test_lifting_is_the_mean_over_the_pools_of_each_node(graphs: list[Sample], by_classes: bool) -> None:
    for level in small_batch(graphs, by_classes=by_classes).levels[:-1]:
        S = membership(level)
        y = drawn(S.shape[1], 3).requires_grad_()
        x = CliqueLift()(y, level)
        expected = (S @ y) / S.sum(dim=1)[:, None]
        assert close(x, expected)
        g = drawn(*x.shape, seed=1)
        assert close(torch.autograd.grad(x, y, g)[0], torch.autograd.grad(expected, y, g)[0])


def test_a_node_of_several_pools_counts_in_each_of_them() -> None:
    level = small_batch([complete_multipartite([1, 2])], by_classes=False).levels[0]  # a path of three
    assert level.pool_lists.members.tolist() == [0, 1, 0, 2]
    x = torch.tensor([[1.0], [2.0], [4.0]])
    assert CliquePool("sum")(x, level).tolist() == [[3.0], [5.0]]
    assert CliquePool("mean")(x, level).tolist() == [[1.5], [2.5]]
    assert CliquePool("max")(x, level).tolist() == [[2.0], [4.0]]
    assert CliquePool("share")(x, level).tolist() == [[2.5], [4.5]]
    assert CliqueLift()(torch.tensor([[3.0], [5.0]]), level).tolist() == [[4.0], [3.0], [5.0]]


@both_ways
def test_the_last_level_is_not_pooled(by_classes: bool) -> None:
    last = small_batch(by_classes=by_classes).levels[-1]
    for layer in (CliquePool(), CliquePool("max"), CliquePool("share"), CliqueAttentionPool(2), CliqueLift()):
        with pytest.raises(ValueError, match="expected a level that is pooled"):
            layer(drawn(last.num_nodes, 2), last)


def test_an_unknown_reduction_is_refused() -> None:
    with pytest.raises(ValueError, match="reduce: expected one of mean, max, sum, share, got 'median'"):
        CliquePool("median")  # type: ignore[arg-type]


def test_layers_show_their_settings() -> None:
    assert repr(GCN(3, 4)) == "GCN(3, 4)"
    assert repr(CliquePool("max")) == "CliquePool('max')"
    assert repr(CliqueAttentionPool(3)) == "CliqueAttentionPool(3)"
    assert repr(Readout(("sum", "max"))) == "Readout(sum, max)"


@settings(max_examples=30)
@given(samples(), st.booleans())
def test_readouts_are_the_mean_and_maximum_over_each_graph(graphs: list[Sample], by_classes: bool) -> None:
    for level in small_batch(graphs, by_classes=by_classes).levels:
        x = drawn(level.num_nodes, 3)
        parts = [x[level.batch == graph] for graph in range(level.num_graphs)]
        expected = [
            torch.cat([part.mean(dim=0), part.amax(dim=0)]) if len(part) else x.new_zeros(6) for part in parts
        ]
        assert close(Readout()(x, level), torch.stack(expected))


def test_readouts_are_the_parts_that_are_asked_for_in_this_order() -> None:
    level = small_batch([complete_multipartite([1, 2]), complete_multipartite([2])], by_classes=False).levels[
        0
    ]
    x = torch.tensor([[1.0], [2.0], [6.0], [-1.0], [-3.0]])
    assert Readout(("sum",))(x, level).tolist() == [[9.0], [-4.0]]
    assert Readout(("max", "sum", "mean"))(x, level).tolist() == [[6.0, 9.0, 3.0], [-1.0, -4.0, -2.0]]
    for wrong in ((), ("median",)):
        with pytest.raises(ValueError, match="parts: expected some of mean, max, sum, got"):
            Readout(wrong)  # type: ignore[arg-type]


# ---- convolutions ----


def gcn_like(theirs: GCNConv) -> GCN:
    ours = GCN(theirs.in_channels, theirs.out_channels).double()
    ours.weight.data = theirs.lin.weight.data.T.clone()
    ours.bias.data = theirs.bias.data.clone()
    return ours


def sage_like(theirs: SAGEConv) -> SAGE:
    ours = SAGE(theirs.in_channels, theirs.out_channels).double()
    ours.neighbours.load_state_dict(theirs.lin_l.state_dict())
    ours.own.load_state_dict(theirs.lin_r.state_dict())
    return ours


def gin_conv(width: int, out: int) -> GINConv:
    return GINConv(nn.Sequential(nn.Linear(width, out), nn.ReLU(), nn.Linear(out, out)))


def gin_like(theirs: GINConv) -> GIN:
    ours = GIN(theirs.nn[0].in_features, theirs.nn[2].out_features).double()
    ours.first.load_state_dict(theirs.nn[0].state_dict())
    ours.second.load_state_dict(theirs.nn[2].state_dict())
    return ours


def gradients(module: nn.Module, x: Tensor, y: Tensor) -> dict[str, Tensor]:
    names, weights = zip(*module.named_parameters(), strict=True)
    g = drawn(*y.shape, seed=9)
    found = torch.autograd.grad(y, [x, *weights], g)
    return {name: gradient.contiguous() for name, gradient in zip(("x", *names), found, strict=True)}


# What of ours corresponds to what of PyG's.
NAMES = {
    GCN: {"x": "x", "weight": "lin.weight", "bias": "bias"},
    SAGE: {
        "x": "x",
        "neighbours.weight": "lin_l.weight",
        "neighbours.bias": "lin_l.bias",
        "own.weight": "lin_r.weight",
    },
    GIN: {
        "x": "x",
        **{f"first.{name}": f"nn.0.{name}" for name in ("weight", "bias")},
        **{f"second.{name}": f"nn.2.{name}" for name in ("weight", "bias")},
    },
}


@pytest.mark.parametrize(
    ("theirs", "like"), [(GCNConv, gcn_like), (SAGEConv, sage_like), (gin_conv, gin_like)]
)
@pytest.mark.parametrize("widths", [(3, 5), (5, 3), (4, 4)], ids=["wider", "narrower", "as wide"])
@settings(max_examples=15)
@given(graphs=samples(), by_classes=st.booleans())
def test_convolutions_are_those_of_pyg(
    theirs: Callable[..., nn.Module],
    like: Callable[[nn.Module], GCN | SAGE | GIN],
    widths: tuple[int, int],
    graphs: list[Sample],
    by_classes: bool,
) -> None:
    torch.manual_seed(3)
    peer = theirs(*widths).double()
    for parameter in peer.parameters():  # biases too
        nn.init.normal_(parameter)
    ours = like(peer)
    for level in small_batch(graphs, by_classes=by_classes).levels:
        x = drawn(level.num_nodes, widths[0]).requires_grad_()
        y, z = ours(x, level), peer(x, level.edge_index)
        assert close(y, z)
        assert close(PyGConvolution(peer)(x, level), z)
        mine, other = gradients(ours, x, y), gradients(peer, x, z)
        for name, named in NAMES[type(ours)].items():
            expected = other[named].T if (type(ours), name) == (GCN, "weight") else other[named]
            assert close(mine[name], expected)


@both_ways
def test_the_graph_convolution_is_the_formula_of_its_paper(by_classes: bool) -> None:
    layer = GCN(4, 2).double()
    nn.init.normal_(layer.bias)
    for level in small_batch(by_classes=by_classes).levels:
        A = adjacency(level) + torch.eye(level.num_nodes, dtype=torch.float64)
        D = A.sum(dim=1).pow(-0.5).diag()
        x = drawn(level.num_nodes, 4)
        assert close(layer(x, level), D @ A @ D @ x @ layer.weight + layer.bias)


@both_ways
@pytest.mark.parametrize("convolution", [GCN, SAGE, GIN])
@pytest.mark.parametrize("width", [3, 9], ids=["narrower", "wider"])
def test_codes_give_what_their_one_hot_columns_give(
    convolution: type[nn.Module], width: int, by_classes: bool
) -> None:
    layer = convolution(5, width)
    batch = small_batch(by_classes=by_classes)
    level = batch.levels[0]
    assert batch.nodes.codes is not None
    assert batch.nodes.dense is not None
    for given_ in (batch.nodes, NodeInput(batch.nodes.codes, 5, None)):
        layer.zero_grad()
        y = layer(given_, level)
        y.square().sum().backward()
        of_codes = [parameter.grad for parameter in layer.parameters()]
        layer.zero_grad()
        z = layer(given_.x, level)
        z.square().sum().backward()
        assert close(y, z, 1e-5)
        for one, parameter in zip(of_codes, layer.parameters(), strict=True):
            assert one is not None
            assert parameter.grad is not None
            assert close(one, parameter.grad, 1e-4)


@both_ways
@pytest.mark.parametrize(
    "layer",
    [
        *(GCN(2, 3), GCN(3, 2), SAGE(2, 3), GIN(2, 3), CliquePool("mean"), CliquePool("max")),
        *(CliquePool("sum"), CliquePool("share"), CliqueAttentionPool(2), Readout(), Readout(("sum", "max"))),
    ],
    ids=repr,
)
def test_gradients_of_layers_are_right(layer: nn.Module, by_classes: bool) -> None:
    layer = layer.double()
    names = [name for name, _ in layer.named_parameters()]
    width = getattr(layer, "in_features", 2)
    for level in small_batch(MIXED[1:], by_classes=by_classes, levels=1).levels[:1]:

        def called(x: Tensor, *weights: Tensor, level: Level = level) -> Tensor:
            state = dict(zip(names, weights, strict=True))
            return torch.func.functional_call(layer, state, (x, level))  # type: ignore[no-any-return]

        x = drawn(level.num_nodes, width).requires_grad_()
        assert torch.autograd.gradcheck(called, (x, *layer.parameters()))


@both_ways
def test_gradients_of_lifting_are_right(by_classes: bool) -> None:
    level = small_batch(by_classes=by_classes, levels=1).levels[0]
    y = drawn(len(level.pool_lists), 2).requires_grad_()
    assert torch.autograd.gradcheck(lambda y: CliqueLift()(y, level), (y,))


@both_ways
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_layers_run_in_other_precisions(by_classes: bool, dtype: torch.dtype) -> None:
    level = small_batch(by_classes=by_classes).levels[0]
    x = drawn(level.num_nodes, 2, dtype=dtype)
    pools = [*map(CliquePool, ("mean", "max", "sum", "share")), CliqueAttentionPool(2)]
    layers = [GCN(2, 3), SAGE(2, 3), GIN(2, 3), *pools, Readout(), Readout(("sum",))]
    for layer in layers:
        y = layer.to(dtype)(x, level)
        assert y.dtype == dtype
        assert torch.allclose(y.double(), layer.double()(x.double(), level), rtol=0.1, atol=0.1)


def test_any_convolution_of_pyg_can_replace_them() -> None:
    level = small_batch(by_classes=True).levels[0]
    x = drawn(level.num_nodes, 3, dtype=torch.float32)
    theirs = GATConv(3, 2)
    assert close(PyGConvolution(theirs)(x, level), theirs(x, level.edge_index), 1e-6)
    weighted = GATConv(3, 2, edge_dim=1)
    level.edge_attr = torch.arange(float(level.edge_index.shape[1]))[:, None]
    expected = weighted(x, level.edge_index, edge_attr=level.edge_attr)
    assert close(PyGConvolution(weighted, edge_attr=True)(x, level), expected, 1e-6)
