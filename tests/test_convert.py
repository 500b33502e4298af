"""Graphs of other libraries: taken as they are, or refused with words that say what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.graph_like import as_graph
from tests.helpers.small_graphs import Sample, graphs

if TYPE_CHECKING:
    from collections.abc import Callable

TAIL = [(0, 1), (0, 2), (1, 2), (2, 3)]
INDEX = torch.tensor(TAIL).T
MATRIX = scipy.sparse.coo_array((np.ones(4), INDEX.numpy()), shape=(4, 4))

GRAPHS: dict[str, Any] = {
    "Graph": cp.Graph.from_edges(TAIL),
    "networkx": nx.Graph(TAIL),
    "networkx, directed and parallel": nx.MultiDiGraph([*TAIL, *TAIL, (2, 1), (3, 3)]),
    "a view of networkx": nx.Graph([*TAIL, (3, 4)]).subgraph(range(4)),
    "PyG": Data(edge_index=INDEX, num_nodes=4),
    "PyG, batched": Batch.from_data_list([Data(edge_index=INDEX, num_nodes=4)]),
    "like PyG": SimpleNamespace(edge_index=INDEX.tolist(), num_nodes=4),
} | {
    f"scipy {kind} {form}": getattr(scipy.sparse, f"{form}_{kind}")(MATRIX)
    for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
    for kind in ("array", "matrix")
}


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


def test_one_graph_is_not_taken_for_many() -> None:
    for one in (GRAPHS["Graph"], GRAPHS["networkx"], GRAPHS["PyG"]):
        with pytest.raises(cp.GraphError, match="expected graphs, as a list or another iterable, got one"):
            cp.clique_hierarchies(one)


def test_a_graph_is_not_taken_for_its_edges() -> None:
    with pytest.raises(cp.GraphError, match=r"got a graph; Graph\.from_networkx takes it"):
        cp.Graph.from_edges(nx.grid_2d_graph(2, 2))  # the names of its nodes are pairs of integers
    dataset = GraphDataset.from_graphs([GRAPHS["Graph"]])
    with pytest.raises(cp.GraphError, match=r"got GraphDataset; its method graph\(i\) takes one graph out"):
        cp.clique_pool(dataset)


class Two(InMemoryDataset):  # type: ignore[misc]
    """Two graphs of PyG, whose attributes answer for both."""

    def __init__(self) -> None:
        super().__init__(None)
        self.data, self.slices = self.collate([Data(edge_index=INDEX, num_nodes=4)] * 2)


def test_a_data_set_of_pyg_is_not_taken_for_a_graph() -> None:
    with pytest.raises(cp.GraphError, match=r"got Two without one of its own; pass one graph of it"):
        cp.clique_pool(Two())
    assert [h.sizes for h in cp.clique_hierarchies(Two())] == [(4, 2, 1)] * 2


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_of_thousands_of_digits_are_refused_too(sign: int) -> None:
    huge = sign * 10**5000
    with pytest.raises(cp.GraphError, match=r"at most 2\^63-1, got an integer of 16,610 bits"):
        cp.Graph.from_edges([(huge, 1)])
    with pytest.raises(cp.GraphError, match=r"num_nodes: .* got an integer of 16,610 bits"):
        cp.Graph.from_edges([(0, 1)], huge)
    with pytest.raises(cp.GraphError, match="got an integer of 16,610 bits beside text"):
        cp.Graph.from_edges([("a", huge)])


def test_other_libraries_are_not_imported() -> None:
    program = (
        "import sys, cliquepool as cp; cp.clique_pool(cp.Graph.from_edges([('a', 'b')]));"
        "print(*{'torch', 'scipy', 'networkx', 'matplotlib', 'pandas', 'igraph'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# ---- views ----


def views_of(array: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Lay the same values out in memory in every way that NumPy knows."""
    spread = np.zeros(tuple(2 * size for size in array.shape), dtype=array.dtype)
    halves = tuple(slice(None, None, 2) for _ in array.shape)
    spread[halves] = array
    last = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
    last[..., ::2] = array
    backwards = np.ascontiguousarray(array[..., ::-1])[..., ::-1]
    read_only = array.copy()
    read_only.setflags(write=False)
    unaligned = np.frombuffer(b"\0" + array.tobytes(), dtype=np.uint8)[1:].view(array.dtype)
    record = np.zeros(array.shape, dtype=[("pad", "i1"), ("value", array.dtype)])
    record["value"] = array
    views = {
        "whole": array,
        "columns": np.asfortranarray(array),
        "every other": spread[halves],
        "every other of the last axis": last[..., ::2],
        "backwards": backwards,
        "read-only": read_only,
        "unaligned": unaligned.reshape(array.shape),
        "a field": record["value"],
        "big-endian": array.astype(array.dtype.newbyteorder(">")),
        "little-endian": array.astype(array.dtype.newbyteorder("<")),
        "an array of another class": array.view(np.ma.MaskedArray),
    }
    if array.shape[-1] and (array == array[..., :1]).all():
        views["broadcast"] = np.broadcast_to(array[..., :1], array.shape)
    return views


@settings(max_examples=60)
@given(graphs(most=8), st.sampled_from(["i1", "u1", "i2", "u4", "i8", "u8"]), st.booleans())
def test_every_view_of_an_array_gives_the_same_graph(sample: Sample, dtype: str, compact: bool) -> None:
    edges = np.array(sample.edges, dtype=dtype).reshape(-1, 2)
    num_nodes = None if compact else sample.num_nodes
    expected = cp.Graph.from_edges(sample.edges, num_nodes, compact=compact)
    for name, view in views_of(edges).items():
        assert cp.Graph.from_edges(view, num_nodes, compact=compact) == expected, name
        assert cp.Graph.from_edge_index(view.T, num_nodes, compact=compact) == expected, name
    for name, view in views_of(np.ascontiguousarray(edges.T)).items():
        assert cp.Graph.from_edge_index(view, num_nodes, compact=compact) == expected, name
    graph = sample.graph()
    rows = views_of(graph.indptr.astype(dtype)), views_of(graph.indices.astype(dtype))
    for name in set(rows[0]) & set(rows[1]):
        assert cp.Graph.from_csr(rows[0][name], rows[1][name]) == graph, name


def test_every_other_column_of_an_edge_index_is_compacted() -> None:
    edge_index = np.array([[5, 0, 7, 0], [7, 0, 9, 0]])
    for index in (edge_index[:, ::2], torch.from_numpy(edge_index)[:, ::2]):
        graph = cp.Graph.from_edge_index(index, compact=True)
        assert graph.labels is not None
        assert (graph.labels.tolist(), graph.edges().tolist()) == ([5, 7, 9], [[0, 1], [1, 2]])


@settings(max_examples=30)
@given(graphs(most=8))
def test_every_view_of_features_is_reduced_alike(sample: Sample) -> None:
    p = cp.clique_pool(sample.graph())
    x = np.arange(sample.num_nodes * 3, dtype=np.float32).reshape(-1, 3)
    y = np.arange(len(p) * 2, dtype=np.int16).reshape(-1, 2)
    for name, view in views_of(x).items():
        for reduction in ("mean", "max", "sum"):
            assert np.array_equal(p.reduce(view, reduction), p.reduce(x, reduction)), name  # type: ignore[arg-type]
    for name, view in views_of(y).items():
        assert np.array_equal(p.lift(view), p.lift(y)), name


# ---- values that are not there ----

TENSORS: dict[str, Callable[[], Any]] = {
    "on the meta device, which holds no values": lambda: INDEX.to("meta"),
    "a sparse tensor": INDEX.to_sparse,
    "a quantised tensor": lambda: torch.quantize_per_tensor(INDEX.float(), 1.0, 0, torch.quint8),
    "expected integers, got float32": lambda: INDEX.float().requires_grad_(),
    "Tensor": INDEX.bfloat16,
    "a masked array with 1 masked value": lambda: np.ma.masked_equal(INDEX.numpy(), 3),
    "a masked array with 2 masked values": lambda: list(np.ma.masked_less(INDEX.numpy(), 1)),
    "expected integers, got bool": lambda: INDEX > 0,
    "expected integers, got object": lambda: INDEX.numpy().astype(object),
    r"at most 2\^63-1, got 1267650600228229401496703205376": lambda: [[0, 2**100], [1, 2]],
}


@pytest.mark.filterwarnings("ignore:.*quantize_per_tensor:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*quantiz:UserWarning")
@pytest.mark.parametrize("message", TENSORS)
def test_values_that_are_not_there_or_no_integers_are_refused(message: str) -> None:
    index = TENSORS[message]()
    for compact in (False, True):
        with pytest.raises(cp.GraphError, match=message):
            cp.Graph.from_edge_index(index, compact=compact)
    with pytest.raises(cp.GraphError, match=message):
        cp.clique_pool(SimpleNamespace(edge_index=index, num_nodes=4))
    with pytest.raises(cp.GraphError, match="expected"):
        cp.Graph.from_edges(index)
    with pytest.raises(cp.GraphError, match=message):
        cp.Graph.from_csr(index, [])


def test_a_masked_array_without_masked_values_is_an_array() -> None:
    assert cp.Graph.from_edges(np.ma.array(TAIL)) == cp.Graph.from_edges(TAIL)
    assert cp.Graph.from_edges(np.ma.array(TAIL, mask=False)) == cp.Graph.from_edges(TAIL)


def test_features_are_numbers_one_row_for_each_node() -> None:
    p = cp.clique_pool(GRAPHS["Graph"])
    assert np.isnan(p.reduce([np.nan, 1.0, 2.0, 5.0])).tolist() == [True, False]
    assert p.reduce(torch.ones(4, 2, requires_grad=True)).tolist() == [[1.0, 1.0]] * 2
    refused: list[tuple[Any, str]] = [
        (np.ma.masked_equal([1.0, 2.0, 3.0, 4.0], 2.0), "masked array with 1 masked value"),
        (torch.ones(4).to("meta"), "meta device"),
        (torch.ones(4).to_sparse(), "a sparse tensor"),
        (scipy.sparse.csr_array((4, 4)), "sparse matrix csr_array"),
        ([[1.0], [2.0, 3.0], [4.0], [5.0]], "features: expected an array of numbers, got list"),
        (np.ones((2, 4)), r"one row for each node \(4\), got 2 rows"),
        (1.0, "got a single value"),
        (["a"] * 4, "expected numbers, got an array of <U1"),
        (np.array([None] * 4), "expected numbers, got an array of object"),
        (np.zeros(4, dtype="m8[s]"), "expected numbers, got an array of timedelta64"),
    ]
    for x, message in refused:
        with pytest.raises(cp.GraphError, match=message):
            p.reduce(x)
    with pytest.raises(cp.GraphError, match="masked array"):
        p.lift(np.ma.masked_equal([1.0, 2.0], 2.0))


# ---- damaged matrices ----


def damaged(form: str, part: str, value: Any) -> Any:
    matrix = getattr(scipy.sparse, f"{form}_matrix")(MATRIX.toarray())
    setattr(matrix, part, np.asarray(value))
    return matrix


DAMAGED: list[tuple[str, str, Any, str]] = [
    ("csr", "indptr", [0, 2, 3, 9, 9], "expected offsets up to its number of entries, 4 indices .*, got 9"),
    ("csr", "indptr", [0, 3, 2, 4, 4], "expected offsets from 0 that never fall"),
    ("csr", "indptr", [1, 2, 3, 4, 4], "expected offsets from 0"),
    ("csr", "indptr", [0, 2, 4], "expected 5 offsets, got 3"),
    ("csr", "indptr", [0.0, 2.0, 3.0, 4.0, 4.0], "expected a list of integers, got float64"),
    (
        "csr",
        "indices",
        [1, 2, 2, 10**9],
        "indices of the matrix: expected indices from 0 to 3, got 1 to 1000",
    ),
    ("csr", "indices", [1, -2, 2, 3], "expected indices from 0 to 3, got -2 to 3"),
    ("csr", "indices", [1, 2], "2 indices and 4 values, got 4"),
    ("csr", "data", [1.0], "4 indices and 1 values, got 4"),
    ("csr", "data", [1.0, np.nan, 1.0, 1.0], "NaN"),
    ("csr", "data", [1.0, complex(0, np.nan), 1.0, 1.0], "NaN"),
    ("csr", "data", ["a", "b", "c", "d"], "expected a matrix of numbers, got <U1"),
    ("csc", "indices", [0, 0, 1, 4], "expected indices from 0 to 3, got 0 to 4"),
    ("csc", "indptr", [0, 0, 1, 3], "expected 5 offsets, got 4"),
    ("bsr", "indices", [1, 2, 2, 7], "indices of the matrix: expected indices from 0 to"),
    ("bsr", "indptr", [0, 9, 9, 9, 9], "indptr of the matrix: expected"),
    ("bsr", "data", np.ones((2, 3, 3)), "expected blocks that fill it"),
    ("coo", "row", [0, 0, 1, 400], "row of the matrix: expected indices from 0 to 3, got 0 to 400"),
    ("coo", "col", [0, 0, 1, -1], "col of the matrix: expected indices from 0 to 3, got -1 to 1"),
    ("coo", "data", [1.0], "as many rows as columns and values"),
]


@pytest.mark.parametrize(("form", "part", "value", "message"), DAMAGED)
def test_damaged_matrices_are_refused(form: str, part: str, value: Any, message: str) -> None:
    with pytest.raises(cp.GraphError, match=message):
        cp.clique_pool(damaged(form, part, value))


def test_other_damage_is_refused_too() -> None:
    ragged = scipy.sparse.lil_matrix(MATRIX.toarray())
    ragged.data[0] = [1.0]
    outside = scipy.sparse.lil_matrix(MATRIX.toarray())
    outside.rows[3], outside.data[3] = [99], [1.0]
    words = scipy.sparse.lil_matrix(MATRIX.toarray())
    words.rows[0] = ["a", "b"]
    without = scipy.sparse.csr_matrix(MATRIX)
    del without.indptr
    listed = scipy.sparse.csr_matrix(MATRIX)
    listed.data = [1.0] * 4
    flat = scipy.sparse.dia_matrix(MATRIX.toarray())
    flat.offsets = np.array([0])
    for matrix, message in (
        (ragged, "row 0 of the matrix: expected as many values as columns, got 1 and 2"),
        (outside, "indices of the matrix: expected indices from 0 to 3"),
        (words, "expected a whole sparse matrix, got lil_matrix"),
        (without, "expected a whole sparse matrix, got csr_matrix"),
        (listed, "data of the matrix: expected an array of 1 dimension, got list"),
        (flat, "a row of the data of the matrix for each of its offsets"),
    ):
        with pytest.raises(cp.GraphError, match=message):
            cp.Graph.from_scipy(matrix)


@settings(max_examples=150)
@given(
    st.sampled_from(["csr", "csc"]),
    st.lists(st.integers(-2, 6), min_size=1, max_size=6),
    st.lists(st.integers(-2, 5), max_size=6),
    st.integers(0, 6),
)
def test_any_index_arrays_give_a_graph_or_a_graph_error(
    form: str, indptr: list[int], indices: list[int], values: int
) -> None:
    matrix = getattr(scipy.sparse, f"{form}_array")((4, 4))
    matrix.indptr, matrix.indices = np.array(indptr, np.int32), np.array(indices, np.int32)
    matrix.data = np.ones(values)
    try:
        graph = cp.Graph.from_scipy(matrix)
    except cp.GraphError:
        return
    cp.Graph.from_csr(graph.indptr, graph.indices)


def test_room_left_over_in_a_matrix_is_not_read() -> None:
    matrix = scipy.sparse.csr_array(MATRIX)
    matrix.indices, matrix.data = np.append(matrix.indices, 99), np.append(matrix.data, np.nan)
    assert cp.Graph.from_scipy(matrix) == cp.Graph.from_edges(TAIL)


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
