"""`ImageDataset`: images with their classes, in arrays that are validated, saved and memory-mapped."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._words import counted
from cliquepool.array_files import array_of_list, read_arrays, write_arrays
from cliquepool.data.schema import checked_array, checked_values
from cliquepool.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

__all__ = ["SIDE", "ImageDataset"]

SIDE: Final = 32
"""The height and the width of every image, in pixels."""

_FORMAT: Final = "cliquepool.images"
_VERSION: Final = 2
# The dtype and the number of dimensions of each array, in the order of the constructor.
_ARRAYS: Final[dict[str, tuple[type[np.generic], int]]] = {
    "images": (np.uint8, 4),
    "targets": (np.int64, 1),
    "is_test": (np.bool_, 1),
}


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ImageDataset:
    """Images of 32×32 pixels with their classes, in immutable arrays.

    Made by `load_images` or `load`, or of its arrays; these are validated, and not copied where they have the
    right dtype.

    >>> dataset = ImageDataset(
    ...     name="two", images=np.zeros((2, 1, 32, 32), np.uint8), targets=np.array([1, 0]),
    ...     classes=np.array(["cat", "dog"]), is_test=np.array([False, True]), mirrored=True)
    >>> dataset
    ImageDataset(two: 2 images of 1×32×32 pixels, 1 of them for testing, 2 classes)
    >>> dataset.classes[dataset.targets].tolist()
    ['dog', 'cat']

    Attributes
    ----------
    name : str
        The name of the data set.
    images : ndarray of uint8, of shape (images, channels, 32, 32)
        The pixels, from 0 (dark) to 255 (bright), row by row from the top.
    targets : ndarray of int64
        The class of each image as an index into `classes`.
    classes : ndarray
        The names of the classes.
    is_test : ndarray of bool
        The images of the published test set.
    mirrored : bool
        Whether an image whose left and right are swapped is still of its class.
    """

    name: str = ""
    images: npt.NDArray[np.uint8]
    targets: npt.NDArray[np.int64]
    classes: npt.NDArray[Any]
    is_test: npt.NDArray[np.bool_]
    mirrored: bool
    _fingerprint: str | None = dataclasses.field(default=None, init=False)

    def __post_init__(self) -> None:
        for field, (dtype, dimensions) in _ARRAYS.items():
            self._keep(field, checked_array(field, getattr(self, field), dtype, dimensions))
        self._keep("classes", checked_values("classes", self.classes))
        self._keep("mirrored", bool(self.mirrored))
        _check_arrays(self)

    def _keep(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)

    # ---- files ----

    @staticmethod
    def load(path: str | PathLike[str], *, mmap: bool = False) -> ImageDataset:
        """Read a data set that `save` wrote; with `mmap`, its images are memory-mapped from the file.

        Raises InputError for a file that is truncated, damaged, of another version, or of another kind.
        """
        try:
            return _load(path, mmap)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the data set to a safetensors file, whole or not at all."""
        metadata = {
            "format": _FORMAT,
            "version": str(_VERSION),
            "name": self.name,
            "classes": json.dumps(self.classes.tolist()),
            "mirrored": json.dumps(self.mirrored),
            "fingerprint": self.fingerprint,
        }
        arrays = {field: getattr(self, field) for field in _ARRAYS}
        write_arrays(path, arrays, metadata, hash_content=False)  # the fingerprint already covers the content

    # ---- content ----

    def __len__(self) -> int:
        return len(self.images)

    @property
    def channels(self) -> int:
        """The number of values of a pixel: 1 for grey, 3 for red, green and blue."""
        return int(self.images.shape[1])

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the whole content, without the name: equal for equal content."""
        if self._fingerprint is None:
            self._keep("_fingerprint", _fingerprint_of(self))
        assert self._fingerprint is not None
        return self._fingerprint

    # ---- as a value ----

    def __reduce__(self) -> tuple[Any, ...]:
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}
        return _restore, (fields,)

    def __copy__(self) -> ImageDataset:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> ImageDataset:
        return self

    def __repr__(self) -> str:
        shape = "×".join(map(str, self.images.shape[1:]))
        counts = (
            f"{counted(len(self), 'image')} of {shape} pixels, "
            f"{np.count_nonzero(self.is_test):,} of them for testing, "
            f"{counted(self.num_classes, 'class')}"
        )
        return f"ImageDataset({self.name}: {counts})" if self.name else f"ImageDataset({counts})"


def _restore(fields: dict[str, Any]) -> ImageDataset:
    return ImageDataset(**fields)


def _check_arrays(dataset: ImageDataset) -> None:
    """Raise InputError unless the shapes agree and every target is an index into the classes."""
    count, channels, *sides = dataset.images.shape
    if not count or not channels or sides != [SIDE, SIDE]:
        raise InputError(
            f"images: expected one or more, of shape (images, channels, {SIDE}, {SIDE}), "
            f"got shape {dataset.images.shape}"
        )
    for field in ("targets", "is_test"):
        length = len(getattr(dataset, field))
        if length != count:
            raise InputError(f"{field}: expected {count:,} entries, one for each image, got {length:,}")
    if len(np.unique(dataset.classes)) != len(dataset.classes):
        raise InputError(f"classes: expected distinct ones, got {dataset.classes.tolist()}")
    lowest, highest = int(dataset.targets.min()), int(dataset.targets.max())
    if lowest < 0 or highest >= len(dataset.classes):
        raise InputError(
            f"targets: expected classes from 0 to {len(dataset.classes) - 1}, got {lowest} to {highest}"
        )


def _fingerprint_of(dataset: ImageDataset) -> str:
    """Return the SHA-256 of all arrays, dtypes, shapes, classes and `mirrored`: equal on every machine."""
    digest = hashlib.sha256(json.dumps([dataset.classes.tolist(), dataset.mirrored]).encode())
    for field in _ARRAYS:
        array = getattr(dataset, field)
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{field} {little.dtype.str} {little.shape}".encode())
        digest.update(little.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


_NOT_WHOLE: Final = "expected a whole file of images, got one that is not"


def _load(path: str | PathLike[str], mapped: bool) -> ImageDataset:
    file = read_arrays(path, mapped=mapped)
    file.expect(_FORMAT, _VERSION)
    try:
        mirrored = json.loads(file.metadata["mirrored"])
        if not isinstance(mirrored, bool) or file.arrays.keys() != _ARRAYS.keys():
            raise InputError(f"got {', '.join(file.arrays)[:100]} and mirrored {str(mirrored)[:10]}")
        dataset = ImageDataset(
            name=file.metadata["name"],
            classes=array_of_list("classes", json.loads(file.metadata["classes"])),
            mirrored=mirrored,
            **file.arrays,
        )
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{_NOT_WHOLE} ({error})") from None
    if dataset.fingerprint != file.metadata.get("fingerprint"):
        raise InputError("expected content that matches the fingerprint in the header, got other: damaged")
    return dataset
