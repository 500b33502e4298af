"""A graph as a value: immutable, comparable, pickled, and what it tells of itself."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given

import cliquepool as cp
from tests.helpers.small_graphs import Sample, graphs


def by_twins(graph: cp.Graph) -> cp.Graph:
    """Keep the same graph by its twin classes alone."""
    return cp.Graph._from_twins(*graph._factors(), graph.labels)


def test_inputs_are_left_untouched() -> None:
    matrix = scipy.sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 0]), np.array([0, 1, 3])))
    before = copy.deepcopy(matrix)
    cp.Graph.from_scipy(matrix)
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(matrix, part), getattr(before, part))
    edges = np.array([[5, 900], [900, 5]])
    cp.Graph.from_edges(edges, compact=True)
    cp.Graph.from_edges(edges)
    assert edges.tolist() == [[5, 900], [900, 5]]
    assert edges.flags.writeable


def test_the_graph_does_not_change_with_the_arrays_it_came_from() -> None:
    indptr, indices = np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32)
    graph = cp.Graph.from_csr(indptr, indices)
    indptr[1] = indices[0] = 7
    assert graph.edges().tolist() == [[0, 1]]


def test_an_empty_graph_is_a_graph() -> None:
    nothing: list[Any] = [[], (), np.empty((0, 2)), np.empty((0, 2), dtype=np.int8), torch.empty((0, 2))]
    for edges in nothing:
        graph = cp.Graph.from_edges(edges)
        assert (graph.num_nodes, graph.num_edges, graph.labels) == (0, 0, None)
        assert graph.edges().shape == (0, 2)
        assert graph.to_edge_index().shape == (2, 0)
        assert cp.Graph.from_edges(edges, 3).degrees.tolist() == [0, 0, 0]
    assert cp.Graph.from_edge_index(np.empty((2, 0), dtype=np.int64)).num_nodes == 0
    assert cp.Graph.from_edges([], compact=True).labels is None
    assert cp.Graph.from_networkx(nx.Graph()).num_nodes == 0
    assert cp.Graph.from_scipy(scipy.sparse.csr_array((0, 0))).num_nodes == 0
    assert cp.Graph.from_csr([0], []).num_nodes == 0
    assert pickle.loads(pickle.dumps(by_twins(cp.Graph.from_edges([])))).num_nodes == 0


def test_a_graph_cannot_be_changed() -> None:
    graph = cp.Graph.from_edges([(0, 1), (1, 2)], compact=True)
    labelled = cp.Graph.from_edges([(5, 1)], compact=True)
    kept = by_twins(cp.Graph.from_edges([(0, 1), (1, 2), (0, 2)]))
    twins = (kept.twins.classes, kept.twins.sizes)
    arrays = (graph.indptr, graph.indices, graph.neighbours(1), labelled.labels, kept.neighbours(0), *twins)
    for array in arrays:
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError, match="never changes"):
        graph.labels = None  # type: ignore[misc]
    with pytest.raises(AttributeError, match="never changes"):
        graph.name = "x"  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="never changes"):
        del graph._csr


def test_graphs_are_equal_when_nodes_edges_and_labels_are() -> None:
    path = cp.Graph.from_edges([(0, 1), (1, 2)])
    assert path == cp.Graph.from_edges([(2, 1), (1, 0)])
    assert path != cp.Graph.from_edges([(0, 1), (0, 2)])
    assert path != cp.Graph.from_edges([(0, 1), (1, 2)], 4)
    assert path != cp.Graph.from_edges([(1, 2), (2, 3)], compact=True)
    assert path != "path"
    first, second = (by_twins(cp.Graph.from_edges(edges)) for edges in ([(0, 1), (1, 2)], [(0, 1), (0, 2)]))
    assert first != second


@given(graphs())
def test_pickles_and_copies_are_equal(sample: Sample) -> None:
    names = [f"node {v}" for v in range(sample.num_nodes)]
    named = cp.Graph._from_csr_trusted(sample.graph().indptr, sample.graph().indices, np.array(names, object))
    for graph in (sample.graph(), named, by_twins(sample.graph()), by_twins(named)):
        again = pickle.loads(pickle.dumps(graph))
        assert again == graph
        assert again.twins.classes.tolist() == graph.twins.classes.tolist()
        assert copy.copy(graph) is graph
        assert copy.deepcopy(graph) is graph


def test_a_pickle_that_holds_no_graph_is_refused() -> None:
    graph = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
    restore, (indptr, indices, labels) = graph.__reduce__()
    with pytest.raises(cp.GraphError):
        restore(indptr, indices[::-1].copy(), labels)
    with pytest.raises(cp.GraphError, match="labels: expected 4"):
        restore(indptr, indices, np.arange(3))
    restore, (classes, sizes, q_indptr, q_indices, labels) = by_twins(graph).__reduce__()
    for broken in (classes[::-1], classes[1:], classes + 1, np.array([0, 1, 1, 2]), classes.reshape(2, 2)):
        with pytest.raises(cp.GraphError, match="twins"):
            restore(broken, sizes, q_indptr, q_indices, labels)
    with pytest.raises(cp.GraphError, match="twins"):
        restore(classes, sizes + 1, q_indptr, q_indices, labels)


def test_neighbours_of_no_node_are_refused() -> None:
    graph = cp.Graph.from_edges([(0, 1)])
    for node in (-1, 2, 10**20):
        with pytest.raises(cp.GraphError, match="expected a node from 0 to 1"):
            graph.neighbours(node)


def test_reprs_say_how_large_the_graph_is() -> None:
    assert repr(cp.Graph.from_networkx(nx.petersen_graph())) == "Graph(10 nodes, 15 edges)"
    assert repr(cp.Graph.from_edges([(0, 0)])) == "Graph(1 node, 0 edges)"
    graph = cp.Graph.from_networkx(nx.complete_graph(100))
    assert repr(graph) == "Graph(100 nodes, 4,950 edges)"
    assert repr(graph.twins) == "Twins(100 nodes in 1 class)"
    assert "<td>4,950</td>" in graph._repr_html_()
    assert "0" in cp.Graph.from_edges([])._repr_html_()


def test_graphs_are_made_without_torch_or_scipy() -> None:
    program = (
        "import sys, cliquepool as cp; cp.Graph.from_edge_index([[0], [1]]);"
        "print(*{'torch', 'scipy', 'networkx', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
