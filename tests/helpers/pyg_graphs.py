"""Graphs of PyTorch Geometric to test with."""

from __future__ import annotations

from typing import Any

import torch
from torch_geometric.data import Data

from tests.helpers.small_graphs import Sample

__all__ = ["PAPER_FIGURE", "data_of", "with_edge_values"]

# The paper's first figure: nodes A to J.
FIGURE_EDGES = "AB AC BC AI BD DE DF DG EF EG FG FH CH HJ CJ"
PAPER_FIGURE = Sample(10, [(ord(a) - 65, ord(b) - 65) for a, b in FIGURE_EDGES.split()])


def data_of(sample: Sample, seed: int = 0, **more: Any) -> Data:
    """Return a PyG graph with both directions of its edges, in random order, and random features."""
    random = torch.Generator().manual_seed(seed)
    ends = torch.tensor(sample.edges, dtype=torch.long).reshape(-1, 2).t()
    both = torch.cat([ends, ends.flip(0)], dim=1)
    both = both[:, torch.randperm(both.shape[1], generator=random)]
    x = torch.randn(sample.num_nodes, 3, generator=random, dtype=torch.float64)
    return Data(x=x, edge_index=both, y=torch.tensor([seed]), **more)


def with_edge_values(sample: Sample, seed: int = 0) -> Data:
    data = data_of(sample, seed)
    random = torch.Generator().manual_seed(seed + 1)
    data.edge_attr = torch.randn(data.num_edges, 2, generator=random, dtype=torch.float64)
    data.edge_weight = torch.rand(data.num_edges, generator=random, dtype=torch.float64)
    return data
