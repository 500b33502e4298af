"""Edges by names, data frames and other formats, converted to graphs and back."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

import cliquepool as cp
from tests.helpers import oracle
from tests.helpers.small_graphs import Sample, graphs

TAIL = [(0, 1), (0, 2), (1, 2), (2, 3)]


# ---- node ids that are text ----


@settings(max_examples=60)
@given(graphs(most=8), st.data())
def test_text_ids_become_labels_in_ascending_order(sample: Sample, data: st.DataObject) -> None:
    used = sorted({v for edge in sample.edges for v in edge})
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
    names = data.draw(st.lists(text, min_size=len(used), max_size=len(used), unique=True))
    name_of = dict(zip(used, names, strict=True))
    edges = [(name_of[u], name_of[v]) for u, v in sample.edges]
    graph = cp.Graph.from_edges(edges)
    if not edges:
        assert graph.num_nodes == 0
        return
    assert graph.labels is not None
    assert graph.labels.tolist() == sorted(names)
    assert {frozenset(graph.labels[edge]) for edge in graph.edges()} == {frozenset(edge) for edge in edges}
    for other in (np.array(edges, dtype=object), iter(edges), {*edges}, nx.Graph(edges).edges()):
        assert cp.Graph.from_edges(other) == graph


def test_text_ids_take_no_number_of_nodes() -> None:
    edges = np.array([("x", "y"), ("y", "zebra")])
    assert cp.Graph.from_edges(edges, compact=True) == cp.Graph.from_edges(edges)
    with pytest.raises(cp.GraphError, match="expected no num_nodes where node ids are text, got 5"):
        cp.Graph.from_edges(edges, 5)
    with pytest.raises(cp.GraphError, match="expected integers, got <U5"):
        cp.Graph.from_edge_index(edges.T)


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 1 has no such strings")
def test_strings_of_numpy_2_are_text() -> None:
    edges = [("x", "y"), ("y", "zebra")]
    assert cp.Graph.from_edges(np.array(edges, dtype="T")) == cp.Graph.from_edges(edges)


# ---- data frames ----


def test_data_frames_are_taken_by_their_columns() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(TAIL, columns=["source", "target"])
    expected = cp.Graph.from_edges(TAIL)
    assert cp.Graph.from_edges(frame) == cp.Graph.from_pandas(frame) == expected
    assert cp.Graph.from_pandas(frame.rename(columns={"source": 5})) == expected
    wide = frame.assign(weight=0.5)[["weight", "target", "source"]]
    assert cp.Graph.from_edges(wide) == expected
    renamed = wide.rename(columns={"source": "a", "target": "b"})
    assert cp.Graph.from_pandas(renamed, "a", "b") == expected
    for dtype in ("int8", "uint64", "Int64", "UInt8", "category"):
        assert cp.Graph.from_pandas(frame.astype(dtype)) == expected, dtype
    assert cp.Graph.from_pandas(frame, num_nodes=9).num_nodes == 9
    assert cp.Graph.from_pandas(frame * 10, compact=True).labels.tolist() == [0, 10, 20, 30]  # type: ignore[union-attr]
    assert cp.Graph.from_pandas(frame[:0]).num_nodes == 0


def test_data_frames_of_text_keep_it_as_labels() -> None:
    pd = pytest.importorskip("pandas")
    sales = pd.DataFrame({"buyer": ["ann", "bob"], "seller": ["cat", "cat"], "price": [3.5, 4.0]})
    graph = cp.Graph.from_pandas(sales, source="buyer", target="seller")  # as docs/graphs.md shows
    assert graph.labels is not None
    assert graph.labels.tolist() == ["ann", "bob", "cat"]
    edges = [("b", "a"), ("c", "b"), ("a", "é")]
    frame = pd.DataFrame(edges, columns=["source", "target"], index=[7, 7, 9])
    expected = cp.Graph.from_edges(edges)
    for dtype in ("object", "str", "string", "category"):
        assert cp.Graph.from_edges(frame.astype(dtype)) == expected, dtype
    assert expected.labels is not None
    assert expected.labels.tolist() == ["a", "b", "c", "é"]


def test_data_frames_that_hold_no_edges_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [0, 1], "b": [1, 2], "c": [2.0, 3.0]})
    with pytest.raises(cp.GraphError, match=r"columns 'source' and 'target', or two .*got 'a', 'b', 'c'"):
        cp.Graph.from_edges(frame)
    with pytest.raises(cp.GraphError, match="expected one column 'x', got 0 among 'a', 'b', 'c'"):
        cp.Graph.from_pandas(frame, "x", "a")
    with pytest.raises(cp.GraphError, match="expected source and target, got one"):
        cp.Graph.from_pandas(frame, "a")
    with pytest.raises(cp.GraphError, match="column 'c': expected integers, got float64"):
        cp.Graph.from_pandas(frame, "a", "c")
    with pytest.raises(cp.GraphError, match="two columns of integers or two of text"):
        cp.Graph.from_pandas(frame.assign(c=["x", "y"]), "a", "c")
    for values in ([0, None], ["x", None], pd.array([1, None], dtype="Int64")):
        with pytest.raises(cp.GraphError, match="column 'c', row 1: expected a node id, got a missing value"):
            cp.Graph.from_pandas(frame.assign(c=values), "a", "c")
    with pytest.raises(cp.GraphError, match="expected a data frame, got list"):
        cp.Graph.from_pandas(TAIL)
    with pytest.raises(cp.GraphError, match=r"got DataFrame; Graph.from_pandas takes a data frame"):
        cp.clique_pool(frame)


FIGURE_ONE = ["AB", "AC", "BC", "AI", "BD", "DE", "DF", "DG", "EF", "EG", "FG", "FH", "CH", "HJ", "CJ"]


def by_twins(graph: cp.Graph) -> cp.Graph:
    """Keep the same graph by its twin classes alone."""
    return cp.Graph._from_twins(*graph._factors(), graph.labels)


def assert_holds(graph: cp.Graph, sample: Sample) -> None:
    assert graph.num_nodes == sample.num_nodes
    assert oracle.neighbours_of(graph) == sample.neighbours()
    assert graph.num_edges == len(oracle.edges_of(sample.neighbours()))


# ---- every way in gives the same graph ----


@st.composite
def messy_edges(draw: st.DrawFn) -> tuple[Sample, list[tuple[int, int]]]:
    """Draw a graph, and its edges shuffled, turned around, repeated, with loops."""
    sample = draw(graphs())
    edges = [draw(st.sampled_from([(u, v), (v, u)])) for u, v in sample.edges]
    if edges:
        edges += draw(st.lists(st.sampled_from(edges), max_size=5))
    if sample.num_nodes:
        edges += [(v, v) for v in draw(st.lists(st.integers(0, sample.num_nodes - 1), max_size=3))]
    return sample, draw(st.permutations(edges))


@given(messy_edges())
def test_loops_are_dropped_and_parallel_and_reversed_edges_merged(drawn: Any) -> None:
    sample, edges = drawn
    assert_holds(cp.Graph.from_edges(edges, sample.num_nodes), sample)


@given(messy_edges(), st.sampled_from(["i1", "u1", "i2", ">i2", "i4", "u4", "i8", ">i8", "u8"]))
def test_integers_of_every_type_are_taken(drawn: Any, dtype: str) -> None:
    sample, edges = drawn
    pairs = np.array(edges, dtype=dtype).reshape(-1, 2)
    wide = np.zeros((2 * len(pairs), 5), dtype=dtype)
    wide[::2, 1:4:2] = pairs
    unaligned = np.frombuffer(b"\0" + pairs.tobytes(), dtype=np.uint8)[1:].view(pairs.dtype).reshape(-1, 2)
    read_only = pairs.copy()
    read_only.setflags(write=False)
    for array in (pairs, np.asfortranarray(pairs), pairs[::-1], wide[::2, 1:4:2], unaligned, read_only):
        assert_holds(cp.Graph.from_edges(array, sample.num_nodes), sample)
        assert_holds(cp.Graph.from_edge_index(array.T, sample.num_nodes), sample)


@given(messy_edges())
def test_every_way_in_gives_the_same_graph(drawn: Any) -> None:
    sample, edges = drawn
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    expected = cp.Graph.from_edges(pairs, sample.num_nodes)
    assert_holds(expected, sample)

    multigraph = nx.MultiDiGraph()
    multigraph.add_nodes_from(range(sample.num_nodes))
    multigraph.add_edges_from(edges)
    index = torch.from_numpy(pairs.T.copy())
    matrix = scipy.sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(sample.num_nodes,) * 2)
    ways = {
        "pairs": cp.Graph.from_edges(iter(edges), sample.num_nodes),
        "set": cp.Graph.from_edges(set(edges), sample.num_nodes),
        "edge_index": cp.Graph.from_edge_index(pairs.T, sample.num_nodes),
        "torch": cp.Graph.from_edge_index(index, sample.num_nodes),
        "torch pairs": cp.Graph.from_edges(index.T, np.int64(sample.num_nodes)),
        "networkx": cp.Graph.from_networkx(multigraph),
        "scipy coo": cp.Graph.from_scipy(matrix),
        "scipy csc": cp.Graph.from_scipy(matrix.tocsc()),
        "scipy matrix": cp.Graph.from_scipy(scipy.sparse.lil_matrix(matrix)),
        "pyg": cp.Graph.from_pyg(Data(edge_index=index, num_nodes=sample.num_nodes)),
        "csr": cp.Graph.from_csr(expected.indptr.astype(np.uint16), expected.indices.tolist()),
        "twins": by_twins(expected),
    }
    for way, graph in ways.items():
        assert graph == expected, way
        assert graph.labels is None, way
        assert hash(graph) == hash(expected), way
        assert_holds(graph, sample)


@given(graphs())
def test_every_way_out_leads_back(sample: Sample) -> None:
    graph = sample.graph()
    for kept in (graph, by_twins(graph)):
        assert cp.Graph.from_edges(kept.edges(), sample.num_nodes) == graph
        assert cp.Graph.from_edge_index(kept.to_edge_index(), sample.num_nodes) == graph
        assert cp.Graph.from_networkx(kept.to_networkx()) == graph
        assert cp.Graph.from_scipy(kept.to_scipy()) == graph
        assert cp.Graph.from_csr(kept.indptr, kept.indices) == graph


def test_adjacency_matrices_have_indices_that_every_csgraph_takes() -> None:
    matrix = cp.Graph.from_edges([(0, 1), (2, 3)]).to_scipy()
    for kept in (matrix, matrix.astype(np.float64), matrix[np.array([0, 1])][:, np.array([0, 1])]):
        assert kept.indices.dtype == kept.indptr.dtype == np.int32  # SciPy before 1.15 takes no int64
    number, component = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    assert (number, component.tolist()) == (2, [0, 0, 1, 1])


def test_edges_are_listed_once_in_order() -> None:
    edges = cp.Graph.from_edges([(3, 1), (0, 3), (1, 0)]).edges()
    assert edges.tolist() == [[0, 1], [0, 3], [1, 3]]
    assert edges.dtype == np.int64


@given(graphs(), st.data())
def test_compact_keeps_the_ids_as_labels(sample: Sample, data: st.DataObject) -> None:
    edges = np.array(sample.edges, dtype=np.int64).reshape(-1, 2)
    _, edges = np.unique(edges, return_inverse=True)
    edges = edges.reshape(-1, 2)  # no isolated nodes: an edge list does not know them
    count = int(edges.max()) + 1 if edges.size else 0
    ids = np.array(
        sorted(data.draw(st.sets(st.integers(0, 2**63 - 1), min_size=count, max_size=count))), dtype=np.int64
    )
    graph = cp.Graph.from_edges(ids[edges], compact=True)
    assert np.array_equal(graph.edges(), cp.Graph.from_edges(edges).edges())
    labels = np.arange(graph.num_nodes) if graph.labels is None else graph.labels
    assert np.array_equal(labels, ids)
    assert cp.Graph.from_edge_index(ids[edges].T, compact=True) == graph


def test_node_names_of_networkx_become_labels() -> None:
    graph = cp.Graph.from_networkx(nx.Graph([tuple(edge) for edge in FIGURE_ONE]))
    assert graph.labels is not None
    assert sorted(graph.labels) == list("ABCDEFGHIJ")
    assert graph.labels.dtype == object
    named = {frozenset(graph.labels[edge]) for edge in graph.edges()}
    assert named == {frozenset(edge) for edge in FIGURE_ONE}
    assert cp.Graph.from_networkx(graph.to_networkx()) == graph


def test_integer_names_of_networkx_become_integer_labels() -> None:
    shifted = cp.Graph.from_networkx(nx.path_graph(range(5, 8)))
    assert shifted.labels is not None
    assert shifted.labels.dtype == np.int64
    assert shifted.labels.tolist() == [5, 6, 7]
    grid = cp.Graph.from_networkx(nx.grid_2d_graph(2, 2))
    assert grid.labels is not None
    assert grid.labels.tolist() == [(0, 0), (0, 1), (1, 0), (1, 1)]
    huge = cp.Graph.from_networkx(nx.Graph([(2**70, 1)]))
    assert huge.labels is not None
    assert huge.labels.tolist() == [2**70, 1]


def test_zero_entries_of_a_matrix_are_no_edges() -> None:
    rows, columns, values = [0, 0, 1, 2, 2], [1, 2, 0, 1, 1], [0.0, 1.0, 0.0, 1.0, -1.0]  # 2-1 sums to 0
    graph = cp.Graph.from_scipy(scipy.sparse.coo_array((values, (rows, columns)), shape=(3, 3)))
    assert graph.edges().tolist() == [[0, 2]]
    assert cp.Graph.from_scipy(scipy.sparse.csr_array((4, 4), dtype=bool)).num_nodes == 4
