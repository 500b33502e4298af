"""Tasks: losses and scores are those of scikit-learn, weighted or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from cliquepool.errors import InputError
from cliquepool.training.tasks import Classification, MultiLabel, Regression, Task


def drawn(seed: int, count: int = 7, width: int = 3) -> tuple[torch.Tensor, Any, Any]:
    """Outputs, a generator, and weights of mean 1."""
    random = np.random.default_rng(seed)
    weights = random.uniform(0.1, 5, count)
    return torch.tensor(random.normal(size=(count, width))), random, weights / weights.mean()


@given(st.integers(0, 50), st.booleans())
def test_classes_are_judged_as_scikit_learn_does(seed: int, weighted: bool) -> None:
    outputs, random, weights = drawn(seed)
    y = np.concatenate([np.arange(3), random.integers(3, size=4)])
    task = Classification(torch.from_numpy(y), 3)
    given_ = torch.from_numpy(weights) if weighted else None
    chosen = weights if weighted else None
    loss = metrics.log_loss(y, outputs.softmax(1).numpy(), sample_weight=chosen)
    assert float(task.loss(outputs, task.targets, given_)) == pytest.approx(loss, rel=1e-5)
    score = metrics.accuracy_score(y, outputs.argmax(1).numpy(), sample_weight=chosen)
    assert task.score(outputs, task.targets, given_) == pytest.approx(score)
    assert task.num_outputs == 3


@given(st.integers(0, 50), st.booleans())
def test_labels_are_judged_as_scikit_learn_does(seed: int, weighted: bool) -> None:
    outputs, random, weights = drawn(seed)
    y = random.integers(2, size=(7, 3))
    task = MultiLabel(torch.from_numpy(y).double())
    given_ = torch.from_numpy(weights) if weighted else None
    chosen = weights if weighted else None
    columns = [
        metrics.log_loss(y[:, i], outputs[:, i].sigmoid().numpy(), sample_weight=chosen, labels=[0, 1])
        for i in range(3)
    ]
    assert float(task.loss(outputs, task.targets, given_)) == pytest.approx(np.mean(columns), rel=1e-5)
    score = metrics.accuracy_score(y, (outputs > 0).numpy().astype(int), sample_weight=chosen)
    assert task.score(outputs, task.targets, given_) == pytest.approx(score)
    assert task.num_outputs == 3


@given(st.integers(0, 50), st.booleans(), st.sampled_from(["mse", "l1"]))
def test_numbers_are_judged_as_scikit_learn_does(seed: int, weighted: bool, loss: Any) -> None:
    outputs, random, weights = drawn(seed)
    y = random.normal(size=(7, 3))
    y[:, 2] = 1.5
    task = Regression(torch.from_numpy(y), loss)
    given_ = torch.from_numpy(weights) if weighted else None
    chosen = weights if weighted else None
    measure = {"mse": metrics.mean_squared_error, "l1": metrics.mean_absolute_error}[loss]
    expected = measure(y, outputs.numpy(), sample_weight=chosen)
    assert float(task.loss(outputs, task.targets, given_)) == pytest.approx(expected, rel=1e-5)
    score = metrics.r2_score(y[:, :2], outputs.numpy()[:, :2], sample_weight=chosen)
    # A constant target counts 0 unless it is met exactly.
    assert task.score(outputs, task.targets, given_) == pytest.approx(score * 2 / 3, rel=1e-6, abs=1e-9)
    assert task.score(task.targets, task.targets, given_) == 1.0
    assert task.num_outputs == 3


def test_hubers_loss_is_linear_in_large_errors() -> None:
    task = Regression(torch.zeros(2, 1), "huber")
    assert float(task.loss(torch.tensor([[0.5], [10.0]]), task.targets)) == pytest.approx((0.125 + 9.5) / 2)


def test_tasks_of_other_kinds_or_targets_have_other_identities() -> None:
    numbers = torch.tensor([[0.0], [1.0], [1.0]])
    tasks: list[Task] = [
        MultiLabel(numbers),
        Regression(numbers),
        Regression(numbers + 1),
        Regression(numbers.reshape(1, 3)),
        Classification(torch.tensor([0, 1, 1]), 2),
        Classification(torch.tensor([0, 1, 0]), 2),
    ]
    assert len({task.identity for task in tasks}) == len(tasks)
    assert Regression(numbers).identity == Regression(numbers.clone()).identity


def test_the_brier_score_is_the_squared_error_of_probabilities() -> None:
    outputs = torch.tensor([[0.0, 0.0], [np.log(3.0), 0.0]])
    task = Classification(torch.tensor([0, 1]), 2)
    # The probabilities are 1/2, 1/2 and 3/4, 1/4.
    assert task.brier(outputs, task.targets) == pytest.approx((0.5 + 2 * 0.75**2) / 2)
    assert task.brier(outputs, task.targets, torch.tensor([2.0, 0.0])) == pytest.approx(0.5)
    labels = MultiLabel(torch.tensor([[1.0, 0.0], [0.0, 0.0]]))
    assert labels.brier(outputs, labels.targets) == pytest.approx((0.5 + 0.75**2 + 0.25) / 2)
    numbers = Regression(torch.zeros(2, 1))
    with pytest.raises(InputError, match="epoch_by: expected score or loss, got brier"):
        numbers.brier(outputs, numbers.targets)
