"""Weights: one for each graph, finite and not negative; classes come back from JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.models.sample_weights import (
    checked_weights,
    class_weight_from_json,
    class_weight_to_json,
    product,
)


def test_a_single_number_is_the_weight_of_all() -> None:
    weights = checked_weights("w", 2, 3)
    assert weights is not None
    assert weights.tolist() == [2.0, 2.0, 2.0]
    assert checked_weights("w", None, 3) is None


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["a", "b", "c"], "w: expected numbers, got"),
        ([1, 2], r"w: expected one for each of 3 graphs, got shape \(2,\)"),
        ([1, 2, -1], "w: expected finite numbers of at least 0"),
        ([1, 2, np.nan], "w: expected finite numbers of at least 0"),
        ([0, 0, 0], "w: expected some above 0, got all zero"),
    ],
    ids=["text", "few", "negative", "nan", "zero"],
)
def test_wrong_weights_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        checked_weights("w", weights, 3)


def test_no_weights_leave_the_others_as_they_are() -> None:
    two = np.array([1.0, 2.0])
    assert product(None, None) is None
    assert product(two, None) is product(None, two) is two
    both = product(two, two)
    assert both is not None
    assert both.tolist() == [1.0, 4.0]


@pytest.mark.parametrize(
    "weight", [None, "balanced", {1: 0.5, 2: 2.0}, {"a": 1.0}, [{0: 1.0, 1: 2.0}, {0: 1.0, 1: 3.0}]], ids=str
)
def test_class_weights_come_back_from_json(weight: Any) -> None:
    assert class_weight_from_json(json.loads(json.dumps(class_weight_to_json(weight)))) == weight
