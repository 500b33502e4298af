"""Data sets by name: where they are looked for, and what there is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from cliquepool.data.tu import read_tu

if TYPE_CHECKING:
    from os import PathLike

    from cliquepool.data.dataset import GraphDataset

__all__ = ["load_dataset"]


def load_dataset(
    name_or_path: str | PathLike[str], *, data_dir: str | PathLike[str] | None = None
) -> GraphDataset:
    """Load a data set by its name or its path."""
    path = Path(name_or_path)
    if path.exists():
        return read_tu(path)
    folder = Path(data_dir or os.environ.get("CLIQUEPOOL_DATA", "."))
    for candidate in (folder / f"{name_or_path}.zip", folder / "tu" / f"{name_or_path}.zip"):
        if candidate.exists():
            return read_tu(candidate)
    raise FileNotFoundError(f"no data set {name_or_path}")
