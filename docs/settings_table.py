"""The table of several settings of CliquePool under the paper's protocol, made from the records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool.evaluate import read_records, summarise
from cliquepool.evaluate.published import EXCHANGED, PUBLISHED
from cliquepool.evaluate.tables import as_markdown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cliquepool.evaluate.summary import RunSummary

SETTINGS = {
    ".": "the paper's presets",
    "default": "preset `default`",
    "batch-norm": "GCN, batch norm, no weight decay",
    "weight-decay": "GCN, weight decay 1e-2",
}
"""The folder of the records of each row, and its name."""


def settings_table(results: Path, datasets: Sequence[str]) -> str:
    """Return the figures of all settings by data set, and the highest ones of the paper's table."""
    runs = {
        folder: {name: _run(results / folder / f"{name}-paper.jsonl") for name in datasets}
        for folder in SETTINGS
    }
    rows = [[SETTINGS[folder], *(_words(run) for run in found.values())] for folder, found in runs.items()]
    rows.append(["highest figure of the paper's table", *map(_highest_published, datasets)])
    extents = sorted({run.extent for found in runs.values() for run in found.values() if run and run.figure})
    about = ["CliquePool's accuracy in percent, mean ± standard deviation over the folds, paper protocol"]
    return f"{as_markdown(['settings', *datasets], rows)}\n{', '.join(about + extents)}.\n\n{EXCHANGED}\n"


def _run(path: Path) -> RunSummary | None:
    if not path.exists():
        return None
    (run,) = summarise(read_records([path]))
    return run


def _words(run: RunSummary | None) -> str:
    if run is None:
        return "not run"
    return run.extent if run.figure is None else str(run.figure)


def _highest_published(dataset: str) -> str:
    figures = {row[dataset]: model for model, row in PUBLISHED["paper"].items() if dataset in row}
    return f"{max(figures):.2f} ({figures[max(figures)]})"
