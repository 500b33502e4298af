"""GraphDataset: parts and joins are what taking graph by graph would give, and nothing ever changes."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool import _core
from cliquepool.budget import DEFAULT_BUDGET
from cliquepool.data import GraphDataset
from tests.helpers.graph_datasets import datasets, graph_lists
from tests.helpers.small_graphs import Sample, path

TRIANGLE = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2)])
EDGE = cp.Graph.from_edges([(0, 1)])


def whole(dataset: GraphDataset, index: int) -> tuple[Any, ...]:
    """All that belongs to one graph, taken out by hand."""
    nodes = slice(*dataset.node_start[index : index + 2])
    entries = slice(*dataset.indptr[[nodes.start, nodes.stop]])
    parts: list[Any] = [dataset.graph(index), int(dataset.targets[index])]
    for field, where in (
        ("node_labels", nodes),
        ("node_attributes", nodes),
        ("edge_labels", entries),
        ("edge_attributes", entries),
    ):
        array = getattr(dataset, field)
        parts.append(None if array is None else array[where].tolist())
    return tuple(parts)


@given(graph_lists())
def test_graphs_come_out_as_they_went_in(samples: list[Sample]) -> None:
    graphs = [sample.graph() for sample in samples]
    dataset = GraphDataset.from_graphs(graphs)
    dataset.validate()
    assert [dataset.graph(i) for i in range(len(dataset))] == graphs
    assert dataset.num_nodes == sum(g.num_nodes for g in graphs)
    assert dataset.num_edges == sum(g.num_edges for g in graphs)
    assert dataset.degrees.tolist() == [degree for g in graphs for degree in g.degrees]


@given(datasets(least=1), st.data())
def test_a_part_has_the_graphs_that_were_asked_for(dataset: GraphDataset, data: st.DataObject) -> None:
    count = len(dataset)
    index = data.draw(
        st.one_of(
            st.integers(-count, count - 1),
            st.slices(count),
            st.lists(st.integers(-count, count - 1), max_size=8),
            st.lists(st.booleans(), min_size=count, max_size=count),
        )
    )
    part = dataset[
        np.array(index) if isinstance(index, list) and data.draw(st.booleans()) and index else index
    ]
    part.validate()
    asked = np.atleast_1d(np.arange(count)[index if index != [] else slice(0)])
    assert [whole(part, i) for i in range(len(part))] == [whole(dataset, i) for i in asked]
    assert part.classes is dataset.classes
    assert part.node_label_values is dataset.node_label_values


@given(datasets(), st.integers(0, 6), st.integers(0, 6))
def test_parts_joined_again_are_the_data_set(dataset: GraphDataset, first: int, second: int) -> None:
    cuts = sorted((first, second))
    parts = [dataset[: cuts[0]], dataset[cuts[0] : cuts[1]], dataset[cuts[1] :]]
    joined = GraphDataset.concatenate(parts)
    assert joined.fingerprint == dataset.fingerprint
    assert joined.name == dataset.name


@given(st.lists(st.lists(st.sampled_from([-1, 0, 4, 7]), min_size=1, max_size=4), min_size=1, max_size=4))
def test_joined_data_sets_keep_the_values_of_their_codes(values: list[list[int]]) -> None:
    parts = [
        GraphDataset.from_graphs([EDGE] * len(own), own, node_labels=[[value, 9] for value in own])
        for own in values
    ]
    joined = GraphDataset.concatenate(parts)
    joined.validate()
    flat = [value for own in values for value in own]
    assert joined.classes[joined.targets].tolist() == flat
    assert joined.classes.tolist() == sorted(set(flat))
    assert joined.node_label_values is not None
    assert joined.node_label_values[joined.node_labels].tolist() == [v for value in flat for v in (value, 9)]


def test_classes_that_are_not_known_stay_so_when_joined() -> None:
    joined = GraphDataset.concatenate(
        [GraphDataset.from_graphs([EDGE]), GraphDataset.from_graphs([EDGE, EDGE], ["b", "a"])]
    )
    assert joined.targets.tolist() == [-1, 1, 0]
    assert GraphDataset.from_graphs([EDGE]).num_classes == 0


def test_data_sets_that_do_not_fit_are_not_joined() -> None:
    plain = GraphDataset.from_graphs([EDGE], [1])
    with_one = GraphDataset.from_graphs([EDGE], [1], node_attributes=[[[0.0], [1.0]]])
    with_two = GraphDataset.from_graphs([EDGE], [1], node_attributes=[[[0.0, 1.0], [1.0, 1.0]]])
    with pytest.raises(
        cp.GraphError, match="expected as many node_attributes in every data set, got 1 and none"
    ):
        GraphDataset.concatenate([plain, with_one])
    with pytest.raises(cp.GraphError, match="got 1 and 2"):
        GraphDataset.concatenate([with_one, with_two])
    with pytest.raises(cp.GraphError, match="classes: expected numbers or text in every data set, got both"):
        GraphDataset.concatenate([plain, GraphDataset.from_graphs([EDGE], ["x"])])
    with pytest.raises(cp.GraphError, match="at least one data set"):
        GraphDataset.concatenate([])


@given(datasets())
def test_pickles_and_copies_hold_the_same(dataset: GraphDataset) -> None:
    restored = pickle.loads(pickle.dumps(dataset))
    assert restored.fingerprint == dataset.fingerprint
    assert restored.name == dataset.name
    assert not restored.indices.flags.writeable
    assert copy.deepcopy(dataset) is copy.copy(dataset) is dataset


@given(datasets(), datasets())
def test_fingerprints_tell_contents_apart(one: GraphDataset, other: GraphDataset) -> None:
    same = (len(one), len(one.classes)) == (len(other), len(other.classes)) and all(
        (getattr(one, field) is None) == (getattr(other, field) is None)
        and np.array_equal(getattr(one, field), getattr(other, field))
        for field in one.__dataclass_fields__
        if field not in {"name", "_fingerprint"}
    )
    assert (one.fingerprint == other.fingerprint) == same


def test_fingerprints_do_not_depend_on_the_name() -> None:
    one, other = (GraphDataset.from_graphs([EDGE], ["x"], name=name) for name in ("one", "other"))
    assert one.fingerprint == other.fingerprint
    assert one.fingerprint != GraphDataset.from_graphs([EDGE], ["y"]).fingerprint


def test_the_core_pools_the_arrays_as_they_are() -> None:
    dataset = GraphDataset.from_graphs([TRIANGLE, path(16).graph(), cp.Graph.from_edges([], num_nodes=0)])
    depth, _, _ = _core.hierarchies(
        dataset.node_start, dataset.indptr, dataset.indices, -1, 1, DEFAULT_BUDGET._limits(), None
    )
    assert depth.tolist()[:2] == [1, 4]


def test_a_data_set_never_changes() -> None:
    dataset = GraphDataset.from_graphs([EDGE], [1], node_attributes=[np.ones((2, 1))])
    for field in ("node_start", "indptr", "indices", "targets", "classes", "node_attributes"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(dataset, field)[...] = 0
        with pytest.raises(AttributeError):
            setattr(dataset, field, None)
    mine = np.array([1, 0], dtype=np.int32)
    GraphDataset.from_arrays(
        node_start=np.array([0, 2]),
        indptr=np.array([0, 1, 2]),
        indices=mine,
        targets=np.array([0]),
        classes=np.array([5]),
    )
    mine[0] = 1  # the caller's own array stays the caller's


def test_scikit_learn_takes_folds_of_it() -> None:
    model_selection = pytest.importorskip("sklearn.model_selection")
    dataset = GraphDataset.from_graphs([EDGE, TRIANGLE] * 6, [0, 1] * 6)
    folds = model_selection.StratifiedKFold(3).split(dataset, dataset.targets)
    for training, test in folds:
        assert len(dataset[training]) == 8
        assert dataset[test].targets.tolist() == [0, 1, 0, 1]
    left, right = model_selection.train_test_split(dataset, test_size=3, random_state=0)
    assert len(GraphDataset.concatenate(left)) == 9
    assert len(GraphDataset.concatenate(right)) == 3


@pytest.mark.parametrize("index", [3, -4, [0, 3], np.array([-4]), [True, False]])
def test_graphs_that_are_not_there_are_index_errors(index: Any) -> None:
    with pytest.raises(IndexError, match="expected"):
        GraphDataset.from_graphs([EDGE] * 3)[index]


@pytest.mark.parametrize("index", ["0", 1.0, [0.5], [[0]], None])
def test_what_is_no_index_is_a_type_error(index: Any) -> None:
    with pytest.raises(TypeError, match="expected an integer, a slice, or an array"):
        GraphDataset.from_graphs([EDGE] * 3)[index]


def test_networkx_graphs_and_pyg_data_are_taken() -> None:
    networkx = pytest.importorskip("networkx")
    dataset = GraphDataset.from_graphs([networkx.path_graph(3), TRIANGLE], ["a", "b"])
    assert dataset.degrees.tolist() == [1, 2, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("optional", "message"),
    [
        ({"targets": [1]}, r"targets: expected 2 of them, one for each graph, got shape \(1,\)"),
        ({"targets": [0.5, 1.5]}, "targets: expected integers or text, got float64"),
        ({"node_labels": [[0, 1]]}, "node_labels: expected 2 lists, one for each graph, got 1"),
        (
            {"node_labels": [[0, 1], [0]]},
            r"node_labels of graph 1: expected 3 rows, one for each node, got shape \(1,\)",
        ),
        (
            {"node_attributes": [np.zeros((2, 1)), np.zeros((3, 2))]},
            r"node_attributes: expected as many for every node, got \[1, 2\]",
        ),
        (
            {"node_attributes": [np.zeros((2, 1)), np.array([[0.0], [np.nan], [0.0]])]},
            r"node_attributes of graph 1: expected finite numbers, got \[nan\]",
        ),
    ],
)
def test_what_does_not_fit_the_graphs_is_refused(optional: dict[str, Any], message: str) -> None:
    with pytest.raises(cp.GraphError, match=message):
        GraphDataset.from_graphs([EDGE, TRIANGLE], **optional)


GOOD: dict[str, Any] = {
    "node_start": np.array([0, 2, 3]),
    "indptr": np.array([0, 1, 2, 2]),
    "indices": np.array([1, 0], dtype=np.int32),
    "targets": np.array([0, 1]),
    "classes": np.array(["a", "b"]),
    "node_labels": np.array([0, 1, 0], dtype=np.int32),
    "node_label_values": np.array([3, 4]),
    "node_attributes": np.zeros((3, 2), dtype=np.float32),
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"indices": np.array([1, 0])}, r"indices: expected int32 in 1 dimension, got int64"),
        ({"targets": None}, "targets: expected an array of int64, got None"),
        ({"node_label_values": None}, "expected node_labels and node_label_values together"),
        ({"node_start": np.array([0, 2])}, "expected node_start from 0 to 3"),
        ({"node_labels": np.zeros(2, dtype=np.int32)}, "node_labels: expected 3 entries, got 2"),
        ({"targets": np.array([0, 2])}, "targets: expected codes from -1 to 1, got 0 to 2"),
        ({"node_labels": np.array([0, -1, 0], dtype=np.int32)}, "node_labels: expected codes from 0 to 1"),
        ({"classes": np.array(["b", "a"])}, "classes: expected distinct values in ascending order"),
        ({"classes": np.array([b"a", b"b"])}, "classes: expected a list of integers, numbers or text"),
        ({"indices": np.array([1, 1], dtype=np.int32)}, "graph 0: node 1: expected no loop"),
        ({"indices": np.array([1, 2], dtype=np.int32)}, "graph 0: node 1: expected neighbours from 0 to 1"),
        ({"node_start": np.array([0, 4, 3])}, "node_start: expected offsets"),
        (
            {"node_attributes": np.array([[0, 0], [0, np.inf], [0, 0]], dtype=np.float32)},
            r"node_attributes: expected finite numbers, got \[ 0. inf\] in row 1",
        ),
    ],
)
def test_arrays_that_are_no_data_set_are_refused(wrong: dict[str, Any], message: str) -> None:
    assert len(GraphDataset.from_arrays(**GOOD)) == 2
    with pytest.raises(cp.GraphError, match=message):
        GraphDataset.from_arrays(**(GOOD | wrong))


def test_it_prints_what_is_in_it() -> None:
    dataset = GraphDataset.from_graphs(
        [EDGE, TRIANGLE], [1, -1], node_labels=[["C", "O"], ["C", "C", "C"]], name="A<B"
    )
    assert repr(dataset) == "GraphDataset(A<B: 2 graphs, 5 nodes, 4 edges, 2 classes, 2 node labels)"
    page = dataset._repr_html_()
    assert "A&lt;B" in page
    assert "5 (2.50 a graph)" in page
    assert "2 (-1: 1, 1: 1)" in page
    assert repr(dataset[:0]) == "GraphDataset(A<B: 0 graphs, 0 nodes, 0 edges, 2 classes, 2 node labels)"
