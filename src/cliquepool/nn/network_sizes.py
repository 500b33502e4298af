"""The sizes that networks over graphs are built for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NetworkSizes"]


@dataclass(frozen=True, slots=True)
class NetworkSizes:
    """The sizes that a network over graphs is built for, beyond its settings.

    Attributes
    ----------
    num_features : int
        The number of input features of a node.
    num_outputs : int
        The number of outputs for a graph: classes, labels or numbers.
    measured : mapping of str to int
        Sizes that a model measured on its training graphs, by names of its own, such as how many nodes
        SortPool keeps.
    """

    num_features: int
    num_outputs: int
    measured: Mapping[str, int] = field(default_factory=dict)
