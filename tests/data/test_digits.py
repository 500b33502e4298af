"""The digits of scikit-learn: always the same, enlarged bilinearly, a fifth of them for testing."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from cliquepool.data import load_images


@pytest.fixture(autouse=True)
def nowhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in an empty folder with no data."""
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))
    monkeypatch.delenv("CLIQUEPOOL_DATA", raising=False)


def test_digits_are_always_there_and_always_the_same() -> None:
    dataset = load_images()
    assert repr(dataset) == (
        "ImageDataset(digits: 1,797 images of 1×32×32 pixels, 360 of them for testing, 10 classes)"
    )
    assert dataset.classes.tolist() == list("0123456789")
    assert not dataset.mirrored
    assert dataset.fingerprint == "67ec29dbb443992d53785e17219804b80d6e2928b0120a431c6870ff6e80cff1"
    assert load_images("Digits").fingerprint == dataset.fingerprint


def test_a_fifth_of_every_digit_is_for_testing() -> None:
    dataset = load_images("digits")
    counts = np.bincount(dataset.targets)
    for_testing = np.bincount(dataset.targets[dataset.is_test])
    assert np.all(np.abs(for_testing - counts / 5) < 1)


def test_digits_are_enlarged_bilinearly() -> None:
    small = load_digits().images * (255 / 16)
    large = load_images("digits").images[:, 0].astype(np.float64)
    # The corners are the small pixels themselves; the middle of four is their mean.
    for row, column in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
        assert np.all(np.abs(large[:, row, column] - small[:, row, column]) <= 0.5)
    means = small.reshape(-1, 8, 8)
    means = (means[:, :-1, :-1] + means[:, 1:, :-1] + means[:, :-1, 1:] + means[:, 1:, 1:]) / 4
    inner = large[:, 2:-2, 2:-2].reshape(-1, 7, 4, 7, 4)
    assert np.all(np.abs(inner.mean((2, 4)) - means) <= 0.5)
    assert (large.min(), large.max()) == (0, 255)
