"""The entries of SciPy's sparse matrices of every format; their index arrays are checked before use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._input import node_count
from cliquepool._words import counted
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

__all__ = ["nonzero_entries"]


def nonzero_entries(matrix: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
    """Return the row and column indices of the nonzero entries, in either order, and the number of rows.

    Raises GraphError on a matrix that is not square, not of numbers, or whose index arrays are damaged.
    """
    if not hasattr(matrix, "tocsr"):
        raise GraphError(f"expected a scipy sparse matrix, got {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"expected a square matrix, got shape {matrix.shape}")
    num_nodes = node_count(matrix.shape[0])
    form = getattr(matrix, "format", "")
    try:
        # SciPy does not check the indices of a matrix that it converts or sorts: wrong ones may crash it.
        _CHECKS.get(form, _check_nothing)(matrix)
        # The adjacency matrix of an undirected graph is symmetric, so that csc needs no conversion.
        rows = matrix if form in {"csr", "csc"} else matrix.tocsr()
        _check_compressed(rows)
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
    except GraphError:
        raise
    except (ValueError, IndexError, TypeError, OverflowError, AttributeError) as error:
        raise GraphError(f"expected a whole sparse matrix, got {type(matrix).__name__} ({error})") from None
    count = int(rows.indptr[-1])
    values = rows.data[:count]
    if values.dtype.kind not in "biufc":
        raise GraphError(f"expected a matrix of numbers, got {values.dtype}")
    if np.isnan(values).any():
        raise GraphError("expected a matrix of numbers, got NaN among its entries")
    nonzero = values != 0
    sources = np.repeat(np.arange(num_nodes, dtype=np.int64), np.diff(rows.indptr))[nonzero]
    targets = rows.indices[:count].astype(np.int64, copy=False)[nonzero]
    return sources, targets, num_nodes


def _check_nothing(matrix: Any) -> None:
    """Accept a format without index arrays."""


def _check_compressed(matrix: Any, block: tuple[int, ...] | None = None) -> None:
    """Raise GraphError unless the arrays of a csr, csc or bsr matrix fit together and lie within it."""
    major, minor = (size // side for size, side in zip(matrix.shape, block or (1, 1), strict=True))
    indptr, indices = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    for name, array in (("indptr", indptr), ("indices", indices)):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise GraphError(
                f"{name} of the matrix: expected a list of integers, got {array.dtype} of shape {array.shape}"
            )
    dimensions = 3 if block is not None else 1
    if np.ndim(matrix.data) != dimensions or not isinstance(matrix.data, np.ndarray):
        raise GraphError(
            f"data of the matrix: expected an array of {counted(dimensions, 'dimension')}, "
            f"got {type(matrix.data).__name__} of shape {np.shape(matrix.data)}"
        )
    if len(indptr) != major + 1:
        raise GraphError(f"indptr of the matrix: expected {major + 1} offsets, got {len(indptr)}")
    if indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):
        raise GraphError("indptr of the matrix: expected offsets from 0 that never fall, got others")
    if int(indptr[-1]) > min(len(indices), len(matrix.data)):
        raise GraphError(
            f"indptr of the matrix: expected offsets up to its number of entries, {len(indices)} indices and "
            f"{len(matrix.data)} values, got {indptr[-1]}"
        )
    _check_range("indices", indices[: int(indptr[-1])], minor)


def _check_blocks(matrix: Any) -> None:
    data = np.asarray(matrix.data)
    fits = data.ndim == 3 and all(data.shape[1:]) and matrix.shape[0] % data.shape[1] == 0
    if not fits or matrix.shape[1] % data.shape[2]:
        raise GraphError(f"data of the matrix: expected blocks that fill it, got shape {data.shape}")
    _check_compressed(matrix, data.shape[1:])


def _check_coordinates(matrix: Any) -> None:
    row, column = np.asarray(matrix.row), np.asarray(matrix.col)
    if not row.shape == column.shape == np.shape(matrix.data) or row.ndim != 1:
        raise GraphError(
            f"expected as many rows as columns and values in the matrix, got shapes {row.shape}, "
            f"{column.shape} and {np.shape(matrix.data)}"
        )
    _check_range("row", row, matrix.shape[0])
    _check_range("col", column, matrix.shape[1])


def _check_lists(matrix: Any) -> None:
    """Check the lists of a lil matrix: as many values as columns in each row."""
    rows, values = matrix.rows, matrix.data
    if len(rows) != matrix.shape[0] or len(values) != len(rows):
        raise GraphError(f"expected {matrix.shape[0]} rows of the matrix, got {len(rows)} and {len(values)}")
    for row, (columns, entries) in enumerate(zip(rows, values, strict=True)):
        if len(columns) != len(entries):
            raise GraphError(
                f"row {row} of the matrix: expected as many values as columns, "
                f"got {len(entries)} and {len(columns)}"
            )


def _check_diagonals(matrix: Any) -> None:
    if np.ndim(matrix.data) != 2 or np.shape(matrix.offsets) != (len(matrix.data),):
        raise GraphError(
            "expected a row of the data of the matrix for each of its offsets, "
            f"got shapes {np.shape(matrix.data)} and {np.shape(matrix.offsets)}"
        )


def _check_range(name: str, indices: npt.NDArray[Any], size: int) -> None:
    if indices.dtype.kind not in "iu":
        raise GraphError(f"{name} of the matrix: expected integers, got {indices.dtype}")
    if indices.size and (int(indices.min()) < 0 or int(indices.max()) >= size):
        raise GraphError(
            f"{name} of the matrix: expected indices from 0 to {size - 1}, "
            f"got {indices.min()} to {indices.max()}"
        )


_CHECKS: Final[dict[str, Callable[[Any], None]]] = {
    "csr": _check_compressed,
    "csc": _check_compressed,
    "bsr": _check_blocks,
    "coo": _check_coordinates,
    "lil": _check_lists,
    "dia": _check_diagonals,
}
