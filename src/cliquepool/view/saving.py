"""Saving of pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cliquepool.files import replacing

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.figure import Figure

__all__ = ["save_figure"]


def save_figure(figure: Figure, path: str | PathLike[str], dpi: float) -> None:
    """Write a picture atomically, in the format of its suffix (PNG without one)."""
    path = Path(path)
    if not path.suffix:
        path = path.with_name(f"{path.name}.png")
    with replacing(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=dpi)
