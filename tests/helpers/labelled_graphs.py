"""Random graphs like molecules, with node labels, for tests of kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

import cliquepool as cp
from cliquepool.data import GraphDataset

__all__ = ["edges_of", "labels_of", "molecules", "permuted", "to_grakel"]


def molecules(count: int, seed: int, *, labels: int | None = 3, most_nodes: int = 14) -> GraphDataset:
    """Return random sparse graphs of at least two nodes with an edge, and classes by their density."""
    random = np.random.default_rng(seed)
    graphs, names, classes = [], [], []
    for _ in range(count):
        nodes = int(random.integers(2, most_nodes + 1))
        extra = int(random.integers(0, nodes))
        tree = [(i, int(random.integers(0, i))) for i in range(1, nodes)]
        graphs.append(
            cp.Graph.from_edges([*tree, *random.integers(0, nodes, size=(extra, 2)).tolist()], nodes)
        )
        names.append(random.integers(0, labels or 1, size=nodes).tolist())
        classes.append(int(extra > nodes // 2))
    optional: dict[str, Any] = {} if labels is None else {"node_labels": names}
    return GraphDataset.from_graphs(graphs, classes, name="molecules", **optional)


def permuted(dataset: GraphDataset, seed: int) -> GraphDataset:
    """Return the same graphs with their nodes in another order."""
    random = np.random.default_rng(seed)
    graphs, names = [], []
    for i in range(len(dataset)):
        order = random.permutation(dataset.graph(i).num_nodes)
        graphs.append(cp.Graph.from_edges(order[edges_of(dataset, i)].reshape(-1, 2), len(order)))
        moved = np.empty(len(order), dtype=object)
        moved[order] = labels_of(dataset, i)
        names.append(moved.tolist())
    optional: dict[str, Any] = {} if dataset.node_labels is None else {"node_labels": names}
    return GraphDataset.from_graphs(graphs, dataset.targets, name=dataset.name, **optional)


def edges_of(dataset: GraphDataset, graph: int) -> np.ndarray:
    return np.asarray(dataset.graph(graph).edges())


def labels_of(dataset: GraphDataset, graph: int) -> list[Any]:
    """Return the label of each node of a graph, 0 where there are none."""
    begin, end = dataset.node_start[graph : graph + 2].tolist()
    if dataset.node_labels is None or dataset.node_label_values is None:
        return [0] * (end - begin)
    return dataset.node_label_values[dataset.node_labels[begin:end]].tolist()


def to_grakel(dataset: GraphDataset) -> list[Any]:
    """Return for each graph the adjacency matrix and the node labels, as GraKeL takes them."""
    graphs = []
    for i in range(len(dataset)):
        adjacency = np.zeros((dataset.graph(i).num_nodes,) * 2, dtype=int)
        first, second = edges_of(dataset, i).T
        adjacency[first, second] = adjacency[second, first] = 1
        graphs.append([adjacency, dict(enumerate(labels_of(dataset, i)))])
    return graphs
