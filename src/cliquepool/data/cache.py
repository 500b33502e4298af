"""A cache of data sets that were read before, by the content of their files; entries are verified on use."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cliquepool
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.storage import FORMAT_VERSION, load_arrays, save_arrays
from cliquepool.data.tu import READER_VERSION, read_tu, tu_files
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from os import PathLike

    from cliquepool.threads import OnProgress

__all__ = ["cache_folder", "read_cached"]

_PIECE_BYTES: Final = 2**20
_KEY_LENGTH: Final = 40


def cache_folder(folder: str | PathLike[str] | None = None) -> Path:
    """Return `folder`, or ``$CLIQUEPOOL_CACHE``, ``$XDG_CACHE_HOME/cliquepool``, ``~/.cache/cliquepool``."""
    if folder is not None:
        return Path(folder)
    if own := os.environ.get("CLIQUEPOOL_CACHE"):
        return Path(own)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "cliquepool"
    return Path("~/.cache/cliquepool").expanduser()


def read_cached(
    path: str | PathLike[str],
    folder: str | PathLike[str] | None = None,
    *,
    progress: OnProgress | None = None,
) -> GraphDataset:
    """Read a TU data set, or map it from the cache if the same bytes were read before.

    The name of an entry has the SHA-256 of the source's bytes and of the versions of the reader and the
    format. Entries are written atomically and verified by their fingerprint when they are read; a damaged one
    is computed again. A folder that is not writable is no error.
    """
    path = Path(path)
    source = _digest(path)
    name = re.sub(r"[^\w.-]", "_", path.name.removesuffix(".zip"))
    entry = cache_folder(folder) / f"{name}-{source[:_KEY_LENGTH]}.safetensors"
    try:
        return GraphDataset._from_stored(load_arrays(entry, source=source))
    except (GraphError, OSError):
        pass  # no entry yet, or a damaged one
    dataset = read_tu(path, progress=progress)
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        save_arrays(dataset._stored(), entry, source=source)
    except OSError:
        pass  # without a cache, reading only takes longer
    return dataset


def _digest(path: Path) -> str:
    """Return the SHA-256 of the content of a source and of the versions that read it."""
    versions = f"{FORMAT_VERSION} {READER_VERSION} {cliquepool.__version__}"
    digest = hashlib.sha256(f"{versions} {path.stem}\0".encode())
    if path.is_file():
        with path.open("rb") as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
        return digest.hexdigest()
    try:
        with tu_files(path) as (name, texts):
            for part, text in sorted(texts.items()):
                digest.update(f"\0{name}_{part} {text.size}\0".encode())
                for piece in text.pieces():
                    digest.update(piece)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None
    return digest.hexdigest()
