"""Data sets by name: where they are looked for, and what there is."""

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
_SECONDS_TO_ANSWER: Final = 5.0  # a machine without a network says so soon
_BUNDLED: Final = Path(__file__).with_name("bundled")


class DatasetPlace(NamedTuple):
    """A data set that can be loaded: its name, where it is from, and the file or folder."""

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

    Raises GraphError in one line: what is wrong, in which file and line; or where a name was looked for,
    and which there are.

    Parameters
    ----------
    name_or_path : str or path
        A zip file or a folder of the TU collection, a file that `GraphDataset.save` wrote, or a name. A
        name is looked for in `data_dir` (and in its folder ``tu``), as ``NAME.zip`` or ``NAME/``; then among
        the data sets that come with this package, which is MUTAG; then it is downloaded from the TU
        collection, where there is internet.
    data_dir : str or path, optional
        By default ``$CLIQUEPOOL_DATA``.
    cache_dir : str or path, optional
        Where downloads are kept, and what has been read; by default ``$CLIQUEPOOL_CACHE``,
        ``$XDG_CACHE_HOME/cliquepool`` or ``~/.cache/cliquepool``.
    cache : bool
        Keep what is read, and take it from there when the same bytes are asked for again.
    progress : callable, optional
        Told what is being read, how many bytes of it are, and of how many.

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
    """List the data sets that `load_dataset` finds without a download, each where it is found first."""
    found: dict[str, DatasetPlace] = {}
    for place in _places(data_folder(data_dir), cache_folder(cache_dir)):
        found.setdefault(place.name, place)
    return sorted(found.values())


def _find(name_or_path: str | PathLike[str], data_dir: str | PathLike[str] | None, cache: Path) -> Path:
    path, name = Path(name_or_path), os.fspath(name_or_path)
    is_name = re.fullmatch(r"[\w.+-]+", name) is not None and path.suffix not in {".zip", _SAVED, ".txt"}
    if path.is_file() or (path.is_dir() and (_holds_edges(path) or not is_name)):
        return path
    if not is_name:
        raise GraphError(f"{path}: expected a zip file or a folder of the TU collection, got no such file")
    folder = data_folder(data_dir)
    known = list(_places(folder, cache))
    places = [place for place in known if place.name == name]
    if places:
        return places[0].path
    names = sorted({place.name for place in known})
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
    """Return the folder that names are looked for in, `data_dir` or ``$CLIQUEPOOL_DATA``; None without."""
    where, folder = (
        ("data_dir", data_dir) if data_dir else ("$CLIQUEPOOL_DATA", os.environ.get("CLIQUEPOOL_DATA"))
    )
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise GraphError(f"{where}: expected a folder, got {folder}, which is none")
    return Path(folder)


def _places(data_folder: Path | None, cache: Path) -> Iterator[DatasetPlace]:
    """Yield all data sets at hand, those first that are taken first."""
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
    """Fetch ``NAME.zip`` of the TU collection into `folder`; return what went wrong, if anything did."""
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
