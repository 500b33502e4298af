"""Batches of small graphs for tests of networks that pool, and their nodes as poolings take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

import cliquepool as cp
from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.nn.network_sizes import NetworkSizes
from tests.helpers.shape_graphs import clique, star

if TYPE_CHECKING:
    from torch import Tensor

    from cliquepool.models.pool_network import Nodes
    from cliquepool.nn.batch import Batch

__all__ = ["SIZES", "batch_of", "nodes_of", "small_batch"]

SIZES = NetworkSizes(num_features=3, num_outputs=2, measured={"nodes": 8})


def batch_of(graphs: list[cp.Graph]) -> Batch:
    """Return the graphs as a batch, with random features of width 3."""
    counts = [graph.num_nodes for graph in graphs]
    random = torch.Generator().manual_seed(0)
    attributes = [torch.randn(count, 3, generator=random).numpy() for count in counts]
    dataset = GraphDataset.from_graphs(graphs, node_attributes=attributes)
    features = FeatureEncoder.fit(dataset, standardise=False).encode(dataset)
    return PooledDataset(dataset, levels=0).batch(range(len(graphs)), features)


def small_batch() -> Batch:
    """Return a star, a clique, a cycle of six nodes, two nodes without edges, and a single node."""
    cycle = cp.Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
    single, pair = (cp.Graph.from_edges([], num_nodes=count) for count in (1, 2))
    return batch_of([star(4), clique(4), cycle, pair, single])


def nodes_of(batch: Batch, x: Tensor | None = None) -> Nodes:
    """Return the nodes of a batch, with other features if given."""
    from cliquepool.models.pool_network import Nodes  # noqa: PLC0415 (imports PyTorch Geometric)

    level = batch.levels[0]
    return Nodes(batch.x if x is None else x, level.edge_index, None, level.batch)
