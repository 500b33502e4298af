"""The cells of a comparison table as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cliquepool.evaluate.tables import p_in_words

if TYPE_CHECKING:
    from cliquepool.evaluate.comparison_table import Cell

__all__ = ["CELL_HEADS", "accuracy_words", "cell_words"]

CELL_HEADS: Final = (
    "accuracy",
    "− CliquePool",
    "p (Holm)",
    "s an epoch",
    "pooling parameters",
    "peak memory",
    "published",
    "run",
)
_NOTHING: Final = "–"
_LONGEST_REASON: Final = 120


def accuracy_words(cell: Cell) -> str:
    """Return the figure of a cell, or why there is none."""
    if cell.figure is not None:
        return str(cell.figure)
    return f"failed: {_shortened(cell.note)}" if cell.state == "failed" else cell.state


def cell_words(cell: Cell) -> tuple[str, ...]:
    """Return a cell in words, in the order of `CELL_HEADS`."""
    difference = cell.difference
    return (
        accuracy_words(cell),
        _NOTHING if difference is None else f"{difference.mean:+.2f} ± {difference.std:.2f}",
        _NOTHING if cell.p is None else p_in_words(cell.p).removeprefix("p = ").removeprefix("p "),
        _NOTHING if cell.epoch_seconds is None else f"{cell.epoch_seconds:.3g}",
        _NOTHING if cell.num_pooling_parameters is None else f"{cell.num_pooling_parameters:,}",
        _NOTHING if cell.peak_memory is None else f"{cell.peak_memory / 2**20:,.0f} MiB",
        _NOTHING if cell.published is None else f"{cell.published:.2f}",
        cell.note if cell.state in ("figure", "incomplete") else "",
    )


def _shortened(reason: str) -> str:
    line = (reason.splitlines() or [""])[0]
    return line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 1]}…"
