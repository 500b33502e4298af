"""Twin classes: groups of nodes that have the same closed neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cliquepool._input import integers
from cliquepool._words import counted
from cliquepool.convert import checked_rows
from cliquepool.errors import GraphError
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from cliquepool.graph import Graph

__all__ = [
    "ImpliedFactors",
    "TwinFactors",
    "Twins",
    "checked_factors",
    "checked_implied_factors",
    "same_arrays",
]


@dataclass(frozen=True, slots=True, eq=False)
class Twins:
    """The twin classes of a graph: groups of nodes that have the same closed neighbourhood.

    With C the node-to-class 0/1 matrix and Q the quotient's adjacency matrix with a unit diagonal,
    ``A + I = C Q Cᵀ`` exactly: classes and quotient describe the graph without loss.

    Attributes
    ----------
    classes : ndarray of int32
        The class of each node. Classes are numbered by their smallest node.
    sizes : ndarray of int32
        The number of nodes in each class.
    quotient : Graph
        The graph between classes: one node for each class, joined where the nodes of two classes are.
    """

    classes: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int32]
    quotient: Graph

    def __repr__(self) -> str:
        return f"Twins({counted(len(self.classes), 'node')} in {counted(len(self.sizes), 'class')})"

    @property
    def class_degrees(self) -> npt.NDArray[np.int64]:
        """The number of neighbours of a node of each class."""
        sizes = self.sizes.astype(np.int64)
        return Ragged(*self.quotient._expanded()).sum_over(sizes) + sizes - 1

    # What a Graph that is stored by its classes computes without expanding itself.

    def _count_edges(self) -> int:
        """Count the edges of the graph."""
        return int(np.dot(self.sizes.astype(np.int64), self.class_degrees) // 2)

    def _neighbours(self, node: int) -> npt.NDArray[np.int32]:
        """List the neighbours of a node, ascending."""
        joined = np.zeros(len(self.sizes), dtype=np.bool_)
        joined[self.classes[node]] = True
        joined[self.quotient.neighbours(int(self.classes[node]))] = True
        nodes = np.flatnonzero(joined[self.classes]).astype(np.int32)
        others: npt.NDArray[np.int32] = nodes[nodes != node]
        return others

    def _factors(self) -> TwinFactors:
        return TwinFactors(self.classes, self.sizes, *self.quotient._expanded())

    def _coarsest_factors(self) -> TwinFactors:
        """Return the factors by classes that each hold all their twins: equal for equal graphs."""
        merged = self.quotient.twins
        classes = merged.classes[self.classes]
        return TwinFactors(classes, np.bincount(classes).astype(np.int32), *merged.quotient._expanded())


class TwinFactors(NamedTuple):
    """The arrays of a graph's twin classes, as the core reads and returns them and as files store them."""

    classes: npt.NDArray[np.int32]  # of each node
    sizes: npt.NDArray[np.int32]  # nodes in each class
    indptr: npt.NDArray[np.int64]  # compressed rows of the quotient
    indices: npt.NDArray[np.int32]

    @property
    def num_nodes(self) -> int:
        """The number of nodes of the graph."""
        return len(self.classes)

    @property
    def num_classes(self) -> int:
        """The number of twin classes, which are the nodes of the quotient."""
        return len(self.sizes)

    def equals(self, other: TwinFactors) -> bool:
        """Tell whether all four arrays are equal."""
        return same_arrays(self, other)


def checked_factors(classes: Any, sizes: Any, indptr: Any, indices: Any) -> TwinFactors:
    """Return untrusted arrays as TwinFactors; raise GraphError where they do not describe a graph."""
    rows = checked_rows(indptr, indices)[:2]
    return TwinFactors(*checked_classes(classes, sizes, len(rows[0]) - 1), *rows)


def checked_classes(
    classes: Any, sizes: Any, num_classes: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return untrusted classes of nodes and their sizes; raise GraphError where they disagree."""
    classes, sizes = (integers(array, "twins").astype(np.int32) for array in (classes, sizes))
    found, first, counts = np.unique(classes, return_index=True, return_counts=True)
    valid = (
        classes.ndim == sizes.ndim == 1
        and np.array_equal(found, np.arange(num_classes))
        and bool(np.all(np.diff(first) > 0))
        and np.array_equal(counts, sizes)
    )
    if not valid:
        raise GraphError(
            "twins: expected the classes of nodes, their sizes and quotient, got arrays that disagree"
        )
    return classes, sizes


class ImpliedFactors(NamedTuple):
    """The arrays of the twin classes of a graph whose quotient is not stored."""

    classes: npt.NDArray[np.int32]  # of each node
    sizes: npt.NDArray[np.int32]  # nodes in each class
    closed_weights: npt.NDArray[np.int64]  # nodes in each class and its neighbours

    @property
    def num_nodes(self) -> int:
        """The number of nodes of the graph."""
        return len(self.classes)

    @property
    def num_classes(self) -> int:
        """The number of twin classes."""
        return len(self.sizes)


def checked_implied_factors(classes: Any, sizes: Any, closed_weights: Any) -> ImpliedFactors:
    """Return untrusted arrays as ImpliedFactors; raise GraphError where they disagree."""
    classes, sizes = checked_classes(classes, sizes, len(closed_weights))
    weights = integers(closed_weights, "twins").astype(np.int64)
    if np.any(weights < sizes) or np.any(weights > len(classes)):
        raise GraphError("twins: expected the nodes of each class and its neighbours, got impossible numbers")
    return ImpliedFactors(classes, sizes, weights)


def same_arrays(arrays: Iterable[Any], others: Iterable[Any]) -> bool:
    """Tell whether each array is equal to the one at the same position of `others`."""
    return all(map(np.array_equal, arrays, others))
