"""GraphDataset: its parts have the graphs that an index names, and nothing ever changes."""

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
def test_a_part_has_the_graphs_that_were_requested(dataset: GraphDataset, data: st.DataObject) -> None:
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


@given(datasets())
def test_pickles_and_copies_hold_the_same(dataset: GraphDataset) -> None:
    restored = pickle.loads(pickle.dumps(dataset))
    assert restored.fingerprint == dataset.fingerprint
    assert restored.name == dataset.name
    assert not restored.indices.flags.writeable
    assert copy.deepcopy(dataset) is copy.copy(dataset) is dataset


@given(datasets(), datasets())
def test_fingerprints_differ_for_different_contents(one: GraphDataset, other: GraphDataset) -> None:
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
