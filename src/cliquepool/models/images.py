"""The argument X of estimators of images: a data set, a selection of one, or an array of images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cliquepool.data.images import ImageDataset
from cliquepool.data.selection import Selection
from cliquepool.errors import InputError
from cliquepool.models.targets import checked_classes

if TYPE_CHECKING:
    import numpy.typing as npt

    ImageInput: TypeAlias = ImageDataset | Selection | npt.NDArray[np.uint8]
    Ids = npt.NDArray[np.int64]

__all__ = ["LabelledImages", "images_of"]


def images_of(X: ImageInput) -> npt.NDArray[np.uint8]:
    """Return the images of X as an array of shape (images, channels, 32, 32)."""
    if isinstance(X, Selection):
        images: npt.NDArray[np.uint8] = X.source.images[X.ids]
        return images
    return X.images if isinstance(X, ImageDataset) else np.asarray(X)


@dataclass(frozen=True, eq=False)
class LabelledImages:
    """Images to train on and images to validate on, as ids of one data set that has their classes."""

    dataset: ImageDataset
    train: Ids
    validation: Ids

    @classmethod
    def of(cls, X: Any, y: Any, validation: tuple[Any, Any] | None) -> LabelledImages:
        """Return the images X with the classes y, and those of `validation`, if any.

        A selection of a data set with the classes of that data set is not copied. Without y, the classes are
        those of the data set.
        """
        pairs = [(X, y)] if validation is None else [(X, y), validation]
        dataset = _common_data_set(pairs)
        if dataset is not None:
            ids = [_ids(part) for part, _ in pairs]
        else:
            dataset = _copied(pairs)
            ends = np.cumsum([len(images_of(part)) for part, _ in pairs])
            ids = np.split(np.arange(ends[-1]), ends[:-1])
        return cls(dataset, ids[0], ids[1] if len(ids) > 1 else np.empty(0, np.int64))


def _common_data_set(pairs: list[tuple[Any, Any]]) -> ImageDataset | None:
    """Return the data set that all images are from, where their classes are those it has."""
    sources = [part.source if isinstance(part, Selection) else part for part, _ in pairs]
    dataset = sources[0]
    if not isinstance(dataset, ImageDataset) or any(source is not dataset for source in sources):
        return None
    has_own_classes = all(y is None or np.array_equal(y, _own_classes(part)) for part, y in pairs)
    return dataset if has_own_classes else None


def _ids(X: ImageDataset | Selection) -> Ids:
    return X.ids if isinstance(X, Selection) else np.arange(len(X))


def _own_classes(X: ImageDataset | Selection) -> npt.NDArray[Any]:
    """Return the class of each image as its data set has it."""
    dataset = X.source if isinstance(X, Selection) else X
    classes: npt.NDArray[Any] = dataset.classes[dataset.targets[_ids(X)]]
    return classes


def _copied(pairs: list[tuple[Any, Any]]) -> ImageDataset:
    """Copy all images with their classes into one data set."""
    images = np.concatenate([images_of(part) for part, _ in pairs])
    y = np.concatenate([_checked_y(part, y) for part, y in pairs])
    classes, targets = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"expected images of at least two classes, got {len(classes)} class")
    sources = [part.source if isinstance(part, Selection) else part for part, _ in pairs]
    return ImageDataset(
        images=images,
        targets=targets.astype(np.int64),
        classes=classes,
        is_test=np.zeros(len(images), dtype=np.bool_),
        mirrored=all(getattr(source, "mirrored", True) for source in sources),
    )


def _checked_y(X: Any, y: Any) -> npt.NDArray[Any]:
    if y is None:
        if not isinstance(X, ImageDataset | Selection):
            raise InputError("y: expected a class for each image, got none")
        return _own_classes(X)
    classes = checked_classes(y, len(images_of(X)), "images")
    if classes.ndim != 1:
        raise InputError(f"y: expected one class for each image, got shape {classes.shape}")
    return classes
