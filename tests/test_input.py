"""Arrays that hold no graph are refused with a reason; views and tensors are read like arrays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from torch_geometric.data import Data, HeteroData

import cliquepool as cp
from tests.helpers.library_graphs import GRAPHS, INDEX, TAIL
from tests.helpers.small_graphs import Sample, graphs

if TYPE_CHECKING:
    from collections.abc import Callable


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
        assert cp.Graph.from_csr(graph.indptr, graph.indices).num_edges == graph.num_edges


SMALL = hnp.arrays(dtype=hnp.integer_dtypes(), shape=st.integers(0, 6), elements=st.integers(0, 6))


@settings(max_examples=500)
@given(st.one_of(ANY_ARRAY, SMALL), st.one_of(ANY_ARRAY, SMALL))
def test_any_rows_give_a_graph_or_a_graph_error(indptr: Any, indices: Any) -> None:
    try:
        graph = cp.Graph.from_csr(indptr, indices)
    except cp.GraphError:
        return
    assert cp.Graph.from_edges(graph.edges(), graph.num_nodes) == graph


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_of_thousands_of_digits_are_refused_too(sign: int) -> None:
    huge = sign * 10**5000
    with pytest.raises(cp.GraphError, match=r"at most 2\^63-1, got an integer of 16,610 bits"):
        cp.Graph.from_edges([(huge, 1)])
    with pytest.raises(cp.GraphError, match=r"num_nodes: .* got an integer of 16,610 bits"):
        cp.Graph.from_edges([(0, 1)], huge)
    with pytest.raises(cp.GraphError, match="got an integer of 16,610 bits beside text"):
        cp.Graph.from_edges([("a", huge)])


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
