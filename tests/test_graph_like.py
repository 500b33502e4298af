"""Every function takes graphs of other libraries; for other objects the error names the one that does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from torch_geometric.data import Data, HeteroData, InMemoryDataset

import cliquepool as cp
from cliquepool import convert
from cliquepool.data import GraphDataset
from cliquepool.graph_like import as_graph
from tests.helpers.library_graphs import GRAPHS, INDEX, TAIL


@pytest.mark.parametrize("kind", GRAPHS)
def test_every_function_takes_graphs_of_other_libraries(kind: str) -> None:
    graph = GRAPHS[kind]
    assert as_graph(graph) == cp.Graph.from_edges(TAIL)
    assert cp.clique_pool(graph).pools.tolist() == [[0, 1, 2], [3]]
    assert cp.clique_hierarchy(graph).sizes == (4, 2, 1)
    cp.clique_hierarchy(graph).check(graph)
    assert [h.sizes for h in cp.clique_hierarchies([graph, GRAPHS["Graph"]])] == [(4, 2, 1)] * 2
    assert sorted(cp.maximal_cliques(graph).tolist()) == [[0, 1, 2], [2, 3]]
    assert cp.count_maximal_cliques(graph) == 2
    assert cp.count_maximal_cliques_by_size(graph) == {2: 1, 3: 1}
    assert cp.maximum_cliques(graph).tolist() == [[0, 1, 2]]
    assert cp.clique_number(graph) == 3


def test_igraph_graphs_are_taken_with_their_names() -> None:
    igraph = pytest.importorskip("igraph")
    assert as_graph(igraph.Graph(4, TAIL, directed=True)) == cp.Graph.from_edges(TAIL)
    named = igraph.Graph.TupleList([("x", "y"), ("y", "z")])
    labels = cp.clique_pool(named).graph.labels
    assert labels is not None
    assert labels.tolist() == ["x", "y", "z"]


def test_node_names_stay_with_the_pools() -> None:
    p = cp.clique_pool(nx.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]))
    assert p.graph.labels is not None
    assert [p.graph.labels[pool].tolist() for pool in p.pools] == [["a", "b", "c"], ["d"]]


NOT_GRAPHS: list[tuple[Any, str]] = [
    (np.array(TAIL), r"got ndarray of shape \(4, 2\); Graph.from_edges takes"),
    (TAIL, "got list; Graph.from_edges takes an array of shape"),
    (INDEX, r"got Tensor of shape \(2, 4\); Graph.from_edges .* Graph.from_edge_index"),
    (np.eye(3), "adjacency matrix"),
    ("graph.txt", "got str; read_graph reads a file"),
    (Path("graph.txt"), "read_graph reads a file"),
    (None, "expected a Graph, a networkx or igraph graph, a SciPy sparse matrix or PyG Data, got NoneType"),
    (5, "got int"),
    (HeteroData(), "HeteroData without one; heterogeneous graphs are not supported: .*to_homogeneous"),
    (Data(), "expected data with an edge_index, got Data without one"),
    (Data(adj_t=INDEX), "adj_t is not read: leave out ToSparseTensor"),
    (scipy.sparse.csr_array((2, 3)), r"square matrix, got shape \(2, 3\)"),
]


@pytest.mark.parametrize(("thing", "message"), NOT_GRAPHS)
def test_what_is_no_graph_is_refused_with_the_way_that_takes_it(thing: Any, message: str) -> None:
    for function in (cp.clique_pool, cp.clique_hierarchy, cp.maximal_cliques, cp.clique_number):
        with pytest.raises(cp.GraphError, match=message):
            function(thing)
    with pytest.raises(cp.GraphError, match=f"^graph 1: .*{message}"):
        cp.clique_hierarchies([nx.Graph(TAIL), thing])


def test_one_graph_is_not_mistaken_for_many() -> None:
    for one in (GRAPHS["Graph"], GRAPHS["networkx"], GRAPHS["PyG"]):
        with pytest.raises(cp.GraphError, match="expected graphs, as a list or another iterable, got one"):
            cp.clique_hierarchies(one)


def test_a_graph_is_not_mistaken_for_its_edges() -> None:
    with pytest.raises(cp.GraphError, match=r"got a graph; Graph\.from_networkx takes it"):
        cp.Graph.from_edges(nx.grid_2d_graph(2, 2))  # the names of its nodes are pairs of integers
    dataset = GraphDataset.from_graphs([GRAPHS["Graph"]])
    with pytest.raises(cp.GraphError, match=r"got GraphDataset; its method graph\(i\) returns one graph"):
        cp.clique_pool(dataset)


class Two(InMemoryDataset):  # type: ignore[misc]
    """Two graphs of PyG, whose attributes answer for both."""

    def __init__(self) -> None:
        super().__init__(None)
        self.data, self.slices = self.collate([Data(edge_index=INDEX, num_nodes=4)] * 2)


def test_a_data_set_of_pyg_is_not_mistaken_for_a_graph() -> None:
    with pytest.raises(cp.GraphError, match=r"got Two without one of its own; pass one graph of it"):
        cp.clique_pool(Two())
    assert [h.sizes for h in cp.clique_hierarchies(Two())] == [(4, 2, 1)] * 2


def test_other_libraries_are_not_imported() -> None:
    program = (
        "import sys, cliquepool as cp; cp.clique_pool(cp.Graph.from_edges([('a', 'b')]));"
        "print(*{'torch', 'scipy', 'networkx', 'matplotlib', 'pandas', 'igraph'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_as_graph_is_found_under_its_old_module_too() -> None:
    assert convert.as_graph is as_graph
