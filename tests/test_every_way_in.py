"""The same graph gives the same `Graph` and the same pools, whatever it is made from."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import torch
from hypothesis import HealthCheck, given, settings
from torch_geometric.data import Data

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.graph_like import as_graph
from tests.helpers.small_graphs import Sample, graphs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Input:
    """A graph in every form that can be converted or read."""

    def __init__(self, sample: Sample, folder: Path) -> None:
        self.count = sample.num_nodes
        self.folder = folder
        # Edge lists need a loop for every node without edges.
        self.edges = [(v, u) for u, v in sample.edges] + [(v, v) for v in range(self.count)]
        self.pairs = np.array(self.edges, dtype=np.int64).reshape(-1, 2)
        self.names = [f"n{v:02}" for v in range(self.count)]  # in the order of the nodes
        self.named_edges = [(self.names[u], self.names[v]) for u, v in self.edges]
        self.expected = sample.graph()

    @property
    def matrix(self) -> Any:
        ones = np.ones(len(self.pairs))
        return scipy.sparse.coo_array((ones, self.pairs.T), shape=(self.count, self.count))

    @property
    def networkx(self) -> Any:
        graph = nx.DiGraph()
        graph.add_nodes_from(range(self.count))
        graph.add_edges_from(self.edges)
        return graph

    @property
    def pyg(self) -> Any:
        return Data(edge_index=torch.from_numpy(self.pairs.T.copy()), num_nodes=self.count)

    def frame(self, edges: list[tuple[Any, Any]]) -> Any:
        pandas = pytest.importorskip("pandas")
        dtype = "str" if edges is self.named_edges else "int64"
        columns = ("source", "target")
        return pandas.DataFrame({c: [edge[i] for edge in edges] for i, c in enumerate(columns)}, dtype=dtype)

    def read(self, name: str, text: str | bytes, **options: Any) -> cp.Graph:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return cp.read_graph(path, **options)

    def lines(self, separator: str, edges: list[tuple[Any, Any]], more: str = "") -> str:
        return "".join(f"{u}{separator}{v}{more}\n" for u, v in edges)

    def dimacs(self) -> str:
        listed = "".join(f"e {u + 1} {v + 1}\n" for u, v in self.expected.edges().tolist())
        return f"p edge {self.count} {self.expected.num_edges}\n{listed}"

    def metis(self) -> str:
        rows = [" ".join(str(w + 1) for w in self.expected.neighbours(v)) for v in range(self.count)]
        return f"{self.count} {self.expected.num_edges}\n" + "".join(row + "\n" for row in rows)

    def matrix_market(self) -> bytes:
        file = io.BytesIO()
        scipy.io.mmwrite(file, self.matrix)
        return file.getvalue()


WAYS: dict[str, Callable[[Input], cp.Graph]] = {
    "from_edges, list": lambda given: cp.Graph.from_edges(given.edges, given.count),
    "from_edges, array": lambda given: cp.Graph.from_edges(given.pairs[::-1], given.count),
    "from_edges, tensor": lambda given: cp.Graph.from_edges(torch.from_numpy(given.pairs), given.count),
    "from_edges, compact": lambda given: cp.Graph.from_edges(given.pairs, compact=True),
    "from_edges, frame": lambda given: cp.Graph.from_edges(given.frame(given.edges)),
    "from_edge_index": lambda given: cp.Graph.from_edge_index(given.pairs.T, given.count),
    "from_edge_index, compact": lambda given: cp.Graph.from_edge_index(given.pairs.T, compact=True),
    "from_pandas": lambda given: cp.Graph.from_pandas(given.frame(given.edges), "target", "source"),
    "from_networkx": lambda given: cp.Graph.from_networkx(given.networkx),
    "from_scipy, coo": lambda given: cp.Graph.from_scipy(given.matrix),
    "from_scipy, csr": lambda given: cp.Graph.from_scipy(given.matrix.tocsr()),
    "from_scipy, csc": lambda given: cp.Graph.from_scipy(scipy.sparse.csc_matrix(given.matrix)),
    "from_pyg": lambda given: cp.Graph.from_pyg(given.pyg),
    "from_csr": lambda given: cp.Graph.from_csr(given.expected.indptr, given.expected.indices),
    "as_graph, networkx": lambda given: as_graph(given.networkx),
    "as_graph, scipy": lambda given: as_graph(given.matrix.tolil()),
    "as_graph, pyg": lambda given: as_graph(given.pyg),
    "data set of graphs": lambda given: GraphDataset.from_graphs([given.matrix]).graph(0),
    "data set of networkx": lambda given: GraphDataset.from_networkx([given.networkx]).graph(0),
    "data set of PyG": lambda given: GraphDataset.from_pyg([given.pyg]).graph(0),
    "edge list": lambda given: given.read("g.txt", given.lines(" ", given.edges)),
    "edge list, gzip": lambda given: given.read(
        "g.txt.gz", gzip.compress(given.lines("\t", given.edges).encode())
    ),
    "edge list, weights": lambda given: given.read("g.txt", given.lines(" ", given.edges, " 0.5")),
    "csv": lambda given: given.read("g.csv", "source,target\n" + given.lines(",", given.edges)),
    "csv, no header": lambda given: given.read("g.csv", given.lines(";", given.edges, ";Rome, Italy")),
    "tsv": lambda given: given.read("g.tsv", "from\tto\n" + given.lines("\t", given.edges)),
    "dimacs": lambda given: given.read("g.clq", given.dimacs()),
    "matrix market": lambda given: given.read("g.mtx", given.matrix_market()),
    "metis": lambda given: given.read("g.graph", given.metis()),
}

WAYS_OF_NAMES: dict[str, Callable[[Input], cp.Graph]] = {
    "from_edges": lambda given: cp.Graph.from_edges(given.named_edges),
    "from_edges, frame": lambda given: cp.Graph.from_edges(given.frame(given.named_edges)),
    "from_pandas": lambda given: cp.Graph.from_pandas(given.frame(given.named_edges)),
    "from_networkx": lambda given: cp.Graph.from_networkx(
        nx.relabel_nodes(given.networkx, dict(enumerate(given.names)))
    ),
    "edge list": lambda given: given.read("g.txt", given.lines(" ", given.named_edges)),
    "csv": lambda given: given.read("g.csv", "source,target\n" + given.lines(",", given.named_edges)),
    "csv, no header": lambda given: given.read(
        "g.csv", given.lines(";", given.named_edges[::-1], ';"a;b"'), header=False
    ),
    "tsv": lambda given: given.read("g.tsv", "from\tto\n" + given.lines("\t", given.named_edges)),
}


def assert_is_the_same(graph: cp.Graph, expected: cp.Graph) -> None:
    assert graph.num_nodes == expected.num_nodes
    assert np.array_equal(graph.indptr, expected.indptr)
    assert np.array_equal(graph.indices, expected.indices)
    assert (graph.indptr.dtype, graph.indices.dtype) == (np.int64, np.int32)
    assert not graph.indices.flags.writeable
    pooled, as_expected = cp.clique_pool(graph), cp.clique_pool(expected)
    assert pooled.pools.tolist() == as_expected.pools.tolist()
    assert pooled.coarse == as_expected.coarse
    assert cp.clique_hierarchy(graph).sizes == cp.clique_hierarchy(expected).sizes


anew = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("way", WAYS)
@anew
@given(graphs(most=8))
def test_every_way_in_gives_the_same_graph_and_pools(tmp_path: Path, way: str, sample: Sample) -> None:
    given_ = Input(sample, tmp_path)
    graph = WAYS[way](given_)
    assert_is_the_same(graph, given_.expected)
    if graph.labels is not None:  # formats whose ids begin at 1
        assert way in {"dimacs", "matrix market", "metis"}
        assert graph.labels.tolist() == list(range(1, given_.count + 1))


@pytest.mark.parametrize("way", WAYS_OF_NAMES)
@anew
@given(graphs(most=8).filter(lambda sample: sample.num_nodes > 0))
def test_every_way_in_keeps_names_as_labels(tmp_path: Path, way: str, sample: Sample) -> None:
    given_ = Input(sample, tmp_path)
    graph = WAYS_OF_NAMES[way](given_)
    assert_is_the_same(graph, given_.expected)
    assert graph.labels is not None
    assert graph.labels.dtype == object
    assert graph.labels.tolist() == given_.names
    assert all(type(label) is str for label in graph.labels)
