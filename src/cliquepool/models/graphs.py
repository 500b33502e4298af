"""What an estimator is given as X: a data set, or graphs in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cliquepool.data.dataset import GraphDataset
from cliquepool.data.pooled import PooledDataset
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["as_dataset"]


def as_dataset(graphs: GraphDataset | PooledDataset | Sequence[Any]) -> GraphDataset:
    """All graphs as one data set.

    A list may hold parts of a data set, as scikit-learn takes them, or cliquepool, networkx or PyG graphs.
    """
    if isinstance(graphs, GraphDataset):
        return graphs
    if isinstance(graphs, PooledDataset):
        return graphs.dataset
    parts = list(graphs)
    if not parts:
        raise GraphError("expected graphs, got none")
    if all(isinstance(part, GraphDataset) for part in parts):
        return GraphDataset.concatenate(parts)
    if all(hasattr(part, "edge_index") for part in parts):
        return GraphDataset.from_pyg(parts)
    return GraphDataset.from_graphs(parts)
