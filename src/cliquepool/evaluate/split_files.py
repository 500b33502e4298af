"""Folds that others have made: JSON files of splits, checked against the data set they are for.

A file has the name of the data set, the number of its graphs, and for each fold the positions of the graphs
to train on, to validate on and to test on::

    {"dataset": …, "graphs": …, "folds": [{"train": […], "validation": […], "test": […]}, …]}
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cliquepool.data.catalogue import data_folder
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.splits import Split

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from cliquepool.evaluate.estimators import Dataset

__all__ = ["ERRICA", "OWN", "SPLIT_BY_ERRICA", "FixedSplits", "resolve_splits"]

OWN: Final = "own"
"""Folds that are drawn here from a seed."""
ERRICA: Final = "errica"
"""The folds of Errica et al. 2020, in the folder ``splits`` of the data folder."""
SPLIT_BY_ERRICA: Final = (
    "COLLAB",
    "DD",
    "ENZYMES",
    "IMDB-BINARY",
    "IMDB-MULTI",
    "NCI1",
    "PROTEINS",
    "REDDIT-BINARY",
    "REDDIT-MULTI-5K",
)
"""The data sets that Errica et al. have split."""

_PARTS: Final = ("train", "validation", "test")
_MOST_GRAPHS: Final = 1 << 31


class _Fold(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    train: list[int] = Field(min_length=1)
    validation: list[int] = Field(min_length=1)
    test: list[int] = Field(min_length=1)


class _SplitsFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    dataset: str
    graphs: int = Field(ge=2, le=_MOST_GRAPHS)
    folds: list[_Fold] = Field(min_length=2)


@dataclass(frozen=True, slots=True)
class FixedSplits:
    """The splits of a file: in every fold each graph has one part, and each graph is tested in one fold.

    Attributes
    ----------
    name : str
        The name of the splits in records and tables.
    dataset : str
        The name of the data set they are for.
    num_graphs : int
        The number of its graphs.
    folds : tuple of Split
        The split of each fold.
    """

    name: str
    dataset: str
    num_graphs: int
    folds: tuple[Split, ...]

    @property
    def sha256(self) -> str:
        """A hash of all folds."""
        return hashlib.sha256("\n".join(split.sha256 for split in self.folds).encode()).hexdigest()

    @classmethod
    def read(cls, path: str | PathLike[str], name: str | None = None) -> FixedSplits:
        """Read a file of splits; raise EvaluationError that says what in it is wrong."""
        file = Path(path)
        content = file.read_bytes()
        try:
            found = _SplitsFile.model_validate_json(content)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise EvaluationError(
                f"{file}: expected splits, got {where or 'a file'}: {first['msg']}"
            ) from None
        folds = tuple(
            _checked_split(f"{file}, fold {number}", fold, found.graphs)
            for number, fold in enumerate(found.folds, start=1)
        )
        tested = np.bincount(np.concatenate([split.test for split in folds]), minlength=found.graphs)
        if (tested != 1).any():
            wrong = int(np.flatnonzero(tested != 1)[0])
            raise EvaluationError(
                f"{file}: expected every graph in one test part, got graph {wrong} in {tested[wrong]}"
            )
        return cls(name or file.stem, found.dataset, found.graphs, folds)

    def expect_for(self, dataset: Dataset) -> None:
        """Raise EvaluationError unless the splits are for this data set."""
        if self.dataset != dataset.name or self.num_graphs != len(dataset.targets):
            raise EvaluationError(
                f"splits {self.name}: expected those of the {len(dataset.targets)} graphs of {dataset.name}, "
                f"got those of the {self.num_graphs} graphs of {self.dataset}"
            )


def _checked_split(where: str, fold: _Fold, num_graphs: int) -> Split:
    """Return a fold whose parts together have every graph once."""
    parts = [np.sort(np.array(_in_range(where, name, fold, num_graphs), np.int64)) for name in _PARTS]
    counts = np.bincount(np.concatenate(parts), minlength=num_graphs)
    if (counts != 1).any():
        wrong = int(np.flatnonzero(counts != 1)[0])
        how_often = "none" if counts[wrong] == 0 else f"{counts[wrong]} places"
        raise EvaluationError(
            f"{where}: expected every graph once in train, validation or test, "
            f"got graph {wrong} in {how_often}"
        )
    return Split(*parts)


def _in_range(where: str, name: str, fold: _Fold, num_graphs: int) -> list[int]:
    ids: list[int] = getattr(fold, name)
    for position in ids:
        if not 0 <= position < num_graphs:
            raise EvaluationError(
                f"{where}, {name}: expected positions from 0 to {num_graphs - 1}, got {str(position)[:30]}"
            )
    return ids


def resolve_splits(
    splits: FixedSplits | str | PathLike[str] | None,
    dataset: Dataset,
    *,
    data_dir: str | PathLike[str] | None = None,
) -> FixedSplits | None:
    """Return the splits of a name or a file, checked against the data set; None for own folds.

    ``"own"`` and None are folds drawn from a seed. ``"errica"`` are the folds of Errica et al. 2020, read
    from ``splits/NAME.json`` of the data folder, which is `data_dir` or ``$CLIQUEPOOL_DATA``. Everything
    else is the path of a file.
    """
    if splits is None or splits == OWN:
        return None
    if isinstance(splits, FixedSplits):
        found = splits
    elif splits == ERRICA:
        found = _find_errica(dataset.name, data_dir)
    else:
        found = FixedSplits.read(splits)
    found.expect_for(dataset)
    return found


def _find_errica(dataset: str, data_dir: str | PathLike[str] | None) -> FixedSplits:
    if dataset not in SPLIT_BY_ERRICA:
        raise EvaluationError(
            f"splits: expected a data set that Errica et al. have split ({', '.join(SPLIT_BY_ERRICA)}), "
            f"got {dataset}: take own folds"
        )
    folders = list(_split_folders(data_folder(data_dir)))
    for folder in folders:
        path = folder / f"{dataset}.json"
        if path.is_file():
            return FixedSplits.read(path, ERRICA)
    searched = ", ".join(map(os.fspath, folders)) or "no data folder (set data_dir or $CLIQUEPOOL_DATA)"
    raise EvaluationError(
        f"splits: expected a file {dataset}.json of splits, got none in {searched}; own folds need none "
        "(--splits own)"
    )


def _split_folders(data: Path | None) -> Iterator[Path]:
    if data is not None:
        yield data / "splits"
        if data.name == "tu":  # the folder of the zip files alone
            yield data.parent / "splits"
