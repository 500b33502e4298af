"""Quotients of large graphs, which are built when they are first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cliquepool import _core
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.graph import Graph

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.twins import Twins

__all__ = ["InducedQuotient", "pools_by_nodes"]

# Nodes are pooled one by one where at most so many of them have a twin, and none has many.
_MOST_TWINS = 1 / 8
_LARGEST_CLASS = 8


class InducedQuotient(Graph):
    """The graph between the twin classes of a graph, with rows that are computed on first use.

    They take as much memory as those of the graph where few nodes are twins, and many calls do without them.
    """

    # Arrays, not the graph itself: it keeps its quotient alive, and would wait for the garbage collector.
    __slots__ = ("_num_classes", "_of_graph", "_threads")

    _of_graph: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int32]]
    _num_classes: int
    _threads: int

    @classmethod
    def of(
        cls,
        indptr: npt.NDArray[np.int64],
        indices: npt.NDArray[np.int32],
        classes: npt.NDArray[np.int32],
        num_classes: int,
        threads: int,
    ) -> InducedQuotient:
        """Make the quotient of a graph from its rows and the twin classes of its nodes."""
        quotient = cls._make(None, None, None)
        assert isinstance(quotient, InducedQuotient)
        quotient._keep("_of_graph", (indptr, indices, classes))
        quotient._keep("_num_classes", num_classes)
        quotient._keep("_threads", threads)
        return quotient

    @property
    def is_stored(self) -> bool:
        """Whether the rows are computed."""
        return self._csr is not None

    @property
    def num_nodes(self) -> int:
        """Number of classes."""
        return self._num_classes

    @property
    def num_edges(self) -> int:
        """Number of edges, each counted once."""
        return len(self._expanded()[1]) // 2

    @property
    def degrees(self) -> npt.NDArray[np.int64]:
        """The number of neighbours of each class."""
        return np.diff(self._expanded()[0])

    def neighbours(self, node: int) -> npt.NDArray[np.int32]:
        """List the neighbours of a class, ascending."""
        self.expand()
        return super().neighbours(node)

    def expand(self, *, budget: Budget = DEFAULT_BUDGET) -> Graph:  # noqa: ARG002 (no larger than the graph)
        """Compute the rows; return the graph."""
        if self._csr is None:
            rows = _core.quotient_of(*self._of_graph, self._num_classes, self._threads)
            self._keep("_csr", Graph._from_csr_trusted(*rows)._csr)
        return self


def pools_by_nodes(twins: Twins) -> bool:
    """Tell whether a graph is pooled node by node, without a quotient: where it has few twins.

    A quotient that is there already is used. Classes of many nodes make searches and lists of pools shorter.
    """
    if not isinstance(twins.quotient, InducedQuotient) or twins.quotient.is_stored:
        return False
    num_twins = len(twins.classes) - len(twins.sizes)
    return num_twins <= _MOST_TWINS * len(twins.classes) and int(twins.sizes.max()) <= _LARGEST_CLASS
