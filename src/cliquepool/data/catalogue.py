"""Data sets by name: where they are looked for, and what there is."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import socket
import tempfile
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
_TU_HOST: Final = ("www.chrsmrrs.com", 443)  # where TUDataset downloads from
_SECONDS_TO_CONNECT: Final = 5.0
_GRAKEL: Final = "GraKeL's wheel"


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

    Parameters
    ----------
    name_or_path : str or path
        A zip file or a folder of the TU collection, a file that `GraphDataset.save` wrote, or a name. A
        name is looked for in `data_dir` (and in its folder ``tu``), as ``NAME.zip`` or ``NAME/``; then it is
        downloaded by PyG's `TUDataset`, where there is internet; then it is looked for among the data sets
        that come with GraKeL, MUTAG one of them.
    data_dir : str or path, optional
        By default ``$CLIQUEPOOL_DATA``.
    cache_dir : str or path, optional
        Where downloads are kept, and what has been read; by default ``$CLIQUEPOOL_CACHE``,
        ``$XDG_CACHE_HOME/cliquepool`` or ``~/.cache/cliquepool``.
    cache : bool
        Keep what is read, and take it from there when the same bytes are asked for again.
    progress : callable, optional
        Told what is being read, how many bytes of it are, and of how many.

    Raises GraphError in one line: what is wrong, in which file and line; or where a name was looked for,
    and which there are.

    >>> load_dataset("MUTAG", cache=False)  # doctest: +SKIP
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
    if places and places[0].source != _GRAKEL:
        return places[0].path
    close = difflib.get_close_matches(name, sorted({place.name for place in known}), cutoff=0.75)
    problem = _download(name, cache / "downloads")
    if problem is None:
        return cache / "downloads" / name
    if places:
        return places[0].path
    tried = ["a path", "no data folder (set data_dir or $CLIQUEPOOL_DATA)" if folder is None else str(folder)]
    raise GraphError(
        f"no data set {name!r}{f' (did you mean {close[0]}?)' if close else ''}: tried {', '.join(tried)}, "
        f"a download ({problem}), and {_GRAKEL}; "
        f"there are {', '.join(sorted({place.name for place in known})) or 'none'}"
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
    yield from _in_folder(cache / "downloads", "downloaded")
    # Found without importing GraKeL, which takes a second.
    grakel = importlib.util.find_spec("grakel")
    for installed in (grakel.submodule_search_locations or []) if grakel else []:
        yield from _in_folder(Path(installed) / "tests" / "data", _GRAKEL)


def _in_folder(folder: Path, source: str) -> Iterator[DatasetPlace]:
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.suffix in {".zip", _SAVED} and path.is_file():
            yield DatasetPlace(path.stem, source, path)
        elif path.is_dir() and _holds_edges(path):
            yield DatasetPlace(path.name, source, path)


def _holds_edges(folder: Path) -> bool:
    return any(True for part in (folder, folder / "raw", folder / folder.name) for _ in part.glob("*_A.txt"))


def _download(name: str, folder: Path) -> str | None:
    """Fetch a data set through PyG into ``folder/name``; return what went wrong, if anything did."""
    try:
        # Without a network this says so at once; the download itself would wait for minutes.
        socket.create_connection(_TU_HOST, timeout=_SECONDS_TO_CONNECT).close()
        from torch_geometric.datasets import TUDataset  # noqa: PLC0415 (it takes seconds)

        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as temporary:
            # Only its download: what it makes of the files afterwards is not needed, and slow.
            fetcher = object.__new__(TUDataset)
            fetcher.root, fetcher.name, fetcher.cleaned = temporary, name, False
            fetcher.download()
            if not _holds_edges(Path(temporary) / name):
                return f"{TUDataset.url}/{name}.zip holds no {name}_A.txt"
            (Path(temporary) / name).replace(folder / name)
    except Exception as error:  # noqa: BLE001 (whatever stops PyG's download, what is left is to say so)
        return f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return None
