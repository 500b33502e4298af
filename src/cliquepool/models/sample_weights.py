"""Weights of samples and of classes: checked, multiplied, and as JSON can write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool.errors import GraphError

if TYPE_CHECKING:
    import numpy.typing as npt

    Weights = npt.NDArray[np.float64]

__all__ = ["checked_weights", "class_weight_from_json", "class_weight_to_json", "product"]


def checked_weights(name: str, weights: npt.ArrayLike | None, count: int) -> Weights | None:
    """Return one weight for each of `count` graphs, or None; a single number is the weight of all."""
    if weights is None:
        return None
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise GraphError(f"{name}: expected numbers, got {weights!r:.60}") from None
    if array.ndim == 0:
        array = np.full(count, float(array))
    if array.shape != (count,):
        raise GraphError(f"{name}: expected one for each of {count} graphs, got shape {array.shape}")
    if not np.isfinite(array).all() or (array < 0).any():
        raise GraphError(f"{name}: expected finite numbers of at least 0, got others")
    if not array.any():
        raise GraphError(f"{name}: expected some above 0, got all zero")
    return array


def product(one: Weights | None, other: Weights | None) -> Weights | None:
    """Multiply weights; None means that all are equal."""
    if one is None or other is None:
        return other if one is None else one
    return one * other


def class_weight_to_json(weight: Any) -> Any:
    """Return a `class_weight` as JSON can write it: dicts as lists of pairs, since classes may be numbers.

    >>> class_weight_to_json({1: 0.5, 2: 3.0})
    [[[1, 0.5], [2, 3.0]]]
    """
    if weight is None or isinstance(weight, str):
        return weight
    several = [weight] if hasattr(weight, "items") else weight
    return [list(map(list, one.items())) for one in several]


def class_weight_from_json(written: Any) -> Any:
    """Return the `class_weight` that `class_weight_to_json` wrote.

    >>> class_weight_from_json([[[1, 0.5], [2, 3.0]]])
    {1: 0.5, 2: 3.0}
    """
    if not isinstance(written, list):
        return written
    dicts = [dict(one) for one in written]
    return dicts[0] if len(dicts) == 1 else dicts
