"""Data sets by name, path, entry point, or ``package:factory``."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cliquepool.data.catalogue import load_dataset
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.models.registry import is_source, load_source

if TYPE_CHECKING:
    from os import PathLike

    from cliquepool.evaluate.estimators import Dataset

__all__ = ["DATASET_GROUP", "open_dataset"]

DATASET_GROUP: Final = "cliquepool.datasets"
"""The group of entry points by which other packages add data sets."""

_NEEDED: Final = ("name", "fingerprint", "targets", "classes", "save", "load")


def open_dataset(words: str, *, data_dir: str | PathLike[str] | None = None) -> Dataset:
    """Return a data set: a name or a path as in `load_dataset`, or what a function of a user returns.

    That is the function at ``package:factory``, or the one of an entry point of this name in the group
    `DATASET_GROUP`.

    >>> open_dataset("MUTAG").name
    'MUTAG'
    """
    if Path(words).exists():
        return load_dataset(words, data_dir=data_dir)
    for point in entry_points(group=DATASET_GROUP):
        if point.name == words:
            return _made(point.value)
    return _made(words) if is_source(words) else load_dataset(words, data_dir=data_dir)


def _made(source: str) -> Dataset:
    try:
        found = load_source(source)
    except ImportError as error:
        raise EvaluationError(f"{source}: expected a module to import, got {error}") from error
    try:
        made: Any = found() if callable(found) else found
    except Exception as error:  # whatever a user's code raises
        raise EvaluationError(
            f"{source}: expected a data set, got {type(error).__name__}: {error}"
        ) from error
    missing = [name for name in _NEEDED if not hasattr(made, name)]
    if missing:
        raise EvaluationError(
            f"{source}: expected a data set, such as a GraphDataset, got a {type(made).__name__} "
            f"without {', '.join(missing)}"
        )
    dataset: Dataset = made
    return dataset
