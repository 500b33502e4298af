from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cliquepool.explain.scores import ScoreScale, log_odds
from cliquepool.models.targets import ClassTarget, LabelsTarget, NumbersTarget

ROWS = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.floats(-20, 20), min_size=width, max_size=width), min_size=1, max_size=4
    )
)


@settings(max_examples=30)
@given(ROWS, st.floats(-50, 50))
def test_log_odds_are_those_of_the_softmax_and_ignore_a_shift(rows: list[list[float]], shift: float) -> None:
    outputs = torch.tensor(rows, dtype=torch.float64)
    odds = log_odds(outputs)
    assert torch.allclose(odds.sigmoid(), outputs.softmax(1), atol=1e-12)
    assert torch.allclose(log_odds(outputs + shift), odds, atol=1e-9)


def test_scores_of_classes_labels_and_numbers() -> None:
    outputs = torch.tensor([[1.0, 3.0]])
    classes = ScoreScale.of(ClassTarget(np.array(["a", "b"])))
    labels = ScoreScale.of(LabelsTarget(2))
    numbers = ScoreScale.of(NumbersTarget(np.array([1.0, 2.0]), np.array([10.0, 1.0]), flat=False))
    assert (classes.names, classes.scores(outputs).tolist()) == (("a", "b"), [[-2.0, 2.0]])
    assert (labels.names, labels.scores(outputs).tolist()) == (("0", "1"), [[1.0, 3.0]])
    assert (numbers.names, numbers.scores(outputs).tolist()) == (("y[0]", "y[1]"), [[11.0, 5.0]])
    assert classes.probabilities(np.array([0.0])).tolist() == [0.5]
    assert np.isnan(numbers.probabilities(np.array([0.0]))).all()
    assert (classes.unit, numbers.unit) == ("log-odds", "unit of y")


@pytest.mark.parametrize("flat", [True, False])
def test_a_single_number_is_called_y(flat: bool) -> None:
    scale = ScoreScale.of(NumbersTarget(np.zeros(1), np.ones(1), flat=flat))
    assert scale.names == (("y",) if flat else ("y[0]",))
