"""Support vector machines as plain arrays, and the choice of C, against scikit-learn's own."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from cliquepool.models.kernel_svm import SupportVectors, choose, fold_numbers, probabilities


def blobs(num_classes: int, seed: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return the linear kernel of points around as many centres, and their classes."""
    random = np.random.default_rng(seed)
    classes = np.repeat(np.arange(num_classes), 15)
    points = (
        random.normal(size=(num_classes, 4))[classes] * 2 + random.normal(size=(len(classes), 4)) * spread
    )
    return points @ points.T, classes


@pytest.mark.parametrize("num_classes", [2, 3, 5])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_scores_are_those_of_scikit_learn(num_classes: int, C: float) -> None:
    kernel, classes = blobs(num_classes, seed=0)
    weights = np.random.default_rng(1).uniform(0.5, 2, size=len(classes))
    expected = SVC(C=C, kernel="precomputed", break_ties=num_classes > 2).fit(kernel, classes, weights)
    machine = SupportVectors.fit(kernel, classes, C, weights)
    scores = machine.scores(kernel[:, machine.rows])
    decision = scores[:, 1] - scores[:, 0] if num_classes == 2 else scores
    np.testing.assert_allclose(decision, expected.decision_function(kernel), atol=1e-9)
    assert scores.argmax(axis=1).tolist() == expected.predict(kernel).tolist()


def test_folds_have_equal_shares_of_each_class() -> None:
    classes = np.repeat([0, 1, 2], [40, 20, 3])
    folds = fold_numbers(classes, 5, seed=0)
    shares = np.array([np.bincount(classes[folds == fold], minlength=3) for fold in range(5)])
    assert shares[:, 0].tolist() == [8] * 5
    assert shares[:, 1].tolist() == [4] * 5
    assert shares[:, 2].max() == 1
    assert (
        folds.tolist()
        == fold_numbers(classes, 5, seed=0).tolist()
        != fold_numbers(classes, 5, seed=1).tolist()
    )


def test_the_kernel_and_c_of_the_highest_accuracy_are_chosen() -> None:
    good, classes = blobs(3, seed=2, spread=0.5)
    noise = np.random.default_rng(3).normal(size=(len(classes), 60))
    choice = choose(
        [(1, noise @ noise.T), (4, good)], [1e-9, 1.0], classes, fold_numbers(classes, 3, 0), None
    )
    assert (choice.best.depth, choice.best.C) == (4, 1.0)
    assert choice.best.accuracy == max(candidate.accuracy for candidate in choice.candidates)
    assert [(one.depth, one.C) for one in choice.candidates] == [(1, 1e-9), (1, 1.0), (4, 1e-9), (4, 1.0)]
    assert choice.kernel is good


def test_of_equally_accurate_ones_c_nearest_to_1_is_chosen_then_the_first_kernel() -> None:
    classes = np.repeat([0, 1], 10)
    kernel = np.equal.outer(classes, classes).astype(float)
    choice = choose([(0, kernel), (1, kernel)], [0.1, 1.0, 100.0], classes, fold_numbers(classes, 5, 0), None)
    assert {candidate.accuracy for candidate in choice.candidates} == {1.0}
    assert (choice.best.depth, choice.best.C) == (0, 1.0)


def test_held_out_samples_do_not_enter_their_machine() -> None:
    # Each sample is like itself alone: it can be predicted only by a machine that has seen it.
    classes = np.tile([0, 1], 20)
    choice = choose([(0, np.eye(40))], [1.0], classes, fold_numbers(classes, 4, 0), None)
    assert choice.best.accuracy < 0.8


def test_a_class_of_one_sample_and_folds_of_one_class_are_survived() -> None:
    kernel = np.eye(4)
    for classes in (np.array([0, 1, 1, 1]), np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1])):
        choice = choose([(0, kernel)], [0.1, 1.0], classes, fold_numbers(classes, 4, 0), None)
        assert 0 <= choice.best.accuracy <= 1
        assert np.isfinite(choice.scale)


def test_weights_count_in_the_accuracy() -> None:
    kernel, classes = blobs(2, seed=4, spread=3.0)
    folds = fold_numbers(classes, 3, 0)
    plain = choose([(0, kernel)], [1.0], classes, folds, None).best.accuracy
    same = choose([(0, kernel)], [1.0], classes, folds, np.ones(len(classes))).best.accuracy
    assert plain == pytest.approx(same)


def test_probabilities_are_sharper_where_held_out_samples_are_predicted_better() -> None:
    scales = []
    for spread in (0.3, 3.0):
        kernel, classes = blobs(2, seed=5, spread=spread)
        scales.append(choose([(0, kernel)], [0.01], classes, fold_numbers(classes, 5, 0), None).scale)
    assert scales[0] > scales[1]
    found = probabilities(np.array([[0.5, -0.5], [0.0, 0.0]]), 2.0)
    np.testing.assert_allclose(found, [[1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))], [0.5, 0.5]])
