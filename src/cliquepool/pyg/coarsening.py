"""`CliqueCoarsening`: the PyTorch Geometric transform that pools graphs before training."""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.transforms import BaseTransform

from cliquepool._input import integers
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.edge_aggregation import (
    EdgeReduction,
    aggregate_edges,
    checked_reduction,
    values_by_entry,
)
from cliquepool.errors import GraphError, InputError
from cliquepool.graph import Graph
from cliquepool.hierarchy import Hierarchy, clique_hierarchy
from cliquepool.nn.batch import numbers_of
from cliquepool.nn.packed_levels import pack_levels
from cliquepool.pyg.coarsened_data import CARRIED, PACKED, CoarsenedData, carried_key, is_level_key
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["CliqueCoarsening", "CoarsenedData"]


class CliqueCoarsening(BaseTransform):  # type: ignore[misc]
    """Pools every graph `levels` times: a PyG transform, best used as a ``pre_transform``.

    The result is a `CoarsenedData`: the data, unchanged, with the coarse graphs above it, which PyG's own
    ``DataLoader`` collates. `CliquePool` and the other layers take ``batch.level(l)``, and any PyG
    convolution takes ``batch.level(l).edge_index``.

    Pools are those of the undirected simple graph: loops are dropped, directions and parallel edges merged. A
    graph that has converged, to a node for each component, stays the same up to the last level. In a
    ``Compose``, put this last, after all that changes nodes or edges.

    A graph with many edges and few triangles grows with every level (200,000 nodes with a million random
    edges become 994,252): for such graphs, one level. HeteroData and `adj_t` are refused: use
    ``data.to_homogeneous()``, and `edge_index`.

    Parameters
    ----------
    levels : int
        How many times each graph is pooled, at least once.
    edge_reduce : "sum", "mean", "max" or None
        The reduction of `edge_attr` and `edge_weight` over all edges behind a coarse edge, from one level
        to the next; with None coarse edges have neither. Directions are kept apart; an edge that is listed
        in one direction only has the same values in the other.
    budget : Budget
        The limits for each graph. BudgetExceeded names the one that was reached.

    Examples
    --------
    >>> path = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), num_nodes=4)
    >>> data = CliqueCoarsening(levels=2)(path)
    >>> data.membership_1.tolist(), data.num_pools_1.tolist(), data.num_pools_2.tolist()
    ([[0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 2, 2]], [3], [1])
    """

    def __init__(
        self,
        levels: int = 2,
        *,
        edge_reduce: EdgeReduction | None = "sum",
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        self.levels = _checked_levels(levels)
        self.edge_reduce = None if edge_reduce is None else checked_reduction(edge_reduce)
        self.budget = budget

    def forward(self, data: Data) -> CoarsenedData:
        """Return the data with its coarse graphs."""
        coarsened = _as_coarsened(data)
        edge_index = coarsened.edge_index
        if edge_index is None and "adj_t" in coarsened:
            raise GraphError(
                "expected data with an edge_index, got adj_t alone; put CliqueCoarsening before "
                "ToSparseTensor(remove_edge_index=False), which keeps both"
            )
        if edge_index is None:
            raise GraphError("expected data with an edge_index, got none")
        if not isinstance(edge_index, torch.Tensor) or edge_index.layout != torch.strided:
            raise GraphError("edge_index: expected a tensor of shape (2, e), got a sparse matrix")
        if coarsened.x is None:
            coarsened.num_nodes = (
                coarsened.num_nodes
            )  # stored, because PyG may guess it, with a warning each time
        graph = Graph.from_edge_index(edge_index, coarsened.num_nodes)
        hierarchy = clique_hierarchy(graph, self.levels, threads=1, budget=self.budget)
        coarsened[PACKED] = pack_levels(hierarchy, budget=self.budget).to(edge_index.device)
        for name, values in self._carried(coarsened, hierarchy).items():
            coarsened[carried_key(name)] = values
        return coarsened

    def _carried(self, data: CoarsenedData, hierarchy: Hierarchy) -> dict[str, Tensor]:
        """Return `edge_attr` and `edge_weight` of the edges of all levels, ordered by level."""
        if self.edge_reduce is None:
            return {}
        given = {name: data[name] for name in CARRIED if name in data and data[name] is not None}
        return {name: self._carry(data.edge_index, value, hierarchy) for name, value in given.items()}

    def _carry(self, edge_index: Tensor, given: Tensor, hierarchy: Hierarchy) -> Tensor:
        reduce, ends = self.edge_reduce or "", integers(edge_index, "edge_index")
        graphs = (hierarchy.graph(level) for level in range(len(hierarchy) + 1))
        rows = [Ragged(graph.indptr, graph.indices) for graph in graphs]
        levels = [values_by_entry(ends, rows[0], numbers_of(given), reduce)]
        for pooling, (below, above) in zip(hierarchy, pairwise(rows), strict=True):
            levels.append(
                aggregate_edges(below, pooling.pools, above, levels[-1], reduce, budget=self.budget)
            )
        carried = torch.from_numpy(np.concatenate(levels)).to(given.device)
        return carried.to(given.dtype) if given.is_floating_point() else carried

    def __repr__(self) -> str:
        return f"{type(self).__name__}(levels={self.levels}, edge_reduce={self.edge_reduce!r})"


def _checked_levels(levels: int) -> int:
    if levels is None:
        raise InputError(
            "levels: expected an integer of at least 1, got None: a transform sees one graph at a time, and "
            "graphs of unequal depth would not collate (cliquepool.data.PooledDataset pools all to the end)"
        )
    count = operator.index(levels)
    if count < 1:
        raise InputError(f"levels: expected an integer of at least 1, got {levels!r}")
    return count


def _as_coarsened(data: Data) -> CoarsenedData:
    """Return the data as `CoarsenedData`, without coarse graphs of an earlier transform."""
    kept = type(data) if isinstance(data, CoarsenedData) else CoarsenedData
    if isinstance(data, HeteroData):
        raise GraphError(
            "expected a torch_geometric Data, got HeteroData: graphs with several kinds of nodes are not "
            "supported; pool data.to_homogeneous(), or the nodes of one kind as a Data of their own"
        )
    if not isinstance(data, Data):
        raise GraphError(f"expected a torch_geometric Data, got {type(data).__name__}")
    if kept is CoarsenedData:
        for method in ("__inc__", "__cat_dim__"):
            if getattr(type(data), method) not in {getattr(Data, method), getattr(CoarsenedData, method)}:
                raise GraphError(
                    f"expected Data that PyG collates in its own way, got {type(data).__name__} with its own "
                    f"{method}; derive it from cliquepool.nn.CoarsenedData"
                )
    mapping = {key: value for key, value in data.to_dict().items() if not is_level_key(key)}
    mapping.pop("edge_reduce", None)
    coarsened: CoarsenedData = kept.from_dict(mapping)
    return coarsened
