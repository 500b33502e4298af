"""Graphs pooled in one call: the same coarse graphs as made ahead, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, global_mean_pool

import cliquepool as cp
from cliquepool.nn import CliqueCoarsening, CliqueLift, CliquePool, CliquePooled, Readout, clique_pool
from tests.helpers.pyg_graphs import PAPER_FIGURE, with_edge_values
from tests.helpers.small_graphs import Sample, cycle, graphs, path

lists_of_graphs = st.lists(
    st.one_of(graphs(7), st.sampled_from([Sample(2, []), path(4), cycle(5)])), min_size=1, max_size=4
).filter(lambda samples: samples[-1].num_nodes > 0)


@given(lists_of_graphs, st.sampled_from(["mean", "max", "sum"]), st.sampled_from(["sum", "mean", "max"]))
@settings(max_examples=60)
def test_a_call_gives_what_a_coarsening_made_ahead(
    samples: list[Sample], reduce: Any, edge_reduce: Any
) -> None:
    coarsen = CliqueCoarsening(levels=1, edge_reduce=edge_reduce)
    batch = Batch.from_data_list([coarsen(with_edge_values(s, seed)) for seed, s in enumerate(samples)])
    coarse = clique_pool(
        batch.x, batch.edge_index, batch.edge_attr, batch.batch, reduce=reduce, edge_reduce=edge_reduce
    )
    fine, level = batch.level(0), batch.level(1)
    assert torch.equal(coarse.edge_index, level.edge_index)
    assert torch.equal(coarse.membership, fine.membership)
    assert torch.equal(coarse.batch, level.batch)
    assert torch.equal(coarse.level.node_start, fine.node_start)
    torch.testing.assert_close(coarse.x, CliquePool(reduce)(batch.x, fine))
    torch.testing.assert_close(coarse.edge_attr, level.edge_attr)
    torch.testing.assert_close(CliqueLift()(coarse.x, coarse.level), CliqueLift()(coarse.x, fine))
    torch.testing.assert_close(Readout()(batch.x, coarse.level), Readout()(batch.x, fine))


def test_one_graph_needs_no_batch() -> None:
    x = torch.tensor([[1.0], [2.0], [6.0]])
    coarse = clique_pool(x, torch.tensor([[0, 1], [1, 2]]))
    assert isinstance(coarse, CliquePooled)
    x, edge_index, edge_attr, batch, membership, level = coarse
    assert x.tolist() == [[1.5], [4.0]]
    assert edge_index.tolist() == [[1, 0], [0, 1]]
    assert edge_attr is None
    assert batch.tolist() == [0, 0]
    assert membership.tolist() == [[0, 1, 1, 2], [0, 0, 1, 1]]
    assert level.num_graphs == 1
    empty = clique_pool(torch.empty(0, 3), torch.empty(2, 0, dtype=torch.long))
    assert empty.x.shape == (0, 3)
    assert empty.level.num_graphs == 1


def test_loops_directions_and_parallel_edges_are_merged() -> None:
    x = torch.rand(4, 2)
    once = clique_pool(x, torch.tensor([[0, 1, 2], [1, 2, 3]]))
    messy = clique_pool(x, torch.tensor([[1, 0, 2, 2, 3, 0], [0, 1, 1, 2, 2, 1]], dtype=torch.int32))
    assert torch.equal(once.x, messy.x)
    assert torch.equal(once.edge_index, messy.edge_index)


@pytest.mark.parametrize("edge_reduce", ["sum", "mean", "max"])
@pytest.mark.parametrize("reduce", ["mean", "max", "sum"])
def test_gradients_flow_to_features_and_edge_values(reduce: Any, edge_reduce: Any) -> None:
    data = Batch.from_data_list([with_edge_values(s) for s in (PAPER_FIGURE, cycle(4))])
    x, edge_attr = data.x.requires_grad_(), data.edge_attr.requires_grad_()

    def pooled(x: torch.Tensor, edge_attr: torch.Tensor) -> Any:
        coarse = clique_pool(
            x, data.edge_index, edge_attr, data.batch, reduce=reduce, edge_reduce=edge_reduce
        )
        return coarse.x, coarse.edge_attr

    assert torch.autograd.gradcheck(pooled, (x, edge_attr))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int32, torch.bool])
def test_edge_values_of_every_type_are_carried(dtype: torch.dtype) -> None:
    data = with_edge_values(path(3))
    for edge_reduce, expected in (("sum", 2), ("mean", 1), ("max", 1)):
        values = torch.ones(4).to(dtype)
        coarse = clique_pool(data.x, data.edge_index, values, edge_reduce=edge_reduce)  # type: ignore[arg-type]
        assert coarse.edge_attr is not None
        assert coarse.edge_attr.tolist() == [expected, expected]
        assert not dtype.is_floating_point or coarse.edge_attr.dtype == dtype


def test_it_stands_between_two_convolutions() -> None:
    torch.manual_seed(0)
    first, second = GCNConv(3, 8), GCNConv(8, 2)
    data = Batch.from_data_list([with_edge_values(s) for s in (PAPER_FIGURE, path(5), cycle(6))])
    x = first(data.x.float(), data.edge_index).relu()
    x, edge_index, _, batch, *_ = clique_pool(x, data.edge_index, batch=data.batch)
    scores = global_mean_pool(second(x, edge_index), batch, size=3)
    scores.sum().backward()
    assert scores.shape == (3, 2)
    assert first.lin.weight.grad is not None
    assert torch.isfinite(first.lin.weight.grad).all()


def test_what_is_no_batch_of_graphs_is_refused() -> None:
    x, edges = torch.ones(3, 1), torch.tensor([[0, 1], [1, 2]])
    none: Any = None
    for arguments, message in (
        ((x, edges, none, torch.tensor([0, 1, 0])), "batch: expected ascending numbers"),
        ((x, edges, none, torch.tensor([-1, 0, 0])), "batch: expected ascending numbers"),
        ((x, edges, none, torch.tensor([0, 0])), r"batch: expected shape \(3,\)"),
        ((x, edges, none, torch.tensor([0, 0, 1])), "edges within graphs, got 1 - 2 between"),
        ((x, edges, none, torch.zeros(3)), "expected integers"),
        ((x, edges.float()), "expected integers"),
        ((x, torch.tensor([[0], [5]])), "edge_index"),
        ((x, torch.tensor([0, 1, 2])), r"expected shape \(2, e\), got shape \(3,\)"),
        ((x, torch.eye(3).to_sparse()), "got a sparse"),
        ((x, edges.to("meta")), 'got some on "meta"'),
        ((x, edges, torch.ones(5)), "edge_attr: expected a row for each of 2 edges"),
    ):
        with pytest.raises(cp.GraphError, match=message):
            clique_pool(*arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="x: expected a row of features"):
        clique_pool(torch.ones(3), edges)
    with pytest.raises(ValueError, match="reduce: expected one of mean, max, sum, share, got 'min'"):
        clique_pool(x, edges, reduce="min")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="edge_reduce: expected one of sum, mean, max, got 'min'"):
        clique_pool(x, edges, edge_reduce="min")  # type: ignore[arg-type]


def test_it_keeps_to_a_budget() -> None:
    data = with_edge_values(PAPER_FIGURE)
    with pytest.raises(cp.BudgetExceeded, match="max_cliques"):
        clique_pool(data.x, data.edge_index, budget=cp.Budget(max_cliques=2))
    dense = Data(edge_index=torch.from_numpy(np.argwhere(np.ones((40, 40))).T))
    # A complete bipartite graph: 400 pools, each joined with every other.
    across = dense.edge_index[:, (dense.edge_index[0] < 20) != (dense.edge_index[1] < 20)]
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        clique_pool(
            torch.ones(40, 1), across, torch.ones(across.shape[1]), budget=cp.Budget(max_bytes=5_000_000)
        )
