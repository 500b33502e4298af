"""Graph: what goes in comes out, and what is not a graph does not go in."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from torch_geometric.data import Data, HeteroData

import cliquepool as cp
from tests.helpers import oracle
from tests.helpers.small_graphs import Sample, graphs

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


# ---- what is not a graph ----

NOT_EDGES: list[tuple[Any, str]] = [
    ([(0, 1, 2)], r"shape \(m, 2\), got shape \(1, 3\)"),
    ([0, 1], r"shape \(m, 2\), got shape \(2,\)"),
    (np.zeros((2, 5), dtype=int), "from_edge_index"),
    (np.zeros((0, 3)), r"got shape \(0, 3\)"),
    (5, r"got shape \(\)"),
    ([(0, 1), (2,)], "expected an array of integers"),
    ([(0.0, 1.0)], "expected integers, got float64"),
    ([(0, float("nan"))], "expected integers, got float64"),
    ([(False, True)], "expected integers, got bool"),
    ([("a", 1)], "all integers or all text, got 1 beside text"),
    (np.array([("a", None)]), "all integers or all text, got None beside text"),
    ([("a", "b", "c")], r"shape \(m, 2\), got shape \(1, 3\)"),
    ([(b"a", b"b")], r"expected integers, got \|S1"),
    (np.array([(0, 1)], dtype=object), "expected integers, got object"),
    (np.array([(0, 2**70)], dtype=object), r"at most 2\^63-1, got 1180591620717411303424"),
    ([(None, 1)], "expected integers, got object"),
    (None, "expected integers, got object"),
    ("edges", "expected integers, got <U5"),
    ([(0, 1j)], "expected integers, got complex128"),
    (np.array([(0, 1)], dtype="m8[s]"), "expected integers, got timedelta64"),
    ([(0, -1)], "expected node ids of at least 0, got -1"),
    ([(-5, -3)], "expected node ids of at least 0, got -5"),
    ([(0, 2**31)], "expected node ids below 2147483647"),
    ([(0, 2**63)], r"at most 2\^63-1, got 9223372036854775808"),
    ([(0, 2**64)], r"at most 2\^63-1, got 18446744073709551616"),
    ([(0, -(2**70))], r"at most 2\^63-1, got -1180591620717411303424"),
    (np.array([(0, 2**63)], dtype=np.uint64), r"at most 2\^63-1, got 9223372036854775808"),
    ([(0, 2_000_000_000)], "pass num_nodes"),
    (torch.zeros((3, 2)), "expected integers, got float32"),
]


@pytest.mark.parametrize(("edges", "message"), NOT_EDGES)
def test_what_is_not_edges_is_refused_with_a_reason(edges: Any, message: str) -> None:
    with pytest.raises(cp.GraphError, match=message):
        cp.Graph.from_edges(edges)


@pytest.mark.parametrize("num_nodes", [-1, 2**31, 1.5, "3", True, 10**30])
def test_a_number_of_nodes_must_be_one(num_nodes: Any) -> None:
    with pytest.raises(cp.GraphError, match=r"num_nodes: expected an integer from 0 to 2147483647"):
        cp.Graph.from_edges([(0, 1)], num_nodes)


def test_ids_beyond_num_nodes_are_refused_with_their_edge() -> None:
    with pytest.raises(cp.GraphError, match=r"edges: edge 1: expected node ids from 0 to 2, got \(1, 3\)"):
        cp.Graph.from_edges([(0, 1), (1, 3)], 3)
    with pytest.raises(cp.GraphError, match=r"edge_index: edge 0: .* got \(-1, 0\)"):
        cp.Graph.from_edge_index([[-1], [0]], 3)


def test_a_far_id_is_taken_with_num_nodes_or_compact() -> None:
    far = 2**24 + 5
    assert cp.Graph.from_edges([(0, far)], far + 1).num_nodes == far + 1
    assert cp.Graph.from_edges([(0, 2**62)], compact=True).num_nodes == 2
    with pytest.raises(cp.GraphError, match="got both"):
        cp.Graph.from_edges([(0, 1)], 2, compact=True)
    with pytest.raises(cp.GraphError, match="at least 0"):
        cp.Graph.from_edges([(0, -1)], compact=True)


def test_other_objects_are_refused() -> None:
    with pytest.raises(cp.GraphError, match="expected a networkx graph, got list"):
        cp.Graph.from_networkx([(0, 1)])
    with pytest.raises(cp.GraphError, match="expected a scipy sparse matrix, got ndarray"):
        cp.Graph.from_scipy(np.eye(3))
    with pytest.raises(cp.GraphError, match=r"expected a square matrix, got shape \(2, 3\)"):
        cp.Graph.from_scipy(scipy.sparse.csr_array((2, 3)))
    with pytest.raises(cp.GraphError, match="NaN"):
        cp.Graph.from_scipy(scipy.sparse.csr_array(np.array([[0.0, np.nan], [0.0, 0.0]])))
    for data in (Data(), HeteroData(), SimpleNamespace(), None):
        with pytest.raises(cp.GraphError, match="expected data with an edge_index"):
            cp.Graph.from_pyg(data)
    with pytest.raises(cp.GraphError, match=r"shape \(2, e\), got shape \(3, 2\); Graph.from_edges takes"):
        cp.Graph.from_edge_index(np.zeros((3, 2), dtype=int))
    with pytest.raises(TypeError, match="from_edges"):
        cp.Graph()


NOT_CSR: list[tuple[Any, Any, str]] = [
    ([], [], "expected num_nodes"),
    ([1, 1], [0], "first offset to be 0, got 1"),
    ([0, 2, 1, 2], [1, 2], "never fall, got 2 and then 1 at position 2"),
    ([0, 1], [], "last offset to be the number of neighbours, 0, got 1"),
    ([0, 1, 2], [2, 0], "node 0: expected neighbours from 0 to 1, got 2"),
    ([0, 1], [0], "node 0: expected no loop"),
    ([0, 2, 4], [1, 1, 0, 0], "node 0: expected distinct neighbours in ascending order"),
    ([0, 1, 1], [1], "got node 1 among the neighbours of 0, but not node 0 among those of 1"),
    ([0, 0, 1], [0], "got node 0 among the neighbours of 1, but not node 1 among those of 0"),
    ([0.0, 0.0], [], "expected integers, got float64"),
    ([[0], [0]], [], "expected an array of one dimension"),
    ([0, 1, 2], [2**32, 0], "expected node ids from 0 to 2147483646"),
    ([0, 1, 2], [-1, 0], "expected node ids from 0 to 2147483646"),
]


@pytest.mark.parametrize(("indptr", "indices", "message"), NOT_CSR)
def test_rows_that_are_no_graph_are_refused_with_a_reason(indptr: Any, indices: Any, message: str) -> None:
    with pytest.raises(cp.GraphError, match=message):
        cp.Graph.from_csr(indptr, indices)


ANY_ARRAY = hnp.arrays(
    dtype=st.one_of(hnp.scalar_dtypes(), hnp.integer_dtypes(), st.just(np.dtype(object))),
    shape=st.one_of(
        hnp.array_shapes(min_dims=0, min_side=0, max_side=6),
        st.sampled_from([(5, 2), (2, 5), (1, 2), (2, 1)]),
    ),
)


@settings(max_examples=500)
@given(ANY_ARRAY, st.one_of(st.none(), st.integers(-1, 300)), st.booleans())
def test_any_array_gives_a_graph_or_a_graph_error(array: Any, num_nodes: int | None, compact: bool) -> None:
    for way in (cp.Graph.from_edges, cp.Graph.from_edge_index):
        try:
            graph = way(array, num_nodes, compact=compact)
        except cp.GraphError:
            continue
        cp.Graph.from_csr(graph.indptr, graph.indices)


SMALL = hnp.arrays(dtype=hnp.integer_dtypes(), shape=st.integers(0, 6), elements=st.integers(0, 6))


@settings(max_examples=500)
@given(st.one_of(ANY_ARRAY, SMALL), st.one_of(ANY_ARRAY, SMALL))
def test_any_rows_give_a_graph_or_a_graph_error(indptr: Any, indices: Any) -> None:
    try:
        graph = cp.Graph.from_csr(indptr, indices)
    except cp.GraphError:
        return
    assert cp.Graph.from_edges(graph.edges(), graph.num_nodes) == graph


# ---- kept by twin classes ----


@given(graphs())
def test_twin_classes_are_the_equal_closed_neighbourhoods(sample: Sample) -> None:
    closed = [neighbours | {v} for v, neighbours in enumerate(sample.neighbours())]
    twins = sample.graph().twins
    for u, v in np.ndindex(sample.num_nodes, sample.num_nodes):
        assert (twins.classes[u] == twins.classes[v]) == (closed[u] == closed[v])
    assert np.array_equal(np.bincount(twins.classes, minlength=len(twins.sizes)), twins.sizes)
    C = scipy.sparse.csr_array(np.eye(len(twins.sizes), dtype=int)[twins.classes])
    Q = twins.quotient.to_scipy() + scipy.sparse.eye_array(len(twins.sizes), dtype=int)
    A = sample.graph().to_scipy() + scipy.sparse.eye_array(sample.num_nodes, dtype=int)
    assert np.array_equal((C @ Q @ C.T).toarray(), A.toarray())


@given(graphs())
def test_a_graph_kept_by_twin_classes_is_the_same_graph(sample: Sample) -> None:
    explicit, factored = sample.graph(), by_twins(sample.graph())
    assert (factored.num_nodes, factored.num_edges) == (explicit.num_nodes, explicit.num_edges)
    assert np.array_equal(factored.degrees, explicit.degrees)
    for v in range(sample.num_nodes):
        assert factored.neighbours(v).tolist() == explicit.neighbours(v).tolist()
    assert factored == explicit
    assert by_twins(explicit) == factored
    if len(factored.twins.sizes) < sample.num_nodes:
        assert factored._csr is None, "none of this writes the graph out"
    assert np.array_equal(factored.indptr, explicit.indptr)
    assert np.array_equal(factored.indices, explicit.indices)


def test_a_graph_without_twins_shares_its_rows_with_its_quotient() -> None:
    graph = cp.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    assert graph.twins.quotient.indices is graph.indices
    assert graph.twins.sizes.tolist() == [1, 1, 1, 1]
    assert graph.twins is graph.twins


def test_counting_the_edges_of_a_huge_graph_needs_no_room() -> None:
    size = 2**21
    classes = np.repeat(np.arange(2, dtype=np.int32), size)
    sizes = np.full(2, size, dtype=np.int32)
    graph = cp.Graph._from_twins(classes, sizes, np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int32))
    assert graph.num_edges == size * (size - 1)
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        graph.indices  # noqa: B018
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        graph.expand(budget=cp.Budget(max_bytes=10**6))
    assert "4,194,304 nodes" in repr(graph)


def test_expand_writes_the_graph_out_within_its_budget() -> None:
    graph = by_twins(cp.Graph.from_networkx(nx.complete_graph(100)))
    with pytest.raises(cp.BudgetExceeded):
        graph.expand(budget=cp.Budget(max_bytes=1000))
    assert graph.expand(budget=cp.Budget(max_bytes=10**6)) is graph
    assert len(graph.indices) == 9900


# ---- as a value ----


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


@given(graphs())
def test_twins_kept_apart_are_the_same_graph(sample: Sample) -> None:
    graph = sample.graph()
    apart = cp.Graph._from_twins(
        np.arange(sample.num_nodes, dtype=np.int32),
        np.ones(sample.num_nodes, dtype=np.int32),
        graph.indptr,
        graph.indices,
    )
    assert apart == by_twins(graph)
    assert pickle.loads(pickle.dumps(apart)) == graph


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
