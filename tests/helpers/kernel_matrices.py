"""The kernel matrix of a classifier by a kernel, before it is normalised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from cliquepool.data import GraphDataset

__all__ = ["kernel_matrix"]


def kernel_matrix(model: Any, dataset: GraphDataset) -> np.ndarray:
    matrix: np.ndarray = sum(model.kernel.matrix(step, step) for step in model.prepare(dataset).steps)
    return matrix
