"""Splits: stratified, disjoint, reproducible, and known by their hash."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.evaluate import EvaluationError
from cliquepool.evaluate.splits import Split, derived_seed, fair_split, outer_folds, paper_split


@st.composite
def targets_and_folds(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    folds = draw(st.integers(2, 10))
    counts = draw(st.lists(st.integers(2 * folds, 60), min_size=2, max_size=5))
    codes = np.repeat(np.arange(len(counts)), counts)
    return np.random.default_rng(draw(st.integers(0, 99))).permutation(codes), folds


@given(targets_and_folds(), st.integers(0, 5), st.integers(0, 5))
def test_every_graph_has_one_part_in_each_fold_and_judges_once(
    made: tuple[np.ndarray, int], split_seed: int, seed: int
) -> None:
    targets, folds = made
    parts = outer_folds(targets, folds, split_seed)
    judged = []
    for fold in range(1, folds + 1):
        paper, fair = paper_split(parts, fold), fair_split(parts, fold, targets, seed)
        for split in (paper, fair):
            joined = np.concatenate([split.train, split.validation, split.test])
            assert np.array_equal(np.sort(joined), np.arange(len(targets)))
        assert len(paper.test) == 0
        assert np.array_equal(fair.test, paper.validation)
        judged.append(fair.test)
    assert np.array_equal(np.sort(np.concatenate(judged)), np.arange(len(targets)))


@given(targets_and_folds(), st.integers(0, 5))
def test_folds_and_what_is_held_out_have_the_classes_in_proportion(
    made: tuple[np.ndarray, int], seed: int
) -> None:
    targets, folds = made
    parts = outer_folds(targets, folds, seed)
    classes = np.bincount(targets)
    for part in parts:
        found = np.bincount(targets[part], minlength=len(classes))
        assert np.all(np.abs(found - classes / folds) < 1)
    for fold in range(1, folds + 1):
        split = fair_split(parts, fold, targets, seed)
        inside = np.bincount(targets[np.concatenate([split.train, split.validation])])
        held = np.bincount(targets[split.validation], minlength=len(classes))
        share = len(split.validation) / inside.sum()
        assert np.all(np.abs(held - share * inside) < 1)
        assert np.ceil(0.1 * inside.sum()) <= len(split.validation) <= 0.1 * inside.sum() + len(classes)


def test_seeds_give_splits_back_and_other_seeds_give_others() -> None:
    targets = np.arange(100) % 3
    parts = outer_folds(targets, 10, 0)
    again = outer_folds(targets, 10, 0)
    others = outer_folds(targets, 10, 1)
    assert [part.tolist() for part in parts] == [part.tolist() for part in again]
    hashes = {
        paper_split(parts, 1).sha256,
        paper_split(parts, 2).sha256,
        paper_split(others, 1).sha256,
        fair_split(parts, 1, targets, 0).sha256,
        fair_split(parts, 1, targets, 1).sha256,
    }
    assert len(hashes) == 5
    assert fair_split(parts, 1, targets, 1).sha256 == fair_split(again, 1, targets, 1).sha256


def test_the_seed_of_a_repetition_keeps_the_outer_folds() -> None:
    targets = np.arange(60) % 2
    parts = outer_folds(targets, 5, 0)
    first, second = (fair_split(parts, 3, targets, seed) for seed in (0, 1))
    assert np.array_equal(first.test, second.test)
    assert not np.array_equal(first.validation, second.validation)


def test_the_hash_knows_which_part_is_which() -> None:
    one, two, none = np.array([1]), np.array([2]), np.empty(0, np.int64)
    splits = [Split(one, two, none), Split(two, one, none), Split(one, none, two)]
    assert len({split.sha256 for split in splits}) == 3
    assert Split(one, two, none).sha256 == (
        "e11a1fe51037261c659b2b785020a0f1e670642c4d41aa59d7cea5ffd0b43b5e"
    )


def test_every_fold_and_seed_has_a_seed_of_its_own() -> None:
    assert len({derived_seed(seed, fold) for seed in range(20) for fold in range(1, 21)}) == 400


@pytest.mark.parametrize(
    ("targets", "folds", "message"),
    [
        ([0] * 20, 10, "expected graphs of two classes or more, got only class ring"),
        ([0, 1, 0], 10, "expected at least 10 graphs for 10 folds, got 3"),
        ([0] * 20 + [1] * 3, 5, "expected at least 5 graphs of each class for 5 folds, got 3 of class star"),
        ([0, 1] * 9, 1, "expected 2 folds or more, got 1"),
        ([0, 1, -1] * 9, 3, "expected the class of every graph, got 9 without one"),
        ([], 2, "expected at least 2 graphs for 2 folds, got 0"),
    ],
)
def test_what_cannot_be_cut_is_refused_in_words(targets: list[int], folds: int, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        outer_folds(targets, folds, 0, ["ring", "star"])


def test_a_class_too_small_to_hold_one_out_is_refused() -> None:
    targets = np.array([0] * 10 + [1] * 2)
    with pytest.raises(EvaluationError, match="at least 2 training graphs of each class"):
        fair_split(outer_folds(targets, 2, 0), 1, targets, 0)
