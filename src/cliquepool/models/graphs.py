"""The argument X of estimators of graphs: a data set, a selection of one, or a list of graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cliquepool.data.dataset import GraphDataset
from cliquepool.data.pooled import PooledDataset
from cliquepool.data.selection import Selection
from cliquepool.errors import GraphError
from cliquepool.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    GraphInput: TypeAlias = GraphDataset | PooledDataset | Selection | Sequence[Any]
    Ids = npt.NDArray[np.int64]

__all__ = ["Graphs", "as_dataset"]


@dataclass(frozen=True, eq=False)
class Graphs:
    """The graphs `ids` of a data set, and the pools of that data set where X has them.

    `is_selection` is True for a `Selection`, False for all graphs of a data set.
    """

    dataset: GraphDataset
    ids: Ids
    known_pools: PooledDataset | None = None
    is_selection: bool = False

    @classmethod
    def of(cls, X: Any) -> Graphs:
        """Return the graphs of X; see `as_dataset` for what X may be."""
        if isinstance(X, Selection):
            whole = cls.of(X.source)
            return cls(whole.dataset, X.ids, whole.known_pools, is_selection=True)
        dataset = as_dataset(X)
        return cls(dataset, np.arange(len(dataset)), X if isinstance(X, PooledDataset) else None)

    def __len__(self) -> int:
        return len(self.ids)

    def joined(self, others: Graphs) -> Graphs:
        """Return these graphs and then `others` as graphs of one data set; two selections are not copied."""
        if self.is_selection and others.is_selection and self.dataset is others.dataset:
            ids = np.concatenate([self.ids, others.ids])
            return Graphs(self.dataset, ids, self.known_pools, is_selection=True)
        both = GraphDataset.concatenate([self.alone(), others.alone()])
        return Graphs(both, np.arange(len(both)))

    def alone(self) -> GraphDataset:
        """Return these graphs as a data set without others."""
        return self.dataset[self.ids] if self.is_selection else self.dataset

    def classes(self) -> npt.NDArray[Any]:
        """Return the class of each graph, as the data set has it."""
        codes = self.dataset.targets[self.ids]
        if not len(self.dataset.classes) or (codes < 0).any():
            raise GraphError("expected a class for every graph, got graphs without: pass y")
        classes: npt.NDArray[Any] = self.dataset.classes[codes]
        return classes

    def scatter(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return `values`, which has a row for each of `ids`, as rows of the whole data set.

        Rows of other graphs repeat the first one; nothing reads them.
        """
        if not self.is_selection:
            return values
        rows = np.repeat(values[:1], len(self.dataset), axis=0)
        rows[self.ids] = values
        return rows


def as_dataset(graphs: GraphDataset | PooledDataset | Sequence[Any]) -> GraphDataset:
    """Return all graphs as one data set, which is empty if there are none.

    A list may hold parts of a data set, as scikit-learn indexes them, or graphs of any kind that
    `cliquepool.graph_like.as_graph` accepts. Attributes of networkx graphs are left out with a UserWarning:
    `GraphDataset.from_networkx` reads those that are named to it.
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


def _expect_many(graphs: Any) -> None:
    """Raise GraphError for a single graph, and for anything that holds no graphs."""
    expected = "X: expected a GraphDataset or a list of graphs"
    # The class has the answer: a data set of PyG forwards attributes to all its graphs together.
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
