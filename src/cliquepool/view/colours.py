"""Colours for pools: neighbours on the paper should not look alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from cliquepool.view.layout import Points

__all__ = ["INK", "LINE", "MUTED", "choose_colours", "is_dark"]

INK: Final = "#2b2f36"
MUTED: Final = "#6b7480"
LINE: Final = "#a9b1bb"

# The first six are those of the paper's figure, a little softer.
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
# How much an earlier colour is preferred: enough to decide only among colours that are as good.
_PREFERENCE: Final = 0.01


def choose_colours(centres: Points, kept: dict[int, str], first: int = 0) -> list[str]:
    """A colour for each place: in the order given, the one whose other uses are farthest away.

    Places that are `kept` have theirs already. Where several colours are as good, those from the `first` on.
    """
    rgb = np.array([_rgb(colour) for colour in _PALETTE])
    alike = np.exp(-((np.sqrt(((rgb[:, None] - rgb[None]) ** 2).sum(-1)) / 0.2) ** 2))
    spread = max(float(np.ptp(centres, axis=0).max(initial=0)), 1e-9)
    chosen = {place: _PALETTE.index(colour) for place, colour in kept.items() if colour in _PALETTE}
    for place in range(len(centres)):
        if place in kept:
            continue
        crowding = _PREFERENCE * ((np.arange(len(_PALETTE)) - first) % len(_PALETTE))
        for other, colour in chosen.items():
            distance = float(np.sqrt(((centres[other] - centres[place]) ** 2).sum())) / spread
            crowding += alike[colour] / (distance + 0.03) ** 2
        chosen[place] = int(crowding.argmin())
    return [kept[place] if place in kept else _PALETTE[chosen[place]] for place in range(len(centres))]


def is_dark(colour: str) -> bool:
    """Tell whether white is easier to read on a colour than black."""
    red, green, blue = _rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.6


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
