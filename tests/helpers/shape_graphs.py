"""Graphs that are easy to classify, for tests of estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

import cliquepool as cp
from cliquepool.data import GraphDataset

__all__ = ["QUICK", "clique", "described", "path", "paths", "shapes", "star"]

QUICK: dict[str, Any] = {
    "hidden": 8,
    "mlp": (8,),
    "epochs": 15,
    "learning_rate": 0.02,
    "batch_size": 8,
    "dropout": 0.0,
}


def star(leaves: int) -> cp.Graph:
    return cp.Graph.from_edges([(0, i) for i in range(1, leaves + 1)])


def clique(nodes: int) -> cp.Graph:
    return cp.Graph.from_edges([(i, j) for i in range(nodes) for j in range(i)])


def path(edges: int) -> cp.Graph:
    return cp.Graph.from_edges([(i, i + 1) for i in range(edges)], num_nodes=edges + 1)


def shapes() -> GraphDataset:
    """Return stars and cliques of several sizes, with their shapes as classes."""
    graphs = [shape(size) for size in (3, 4, 5, 6) for shape in (star, clique) for _ in range(4)]
    classes = [kind for _ in range(4) for kind in ("star", "clique") for _ in range(4)]
    return GraphDataset.from_graphs(graphs, classes, name="shapes")


def paths() -> tuple[GraphDataset, Any]:
    """Return paths, and the number of edges of each."""
    lengths = np.array([2, 3, 4, 6, 8] * 8)
    return GraphDataset.from_graphs([path(n) for n in lengths.tolist()], name="paths"), lengths


def described(labels: str = "CN", width: int = 2, count: int = 12) -> GraphDataset:
    """Return stars and cliques, with node labels if any are given, and attributes if `width` is given."""
    graphs = [star(3 + i % 3) if i % 2 else clique(3 + i % 3) for i in range(count)]
    rng = np.random.default_rng(0)
    optional: dict[str, Any] = {}
    if labels:
        optional["node_labels"] = [
            [labels[(i + v) % len(labels)] for v in range(graph.num_nodes)] for i, graph in enumerate(graphs)
        ]
    if width:
        optional["node_attributes"] = [rng.normal(size=(graph.num_nodes, width)) for graph in graphs]
    return GraphDataset.from_graphs(graphs, [i % 2 for i in range(count)], name="described", **optional)
