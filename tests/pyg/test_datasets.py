"""Between GraphDataset and PyTorch Geometric: there and back, and as PyG itself reads the files."""

from __future__ import annotations

import zipfile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given

import cliquepool as cp
from cliquepool.data import GraphDataset, read_tu
from tests.helpers.graph_datasets import datasets

if TYPE_CHECKING:
    from pathlib import Path

torch = pytest.importorskip("torch")
pyg_data = pytest.importorskip("torch_geometric.data")
Data = pyg_data.Data


def columns(codes: Any, values: Any, attributes: Any) -> Any:
    parts = [] if codes is None else [np.eye(len(values), dtype=np.float32)[codes]]
    parts += [] if attributes is None else [attributes]
    return np.concatenate(parts, axis=1) if parts else None


def equal(one: Any, other: Any) -> bool:
    return one is other is None or np.array_equal(one, other)


@given(datasets())
def test_there_and_back_is_the_same(dataset: GraphDataset) -> None:
    graphs = dataset.to_pyg()
    assert len(graphs) == len(dataset)
    back = GraphDataset.from_pyg(graphs, name="back")
    back.validate()
    for field in ("node_start", "indptr", "indices"):
        assert np.array_equal(getattr(back, field), getattr(dataset, field))
    occur = np.unique(dataset.targets[dataset.targets >= 0])
    assert back.classes.tolist() == occur.tolist()
    known = dataset.targets >= 0
    assert equal(occur[back.targets[known]], dataset.targets[known])
    assert (back.targets[~known] == -1).all()
    if len(dataset):
        x = columns(dataset.node_labels, dataset.node_label_values, dataset.node_attributes)
        edge_attr = columns(dataset.edge_labels, dataset.edge_label_values, dataset.edge_attributes)
        assert equal(back.node_attributes, x)
        assert equal(back.edge_attributes, edge_attr)


def test_data_is_as_pyg_wants_it() -> None:
    square = cp.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    dot = cp.Graph.from_edges([], num_nodes=1)
    nothing = cp.Graph.from_edges([], num_nodes=0)
    dataset = GraphDataset.from_graphs([square, dot, nothing], [5, 6, 5])
    one, two, three = dataset.to_pyg()
    assert one.edge_index.dtype == one.y.dtype == torch.int64
    assert one.edge_index.tolist() == [[0, 0, 1, 1, 2, 2, 3, 3], [1, 3, 0, 2, 1, 3, 0, 2]]
    assert one.x is None
    assert [data.num_nodes for data in (one, two, three)] == [4, 1, 0]
    assert [data.y.tolist() for data in (one, two, three)] == [[0], [1], [0]]
    assert one.is_undirected()
    batch = pyg_data.Batch.from_data_list([one, two, three, one])
    assert batch.num_nodes == 9
    assert batch.edge_index.max() == 8
    one.edge_index[0, 0] = 3  # PyG's copy is PyG's own
    assert dataset.graph(0) == square


def test_labels_come_before_attributes_in_x() -> None:
    edge = cp.Graph.from_edges([(0, 1)])
    labels, attributes = [["a", "b"]], [[[0.5], [0.25]]]
    both = GraphDataset.from_graphs([edge], [0], node_labels=labels, node_attributes=attributes)
    assert both.to_pyg()[0].x.tolist() == [[1, 0, 0.5], [0, 1, 0.25]]
    assert GraphDataset.from_graphs([edge], node_labels=labels).to_pyg()[0].x.tolist() == [[1, 0], [0, 1]]


def test_edges_are_made_simple_and_their_attributes_averaged() -> None:
    data = Data(
        edge_index=torch.tensor([[0, 1, 1, 2, 2], [1, 0, 1, 1, 1]]),
        edge_attr=torch.tensor([1.0, 2.0, 9.0, 4.0, 6.0]),
        num_nodes=4,
        y=torch.tensor(1),
    )
    dataset = GraphDataset.from_pyg([data])
    assert dataset.graph(0).edges().tolist() == [[0, 1], [1, 2]]
    assert dataset.edge_attributes is not None
    assert dataset.edge_attributes.tolist() == [[1.5], [1.5], [5.0], [5.0]]
    assert dataset.num_nodes == 4
    assert dataset.classes.tolist() == [1]


def test_data_without_nodes_or_edges_is_taken() -> None:
    graphs = [
        Data(x=torch.zeros(0, 3), edge_index=torch.zeros(2, 0, dtype=torch.long)),
        Data(x=torch.ones(2, 3), edge_index=None),
        Data(num_nodes=0),
    ]
    dataset = GraphDataset.from_pyg(graphs)
    assert np.diff(dataset.node_start).tolist() == [0, 2, 0]
    assert dataset.targets.tolist() == [-1, -1, -1]
    assert dataset.node_attributes is not None
    assert dataset.node_attributes.shape == (2, 3)
    assert len(GraphDataset.from_pyg([])) == 0


GOOD = Data(x=torch.zeros(2, 1), edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"edge_index": torch.tensor([[0], [2]])},
            "edge_index of graph 1: expected nodes from 0 to 1, got 0 and 2",
        ),
        ({"edge_index": torch.tensor([[0, 1]])}, r"edge_index of graph 1: expected shape \(2, edges\)"),
        ({"edge_index": torch.tensor([[0.5], [1]])}, "edge_index of graph 1: expected integers, got float32"),
        ({"x": torch.tensor([[0.0], [torch.nan]])}, "x of graph 1: expected finite numbers, got nan"),
        ({"x": torch.zeros(2, 3)}, "x of graph 1: expected 1 columns, as before, got 3"),
        ({"x": None, "num_nodes": 2}, "x of graph 1: expected it in all graphs or none"),
        (
            {"y": torch.tensor([0.5])},
            r"y of graph 1: expected integers, .* predict are not supported",
        ),
        ({"y": torch.tensor([0, 1])}, r"y of graph 1: expected one integer, got shape \(2,\)"),
        ({"edge_attr": torch.zeros(3, 1)}, "edge_attr of graph 0: expected it in all graphs or none"),
    ],
)
def test_data_that_does_not_fit_is_refused(wrong: dict[str, Any], message: str) -> None:
    fields = {"x": GOOD.x, "edge_index": GOOD.edge_index, "y": GOOD.y} | wrong
    with pytest.raises(cp.GraphError, match=message):
        GraphDataset.from_pyg([GOOD, SimpleNamespace(**fields)])


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(cp.GraphError, match="graph 0: expected Data with an edge_index, got int"):
        GraphDataset.from_pyg([7])
    with pytest.raises(cp.GraphError, match="graph 0: expected x or num_nodes, got neither"):
        GraphDataset.from_pyg([SimpleNamespace(edge_index=torch.tensor([[0], [1]]))])


@pytest.mark.data
def test_files_are_read_as_pyg_reads_them(tmp_path: Path, shared_data: Path) -> None:
    from torch_geometric.io import read_tu_data  # noqa: PLC0415 (it takes seconds)

    with zipfile.ZipFile(shared_data / "tu" / "MUTAG.zip") as files:
        files.extractall(tmp_path)
    dataset = read_tu(tmp_path / "MUTAG")
    theirs, slices, _ = read_tu_data(str(tmp_path / "MUTAG"), "MUTAG")
    ours = dataset.to_pyg()
    assert torch.equal(theirs.x, torch.cat([data.x for data in ours]))
    assert torch.equal(theirs.y, torch.cat([data.y for data in ours]))
    assert torch.equal(theirs.edge_index, torch.cat([data.edge_index for data in ours], dim=1))
    assert torch.equal(theirs.edge_attr, torch.cat([data.edge_attr for data in ours]))
    assert slices["x"].tolist() == dataset.node_start.tolist()
