"""Data sets by name: the folders that are searched, and the download of others."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from cliquepool.data.cache import cache_folder, read_cached
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.tu import read_tu
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from cliquepool.threads import OnProgress

__all__ = ["DatasetPlace", "available_datasets", "data_folder", "load_dataset"]

_SAVED: Final = ".safetensors"
_TU_URL: Final = "https://www.chrsmrrs.com/graphkerneldatasets"
_SECONDS_TO_ANSWER: Final = 5.0  # so that a machine without a network fails soon
_BUNDLED: Final = Path(__file__).with_name("bundled")


class DatasetPlace(NamedTuple):
    """A data set that was found: its name, its source in words, and the file or folder."""

    name: str
    source: str
    path: Path


def load_dataset(
    name_or_path: str | PathLike[str],
    *,
    data_dir: str | PathLike[str] | None = None,
    cache_dir: str | PathLike[str] | None = None,
    cache: bool = True,
    progress: OnProgress | None = None,
) -> GraphDataset:
    """Load a data set by its name or its path.

    Raises GraphError in one line, with the file and line, or with the folders that were searched for a name
    and the names that were found.

    Parameters
    ----------
    name_or_path : str or path
        A zip file or a folder of the TU collection, a file that `GraphDataset.save` wrote, or a name. A
        name is searched in `data_dir` and its folder ``tu``, as ``NAME.zip`` or ``NAME/``; then among the
        data sets that come with this package (MUTAG); then it is downloaded from the TU collection.
    data_dir : str or path, optional
        By default ``$CLIQUEPOOL_DATA``.
    cache_dir : str or path, optional
        The folder for downloads and for data sets that were read; by default ``$CLIQUEPOOL_CACHE``,
        ``$XDG_CACHE_HOME/cliquepool`` or ``~/.cache/cliquepool``.
    cache : bool
        Save the data set in `cache_dir` after reading, and load it from there the next time.
    progress : callable, optional
        Called while reading with the file, the number of bytes read, and the size of the file.

    Examples
    --------
    >>> load_dataset("MUTAG")
    GraphDataset(MUTAG: 188 graphs, 3,371 nodes, 3,721 edges, 2 classes, 7 node labels, 4 edge labels)
    """
    path = _find(name_or_path, data_dir, cache_folder(cache_dir))
    if path.suffix == _SAVED:
        return GraphDataset.load(path)
    if cache:
        return read_cached(path, cache_dir, progress=progress)
    return read_tu(path, progress=progress)


def available_datasets(
    data_dir: str | PathLike[str] | None = None, *, cache_dir: str | PathLike[str] | None = None
) -> list[DatasetPlace]:
    """List the data sets that `load_dataset` finds without a download, each name once."""
    found: dict[str, DatasetPlace] = {}
    for dataset in _all_datasets(data_folder(data_dir), cache_folder(cache_dir)):
        found.setdefault(dataset.name, dataset)
    return sorted(found.values())


def _find(name_or_path: str | PathLike[str], data_dir: str | PathLike[str] | None, cache: Path) -> Path:
    path, name = Path(name_or_path), os.fspath(name_or_path)
    is_name = re.fullmatch(r"[\w.+-]+", name) is not None and path.suffix not in {".zip", _SAVED, ".txt"}
    if path.is_file() or (path.is_dir() and (_holds_edges(path) or not is_name)):
        return path
    if not is_name:
        raise GraphError(f"{path}: expected a zip file or a folder of the TU collection, got no such file")
    folder = data_folder(data_dir)
    known = list(_all_datasets(folder, cache))
    for dataset in known:
        if dataset.name == name:
            return dataset.path
    names = sorted({dataset.name for dataset in known})
    close = difflib.get_close_matches(name, names, cutoff=0.75)
    problem = _download(name, cache / "downloads")
    if problem is None:
        return cache / "downloads" / f"{name}.zip"
    tried = ["a path", "no data folder (set data_dir or $CLIQUEPOOL_DATA)" if folder is None else str(folder)]
    raise GraphError(
        f"no data set {name!r}{f' (did you mean {close[0]}?)' if close else ''}: tried {', '.join(tried)}, "
        f"the package, and a download ({problem}); there are {', '.join(names)}"
    )


def data_folder(data_dir: str | PathLike[str] | None) -> Path | None:
    """Return the folder in which names are searched, `data_dir` or ``$CLIQUEPOOL_DATA``, or None."""
    where, folder = (
        ("data_dir", data_dir) if data_dir else ("$CLIQUEPOOL_DATA", os.environ.get("CLIQUEPOOL_DATA"))
    )
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise GraphError(f"{where}: expected a folder, got {folder}, which is not one")
    return Path(folder)


def _all_datasets(data_folder: Path | None, cache: Path) -> Iterator[DatasetPlace]:
    """Yield all data sets that need no download, by descending priority."""
    if data_folder is not None:
        for folder in (data_folder, data_folder / "tu"):
            yield from _in_folder(folder, str(folder))
    yield from _in_folder(_BUNDLED, "comes with cliquepool")
    yield from _in_folder(cache / "downloads", "downloaded")


def _in_folder(folder: Path, source: str) -> Iterator[DatasetPlace]:
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.suffix in {".zip", _SAVED} and path.is_file():
            yield DatasetPlace(path.stem, source, path)
        elif path.is_dir() and _holds_edges(path):
            yield DatasetPlace(path.name, source, path)


def _holds_edges(folder: Path) -> bool:
    return any(True for part in (folder, folder / "raw", folder / folder.name) for _ in part.glob("*_A.txt"))


def _download(name: str, folder: Path) -> str | None:
    """Download ``NAME.zip`` of the TU collection into `folder`; return the error in words, None on success.

    By the standard library: PyG's `download_url` would need torch_geometric, which the core does not.
    """
    import urllib.request  # noqa: PLC0415 (slow to import, seldom needed)
    from http.client import HTTPException  # noqa: PLC0415

    url = f"{_TU_URL}/{name}.zip"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as temporary:
            fetched = Path(temporary) / f"{name}.zip"
            with (
                urllib.request.urlopen(url, timeout=_SECONDS_TO_ANSWER) as answer,
                fetched.open("wb") as file,
            ):
                shutil.copyfileobj(answer, file)
            if not zipfile.is_zipfile(fetched):
                return f"{url} is no zip file"
            fetched.replace(folder / fetched.name)
    except (OSError, HTTPException) as error:
        return f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return None
