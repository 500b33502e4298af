"""Coarse graphs whose rows are not stored: the pools of the graph below imply them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool import _core
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.graph import Graph
from cliquepool.ragged import Ragged
from cliquepool.twins import ImpliedFactors, TwinFactors, Twins

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["ImpliedGraph", "ImpliedTwins", "coarse_graph", "factors_from_core", "known_factors"]


def coarse_graph(
    below: Graph, pools: Ragged, factors: TwinFactors | ImpliedFactors, budget: Budget = DEFAULT_BUDGET
) -> Graph:
    """Return the graph between `pools`, lists of the twin classes of the graph below."""
    if isinstance(factors, TwinFactors):
        return Graph._from_twins(*factors)
    return ImpliedGraph.between(below, pools, *factors, budget=budget)


def factors_from_core(
    classes: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int32],
    indptr: npt.NDArray[np.int64] | None,
    indices: npt.NDArray[np.int32] | None,
    closed_weights: npt.NDArray[np.int64] | None,
) -> TwinFactors | ImpliedFactors:
    """Name the arrays that the core returns for a coarse graph: with a quotient or with closed weights."""
    if indptr is not None and indices is not None:
        return TwinFactors(classes, sizes, indptr, indices)
    assert closed_weights is not None
    return ImpliedFactors(classes, sizes, closed_weights)


def known_factors(graph: Graph) -> TwinFactors | ImpliedFactors:
    """Return the arrays of the twin classes of a graph without computing rows that are not stored."""
    twins = graph.twins
    if isinstance(twins, ImpliedTwins):
        return ImpliedFactors(twins.classes, twins.sizes, twins.closed_weights)
    return graph._factors()


class ImpliedQuotient(Graph):
    """The graph between the twin classes of pools, with rows that are computed on first use.

    The neighbours of a class are the classes whose pools meet the closed neighbourhood of its own.
    """

    __slots__ = ("_below", "_budget", "_first_pools", "_pools", "_touching")

    _below: Graph
    _pools: Ragged
    _first_pools: npt.NDArray[np.intp]
    _touching: Ragged | None
    _budget: Budget

    @classmethod
    def between(
        cls, below: Graph, pools: Ragged, classes: npt.NDArray[np.int32], budget: Budget
    ) -> ImpliedQuotient:
        """Make the quotient of the graph between `pools`, lists of the twin classes of the graph below."""
        quotient = cls._make(None, None, None)
        assert isinstance(quotient, ImpliedQuotient)
        quotient._keep("_below", below)
        quotient._keep("_pools", pools)
        quotient._keep("_first_pools", np.unique(classes, return_index=True)[1])
        quotient._keep("_touching", None)
        quotient._keep("_budget", budget)
        return quotient

    @property
    def num_nodes(self) -> int:
        """Number of classes."""
        return len(self._first_pools)

    @property
    def num_edges(self) -> int:
        """Number of edges, each counted once; computes the rows."""
        return len(self._expanded()[1]) // 2

    def neighbours(self, node: int) -> npt.NDArray[np.int32]:
        """List the neighbours of a class, ascending, without computing the rows of others."""
        if self._csr is not None:
            return super().neighbours(node)
        lower = self._below.twins.quotient
        members = self._pools[int(self._first_pools[node])]
        around = np.unique(np.concatenate([members, *(lower.neighbours(v) for v in members.tolist())]))
        touching = self._classes_of_vertices()
        found = np.unique(np.concatenate([touching[vertex] for vertex in around.tolist()]))
        others: npt.NDArray[np.int32] = found[found != node].astype(np.int32)
        return others

    def _classes_of_vertices(self) -> Ragged:
        """Return the classes whose first pools contain each vertex below."""
        if self._touching is None:
            lists = [self._pools[pool] for pool in self._first_pools.tolist()]
            offsets = np.zeros(len(lists) + 1, dtype=np.int64)
            np.cumsum([len(members) for members in lists], out=offsets[1:])
            members = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int32)
            self._keep("_touching", Ragged(offsets, members).transpose(len(self._below.twins.sizes)))
        assert self._touching is not None
        return self._touching

    def expand(self, *, budget: Budget = DEFAULT_BUDGET) -> Graph:
        """Compute the rows; return the graph. Raises BudgetExceeded, with their size, if they do not fit."""
        if self._csr is None:
            _, _, lower_indptr, lower_indices = self._below._factors()
            _, _, indptr, indices = _core.coarsen(
                lower_indptr, lower_indices, self._pools.offsets, self._pools.members, budget._limits(), None
            )
            self._keep("_csr", Graph._from_csr_trusted(indptr, indices)._csr)
        return self

    def _expanded(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        self.expand(budget=self._budget)
        assert self._csr is not None
        return self._csr


@dataclass(frozen=True, slots=True, eq=False)
class ImpliedTwins(Twins):
    """Twin classes with a quotient that is not stored, but whose degrees are known."""

    closed_weights: npt.NDArray[np.int64]  # the number of nodes in each class and its neighbours

    @property
    def class_degrees(self) -> npt.NDArray[np.int64]:
        """The number of neighbours of a node of each class."""
        return self.closed_weights - 1


class ImpliedGraph(Graph):
    """A coarse graph stored by its twin classes, without the rows of the quotient.

    `num_nodes`, `num_edges`, `degrees` and `neighbours` are known without them. What needs all rows computes
    them within a budget.
    """

    __slots__ = ()

    @classmethod
    def between(
        cls,
        below: Graph,
        pools: Ragged,
        classes: npt.NDArray[np.int32],
        sizes: npt.NDArray[np.int32],
        closed_weights: npt.NDArray[np.int64],
        *,
        budget: Budget = DEFAULT_BUDGET,
    ) -> ImpliedGraph:
        """Make the graph between `pools`, lists of the twin classes of the graph below, which are trusted."""
        for array in (classes, sizes, closed_weights):
            array.setflags(write=False)
        quotient = ImpliedQuotient.between(below, pools, classes, budget)
        graph = cls._make(None, ImpliedTwins(classes, sizes, quotient, closed_weights), None)
        assert isinstance(graph, ImpliedGraph)
        return graph

    def _implied_twins(self) -> ImpliedTwins:
        assert isinstance(self._twins, ImpliedTwins)
        return self._twins

    def _origin(self) -> tuple[Graph, Ragged]:
        """Return the graph below and the pools of its classes, which this graph is a function of."""
        quotient = self._implied_twins().quotient
        assert isinstance(quotient, ImpliedQuotient)
        return quotient._below, quotient._pools

    def __eq__(self, other: object) -> bool:
        """Tell whether both have the same nodes and edges; those between the same pools are not compared."""
        if isinstance(other, ImpliedGraph) and self._origin() == other._origin():
            return True
        return super().__eq__(other)

    def __hash__(self) -> int:
        return super().__hash__()

    def __reduce__(self) -> tuple[Any, ...]:
        twins = self._implied_twins()
        return restore_implied, (*self._origin(), twins.classes, twins.sizes, twins.closed_weights)


def restore_implied(
    below: Graph,
    pools: Ragged,
    classes: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int32],
    closed_weights: npt.NDArray[np.int64],
) -> Graph:
    """Rebuild a pickled graph."""
    return ImpliedGraph.between(below, pools, classes, sizes, closed_weights)
