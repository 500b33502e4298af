"""Codes of classes and labels: distinct values, ascending, and the index of each value among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool.errors import GraphError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["codes_of", "target_codes_of"]


def codes_of(values: Any, what: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return the code of each value, and the distinct values in ascending order.

    >>> codes_of(["C", "O", "C"], "node_labels")
    (array([0, 1, 0], dtype=int32), array(['C', 'O'], dtype='<U1'))
    """
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int32), np.zeros(0, dtype=np.int64)
    if array.dtype.kind == "O":
        array = np.array([str(value) if isinstance(value, str) else value for value in array.tolist()])
    if array.dtype.kind not in "iubU":
        raise GraphError(
            f"{what}: expected integers or text, got {array.dtype} (first {array.flat[0]!r:.60})"
        )
    distinct, codes = np.unique(array, return_inverse=True)
    return codes.astype(np.int32), distinct.astype(np.int64) if array.dtype.kind in "iub" else distinct


def target_codes_of(targets: Any, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the codes of the classes of `count` graphs, and the classes; all −1 where `targets` is None."""
    if targets is None:
        return np.full(count, -1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    codes, classes = codes_of(targets, "targets")
    if codes.shape != (count,):
        raise GraphError(f"targets: expected {count} of them, one for each graph, got shape {codes.shape}")
    return codes.astype(np.int64), classes
