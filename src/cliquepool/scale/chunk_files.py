"""The finished chunks of a data set, in files with checksums: an interrupted run goes on after them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, Final

from cliquepool.array_files import read_arrays, write_arrays
from cliquepool.errors import InputError
from cliquepool.files import naming_errors
from cliquepool.scale.tasks import TASK_FORMAT

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    Arrays = dict[str, npt.NDArray[Any]]
    Flat = tuple[npt.NDArray[Any], Any, list[Any]]

__all__ = ["ChunkFiles"]

_FORMAT: Final = "cliquepool.chunk"
_LETTERS: Final = 16
_TWINS: Final = ("classes", "class_start", "sizes", "offsets", "neighbours")


class ChunkFiles:
    """The results of chunks of one data set, by their range of graphs; without a folder, none are kept.

    A result is what `_core.hierarchies` returns.
    """

    def __init__(self, parent: Path | None, fingerprint: str, levels: int) -> None:
        name = f"chunks-{fingerprint[:_LETTERS]}-{levels}"
        self._folder = None if parent is None else parent.absolute() / name
        self._about = {
            "format": _FORMAT,
            "version": str(TASK_FORMAT),
            "data": fingerprint,
            "levels": str(levels),
        }

    def read(self, begin: int, end: int) -> Flat | None:
        """Return the result of a chunk; None if it is not there, not whole, or of another data set."""
        if self._folder is None:
            return None
        try:
            file = read_arrays(self._path(begin, end))
            file.expect(_FORMAT, TASK_FORMAT)
            if file.metadata != self._about | {"graphs": f"{begin} {end}"}:
                return None
            return _flat(file.arrays)
        except (FileNotFoundError, InputError, KeyError):
            return None

    def write(self, begin: int, end: int, result: Flat) -> None:
        """Keep the result of a chunk, whole or not at all."""
        if self._folder is None:
            return
        with naming_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        write_arrays(self._path(begin, end), _arrays(result), self._about | {"graphs": f"{begin} {end}"})

    def remove(self) -> None:
        """Remove all results."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, begin: int, end: int) -> Path:
        assert self._folder is not None
        return self._folder / f"{begin}-{end}.safetensors"


def _arrays(result: Flat) -> Arrays:
    """Name the arrays of a result."""
    depth, bottom, above = result
    named: Arrays = {"depth": depth, **_twin_arrays("bottom", bottom)}
    for level, (pool_start, (offsets, members), coarse) in enumerate(above):
        named |= {f"{level}.pool_start": pool_start, f"{level}.pools": offsets, f"{level}.members": members}
        named |= _twin_arrays(str(level), coarse)
    return named


def _twin_arrays(prefix: str, twins: Any) -> Arrays:
    return {f"{prefix}.{name}": array for name, array in zip(_TWINS, twins, strict=True)}


def _flat(named: Arrays) -> Flat:
    """Return the result whose arrays these are; raise KeyError if one is missing."""
    above: list[Any] = []
    while f"{len(above)}.pool_start" in named:
        level = str(len(above))
        pools = named[f"{level}.pools"], named[f"{level}.members"]
        above.append((named[f"{level}.pool_start"], pools, _twins(named, level)))
    return named["depth"], _twins(named, "bottom"), above


def _twins(named: Arrays, prefix: str) -> tuple[npt.NDArray[Any], ...]:
    return tuple(named[f"{prefix}.{name}"] for name in _TWINS)
