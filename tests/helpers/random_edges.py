"""Random small graphs as lists of edges, for tests of what is computed from edge lists."""

from __future__ import annotations

import torch
from hypothesis import strategies as st
from torch import Tensor

__all__ = ["directed_both_ways", "random_edges"]


def random_edges(max_nodes: int) -> st.SearchStrategy[tuple[int, list[tuple[int, int]]]]:
    """Draw a number of nodes and some of their pairs, each once and ascending."""

    def edges_of(num_nodes: int) -> st.SearchStrategy[tuple[int, list[tuple[int, int]]]]:
        pairs = [(i, j) for j in range(num_nodes) for i in range(j)]
        chosen = st.lists(st.sampled_from(pairs), unique=True) if pairs else st.just([])
        return st.tuples(st.just(num_nodes), chosen)

    return st.integers(1, max_nodes).flatmap(edges_of)


def directed_both_ways(edges: list[tuple[int, int]]) -> Tensor:
    """Return the edges as two rows, first all as they are, then all reversed."""
    ends = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t()
    return torch.cat([ends, ends.flip(0)], dim=1)
