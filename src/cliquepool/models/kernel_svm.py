"""Support vector machines over kernel matrices: fitted, chosen by cross-validation, and as plain arrays."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

__all__ = ["MAX_STEPS", "Candidate", "Choice", "SupportVectors", "choose", "fold_numbers", "probabilities"]

MAX_STEPS: Final = 1_000_000  # of the solver; few-dimensional kernels with a large C need tens of millions
_SCALES: Final = (1e-3, 1e3)


@dataclass(frozen=True, eq=False)
class SupportVectors:
    """A fitted machine: one decision for each pair of classes.

    Attributes
    ----------
    rows : ndarray of int64
        The rows of the kernel matrix that are support vectors.
    coefficients : ndarray of float64
        A row for each of these and a column for each pair of classes, (0, 1), (0, 2), …
    intercepts : ndarray of float64
        One for each pair.
    """

    rows: Ints
    coefficients: Floats
    intercepts: Floats

    @classmethod
    def fit(cls, kernel: Floats, classes: Ints, C: float, weights: Floats | None) -> SupportVectors:
        """Fit to a kernel matrix and the number of each sample's class; some classes may have no samples."""
        present, codes = np.unique(classes, return_inverse=True)
        machine = SVC(C=C, kernel="precomputed", max_iter=MAX_STEPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the last step is a usable machine
            machine.fit(kernel, codes, weights)
        rows = machine.support_.astype(np.int64)
        if len(present) == 2:
            # Positive for the second class, where decisions of pairs are positive for the first.
            return cls(rows, -machine.dual_coef_.T, -machine.intercept_)
        of_class = codes[rows]
        pairs = list(combinations(range(len(present)), 2))
        coefficients = np.zeros((len(rows), len(pairs)))
        for column, (first, second) in enumerate(pairs):
            for own, other in ((first, second - 1), (second, first)):
                mine = of_class == own
                coefficients[mine, column] = machine.dual_coef_[other, mine]
        return cls(rows, coefficients, machine.intercept_)

    def scores(self, kernel: Floats) -> Floats:
        """Return a score for each class (columns) of samples with these rows of the kernel matrix.

        The columns of `kernel` are those of the support vectors. Of two classes the scores are plus and minus
        half the decision. Of more, they are the number of pairs that a class wins, and among equal numbers
        larger for larger decisions.
        """
        decisions = kernel @ self.coefficients + self.intercepts
        num_classes = round((1 + np.sqrt(1 + 8 * decisions.shape[1])) / 2)
        if num_classes == 2:
            return decisions * [0.5, -0.5]
        sides = np.zeros((decisions.shape[1], num_classes))
        for pair, (first, second) in enumerate(combinations(range(num_classes), 2)):
            sides[pair, [first, second]] = 1, -1
        wins = (decisions >= 0) @ (sides > 0).astype(float) + (decisions < 0) @ (sides < 0).astype(float)
        margins = decisions @ sides
        scores: Floats = wins + margins / (3 * (np.abs(margins) + 1))
        return scores


@dataclass(frozen=True)
class Candidate:
    """A kernel, by its depth, and a C, with the accuracy on held-out samples."""

    depth: int
    C: float
    accuracy: float

    @property
    def rank(self) -> tuple[float, float]:
        """The larger, the better: of equally accurate ones, a C near 1."""
        return self.accuracy, -abs(float(np.log10(self.C)))


@dataclass(frozen=True, eq=False)
class Choice:
    """All candidates, the best of them, its kernel matrix, and the scale of scores for probabilities."""

    candidates: tuple[Candidate, ...]
    best: Candidate
    kernel: Floats
    scale: float


def choose(
    kernels: Iterable[tuple[int, Floats]],
    Cs: Sequence[float],
    classes: Ints,
    folds: Ints,
    weights: Floats | None,
) -> Choice:
    """Choose a kernel and a C by cross-validation; `folds` has the number of each sample's fold.

    Of equally accurate ones it is that of C nearest to 1, then that of the first kernel.
    """
    candidates: list[Candidate] = []
    kept: tuple[Candidate, Floats, Floats] | None = None
    for depth, kernel in kernels:
        for C, scores in zip(Cs, _held_out_scores(kernel, Cs, classes, folds, weights), strict=True):
            accuracy = float(np.average(scores.argmax(axis=1) == classes, weights=weights))
            candidates.append(Candidate(depth, C, accuracy))
            if kept is None or candidates[-1].rank > kept[0].rank:
                kept = candidates[-1], kernel, scores
    assert kept is not None
    best, kernel, scores = kept
    return Choice(tuple(candidates), best, kernel, _scale(scores, classes, weights))


def fold_numbers(classes: Ints, num_folds: int, seed: int) -> Ints:
    """Deal the samples of each class, shuffled, to the folds in turn; return the fold of each sample."""
    random = np.random.default_rng(seed).random(len(classes))
    numbers = np.empty(len(classes), dtype=np.int64)
    numbers[np.lexsort((random, classes))] = np.arange(len(classes)) % num_folds
    return numbers


def probabilities(scores: Floats, scale: float) -> Floats:
    """Return the probability of each class: the softmax of the scaled scores."""
    found: Floats = softmax(scale * scores, axis=1)
    return found


def _held_out_scores(
    kernel: Floats, Cs: Sequence[float], classes: Ints, folds: Ints, weights: Floats | None
) -> list[Floats]:
    """Return for each C the scores of all samples, each by a machine that was fitted to the other folds."""
    num_classes = int(classes.max()) + 1
    found = [np.zeros((len(classes), num_classes)) for _ in Cs]
    for fold in np.unique(folds).tolist():
        train, held_out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        present = np.unique(classes[train])
        if len(present) < 2:  # nothing to learn: only a class that is there can be predicted
            for scores in found:
                scores[np.ix_(held_out, present)] = 1
            continue
        inside, across = kernel[np.ix_(train, train)], kernel[np.ix_(held_out, train)]
        of_train = None if weights is None else weights[train]
        for C, scores in zip(Cs, found, strict=True):
            machine = SupportVectors.fit(inside, classes[train], C, of_train)
            of_present = machine.scores(across[:, machine.rows])
            scores[held_out] = of_present.min() - 1  # of classes that the other folds do not have
            scores[np.ix_(held_out, present)] = of_present
    return found


def _scale(scores: Floats, classes: Ints, weights: Floats | None) -> float:
    """Return the scale of the scores whose softmax makes the classes most likely."""

    def loss(log_scale: float) -> float:
        likelihood = log_softmax(np.exp(log_scale) * scores, axis=1)[np.arange(len(classes)), classes]
        return -float(np.average(likelihood, weights=weights))

    return float(np.exp(minimize_scalar(loss, bounds=tuple(np.log(_SCALES)), method="bounded").x))
