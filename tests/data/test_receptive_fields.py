"""Receptive fields: by hand, against a plain search, and under any numbering of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.data.receptive_fields import node_ranks, receptive_fields
from tests.helpers.shape_graphs import clique, path, star


def dataset(*graphs: cp.Graph, **described: Any) -> GraphDataset:
    return GraphDataset.from_graphs(list(graphs), **described)


def relabelled(graph: cp.Graph, order: Any) -> cp.Graph:
    """Return the graph whose node ``order[v]`` is node v of the given one."""
    sources = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    return cp.Graph.from_edges(np.stack([order[sources], order[graph.indices]], axis=1), graph.num_nodes)


def features_in(data: GraphDataset, fields: Any) -> list[list[Any]]:
    """Return the degree and the label of every node in the fields, in their order."""
    labels = (
        np.zeros(data.num_nodes) if data.node_labels is None else data.node_label_values[data.node_labels]
    )
    rows = list(zip(data.degrees.tolist(), labels.tolist(), strict=True))
    return [[None if v < 0 else rows[v] for v in field] for field in fields.tolist()]


def test_a_field_is_a_breadth_first_search_by_degree() -> None:
    """A star of three leaves, one of them with a tail: 1-0-2, 0-3-4-5."""
    graph = cp.Graph.from_edges([(0, 1), (0, 2), (0, 3), (3, 4), (4, 5)])
    fields = {field[0]: field for field in receptive_fields(dataset(graph), 4).tolist()}
    assert fields[0][:2] == [0, 3]
    assert set(fields[0][2:]) == {1, 2}
    assert fields[5] == [5, 4, 3, 0]
    assert fields[4] == [4, 3, 5, 0]
    assert fields[3][:3] in ([3, 0, 4], [3, 4, 0])
    assert fields[1][:3] == [1, 0, 3]
    assert fields[1][3] == 2


def test_fields_are_ordered_by_the_ranks_of_their_roots() -> None:
    fields = receptive_fields(dataset(star(3), path(2)), 2)
    assert fields[0].tolist()[0] == 0
    assert fields[:, 0].tolist() == [0, 1, 2, 3, 1, 0, 2]


def test_small_components_are_filled_with_minus_one() -> None:
    graph = cp.Graph.from_edges([(1, 2)], num_nodes=3)
    assert sorted(receptive_fields(dataset(graph), 3).tolist()) == [[0, -1, -1], [1, 2, -1], [2, 1, -1]]
    assert receptive_fields(dataset(cp.Graph.from_edges([], num_nodes=0)), 3).shape == (0, 3)
    assert receptive_fields(dataset(clique(4)), 1).tolist() == [[0], [1], [2], [3]]


def test_labels_decide_among_nodes_of_equal_structure() -> None:
    fields = receptive_fields(dataset(star(3), node_labels=[["x", "b", "c", "a"]]), 4)
    assert fields.tolist()[0] == [0, 3, 1, 2]
    data = dataset(star(3), node_attributes=[np.array([[0.0, 1], [2, 5], [1, 9], [1, 7]])])
    assert receptive_fields(data, 4).tolist()[0] == [0, 3, 2, 1]


def test_ranks_tell_apart_what_colour_refinement_does() -> None:
    ranks = node_ranks(dataset(path(4), path(6)))
    assert ranks[0] == ranks[4] != ranks[5] == ranks[11]
    assert ranks[1] == ranks[3]
    assert len({*ranks[:5].tolist()}) == 3
    assert len({*ranks[5:].tolist()}) == 4


@st.composite
def graphs(draw: st.DrawFn) -> tuple[cp.Graph, list[str]]:
    count = draw(st.integers(1, 12))
    pairs = [(i, j) for i in range(count) for j in range(i)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20)) if pairs else []
    labels = draw(st.lists(st.sampled_from("ab"), min_size=count, max_size=count))
    return cp.Graph.from_edges(np.array(edges, dtype=np.int64).reshape(-1, 2), count), labels


@given(drawn=graphs(), size=st.integers(1, 7), seed=st.integers(0, 999))
def test_features_in_fields_do_not_depend_on_the_numbering_of_nodes(
    drawn: tuple[cp.Graph, list[str]], size: int, seed: int
) -> None:
    graph, labels = drawn
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    moved = [labels[v] for v in np.argsort(order)]
    first = dataset(graph, node_labels=[labels])
    second = dataset(relabelled(graph, order), node_labels=[moved])
    found = [features_in(data, receptive_fields(data, size)) for data in (first, second)]
    assert found[0] == found[1]


@given(drawn=graphs(), size=st.integers(1, 7))
def test_fields_are_those_of_a_plain_search(drawn: tuple[cp.Graph, list[str]], size: int) -> None:
    graph, labels = drawn
    data = dataset(graph, node_labels=[labels])
    ranks = node_ranks(data)
    neighbours = [
        graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(graph.num_nodes)
    ]
    for field in receptive_fields(data, size).tolist():
        expected, layer = [field[0]], [field[0]]
        while layer and len(expected) < size:
            layer = sorted(
                {u for v in layer for u in neighbours[v]} - {*expected}, key=lambda v: (ranks[v], v)
            )
            expected += layer
        padded = (expected + [-1] * size)[:size]
        assert [v if v < 0 else ranks[v] for v in field] == [v if v < 0 else ranks[v] for v in padded]


@pytest.mark.parametrize("size", [3, 10])
def test_many_graphs_have_the_fields_of_each(size: int) -> None:
    """Hubs of more neighbours than are looked at, and graphs around them."""
    several = [star(40), path(12), clique(9), cp.Graph.from_edges([], num_nodes=2), star(3)]
    together = dataset(*several)
    fields = receptive_fields(together, size)
    for index, graph in enumerate(several):
        part = fields[together.node_start[index] : together.node_start[index + 1]]
        alone = dataset(graph)
        assert features_in(alone, part) == features_in(alone, receptive_fields(alone, size))
