from __future__ import annotations

from cliquepool import Graph
from cliquepool.data import GraphDataset, load_dataset
from cliquepool.explain.names import node_texts


def test_labels_are_renamed_where_a_text_is_known() -> None:
    edge = GraphDataset.from_graphs([Graph.from_edges([(0, 1)])], node_labels=[["x", "y"]])
    assert node_texts(edge) == ("x", "y")
    assert node_texts(edge, {"x": "carbon"}) == ("carbon", "y")


def test_atoms_of_mutag_are_known() -> None:
    assert set(node_texts(load_dataset("MUTAG"))) == {"C", "N", "O", "F", "I", "Cl", "Br"}


def test_nodes_without_labels_have_no_text() -> None:
    assert node_texts(GraphDataset.from_graphs([Graph.from_edges([(0, 1)])])) == ("", "")
