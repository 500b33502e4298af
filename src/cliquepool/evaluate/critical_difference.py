"""The critical-difference diagram of mean ranks, as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from cliquepool.evaluate.ranks import LEVEL

if TYPE_CHECKING:
    from cliquepool.evaluate.ranks import MeanRanks

__all__ = ["critical_difference_svg", "ranks_in_words"]

_AXIS_LENGTH: Final = 440
_LEAST_MARGIN: Final = 300  # for titles on both sides
_CHARACTER_WIDTH: Final = 9  # of the widest common fonts, in bold
_TOP: Final = 70  # the axis
_BAR_GAP: Final = 9
_LINE_HEIGHT: Final = 22


def ranks_in_words(ranks: MeanRanks) -> str:
    """Return the tests of mean ranks in one sentence."""
    friedman = "" if ranks.friedman is None else f" Friedman's test of equality: p = {ranks.friedman:.2g}."
    return (
        f"Mean ranks of {len(ranks.titles)} models over {len(ranks.datasets)} data sets "
        f"({', '.join(ranks.datasets)}), 1 is best. Two models differ significantly at the level {LEVEL}, "
        f"by the test of Nemenyi, if their mean ranks differ by {ranks.critical_difference:.2f} or more; "
        f"bars join models that do not.{friedman}"
    )


def critical_difference_svg(ranks: MeanRanks, highlighted: str = "") -> str:
    """Return the diagram of Demšar (2006): models on an axis of ranks, bars over those that do not differ.

    The text has the colour of the page. `highlighted` is the title of a model that is drawn bold.
    """
    groups = ranks.groups()
    first_line = _TOP + 14 + _BAR_GAP * len(groups) + 14
    half = (len(ranks.titles) + 1) // 2
    height = first_line + _LINE_HEIGHT * half + 8
    parts = [*_axis(ranks), *_difference(ranks)]
    for number, (first, last) in enumerate(groups):
        y = _TOP + 14 + _BAR_GAP * number
        begin, end = (_x(ranks, ranks.ranks[position]) for position in (first, last))
        ends = f'x1="{begin - 4:.1f}" x2="{end + 4:.1f}" y1="{y}" y2="{y}"'
        parts.append(f'<line class="group" {ends} stroke-width="4"/>')
    for position, (title, rank) in enumerate(zip(ranks.titles, ranks.ranks, strict=True)):
        is_left = position < half
        number = position if is_left else len(ranks.titles) - 1 - position
        y = first_line + _LINE_HEIGHT * number
        x = _x(ranks, rank)
        edge = _margin(ranks) - 14 if is_left else _width(ranks) - _margin(ranks) + 14
        anchor, away = ("end", -6) if is_left else ("start", 6)
        parts += [
            f'<polyline fill="none" points="{x:.1f},{_TOP} {x:.1f},{y} {edge},{y}"/>',
            _text(edge + away, y + 4.5, _title(title, rank), anchor, bold=title == highlighted),
        ]
    said = escape(ranks_in_words(ranks))
    return (
        f'<svg class="ranks" viewBox="0 0 {_width(ranks)} {height}" role="img" aria-label="{said}" '
        'fill="currentColor" stroke="currentColor" font-size="14" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{said}</title>{''.join(parts)}</svg>"
    )


def _title(title: str, rank: float) -> str:
    return f"{title} ({rank:.2f})"


def _margin(ranks: MeanRanks) -> int:
    """Return the width of the space for titles on each side of the axis."""
    longest = max(len(_title(title, rank)) for title, rank in zip(ranks.titles, ranks.ranks, strict=True))
    return max(_LEAST_MARGIN, 30 + _CHARACTER_WIDTH * longest)


def _width(ranks: MeanRanks) -> int:
    return _AXIS_LENGTH + 2 * _margin(ranks)


def _x(ranks: MeanRanks, rank: float) -> float:
    """Return the position of a rank: 1 at the left."""
    return _margin(ranks) + (rank - 1) / max(1, len(ranks.titles) - 1) * _AXIS_LENGTH


def _axis(ranks: MeanRanks) -> list[str]:
    models = len(ranks.titles)
    parts = [f'<line x1="{_x(ranks, 1)}" x2="{_x(ranks, models)}" y1="{_TOP}" y2="{_TOP}"/>']
    step = 1 if models <= 12 else 2
    for rank in range(1, models + 1):
        x = _x(ranks, rank)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 6}" y2="{_TOP}"/>')
        if (rank - 1) % step == 0:
            parts.append(_text(x, _TOP - 12, str(rank), "middle"))
    return parts


def _difference(ranks: MeanRanks) -> list[str]:
    """Draw a line as long as the critical difference, above the axis; it may be longer than that."""
    end = min(_x(ranks, 1 + ranks.critical_difference), _width(ranks) - 10.0)
    y = 24
    return [
        f'<line x1="{_x(ranks, 1)}" x2="{end:.1f}" y1="{y}" y2="{y}" stroke-width="2"/>',
        *(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 5}" y2="{y + 5}"/>' for x in (_x(ranks, 1), end)),
        _text(_x(ranks, 1), y - 9, f"critical difference {ranks.critical_difference:.2f}", "start"),
    ]


def _text(x: float, y: float, words: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="700"' if bold else ""
    return f'<text stroke="none" x="{x:.1f}" y="{y}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'
