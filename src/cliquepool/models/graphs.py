"""What an estimator is given as X: a data set, or graphs in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool.data.dataset import GraphDataset
from cliquepool.data.pooled import PooledDataset
from cliquepool.errors import GraphError
from cliquepool.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["as_dataset", "as_pooled"]


def as_dataset(graphs: GraphDataset | PooledDataset | Sequence[Any]) -> GraphDataset:
    """Return all graphs as one data set, without a graph where there are none.

    A list may hold parts of a data set, as scikit-learn takes them, or graphs of any kind that
    `cliquepool.graph_like.as_graph` takes. Attributes of networkx graphs are left out with a UserWarning:
    `GraphDataset.from_networkx` takes those that it is told.
    """
    if isinstance(graphs, GraphDataset):
        return graphs
    if isinstance(graphs, PooledDataset):
        return graphs.dataset
    _expect_many(graphs)
    parts = list(graphs)
    if parts and all(isinstance(part, GraphDataset) for part in parts):
        return GraphDataset.concatenate(parts)
    if parts and all(hasattr(part, "edge_index") for part in parts):
        return GraphDataset.from_pyg(parts)
    return GraphDataset.from_graphs(parts)


def as_pooled(graphs: Any, dataset: GraphDataset, levels: int) -> PooledDataset:
    """Return the graphs, which `as_dataset` made a data set of, pooled at least so many times."""
    if isinstance(graphs, PooledDataset) and graphs.num_pools >= levels:
        return graphs
    return PooledDataset(dataset, levels=levels)


def _expect_many(graphs: Any) -> None:
    """Refuse a single graph, and what holds no graphs."""
    expected = "X: expected a GraphDataset or a list of graphs"
    # The class is asked, as data sets of PyG pass questions on to all their graphs together.
    is_graph = isinstance(graphs, Graph) or any(
        hasattr(type(graphs), name) for name in ("edge_index", "number_of_nodes", "tocsr")
    )
    if is_graph:
        raise GraphError(f"{expected}, got one {type(graphs).__name__}: pass [graph]")
    if isinstance(graphs, np.ndarray) and graphs.dtype.kind != "O":
        raise GraphError(f"{expected}, got an array of {graphs.dtype} of shape {graphs.shape}")
    if isinstance(graphs, str | bytes | dict) or not (
        hasattr(graphs, "__iter__") or hasattr(graphs, "__getitem__")
    ):
        raise GraphError(f"{expected}, got {type(graphs).__name__} {graphs!r:.60}")
