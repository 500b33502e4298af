"""The version of this library, read from its metadata; pyproject.toml is its only source."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

__all__ = ["version"]

_UNKNOWN: Final = "0+unknown"


@cache
def version() -> str:
    """Return the version that is installed; without an installation, that of the source tree.

    >>> version().count(".")
    2
    """
    try:
        return metadata.version("cliquepool")
    except metadata.PackageNotFoundError:
        return _of_the_source_tree(Path(__file__).parents[2])


def _of_the_source_tree(root: Path) -> str:
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, tomllib.TOMLDecodeError, KeyError):
        return _UNKNOWN
    return str(project["version"]) if project.get("name") == "cliquepool" else _UNKNOWN
