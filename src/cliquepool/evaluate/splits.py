"""Splits into training, validation and test samples: reproducible from a seed, identified by a hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.evaluate.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Ids = npt.NDArray[np.int64]

__all__ = ["HELD_OUT", "Split", "derived_seed", "fair_split", "held_out_split", "outer_folds", "paper_split"]

HELD_OUT: Final = 0.1
"""The share of the training part that chooses the epoch and the settings under the fair protocol."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Sorted ids of the training, validation and test samples; under `paper` there are no test samples."""

    train: Ids
    validation: Ids
    test: Ids

    @property
    def sha256(self) -> str:
        """A hash of the three parts and of their roles."""
        digest = hashlib.sha256()
        for name in ("train", "validation", "test"):
            ids = np.ascontiguousarray(getattr(self, name), dtype="<i8")
            digest.update(f"{name} {len(ids)}\n".encode())
            digest.update(ids.tobytes())
        return digest.hexdigest()


def outer_folds(
    targets: npt.ArrayLike, folds: int, split_seed: int, classes: Sequence[Any] | None = None
) -> list[Ids]:
    """Split the samples into `folds` stratified parts.

    >>> parts = outer_folds([0] * 6 + [1] * 3, folds=3, split_seed=0)
    >>> [int(sum(part >= 6)) for part in parts], sorted(np.concatenate(parts).tolist())
    ([1, 1, 1], [0, 1, 2, 3, 4, 5, 6, 7, 8])
    """
    codes = _expect_folds(targets, folds, classes)
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415 (slow to import)

    cutter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=split_seed)
    return [np.sort(part).astype(np.int64) for _, part in cutter.split(np.zeros(len(codes)), codes)]


def paper_split(parts: Sequence[Ids], fold: int) -> Split:
    """Return the split of a fold, from 1: train on all other parts, validate on this one."""
    train = np.sort(np.concatenate([part for number, part in enumerate(parts, start=1) if number != fold]))
    return Split(train, parts[fold - 1], np.empty(0, np.int64))


def fair_split(parts: Sequence[Ids], fold: int, targets: npt.ArrayLike, seed: int) -> Split:
    """Return the split of a fold, from 1: it is the test part; a tenth of the others validates."""
    outer = paper_split(parts, fold)
    inner = held_out_split(targets, outer.train, derived_seed(seed, fold))
    return Split(inner.train, inner.validation, outer.validation)


def held_out_split(targets: npt.ArrayLike, ids: Ids, seed: int) -> Split:
    """Hold out a stratified tenth of `ids` for validation."""
    from sklearn.model_selection import train_test_split  # noqa: PLC0415

    codes = np.asarray(targets)[ids]
    found, counts = np.unique(codes, return_counts=True)
    if counts.min() < 2:
        raise EvaluationError(
            f"expected at least 2 training graphs of each class, to hold one out; "
            f"got 1 of class {found[counts.argmin()]}: take fewer folds, or leave that class out"
        )
    held = min(max(int(np.ceil(HELD_OUT * len(ids))), len(found)), len(ids) - len(found))
    train, validation = train_test_split(ids, test_size=held, stratify=codes, random_state=seed)
    return Split(np.sort(train), np.sort(validation), np.empty(0, np.int64))


def derived_seed(seed: int, fold: int) -> int:
    """Return the seed of the inner split and of `random_state`: another for each fold and seed."""
    return int(np.random.SeedSequence([seed, fold]).generate_state(1, np.uint32)[0] >> 1)


def _expect_folds(
    targets: npt.ArrayLike, folds: int, classes: Sequence[Any] | None
) -> npt.NDArray[np.integer[Any]]:
    codes = np.asarray(targets)
    if folds < 2:
        raise EvaluationError(f"expected 2 folds or more, got {folds}")
    if len(codes) < folds:
        raise EvaluationError(f"expected at least {folds} graphs for {folds} folds, got {len(codes)}")
    if np.any(codes < 0):
        raise EvaluationError(f"expected the class of every graph, got {np.sum(codes < 0)} without one")
    found, counts = np.unique(codes, return_counts=True)
    names = [str(code if classes is None else classes[int(code)]) for code in found]
    if len(found) < 2:
        raise EvaluationError(f"expected graphs of two classes or more, got only class {names[0]}")
    if counts.min() < folds:
        raise EvaluationError(
            f"expected at least {folds} graphs of each class for {folds} folds, "
            f"got {counts.min()} of class {names[int(counts.argmin())]}: take fewer folds"
        )
    return codes
