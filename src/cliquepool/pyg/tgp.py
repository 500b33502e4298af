"""Clique pooling as a pooler of tgp (torch-geometric-pool): select, reduce, lift, connect.

Importable only where tgp is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import torch
from torch import Tensor

try:
    from tgp.connect import Connect  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from tgp.lift import Lift  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from tgp.reduce import Reduce  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from tgp.select import Select, SelectOutput  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from tgp.src import PoolingOutput, SRCPooling  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ImportError as error:
    raise ImportError(
        "cliquepool.pyg.tgp needs tgp: pip install torch-geometric-pool (cliquepool.nn.CliqueCoarsening "
        "and CliquePool do without it)"
    ) from error

try:  # absent from early versions
    from tgp.src import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        BasePrecoarseningMixin,
    )
except ImportError:

    class BasePrecoarseningMixin:  # type: ignore[no-redef]
        """An empty base class: this version of tgp has no precoarsening."""


from cliquepool import _core
from cliquepool._input import integers
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.edge_aggregation import aggregate_edges, checked_reduction, values_by_entry
from cliquepool.errors import GraphError
from cliquepool.graph import Graph
from cliquepool.nn.batch import numbers_of
from cliquepool.nn.functional import max_lists, sum_lists
from cliquepool.nn.incidence import Incidence
from cliquepool.pooling import clique_pool
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    from cliquepool.data.edge_aggregation import EdgeReduction

__all__ = ["CliqueConnect", "CliqueLift", "CliquePooling", "CliqueReduce", "CliqueSelect"]


class CliqueSelect(Select):  # type: ignore[misc]
    """Select: the pools of the undirected simple graph; a node may be in several.

    Pools are numbered graph by graph where a batch vector is given.
    """

    def __init__(self, budget: Budget = DEFAULT_BUDGET) -> None:
        super().__init__()
        self.budget = budget

    def forward(
        self,
        x: Tensor | None = None,
        edge_index: Any = None,
        edge_weight: Tensor | None = None,  # noqa: ARG002 (pools depend on the graph alone)
        *,
        batch: Tensor | None = None,
        num_nodes: int | None = None,
        **_: Any,
    ) -> Any:
        """Return the memberships as tgp stores them."""
        if edge_index is None:
            raise GraphError("expected an edge_index, got None")
        ends, _weight = _edges_of(edge_index, None)
        if num_nodes is None:
            rows = x if x is not None else batch
            num_nodes = None if rows is None else rows.shape[0]
        pooling = clique_pool(Graph.from_edge_index(ends, num_nodes), threads=1, budget=self.budget)
        nodes = torch.from_numpy(pooling.pools.members.astype(np.int64))
        pools = torch.from_numpy(np.repeat(np.arange(len(pooling)), pooling.pools.sizes))
        if batch is not None and len(pooling):
            first = nodes[torch.from_numpy(pooling.pools.offsets[:-1].copy())]
            number = torch.empty(len(pooling), dtype=torch.long)
            number[torch.argsort(batch.cpu()[first], stable=True)] = torch.arange(len(pooling))
            pools = number[pools]
        order = torch.argsort(nodes * max(len(pooling), 1) + pools)
        return SelectOutput(
            node_index=nodes[order].to(ends.device),
            num_nodes=pooling.graph.num_nodes,
            cluster_index=pools[order].to(ends.device),
            num_supernodes=len(pooling),
        )


_REDUCTIONS: Final = ("mean", "max", "sum")


class CliqueReduce(Reduce):  # type: ignore[misc]
    """Reduce: the mean, maximum or sum over each pool's members."""

    def __init__(self, reduce: Literal["mean", "max", "sum"] = "mean") -> None:
        super().__init__()
        if reduce not in _REDUCTIONS:
            raise ValueError(f"reduce: expected one of {', '.join(_REDUCTIONS)}, got {reduce!r}")
        self.operation = reduce

    def forward(
        self, x: Tensor, so: Any, *, batch: Tensor | None = None, **_: Any
    ) -> tuple[Tensor, Tensor | None]:
        """Return the features of the pools, and the graph of each."""
        pools = _pools_of(so)
        if self.operation == "max":
            reduced = max_lists(pools, x)
        else:
            scale = pools.sizes.reciprocal() if self.operation == "mean" else None
            reduced = sum_lists(pools, x, list_scale=scale)
        return reduced, self.reduce_batch(so, batch)


class CliqueLift(Lift):  # type: ignore[misc]
    """Lift: each node gets the mean of the pools that it is in."""

    def forward(self, x_pool: Tensor, so: Any, **_: Any) -> Tensor:
        """Return the features of the nodes."""
        memberships = _pools_of(so).transposed
        return sum_lists(memberships, x_pool, list_scale=memberships.sizes.reciprocal())


class CliqueConnect(Connect):  # type: ignore[misc]
    """Connect: two pools are joined when some node of one is adjacent to some node of the other.

    Coarse edges are unweighted; where edges have weights, those of all edges behind a coarse one are reduced.
    """

    def __init__(self, edge_reduce: EdgeReduction = "sum", budget: Budget = DEFAULT_BUDGET) -> None:
        super().__init__()
        self.edge_reduce = checked_reduction(edge_reduce)
        self.budget = budget

    def forward(
        self, edge_index: Any, so: Any, *, edge_weight: Tensor | None = None, **_: Any
    ) -> tuple[Tensor, Tensor | None]:
        """Return the edges between the pools, both directions, ordered by target, and their weights."""
        ends, weight = _edges_of(edge_index, edge_weight)
        pools = Ragged(*_pools_of(so).to("cpu").arrays)
        graph = Graph.from_edge_index(ends, so.num_nodes)
        rows, limits = Ragged(graph.indptr, graph.indices), self.budget._limits()
        coarse = Graph._from_twins(
            *_core.coarsen(rows.offsets, rows.members, pools.offsets, pools.members, limits, None)
        )
        coarse.expand(budget=self.budget)
        between = torch.from_numpy(coarse.to_edge_index()).flip(0).to(ends.device)
        if weight is None:
            return between, None
        if weight.requires_grad and torch.is_grad_enabled():
            raise ValueError("edge_weight: expected weights without a gradient, got some that require one")
        values = values_by_entry(integers(ends, "edge_index"), rows, numbers_of(weight), self.edge_reduce)
        coarse_rows = Ragged(coarse.indptr, coarse.indices)
        carried = aggregate_edges(rows, pools, coarse_rows, values, self.edge_reduce, budget=self.budget)
        return between, torch.from_numpy(carried).to(weight)


class CliquePooling(BasePrecoarseningMixin, SRCPooling):  # type: ignore[misc]
    """Clique pooling as a pooler of tgp: no parameters, no ratio, no auxiliary loss.

    Parameters
    ----------
    reduce : "mean", "max" or "sum"
        How the features of a pool come from its members.
    edge_reduce : "sum", "mean" or "max"
        How the weight of a coarse edge comes from those of the edges behind it.
    cached : bool
        Whether the pools of the first graph are used for all calls, as tgp does for a single large graph.
    budget : Budget
        The limits of a call.
    """

    def __init__(
        self,
        reduce: Literal["mean", "max", "sum"] = "mean",
        edge_reduce: EdgeReduction = "sum",
        cached: bool = False,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        super().__init__(
            selector=CliqueSelect(budget),
            reducer=CliqueReduce(reduce),
            lifter=CliqueLift(),
            connector=CliqueConnect(edge_reduce, budget),
            cached=cached,
        )

    def forward(  # noqa: PLR0917 (tgp's order)
        self,
        x: Tensor,
        adj: Any = None,
        edge_weight: Tensor | None = None,
        so: Any = None,
        batch: Tensor | None = None,
        lifting: bool = False,
        **_: Any,
    ) -> Any:
        """Pool `x`; or, with `lifting`, return features of the nodes, given those of the pools of `so`."""
        if lifting:
            return self.lift(x_pool=x, so=so)
        if so is None:
            so = self.select(x=x, edge_index=adj, batch=batch, num_nodes=x.shape[0])
        pooled, batch_pooled = self.reduce(x=x, so=so, batch=batch)
        between, weight = self.connect(edge_index=adj, so=so, edge_weight=edge_weight)
        return PoolingOutput(x=pooled, edge_index=between, edge_weight=weight, batch=batch_pooled, so=so)

    def extra_repr_args(self) -> dict[str, Any]:
        """Return the arguments that tgp prints besides the four operators."""
        return {"cached": self.cached}


def _edges_of(adj: Any, edge_weight: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """Return the ends and the weights of a connectivity in any of tgp's formats."""
    if not isinstance(adj, Tensor):  # a torch_sparse.SparseTensor
        row, column, value = adj.coo()
        return torch.stack([row, column]), value
    if adj.layout == torch.sparse_coo:
        adj = adj.coalesce()
        return adj.indices(), adj.values()
    return adj, edge_weight


def _pools_of(so: Any) -> Incidence:
    return Incidence.from_pairs(so.cluster_index, so.node_index, so.num_supernodes, so.num_nodes)
