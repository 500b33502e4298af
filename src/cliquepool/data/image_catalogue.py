"""Data sets of images by name: the digits of scikit-learn, CIFAR-10, and saved files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cliquepool.data.catalogue import data_folder
from cliquepool.data.cifar import read_cifar
from cliquepool.data.digits import scikit_digits
from cliquepool.data.images import ImageDataset
from cliquepool.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["load_images"]

_SAVED: Final = ".safetensors"
_CIFAR_NAMES: Final = ("cifar-10", "cifar10")
_CIFAR_FILES: Final = ("cifar-10-python.tar.gz", "cifar-10-batches-py", "cifar-10-subset.tar.xz")


def load_images(
    name: str | PathLike[str] = "digits", *, data_dir: str | PathLike[str] | None = None
) -> ImageDataset:
    """Load a data set of images by its name or its path.

    Raises InputError of one line that names the file and the error in it, or the folders searched.

    Parameters
    ----------
    name : str or path
        ``digits``, the handwritten digits that come with scikit-learn; ``CIFAR-10``, which is searched for
        in `data_dir` and in its folder ``cifar``, as ``cifar-10-python.tar.gz``, ``cifar-10-batches-py/`` or
        ``cifar-10-subset.tar.xz``; the path of such an archive or folder; or a file that `ImageDataset.save`
        wrote. Names are recognised in any case, and come before paths.
    data_dir : str or path, optional
        By default ``$CLIQUEPOOL_DATA``.

    Examples
    --------
    >>> load_images("digits")
    ImageDataset(digits: 1,797 images of 1×32×32 pixels, 360 of them for testing, 10 classes)
    """
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
    """Return the path of the whole data set, or else of a part of it."""
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
