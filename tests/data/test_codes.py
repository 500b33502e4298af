"""Codes of classes and labels are indices into their distinct values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data.codes import codes_of, target_codes_of


@given(st.one_of(st.lists(st.integers(-5, 5)), st.lists(st.sampled_from(["C", "N", "Ω", ""]))))
def test_codes_lead_back_to_the_values(values: list[int] | list[str]) -> None:
    codes, distinct = codes_of(values, "labels")
    assert codes.dtype == np.int32
    assert distinct[codes].tolist() == values
    assert distinct.tolist() == sorted(set(values))


def test_integers_bools_and_objects_of_text_have_codes() -> None:
    assert codes_of(np.array([True, False]), "labels")[1].dtype == np.int64
    assert codes_of(np.array(["b", "a"], dtype=object), "labels")[1].tolist() == ["a", "b"]
    assert codes_of(np.array([3, 1], dtype=np.uint8), "labels")[1].dtype == np.int64


def test_other_values_are_refused() -> None:
    with pytest.raises(cp.GraphError, match=r"labels: expected integers or text, got float64 \(first .*0.5"):
        codes_of([0.5, 1.0], "labels")


def test_targets_are_one_for_each_graph_or_unknown() -> None:
    codes, classes = target_codes_of(None, 3)
    assert codes.tolist() == [-1, -1, -1]
    assert len(classes) == 0
    codes, classes = target_codes_of(["x", "y", "x"], 3)
    assert (codes.dtype, codes.tolist(), classes.tolist()) == (np.int64, [0, 1, 0], ["x", "y"])
    with pytest.raises(cp.GraphError, match="targets: expected 3 of them, one for each graph"):
        target_codes_of([1, 2], 3)
