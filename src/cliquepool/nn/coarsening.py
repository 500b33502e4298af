"""Clique pooling ahead of training in PyTorch Geometric: a transform, and data that collate rightly."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from cliquepool._input import integers
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.batch import Level, numbers_of
from cliquepool.data.inheritance import EdgeReduction, checked_reduction, inherit, values_by_entry
from cliquepool.errors import GraphError
from cliquepool.graph import Graph
from cliquepool.hierarchy import clique_hierarchy

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["CliqueCoarsening", "CoarsenedData"]

_OF_A_LEVEL: Final = re.compile(r"(edge_index|membership|num_pools|edge_attr|edge_weight)_([1-9]\d*)")
_CARRIED: Final = ("edge_attr", "edge_weight")


class CoarsenedData(Data):  # type: ignore[misc]
    """A PyG ``Data`` with the coarse graphs above it; made by `CliqueCoarsening`, or a PyG batch of such.

    For each level l from 1, besides what the data had:

    edge_index_l : (2, e)
        The edges between the pools, both directions, ordered by target.
    membership_l : (2, m)
        Nodes of level l−1 above the pools of level l that they are in, which are its nodes.
    num_pools_l : (number of graphs,)
        How many nodes each graph has at level l.
    edge_attr_l, edge_weight_l : (e, …)
        What the edges carry, where those of the data carry something.

    A subclass with an `__inc__` or `__cat_dim__` of its own calls these.
    """

    def __inc__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        of_level = _OF_A_LEVEL.fullmatch(key)
        if of_level is None:
            return super().__inc__(key, value, *args, **kwargs)
        name, level = of_level[1], int(of_level[2])
        if name == "edge_index":
            return self._num_nodes_at(level)
        if name == "membership":
            return torch.tensor([[self._num_nodes_at(level - 1)], [self._num_nodes_at(level)]])
        return 0

    def __cat_dim__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        of_level = _OF_A_LEVEL.fullmatch(key)
        if of_level is None:
            return super().__cat_dim__(key, value, *args, **kwargs)
        return -1 if of_level[1] in {"edge_index", "membership"} else 0

    @property
    def coarse_levels(self) -> int:
        """How many coarse graphs there are above the graph."""
        found = (_OF_A_LEVEL.fullmatch(key) for key in self.keys())
        return sum(match is not None and match[1] == "membership" for match in found)

    def level(self, level: int) -> Level:
        """The graph at a level, from 0, the data's own, as `cliquepool.nn` layers take it.

        It has the undirected simple graph that was pooled: at level 0 `edge_index` may be another than
        the data's. Its `edge_attr` is what the edges carry, else their `edge_weight`. GraphError where the
        tensors are not those of a coarsening.
        """
        if not 0 <= level <= self.coarse_levels:
            raise GraphError(f"expected a level from 0 to {self.coarse_levels}, got {level}")
        suffix = f"_{level}" if level else ""
        above = f"_{level + 1}" if level < self.coarse_levels else None
        carried = [self[name + suffix] for name in _CARRIED if name + suffix in self]
        return Level.from_edge_index(
            self["edge_index" + suffix],
            self._node_start(level),
            membership=None if above is None else self["membership" + above],
            num_pools=0 if above is None else self._num_nodes_at(level + 1),
            edge_attr=next((value for value in carried if value is not None), None),
            edge_reduce=self._edge_reduction,
        )

    def _num_nodes_at(self, level: int) -> int:
        return int(self[f"num_pools_{level}"].sum()) if level else int(self.num_nodes)

    def _node_start(self, level: int) -> Tensor:
        if level:
            counts = self[f"num_pools_{level}"]
        elif "ptr" in self:
            starts: Tensor = self.ptr
            return starts
        else:
            counts = torch.tensor([self.num_nodes])
        return torch.cat([counts.new_zeros(1), counts.cumsum(0)])

    @property
    def _edge_reduction(self) -> str:
        recorded = self.get("edge_reduce", "sum")
        return recorded if isinstance(recorded, str) else str(recorded[0])


# So that PyG's data sets on disk are read without trusting what else a pickle may hold.
torch.serialization.add_safe_globals([CoarsenedData])


class CliqueCoarsening(BaseTransform):  # type: ignore[misc]
    """Pool every graph ahead, `levels` times: a PyG transform, best used as a ``pre_transform``.

    The result is a `CoarsenedData`: what the data had, unchanged, and the coarse graphs above it, which
    PyG's own ``DataLoader`` collates. ``batch.level(l)`` is what `CliquePool` and the other layers take,
    and ``batch.level(l).edge_index`` is for any PyG convolution.

    Pools are those of the undirected simple graph: loops are dropped, directions and parallel edges
    merged. A graph that has become single nodes stays as it is up to the last level. In a ``Compose``,
    put this behind whatever changes nodes or edges.

    Parameters
    ----------
    levels : int
        How many times each graph is pooled, at least once.
    edge_reduce : "sum", "mean", "max" or None
        How `edge_attr` and `edge_weight` of a coarse edge come from those of all edges behind it, from
        one level to the next; by None they do not. Directions are kept apart; an edge that is listed in
        one direction only carries the same in the other.
    budget : Budget
        What each graph may cost. BudgetExceeded says which limit was reached.

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
        """The data with its coarse graphs."""
        coarsened = _as_coarsened(data)
        edge_index = coarsened.edge_index
        if edge_index is None:
            raise GraphError("expected data with an edge_index, got none")
        if coarsened.x is None:
            coarsened.num_nodes = coarsened.num_nodes  # PyG may have to guess it, and warns: once is enough
        graph = Graph.from_edge_index(edge_index, coarsened.num_nodes)
        hierarchy = clique_hierarchy(graph, self.levels, threads=1, budget=self.budget)
        carried = self._carried(coarsened, graph)
        device = edge_index.device
        for level, pooling in enumerate(hierarchy, start=1):
            pools, coarse = pooling.pools, pooling.coarse.expand(budget=self.budget)
            below, above = pooling.graph, (coarse.indptr, coarse.indices)
            coarsened[f"edge_index_{level}"] = _columns(coarse.indices, coarse.degrees).to(device)
            coarsened[f"membership_{level}"] = _columns(pools.members, pools.sizes).to(device)
            coarsened[f"num_pools_{level}"] = torch.tensor([len(pools)], device=device)
            for name, values in carried.items():
                csr = (below.indptr, below.indices)
                carried[name] = inherit(csr, pools, above, values, self.edge_reduce or "", budget=self.budget)
                given = coarsened[name]
                handed_on = torch.from_numpy(carried[name]).to(device)
                coarsened[f"{name}_{level}"] = (
                    handed_on.to(given.dtype) if given.is_floating_point() else handed_on
                )
        return coarsened

    def _carried(self, data: CoarsenedData, graph: Graph) -> dict[str, npt.NDArray[Any]]:
        """What the edges carry, for each entry of the graph's rows."""
        if self.edge_reduce is None:
            return {}
        given = {name: data[name] for name in _CARRIED if name in data and data[name] is not None}
        if not given:
            return {}
        data.edge_reduce = self.edge_reduce
        ends = integers(data.edge_index, "edge_index")
        csr = (graph.indptr, graph.indices)
        return {
            name: values_by_entry(ends, csr, numbers_of(value), self.edge_reduce)
            for name, value in given.items()
        }

    def __repr__(self) -> str:
        return f"{type(self).__name__}(levels={self.levels}, edge_reduce={self.edge_reduce!r})"


def _checked_levels(levels: int) -> int:
    if levels is None:
        raise ValueError(
            "levels: expected an integer of at least 1, got None: a transform sees one graph at a time, and "
            "graphs of unequal depth would not collate (cliquepool.data.PooledDataset pools all to the end)"
        )
    count = operator.index(levels)
    if count < 1:
        raise ValueError(f"levels: expected an integer of at least 1, got {levels!r}")
    return count


def _as_coarsened(data: Data) -> CoarsenedData:
    """The same data as `CoarsenedData`, without coarse graphs that it may have from before."""
    kept = type(data) if isinstance(data, CoarsenedData) else CoarsenedData
    if not isinstance(data, Data):
        raise GraphError(f"expected a torch_geometric Data, got {type(data).__name__}")
    if kept is CoarsenedData:
        for method in ("__inc__", "__cat_dim__"):
            if getattr(type(data), method) not in {getattr(Data, method), getattr(CoarsenedData, method)}:
                raise GraphError(
                    f"expected Data that PyG collates in its own way, got {type(data).__name__} with its own "
                    f"{method}; derive it from cliquepool.nn.CoarsenedData"
                )
    mapping = {key: value for key, value in data.to_dict().items() if not _OF_A_LEVEL.fullmatch(key)}
    mapping.pop("edge_reduce", None)
    coarsened: CoarsenedData = kept.from_dict(mapping)
    return coarsened


def _columns(members: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64]) -> Tensor:
    """Two rows: the members of lists, and the list of each."""
    columns = np.empty((2, len(members)), dtype=np.int64)
    columns[0] = members
    columns[1] = np.repeat(np.arange(len(sizes)), sizes)
    return torch.from_numpy(columns)
