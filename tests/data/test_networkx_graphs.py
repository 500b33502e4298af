"""GraphDataset.from_networkx: attributes are taken as they are named, and never dropped in silence."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.data.features import FeatureEncoder
from cliquepool.models.graphs import as_dataset
from tests.helpers.small_graphs import Sample, graphs


def molecule(kind: type[nx.Graph] = nx.Graph) -> Any:
    graph = kind(y="toxic")
    graph.add_node("a", label="C", w=1.5, at=(0.0, 1.0))
    graph.add_node("b", label="O", w=2, at=[2.0, 3.0])
    graph.add_node("c", label="C", w=np.float32(3), at=np.array([4.0, 5.0]))
    graph.add_edge("a", "b", bond=1, length=1.0)
    graph.add_edge("b", "c", bond=2, length=3.0)
    return graph


def values_of(dataset: GraphDataset, field: str) -> list[Any]:
    values, codes = getattr(dataset, f"{field}_values"), getattr(dataset, f"{field}s")
    return list(values[codes].tolist())


def test_attributes_are_taken_as_they_are_named() -> None:
    dataset = GraphDataset.from_networkx(
        [molecule(), molecule()],
        "y",
        node_labels="label",
        node_attributes=["at", "w"],
        edge_labels="bond",
        edge_attributes="length",
        name="two",
    )
    dataset.validate()
    assert repr(dataset).startswith(
        "GraphDataset(two: 2 graphs, 6 nodes, 4 edges, 1 class, 2 node labels, 3 node"
    )
    assert dataset.classes[dataset.targets].tolist() == ["toxic", "toxic"]
    assert values_of(dataset, "node_label") == ["C", "O", "C"] * 2
    assert dataset.node_attributes is not None
    assert dataset.node_attributes[:3].tolist() == [[0.0, 1.0, 1.5], [2.0, 3.0, 2.0], [4.0, 5.0, 3.0]]
    assert dataset[0].indices.tolist() == [1, 0, 2, 1]
    assert values_of(dataset[0], "edge_label") == [1, 1, 2, 2]
    assert dataset.edge_attributes is not None
    assert dataset.edge_attributes[:4, 0].tolist() == [1.0, 1.0, 3.0, 3.0]


def test_merged_edges_have_the_first_label_and_the_mean_of_the_attributes() -> None:
    graph = nx.MultiDiGraph()
    graph.add_nodes_from([0, 1])
    graph.add_edge(0, 1, bond="single", length=1.0)
    graph.add_edge(0, 1, bond="double", length=3.0)
    graph.add_edge(1, 0, bond="double", length=5.0)
    graph.add_edge(1, 1, bond="loop", length=100.0)
    dataset = GraphDataset.from_networkx([graph], edge_labels="bond", edge_attributes=["length"])
    assert values_of(dataset, "edge_label") == ["single", "single"]
    assert dataset.edge_attributes is not None
    assert dataset.edge_attributes.tolist() == [[3.0], [3.0]]


@settings(max_examples=30)
@given(st.lists(graphs(most=6), max_size=4))
def test_graphs_and_attributes_stay_together(samples: list[Sample]) -> None:
    made = []
    for sample in samples:
        graph = nx.Graph()
        graph.add_nodes_from((f"n{v}", {"w": v}) for v in range(sample.num_nodes))
        graph.add_edges_from((f"n{u}", f"n{v}", {"sum": u + v}) for u, v in sample.edges)
        made.append(graph)
    dataset = GraphDataset.from_networkx(made, node_attributes="w", edge_attributes=["sum"])
    dataset.validate()
    assert [dataset.graph(i) for i in range(len(dataset))] == [sample.graph() for sample in samples]
    assert dataset.node_attributes is not None
    assert dataset.edge_attributes is not None
    assert dataset.node_attributes.shape[1] == dataset.edge_attributes.shape[1] == 1
    inside = np.concatenate([np.zeros(0), *(np.arange(sample.num_nodes) for sample in samples)])
    assert dataset.node_attributes[:, 0].tolist() == inside.tolist()
    sources = np.repeat(inside, dataset.degrees)
    assert dataset.edge_attributes[:, 0].tolist() == (sources + dataset.indices).tolist()


def test_attributes_that_are_not_named_are_warned_of() -> None:
    message = r"node attributes 'at', 'w' and the edge attributes 'bond', 'length' .* left out; .*ignore=True"
    with pytest.warns(UserWarning, match=message):
        GraphDataset.from_networkx([molecule()], node_labels="label")
    with pytest.warns(UserWarning, match="the node attribute 'w' of the networkx graphs"):
        GraphDataset.from_networkx(
            [molecule()], node_labels="label", node_attributes="at", ignore=["bond", "length"]
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert GraphDataset.from_networkx([molecule()], ignore=True).node_attributes is None
        GraphDataset.from_networkx([nx.path_graph(3)])


def test_no_way_from_networkx_or_pyg_drops_attributes_in_silence() -> None:
    with pytest.warns(UserWarning, match="node attributes 'at', 'label', 'w' and the edge attributes"):
        GraphDataset.from_graphs([molecule()])
    with pytest.warns(UserWarning, match=r"the edge attributes 'bond', 'length' of"):
        GraphDataset.from_graphs([molecule()], node_labels=[["C", "O", "C"]])
    with pytest.warns(UserWarning, match="node attributes 'at', 'label', 'w'"):
        as_dataset([molecule(), molecule()])
    data = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), pos=torch.ones(2, 3))
    with pytest.warns(UserWarning, match="x and edge_attr of the PyG data are left out; .*from_pyg"):
        GraphDataset.from_graphs([data])
    with pytest.warns(UserWarning, match="pos of the PyG data are left out"):
        as_dataset([data])


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        {},
        {"node_labels": "label"},
        "graph 1, node 'd': expected an attribute 'label', .*got none .*no attributes",
    ),
    ({"w": None}, {"node_attributes": "w"}, "graph 1, node 'd': expected an attribute 'w'"),
    (
        {"label": 5},
        {"node_labels": "label"},
        "node 'd': expected the label 'label' to be text, as before, got 5",
    ),
    ({"w": 0.5}, {"node_labels": "w"}, "graph 0, node 'a': expected the label 'w' to be an integer or text"),
    (
        {"w": "x"},
        {"node_attributes": ["w"]},
        "node 'd': .* a number .*got 'x'; text is a label: node_labels='w'",
    ),
    ({"at": [1.0]}, {"node_attributes": "at"}, r"node 'd': .*shape \(2,\), as before, got \(1,\)"),
    ({"w": float("nan")}, {"node_attributes": "w"}, "graph 1, node 'd': expected finite numbers"),
    ({"w": 1e300}, {"node_attributes": "w"}, "graph 1, node 'd': expected finite numbers of 32 bits"),
    ({}, {"edge_labels": "bond"}, r"graph 1, edge \('c', 'd'\): expected an attribute 'bond'"),
    ({}, {"y": "y"}, "graph 2: expected an attribute 'y' of the graph, got none"),
    ({}, {"y": [1, 2]}, "targets: expected 3 of them"),
]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(("node", "named", "message"), WRONG)
def test_what_is_missing_or_wrong_is_named(node: dict[str, Any], named: dict[str, Any], message: str) -> None:
    other = molecule()
    other.add_node("d", **node)
    other.add_edge("c", "d")
    last = nx.Graph()
    with pytest.raises(cp.GraphError, match=message):
        GraphDataset.from_networkx([molecule(), other, last], ignore=True, **named)


def test_other_things_are_refused() -> None:
    with pytest.raises(cp.GraphError, match="graph 1: expected a networkx graph, got Graph"):
        GraphDataset.from_networkx([nx.path_graph(2), cp.Graph.from_edges([(0, 1)])])
    with pytest.raises(cp.GraphError, match="expected graphs, as a list or another iterable, got one Graph"):
        GraphDataset.from_networkx(nx.path_graph(2))
    with pytest.raises(cp.GraphError, match="graph 1: expected a Graph, a networkx or igraph graph"):
        GraphDataset.from_graphs([nx.path_graph(2), [(0, 1)]])


def test_errors_of_data_sets_without_a_name_begin_with_words() -> None:
    unnamed = GraphDataset.from_graphs([nx.path_graph(2)])
    kinds: tuple[Literal["labels", "attributes"], ...] = ("labels", "attributes")
    for kind in kinds:
        with pytest.raises(cp.GraphError, match=r"^expected node"):
            FeatureEncoder.fit(unnamed, kind=kind)
