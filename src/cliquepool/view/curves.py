"""Learning curves of a run: a thin line for each fold, a bold one for their mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.view.colours import INK, LINE, MUTED
from cliquepool.view.saving import save_figure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cliquepool.evaluate import RunSummary

__all__ = ["draw_curves"]

_TRAINING: Final = "#4a8fe0"
_VALIDATION: Final = "#e2504f"
_ACCURACY: Final = "#3c8f5d"


def draw_curves(
    summary: RunSummary,
    path: str | PathLike[str] | None = None,
    *,
    dpi: int = 150,
    ax: Sequence[Axes] | None = None,
) -> Figure:
    """Draw the loss and the validation accuracy of a run over its epochs.

    Thin lines are folds, bold ones their mean. Under `paper` a mark shows the epoch of the reported accuracy;
    under `fair`, marks show the chosen epoch of each fold, and a line the accuracy on the test folds.

    Returns the matplotlib figure; pyplot is not used.

    Parameters
    ----------
    summary : RunSummary
        A run, complete or not; see `cliquepool.evaluate.summarise`.
    path : str or path, optional
        The file to save it in; the format is that of the suffix (png, svg, pdf).
    dpi : int
        Dots per inch, for png.
    ax : two matplotlib Axes, optional
        The axes for the loss and the accuracy; their figure gets no title. By default a new figure.
    """
    if ax is None:
        figure, (loss, accuracy) = _new_figure(summary, dpi)
    else:
        loss, accuracy = ax
        figure = loss.figure.figure
    _draw_curve(loss, summary, "loss", colour=_TRAINING, label="training")
    _draw_curve(loss, summary, "validation_loss", colour=_VALIDATION, label="validation")
    _draw_curve(accuracy, summary, "validation_accuracy", colour=_ACCURACY, label="validation", scale=100)
    _mark(accuracy, summary)
    for axes, name in ((loss, "loss"), (accuracy, "accuracy, %")):
        _style(axes, name)
    if path is not None:
        save_figure(figure, path, dpi)
    return figure


def _new_figure(summary: RunSummary, dpi: int) -> tuple[Figure, Any]:
    """Return a figure with a title, and its two axes."""
    from matplotlib.figure import Figure  # noqa: PLC0415 (slow to import)

    figure = Figure(figsize=(9.0, 3.6), dpi=dpi, facecolor="white", layout="constrained")
    run = summary.run
    figure.suptitle(
        f"{run.model} on {run.dataset}, {run.protocol} protocol, {summary.extent}",
        fontsize=11,
        weight="bold",
        color=INK,
        x=0.01,
        ha="left",
        parse_math=False,
    )
    return figure, figure.subplots(1, 2)


def _draw_curve(
    axes: Axes, summary: RunSummary, name: str, *, colour: str, label: str, scale: float = 1
) -> None:
    curves = [scale * np.array(record.curves[name]) for record in summary.records if name in record.curves]
    if not curves:
        return
    for curve in curves:
        axes.plot(np.arange(1, len(curve) + 1), curve, color=colour, linewidth=0.6, alpha=0.3)
    # Folds may have different numbers of epochs: the mean is over those that have the epoch.
    longest = max(map(len, curves))
    padded = np.array([np.pad(curve, (0, longest - len(curve)), constant_values=np.nan) for curve in curves])
    marker: Any = "o" if longest == 1 else None
    mean = np.nanmean(padded, axis=0)
    axes.plot(np.arange(1, longest + 1), mean, color=colour, linewidth=2, label=label, marker=marker)


def _mark(axes: Axes, summary: RunSummary) -> None:
    """Mark the epochs of the reported accuracy."""
    if summary.run.protocol == "fair":
        chosen = [(record.best_epoch, 100 * record.validation_accuracy) for record in summary.records]
        axes.plot(
            *zip(*chosen, strict=True),
            linestyle="",
            marker="o",
            markersize=3.5,
            color=_ACCURACY,
            markeredgecolor="white",
            markeredgewidth=0.5,
            label="epoch chosen",
        )
        if summary.figure is not None:
            axes.axhline(
                summary.figure.mean, color=INK, linewidth=1, linestyle="--", label=f"test {summary.figure}"
            )
    elif summary.figure is not None and summary.epoch is not None:
        axes.plot(summary.epoch, summary.figure.mean, "o", color=INK, label=f"highest mean {summary.figure}")


def _style(axes: Axes, name: str) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 (slow to import)

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("epoch", color=MUTED, fontsize=9)
    axes.set_title(name, color=MUTED, fontsize=9, loc="left")
    axes.tick_params(colors=MUTED, labelsize=8)
    axes.grid(color=LINE, linewidth=0.4, alpha=0.4)
    for side, spine in axes.spines.items():
        spine.set_visible(side in {"left", "bottom"})
        spine.set_color(LINE)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, frameon=False, labelcolor=INK)
