"""Comparison of hierarchies, byte for byte: pools, twin classes and quotients of every level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import cliquepool as cp

__all__ = ["expect_same_levels", "expect_same_pools"]


def expect_same_pools(found: cp.Pooling, expected: cp.Pooling) -> None:
    """Fail unless both have the same pools, as lists of twin classes."""
    for field in ("offsets", "members"):
        ours, theirs = getattr(found._by_class, field), getattr(expected._by_class, field)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


def expect_same_levels(found: cp.Hierarchy, expected: cp.Hierarchy) -> None:
    """Fail unless both hierarchies have the same pools and the same graphs."""
    assert found.sizes == expected.sizes
    assert found.graph(0)._factors().equals(expected.graph(0)._factors())
    for ours, theirs in zip(found, expected, strict=True):
        expect_same_pools(ours, theirs)
        assert ours.coarse._factors().equals(theirs.coarse._factors())
