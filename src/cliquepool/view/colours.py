"""Colours for pools: different where pools are close to each other in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from cliquepool.view.layout import Points

__all__ = ["INK", "LINE", "MUTED", "choose_colours", "is_dark"]

INK: Final = "#2b2f36"
MUTED: Final = "#6b7480"
LINE: Final = "#a9b1bb"

# The first six are those of the figure in the paper, less saturated.
_PALETTE: Final = (
    "#6cc04a",  # green
    "#4a8fe0",  # blue
    "#b650d8",  # purple
    "#e2504f",  # red
    "#f2a33a",  # orange
    "#3cc7b0",  # teal
    "#f07fae",  # pink
    "#9a7653",  # brown
    "#6468d6",  # indigo
    "#c8b51e",  # yellow
    "#2a9fc0",  # cyan
    "#3c8f5d",  # dark green
)
# The preference for earlier colours: small enough to decide only between equally good ones.
_PREFERENCE: Final = 0.01


def choose_colours(centres: Points, kept: dict[int, str], first: int = 0) -> list[str]:
    """Choose a colour for each centre in turn: the one whose similar colours are farthest away.

    Centres in `kept` have that colour. Between equally good colours, the palette is used from `first` on.
    """
    rgb = np.array([_rgb(colour) for colour in _PALETTE])
    alike = np.exp(-((np.sqrt(((rgb[:, None] - rgb[None]) ** 2).sum(-1)) / 0.2) ** 2))
    spread = max(float(np.ptp(centres, axis=0).max(initial=0)), 1e-9)
    chosen = {index: _PALETTE.index(colour) for index, colour in kept.items() if colour in _PALETTE}
    for index in range(len(centres)):
        if index in kept:
            continue
        crowding = _PREFERENCE * ((np.arange(len(_PALETTE)) - first) % len(_PALETTE))
        for other, colour in chosen.items():
            distance = float(np.sqrt(((centres[other] - centres[index]) ** 2).sum())) / spread
            crowding += alike[colour] / (distance + 0.03) ** 2
        chosen[index] = int(crowding.argmin())
    return [kept[index] if index in kept else _PALETTE[chosen[index]] for index in range(len(centres))]


def is_dark(colour: str) -> bool:
    """Tell whether white text is easier to read on a colour than black text."""
    red, green, blue = _rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.6


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
