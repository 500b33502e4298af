"""`clique_pool`: pool graphs in one call with tensors in and out, as PyG's pooling layers do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from cliquepool import pooling as _pooling
from cliquepool._input import integers
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.edge_aggregation import (
    EdgeReduction,
    checked_reduction,
    entries_behind,
    entries_of_listed,
)
from cliquepool.errors import GraphError
from cliquepool.graph import Graph
from cliquepool.nn.batch import Level  # noqa: TC001 (the type of a field, evaluated by typing.get_type_hints)
from cliquepool.nn.layers import CliquePool, Reduction
from cliquepool.nn.packed_levels import pack_lists, unpack_levels
from cliquepool.ragged import Ragged, offsets_from_lengths

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

__all__ = ["CliquePooled", "clique_pool"]


class CliquePooled(NamedTuple):
    """The coarse graphs that `clique_pool` makes.

    x : (pools, features)
        The features of the pools, which are the nodes of the coarse graphs.
    edge_index : (2, e)
        The edges between the pools, both directions, ordered by target.
    edge_attr : (e, …) or None
        Their values, where the edges of the input have values.
    batch : (pools,)
        The graph that each pool belongs to, ascending.
    membership : (2, m)
        The nodes (first row) and the pools that they are in (second row).
    level : Level
        The graphs that were pooled, for unpooling by ``CliqueLift()(y, level)``.
    """

    x: Tensor
    edge_index: Tensor
    edge_attr: Tensor | None
    batch: Tensor
    membership: Tensor
    level: Level


def clique_pool(
    x: Tensor,
    edge_index: Tensor,
    edge_attr: Tensor | None = None,
    batch: Tensor | None = None,
    *,
    reduce: Reduction = "mean",
    edge_reduce: EdgeReduction = "sum",
    budget: Budget = DEFAULT_BUDGET,
) -> CliquePooled:
    """Pool graphs by their cliques and return the coarse graphs, as PyG's pooling layers do.

    The pools are computed on the host in every call: `edge_index` and `batch` are copied there once, and the
    result is on the device of `x`. For graphs that are used in every epoch, compute the pools once by
    `CliqueCoarsening` instead.

    Pools are those of the undirected simple graph: loops are dropped, directions and parallel edges
    merged. Gradients flow to `x` and to `edge_attr`.

    Parameters
    ----------
    x : (nodes, features)
        The features of the nodes.
    edge_index : (2, e)
        The edges, in one direction or both.
    edge_attr : (e, …), optional
        The values of the edges. That of a coarse edge is the sum, mean or maximum (`edge_reduce`) over the
        edges behind it; an edge that is listed in one direction only has the same value in the other.
    batch : (nodes,), optional
        The graph that each node belongs to, ascending; a single graph by default.
    reduce : "mean", "max", "sum" or "share"
        The reduction of the features of a pool's members.
    budget : Budget
        The limits of the call. BudgetExceeded names the one that was reached.

    Examples
    --------
    >>> path = torch.tensor([[0, 1], [1, 2]])
    >>> coarse = clique_pool(torch.tensor([[1.0], [2.0], [6.0]]), path)
    >>> coarse.x.tolist(), coarse.edge_index.tolist(), coarse.batch.tolist()
    ([[1.5], [4.0]], [[1, 0], [0, 1]], [0, 0])
    """
    pool = CliquePool(reduce)
    checked_reduction(edge_reduce)
    ends, graph_of_node = _on_host(x, edge_index, batch)
    num_graphs = int(graph_of_node[-1]) + 1 if len(graph_of_node) else 0
    if batch is None:
        num_graphs = 1
    topology = _Topology(Graph.from_edge_index(ends, x.shape[0]), graph_of_node, budget)
    unpacked, _ = unpack_levels(pack_lists([topology.neighbours, topology.coarse], [topology.pools]))
    unpacked = unpacked.to(x.device)
    level = unpacked.level(0)
    counts = np.bincount(graph_of_node, minlength=num_graphs)
    level.node_start = torch.from_numpy(offsets_from_lengths(counts)).to(x.device)
    carried = None
    if edge_attr is not None:
        carried = _carried(edge_attr, ends, topology, edge_reduce, budget)
    return CliquePooled(
        x=pool(x, level),
        edge_index=unpacked.edge_index(1),
        edge_attr=carried,
        batch=torch.from_numpy(topology.graph_of_pool).to(x.device),
        membership=level.membership,
        level=level,
    )


class _Topology:
    """The pools of some graphs, numbered graph by graph, and the graphs between them."""

    def __init__(self, graph: Graph, graph_of_node: Ints, budget: Budget) -> None:
        pooling = _pooling.clique_pool(graph, threads=1, budget=budget)
        pools, coarse = pooling.pools, pooling.coarse.expand(budget=budget)
        graph_of_pool = graph_of_node[pools.members[pools.offsets[:-1]]]
        order = np.argsort(graph_of_pool, kind="stable")
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        self.neighbours = Ragged(graph.indptr, graph.indices)
        self.graph_of_pool: Ints = graph_of_pool[order]
        self.pools = pools.take(order)
        rows = Ragged(coarse.indptr, coarse.indices).take(order)
        # Pools of one graph keep their order among themselves: renumbered rows still ascend.
        self.coarse = Ragged(rows.offsets, number[rows.members])


def _on_host(x: Tensor, edge_index: Any, batch: Tensor | None) -> tuple[Ints, Ints]:
    """Return the edges and the graph of each node as NumPy arrays, with one copy from the device."""
    if x.dim() != 2:
        raise ValueError(f"x: expected a row of features for each node, got shape {tuple(x.shape)}")
    if not isinstance(edge_index, Tensor) or edge_index.layout != torch.strided:
        raise GraphError(
            "edge_index: expected a tensor of shape (2, e), got a sparse matrix: pass its indices"
        )
    if edge_index.dim() != 2 or edge_index.shape[0] != 2:
        raise GraphError(f"edge_index: expected shape (2, e), got shape {tuple(edge_index.shape)}")
    if edge_index.is_meta or x.is_meta:
        raise GraphError('expected tensors with values, got some on "meta"')
    nodes, edges = x.shape[0], edge_index.shape[1]
    if batch is None:
        return integers(edge_index, "edge_index"), np.zeros(nodes, dtype=np.int64)
    if batch.shape != (nodes,):
        raise GraphError(f"batch: expected shape ({nodes},), a graph for each node, got {tuple(batch.shape)}")
    if edge_index.is_floating_point() or batch.is_floating_point():
        raise GraphError(f"expected integers, got edge_index of {edge_index.dtype}, batch of {batch.dtype}")
    together = integers(torch.cat([edge_index.reshape(-1), batch.to(edge_index.device)]), "edge_index")
    ends, graph_of_node = together[: 2 * edges].reshape(2, edges), together[2 * edges :]
    if nodes and (graph_of_node[0] < 0 or np.any(np.diff(graph_of_node) < 0)):
        raise GraphError("batch: expected ascending numbers from 0, got others; sort the nodes by graph")
    if edges and nodes and ends.min() >= 0 and ends.max() < nodes:
        across = np.flatnonzero(graph_of_node[ends[0]] != graph_of_node[ends[1]])
        if across.size:
            u, v = ends[:, across[0]]
            raise GraphError(f"expected edges within graphs, got {u} - {v} between two of them")
    return ends, graph_of_node


def _carried(given: Tensor, ends: Ints, topology: _Topology, reduce: EdgeReduction, budget: Budget) -> Tensor:
    """Return the values of the coarse edges: reduced over parallel edges, then over the edges behind."""
    if given.dim() == 0 or given.shape[0] != ends.shape[1]:
        raise GraphError(
            f"edge_attr: expected a row for each of {ends.shape[1]} edges, got shape {tuple(given.shape)}"
        )
    neighbours, pools, coarse = topology.neighbours, topology.pools, topology.coarse
    listed, entries, value_entry = map(torch.from_numpy, entries_of_listed(ends, neighbours))
    behind = torch.from_numpy(entries_behind(neighbours, pools, coarse, budget=budget))
    values = given if given.is_floating_point() or reduce == "max" else given.long()
    if values.dtype in {torch.float16, torch.bfloat16} or (
        reduce == "mean" and not values.is_floating_point()
    ):
        values = values.float()
    values = _reduced(values, listed, entries, len(neighbours.members), reduce)[value_entry.to(given.device)]
    values = _reduced(values, behind[0], behind[1], len(coarse.members), reduce)
    return values.to(given.dtype) if given.is_floating_point() else values


def _reduced(values: Tensor, taken: Tensor, to: Tensor, count: int, reduce: EdgeReduction) -> Tensor:
    """Reduce the rows `taken` to `count` rows; the i-th goes into row ``to[i]``."""
    rows, to = values[taken.to(values.device)], to.to(values.device)
    zeros = values.new_zeros(count, *values.shape[1:])
    if reduce == "max":
        index = to.reshape(-1, *[1] * (rows.dim() - 1)).expand_as(rows)
        return zeros.scatter_reduce(0, index, rows, "amax", include_self=False)
    sums = zeros.index_add(0, to, rows)
    if reduce == "sum":
        return sums
    counts = torch.bincount(to, minlength=count).clamp(min=1)
    return sums / counts.to(sums.dtype).reshape(-1, *[1] * (sums.dim() - 1))
