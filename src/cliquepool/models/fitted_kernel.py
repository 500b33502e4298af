"""What a classifier by a graph kernel has learned: support graphs, their weights, and what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cliquepool.models.kernel_features.counts import GraphCounts
    from cliquepool.models.kernel_features.keys import LabelKind

    Floats = npt.NDArray[np.float64]

__all__ = ["FittedKernel"]


@dataclass(frozen=True, eq=False)
class FittedKernel:
    """A fitted classifier: the support vectors as graphs, their weights, and what was chosen.

    Attributes
    ----------
    classes : ndarray
        The classes, ascending.
    kind : str
        The kind of node labels of the graphs fitted on.
    steps : tuple of GraphCounts
        The counts of the support graphs, up to the chosen iteration.
    norms : ndarray of float64
        The length of each support graph's vector in the space of the kernel, 1 where that is 0.
    coefficients, intercepts : ndarray of float64
        See `SupportVectors`.
    C, depth : float, int
        What was chosen; the depth is the number of iterations, 0 for kernels without.
    scale : float
        The factor of scores in probabilities.
    """

    classes: npt.NDArray[Any]
    kind: LabelKind
    steps: tuple[GraphCounts, ...]
    norms: Floats
    coefficients: Floats
    intercepts: Floats
    C: float
    depth: int
    scale: float
