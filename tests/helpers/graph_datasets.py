"""Data sets to test with: graphs of every kind, with and without labels, attributes and classes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

from cliquepool.data import GraphDataset
from tests.helpers.small_graphs import Sample, graphs

if TYPE_CHECKING:
    from cliquepool.data.ragged_by_graph import RaggedByGraph


@st.composite
def graph_lists(draw: st.DrawFn, least: int = 0, most: int = 6) -> list[Sample]:
    return draw(st.lists(graphs(6), min_size=least, max_size=most))


@st.composite
def datasets(draw: st.DrawFn, least: int = 0, most: int = 6) -> GraphDataset:
    """Draw a data set, also of graphs without nodes or edges, with any of labels, attributes and classes."""
    samples = draw(graph_lists(least, most))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    optional: dict[str, Any] = {}
    if draw(st.booleans()):
        names = draw(st.sampled_from([["C", "N", "Ω"], [-1, 3, 70]]))
        optional["node_labels"] = [[names[i] for i in random.integers(3, size=s.num_nodes)] for s in samples]
    if draw(st.booleans()):
        optional["node_attributes"] = [random.standard_normal((s.num_nodes, 2)) for s in samples]
    if draw(st.booleans()):
        optional["targets"] = random.integers(-1, 2, size=len(samples))
    dataset = GraphDataset.from_graphs([s.graph() for s in samples], name="drawn", **optional)
    return with_edges_marked(dataset) if draw(st.booleans()) else dataset


def with_edges_marked(dataset: GraphDataset) -> GraphDataset:
    """Give every edge a label and attributes that depend on its ends."""
    sources = np.repeat(np.arange(dataset.num_nodes), dataset.degrees)
    inside = sources - np.repeat(dataset.node_start[:-1], np.diff(dataset.node_start))[sources]
    low, high = np.minimum(inside, dataset.indices), np.maximum(inside, dataset.indices)
    fields = {field: getattr(dataset, field) for field in dataset.__dataclass_fields__ if field[0] != "_"}
    fields["edge_labels"] = ((low + high) % 2).astype(np.int32)
    fields["edge_label_values"] = np.array([10, 20])
    fields["edge_attributes"] = np.stack((low, high), axis=1).astype(np.float32) / 4
    return GraphDataset.from_arrays(**fields)


def lists_of_graph(lists: RaggedByGraph, graph: int) -> list[list[int]]:
    """Return the lists of one graph, by its definition."""
    begin, end = lists.list_start[graph : graph + 2]
    offsets, members = lists.local.offsets, lists.local.members
    return [members[a:b].tolist() for a, b in pairwise(offsets[begin : end + 1])]


def matrix_of(lists: RaggedByGraph) -> np.ndarray:
    """Return the 0/1 matrix of all lists (rows) and all targets (columns)."""
    matrix = np.zeros((len(lists), lists.num_targets), dtype=int)
    for row, members in enumerate(lists.global_lists):
        matrix[row, members] += 1
    return matrix
