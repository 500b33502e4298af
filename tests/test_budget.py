"""Budgets: what a limit may be. `test_blow_ups.py` tests that calls keep to them."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import cliquepool as cp

LIMITS = ("max_cliques", "max_seconds", "max_bytes")


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("value", [-1, -0.5, math.nan, "10", True, [1], object()])
def test_a_limit_is_a_number_of_at_least_zero_or_none(limit: str, value: Any) -> None:
    with pytest.raises(
        cp.InputError, match=rf"Budget\({limit}=...\): expected a number of at least 0 or None"
    ):
        cp.Budget(**{limit: value})


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("value", [None, 0, 10**30, 1.5, math.inf])
def test_other_limits_are_unchanged(limit: str, value: Any) -> None:
    if limit != "max_seconds" and value == math.inf:
        value = 1e30
    budget = cp.Budget(**{limit: value})
    for name in LIMITS:
        assert getattr(budget, name) == (value if name == limit else getattr(cp.Budget(), name))


def test_limits_reach_the_core_as_numbers_that_fit() -> None:
    unlimited = cp.Budget(max_cliques=None, max_seconds=None, max_bytes=None)
    assert unlimited._limits() == (2**63 - 1, math.inf, 2**63 - 1)
    assert cp.Budget(max_cliques=10**30, max_seconds=3, max_bytes=7)._limits() == (2**63 - 1, 3.0, 7)


def test_a_budget_of_nothing_stops_every_call() -> None:
    triangle = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    for call in (cp.clique_pool, cp.maximal_cliques, cp.clique_hierarchy):
        with pytest.raises(cp.BudgetExceeded, match="max_cliques reached"):
            call(triangle, budget=cp.Budget(max_cliques=0))


def test_a_budget_is_a_value() -> None:
    assert cp.Budget() == cp.Budget(max_cliques=100_000_000)
    assert hash(cp.Budget()) == hash(cp.Budget())
    with pytest.raises(FrozenInstanceError):
        cp.Budget().max_bytes = 1  # type: ignore[misc]
