"""Nodes that have the same closed neighbourhood, kept together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cliquepool._words import counted
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.graph import Graph

__all__ = ["Twins"]


@dataclass(frozen=True, slots=True, eq=False)
class Twins:
    """The twin classes of a graph: nodes with the same closed neighbourhood, kept together.

    With C the node-to-class 0/1 matrix and Q the quotient's adjacency matrix with a unit diagonal,
    ``A + I = C Q Cᵀ`` exactly: the graph is its classes, and nothing is lost.

    Attributes
    ----------
    classes : ndarray of int32
        The class of each node. Classes are numbered by their smallest node.
    sizes : ndarray of int32
        The number of nodes in each class.
    quotient : Graph
        The graph between classes: one node for each, joined where their nodes are.
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
