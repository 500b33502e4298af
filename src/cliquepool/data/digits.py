"""The handwritten digits of scikit-learn, enlarged to the size of CIFAR-10's images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from cliquepool._extras import require
from cliquepool.data.images import SIDE, ImageDataset

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["scikit_digits"]

_SMALL_SIDE: Final = 8
_BRIGHTEST: Final = 16  # of scikit-learn's pixels
_TEST_FOLDS: Final = 5  # one of which is for testing
_TEST_SEED: Final = 0


def scikit_digits() -> ImageDataset:
    """Return scikit-learn's 1,797 digits of 8×8 pixels, enlarged to 32×32.

    - They are enlarged bilinearly: blocks of 4×4 equal pixels would line up with windows of even strides.
      The computation is in integers, so that the images are the same on every machine.
    - Their pixels, 0 to 16, are scaled to 0 to 255.
    - There is no published test set. A stratified fifth is for testing: the first of five folds of
      scikit-learn's `StratifiedKFold`, shuffled with seed 0.

    >>> dataset = scikit_digits()
    >>> dataset.images.shape, int(dataset.images.max()), int(dataset.is_test.sum())
    ((1797, 1, 32, 32), 255, 360)
    """
    require("train", "the data set digits")
    from sklearn.datasets import load_digits  # noqa: PLC0415 (slow to import)
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415

    digits = load_digits()
    targets = digits.target.astype(np.int64)
    folds = StratifiedKFold(_TEST_FOLDS, shuffle=True, random_state=_TEST_SEED)
    is_test = np.zeros(len(targets), dtype=np.bool_)
    is_test[next(folds.split(digits.images, targets))[1]] = True
    return ImageDataset(
        name="digits",
        images=_enlarged(digits.images.astype(np.int64))[:, np.newaxis],
        targets=targets,
        classes=digits.target_names.astype(np.str_),
        is_test=is_test,
        mirrored=False,
    )


def _enlarged(small: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Enlarge images bilinearly around the centres of pixels; the border is repeated."""
    weights = _weights()
    whole = _BRIGHTEST * int(weights[0].sum()) ** 2
    sums = weights @ small @ weights.T
    return ((255 * sums + whole // 2) // whole).astype(np.uint8)


def _weights() -> npt.NDArray[np.int64]:
    """Return the weight of each small pixel in each large one along a side, in units of 1 / (2 · factor)."""
    factor = SIDE // _SMALL_SIDE
    weights = np.zeros((SIDE, _SMALL_SIDE), dtype=np.int64)
    for large in range(SIDE):
        # The distance of its centre from that of the first small pixel, in the same units.
        position = 2 * large + 1 - factor
        before, part = divmod(position, 2 * factor)
        weights[large, max(before, 0)] += 2 * factor - part
        weights[large, min(before + 1, _SMALL_SIDE - 1)] += part
    return weights
