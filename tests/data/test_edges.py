"""Listed edges become simple graphs; merged edges have the first label and the mean of the attributes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data.edges import MergedEdges, simple_graphs

NODE_START = np.array([0, 3, 3, 5])
# Edges within the graphs of nodes 0 to 2, and 3 to 4; loops, both directions and repetitions among them.
listed_edges = st.lists(
    st.one_of(
        st.tuples(st.integers(0, 2), st.integers(0, 2)), st.tuples(st.integers(3, 4), st.integers(3, 4))
    ),
    max_size=12,
)


def pairs_of(edges: list[tuple[int, int]]) -> np.ndarray:
    return np.array(edges, dtype=np.int32).reshape(-1)


@given(listed_edges)
def test_rows_are_those_of_each_graph(edges: list[tuple[int, int]]) -> None:
    indptr, indices = simple_graphs(pairs_of(edges), NODE_START)
    for first, end in ((0, 3), (3, 3), (3, 5)):
        inside = [(u - first, v - first) for u, v in edges if first <= u < end]
        graph = cp.Graph.from_edges(inside, num_nodes=end - first)
        begin = indptr[first]
        assert (indptr[first : end + 1] - begin).tolist() == graph.indptr.tolist()
        assert indices[begin : indptr[end]].tolist() == graph.indices.tolist()


@given(listed_edges)
def test_merged_edges_have_the_first_value_and_the_mean(edges: list[tuple[int, int]]) -> None:
    pairs = pairs_of(edges)
    indptr, indices = simple_graphs(pairs, NODE_START)
    merged = MergedEdges(pairs, NODE_START, indptr, indices)
    numbers = np.arange(len(edges), dtype=np.int32) ** 2
    first, mean = merged.first(numbers), merged.mean(numbers[:, None].astype(np.float32))
    sources = np.repeat(np.arange(5), np.diff(indptr))
    for source, target, one, other in zip(sources, indices, first, mean, strict=True):
        ends = {int(source), int(target + (3 if source >= 3 else 0))}
        behind = [int(value) for edge, value in zip(edges, numbers, strict=True) if set(edge) == ends]
        assert one == behind[0]
        np.testing.assert_allclose(other, [np.mean(behind)], rtol=1e-6)
