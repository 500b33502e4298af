"""Images with their classes: one store that saves and maps into memory, and the way to it by name."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._words import counted
from cliquepool.array_files import array_of_list, read_arrays, write_arrays
from cliquepool.data.catalogue import data_folder
from cliquepool.data.schema import checked_array, checked_values
from cliquepool.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

__all__ = ["SIDE", "ImageDataset", "load_images"]

SIDE: Final = 32
"""The height and the width of every image, in pixels."""

_FORMAT: Final = "cliquepool.images"
_VERSION: Final = 2
_SAVED: Final = ".safetensors"
_CIFAR_NAMES: Final = ("cifar-10", "cifar10")
_CIFAR_FILES: Final = ("cifar-10-python.tar.gz", "cifar-10-batches-py", "cifar-10-subset.tar.xz")
# In the order of the constructor: the type of each array, and the number of its dimensions.
_ARRAYS: Final[dict[str, tuple[type[np.generic], int]]] = {
    "images": (np.uint8, 4),
    "targets": (np.int64, 1),
    "is_test": (np.bool_, 1),
}


def load_images(
    name: str | PathLike[str] = "digits", *, data_dir: str | PathLike[str] | None = None
) -> ImageDataset:
    """Load a data set of images by its name or its path.

    Raises InputError in one line: what is wrong, in which file; or where a name was looked for.

    Parameters
    ----------
    name : str or path
        ``digits``, the handwritten digits that come with scikit-learn, which are always there; ``CIFAR-10``,
        which is looked for in `data_dir` and in its folder ``cifar``, as ``cifar-10-python.tar.gz``,
        ``cifar-10-batches-py/`` or ``cifar-10-subset.tar.xz``; the path of such an archive or folder; or a
        file that `ImageDataset.save` wrote. Names are known in capitals and small letters, and come before
        paths.
    data_dir : str or path, optional
        By default ``$CLIQUEPOOL_DATA``.

    Examples
    --------
    >>> load_images("digits")
    ImageDataset(digits: 1,797 images of 1×32×32 pixels, 360 of them for testing, 10 classes)
    """
    from cliquepool.data.cifar import read_cifar  # noqa: PLC0415 (it makes data sets)
    from cliquepool.data.digits import scikit_digits  # noqa: PLC0415 (so does it)

    if isinstance(name, str) and name.lower() == "digits":
        return scikit_digits()
    if isinstance(name, str) and name.lower() in _CIFAR_NAMES:
        return read_cifar(_find_cifar(data_folder(data_dir)))
    path = Path(name)
    if not path.exists():
        raise InputError(
            f"expected digits, CIFAR-10, or the path of an archive or a folder of CIFAR-10, "
            f"got {os.fspath(name)!r}, which is neither a name nor there"
        )
    return ImageDataset.load(path) if path.suffix == _SAVED else read_cifar(path)


def _find_cifar(folder: Path | None) -> Path:
    """Find the whole data set, or else a part of it."""
    if folder is not None:
        for name in _CIFAR_FILES:
            for path in (folder / name, folder / "cifar" / name):
                if path.exists():
                    return path
    where = (
        "no data folder (set data_dir or $CLIQUEPOOL_DATA)"
        if folder is None
        else f"{folder}, nor in its cifar"
    )
    raise InputError(
        f"no data set 'CIFAR-10': expected one of {', '.join(_CIFAR_FILES)}, got none in {where}"
    )


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ImageDataset:
    """Images of 32×32 pixels with their classes, in arrays that never change.

    Made by `load_images` or `load`, or of arrays of your own, which are checked, and taken without a copy
    where they have the right type.

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
        What it is called.
    images : ndarray of uint8, of shape (images, channels, 32, 32)
        The pixels: from dark to bright, row by row from the top.
    targets : ndarray of int64
        The class of each image as a position in `classes`.
    classes : ndarray
        The classes as they are called.
    is_test : ndarray of bool
        The images that the publisher set apart for testing.
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
        """Read a data set that `save` wrote; with `mmap`, its images stay in the file, mapped into memory.

        Raises InputError for a file that is cut short, damaged, of another version, or not such a file.
        """
        try:
            return _load(path, mmap)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the data set to one file, in the layout of safetensors; all of it, or nothing."""
        metadata = {
            "format": _FORMAT,
            "version": str(_VERSION),
            "name": self.name,
            "classes": json.dumps(self.classes.tolist()),
            "mirrored": json.dumps(self.mirrored),
            "fingerprint": self.fingerprint,
        }
        arrays = {field: getattr(self, field) for field in _ARRAYS}
        write_arrays(path, arrays, metadata, hash_content=False)  # the fingerprint is of the content

    # ---- what it is ----

    def __len__(self) -> int:
        return len(self.images)

    @property
    def channels(self) -> int:
        """How many numbers a pixel has: 1 where it is grey, 3 where it is red, green and blue."""
        return int(self.images.shape[1])

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of all that the data set holds, but for its name: equal for equal content."""
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
    """Raise InputError unless the arrays agree and every class is one of those named."""
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
    """The SHA-256 of all arrays, their types and shapes, and of what is beside them: the same everywhere."""
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
        raise InputError("expected the content that the header's fingerprint is of, got another: damaged")
    return dataset
