"""What edges carry goes with them to coarse levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GATConv

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.data.edge_aggregation import coarse_edge_values
from cliquepool.nn import (
    CliqueCoarsening,
    CliquePool,
    PyGConvolution,
)
from tests.helpers.graph_datasets import datasets, with_edges_marked
from tests.helpers.pyg_graphs import PAPER_FIGURE, data_of, with_edge_values
from tests.helpers.small_graphs import Sample, graphs, path

# The first of the paper's figures: nodes A to J.


@given(graphs(), st.sampled_from(["sum", "mean", "max"]))
@settings(max_examples=60)
def test_edge_values_are_inherited_level_by_level(sample: Sample, reduce: Any) -> None:
    data = CliqueCoarsening(levels=2, edge_reduce=reduce)(with_edge_values(sample))
    hierarchy = cp.clique_hierarchy(sample.graph(), levels=2)
    for name in ("edge_attr", "edge_weight"):
        order = np.lexsort((data.edge_index[0], data.edge_index[1]))  # by target, as rows are
        values = data[name].numpy()[order]
        for level, pooling in enumerate(hierarchy, start=1):
            values = coarse_edge_values(pooling, values, reduce)
            np.testing.assert_allclose(data[f"{name}_{level}"].numpy(), values)
            assert data[f"{name}_{level}"].dtype == torch.float64


@given(datasets(least=1), st.sampled_from(["sum", "mean", "max"]), st.data())
@settings(max_examples=60)
def test_edge_values_of_a_pooled_data_set_are_those_of_the_transform(
    dataset: GraphDataset, reduce: Any, draw: st.DataObject
) -> None:
    dataset = with_edges_marked(dataset)
    chosen = draw.draw(st.permutations(range(len(dataset))))
    flat = PooledDataset(dataset, levels=2, edge_reduce=reduce).batch(chosen)
    coarsen = CliqueCoarsening(levels=2, edge_reduce=reduce)
    graphs = dataset.to_pyg()
    for place, level in enumerate(flat.levels):
        alone = [coarsen(graphs[graph]).level(place).edge_attr for graph in chosen]
        assert level.edge_attr is not None
        assert len(level.edge_attr) == level.edge_index.shape[1]
        torch.testing.assert_close(level.edge_attr, torch.cat(alone))


def test_edge_values_of_a_pooled_data_set_keep_their_direction() -> None:
    dataset = GraphDataset.from_graphs([cp.Graph.from_edges([(0, 1), (1, 2)])])
    fields = {field: getattr(dataset, field) for field in dataset.__dataclass_fields__ if field[0] != "_"}
    fields["edge_attributes"] = np.array([[1], [10], [100], [1000]], dtype=np.float32)  # 0-1 1-0 1-2 2-1
    pooled = PooledDataset(GraphDataset.from_arrays(**fields), levels=1, edge_reduce="sum")
    (batch,) = pooled.batches([0])
    bottom, coarse = batch.levels
    assert bottom.edge_index.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    assert bottom.edge_attr is not None
    assert bottom.edge_attr[:, 0].tolist() == [10, 1, 1000, 100]
    assert coarse.edge_index.tolist() == [[1, 0], [0, 1]]  # from {1, 2} to {0, 1}, and back
    assert coarse.edge_attr is not None
    assert coarse.edge_attr[:, 0].tolist() == [1010, 101]


def test_a_pooled_data_set_whose_edges_carry_nothing_is_refused() -> None:
    dataset = GraphDataset.from_graphs([path(3).graph()])
    with pytest.raises(cp.GraphError, match="whose edges carry labels or attributes, got one without"):
        PooledDataset(dataset, edge_reduce="sum")
    assert PooledDataset(dataset).batch([0]).levels[1].edge_attr is None


def test_edge_values_keep_their_direction() -> None:
    # Two triangles, joined by 2 -> 3 of weight 5 and back of weight 7.
    ends = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    both = torch.tensor([*ends, *((v, u) for u, v in ends), (2, 3), (3, 2)]).t()
    weight = torch.tensor([1.0] * 12 + [5.0, 7.0])
    data = CliqueCoarsening(levels=1)(Data(edge_index=both, edge_weight=weight, num_nodes=6))
    carried = dict(zip(map(tuple, data.edge_index_1.t().tolist()), data.edge_weight_1.tolist(), strict=True))
    assert carried == {(0, 1): 5.0, (1, 0): 7.0}
    level = data.level(0)
    assert level.edge_attr is not None
    assert level.edge_attr[(level.edge_index == torch.tensor([[2], [3]])).all(dim=0)].tolist() == [5.0]


def test_edge_values_of_an_edge_listed_once_count_both_ways() -> None:
    data = Data(
        edge_index=torch.tensor([[0, 1], [1, 2]]), edge_attr=torch.tensor([[1.0], [2.0]]), num_nodes=3
    )
    coarse = CliqueCoarsening(levels=1)(data)
    assert coarse.edge_attr_1.tolist() == [[3.0], [3.0]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int32, torch.bool])
def test_edge_values_of_every_type_are_carried(dtype: torch.dtype) -> None:
    data = data_of(path(3))
    data.edge_attr = torch.ones(4, 1).to(dtype)
    coarse = CliqueCoarsening(levels=1)(data)
    assert coarse.edge_attr_1.tolist() == [[2], [2]]
    assert not dtype.is_floating_point or coarse.edge_attr_1.dtype == dtype
    assert coarse.level(1).edge_attr is not None


def test_edge_values_are_left_out_on_request() -> None:
    data = CliqueCoarsening(edge_reduce=None)(with_edge_values(path(4)))
    assert not any(key in data for key in ("edge_attr_1", "edge_weight_1"))
    data = CliqueCoarsening()(data_of(path(4)))
    assert not any(key in data for key in ("edge_attr_1", "edge_weight_1"))
    assert data.level(1).edge_attr is None


def test_a_convolution_with_edge_values_runs_on_every_level() -> None:
    batch = Batch.from_data_list([CliqueCoarsening()(with_edge_values(s)) for s in (PAPER_FIGURE, path(5))])
    convolution = PyGConvolution(GATConv(3, 3, edge_dim=2).double(), edge_attr=True)
    x = batch.x
    for place in range(3):
        level = batch.level(place)
        x = convolution(x, level)
        if place < 2:
            x = CliquePool()(x, level)
    assert x.shape == (batch.level(2).num_nodes, 3)
