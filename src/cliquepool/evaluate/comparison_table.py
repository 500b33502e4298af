"""The comparison table, from records alone: models by data sets, with differences, costs and failures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from cliquepool.evaluate.pairs import accuracies_by_fold, corrected_t_test, holm
from cliquepool.evaluate.published import SOURCES, published
from cliquepool.evaluate.split_files import ERRICA
from cliquepool.evaluate.summary import Figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from cliquepool.evaluate.comparisons import ComparisonFolder, Failure
    from cliquepool.evaluate.costs import FitCost
    from cliquepool.evaluate.records import Protocol
    from cliquepool.evaluate.summary import RunSummary

__all__ = ["REFERENCE", "Cell", "Column", "ComparisonTable", "Line", "comparison_table"]

REFERENCE: Final = "clique-pool"
"""The key of the model that the others are compared with."""


@dataclass(frozen=True, slots=True)
class Line:
    """A model of the table: its key and its title."""

    key: str
    title: str


@dataclass(frozen=True, slots=True)
class Column:
    """A data set of the table: its name, and its folds in words."""

    dataset: str
    folds: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A model on a data set.

    Attributes
    ----------
    state : {"figure", "incomplete", "failed", "not run"}
        Whether there is a figure; and if not, why.
    note : str
        The folds and seeds that were run, or the reason of a failure.
    figure : Figure or None
        Mean and standard deviation over the folds, in percent.
    accuracies : tuple of float
        The accuracy on each test fold, in percent, under `fair`.
    difference : Figure or None
        The accuracy minus that of the reference on the same folds.
    p : float or None
        The p-value of the difference by the corrected test, adjusted by Holm over all models on the data set.
    published : float or None
        The published accuracy, under the same protocol.
    epoch_seconds : float or None
        The median time of an epoch.
    peak_memory : int or None
        The most resident memory of a process during a fit, in bytes.
    num_pooling_parameters : int or None
        The number of learned parameters of pooling layers.
    """

    state: Literal["figure", "incomplete", "failed", "not run"]
    note: str = ""
    figure: Figure | None = None
    accuracies: tuple[float, ...] = ()
    difference: Figure | None = None
    p: float | None = None
    published: float | None = None
    epoch_seconds: float | None = None
    peak_memory: int | None = None
    num_pooling_parameters: int | None = None


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    """Models (lines) by data sets (columns), under one protocol; `cells` by data set and key."""

    protocol: Protocol
    lines: tuple[Line, ...]
    columns: tuple[Column, ...]
    cells: dict[tuple[str, str], Cell]

    def cell(self, column: Column, line: Line) -> Cell:
        """Return the cell of a model on a data set."""
        return self.cells[column.dataset, line.key]


def comparison_table(
    folder: ComparisonFolder,
    lines: Sequence[Line],
    datasets: Sequence[str],
    protocol: Protocol = "fair",
    wanted: Mapping[tuple[str, str], str] | None = None,
) -> ComparisonTable:
    """Return the table of these models and data sets from the records of a folder.

    Where a file of records has several runs of a model under the protocol, with other settings or splits, the
    table shows the one of the hash that `wanted` has for the data set and the key, by default the one that
    was recorded last.
    """
    wanted = wanted or {}
    columns = []
    cells: dict[tuple[str, str], Cell] = {}
    for dataset in datasets:
        runs = {
            line.key: folder.run(dataset, line.key, protocol, wanted.get((dataset, line.key)))
            for line in lines
        }
        is_known = protocol == "paper" or _on_published_folds(runs.values())
        reference = runs.get(REFERENCE)
        found = {
            line.key: _cell(
                runs[line.key],
                line,
                reference,
                failure=folder.read_failure(dataset, line.key, protocol),
                known=published(protocol, line.title, dataset) if is_known else None,
            )
            for line in lines
        }
        cells |= {(dataset, key): cell for key, cell in _adjusted(found).items()}
        columns.append(Column(dataset, _folds_in_words([run for run in runs.values() if run is not None])))
    return ComparisonTable(protocol, tuple(lines), tuple(columns), cells)


def _cell(
    run: RunSummary | None,
    line: Line,
    reference: RunSummary | None,
    *,
    failure: Failure | None,
    known: float | None,
) -> Cell:
    if failure is not None and (run is None or run.figure is None or failure.run == run.run.sha256):
        return Cell("failed", failure.reason, published=known)
    if run is None:
        return Cell("not run", published=known)
    if run.figure is None:
        return Cell("incomplete", run.extent, published=known)
    accuracies = accuracies_by_fold(run) if run.run.protocol == "fair" else np.zeros(0)
    difference, p = None, None
    if line.key != REFERENCE and reference is not None and _on_same_folds(run, reference):
        differences = accuracies - accuracies_by_fold(reference)
        difference = Figure(float(differences.mean()), float(differences.std()))
        p = corrected_t_test(differences)
    return Cell(
        "figure",
        run.extent,
        run.figure,
        tuple(accuracies.tolist()),
        difference,
        p,
        known,
        _median(run, lambda cost: cost.epoch_seconds),
        _most(run, lambda cost: cost.peak_memory),
        _most(run, lambda cost: cost.num_pooling_parameters),
    )


def _on_published_folds(runs: Iterable[RunSummary | None]) -> bool:
    """Return whether all runs are on the folds that figures were published for under `fair`."""
    splits = [run.records[0].splits for run in runs if run is not None]
    return all(one is not None and one.name == ERRICA for one in splits)


def _on_same_folds(run: RunSummary, reference: RunSummary) -> bool:
    """Return whether two whole runs were tested on the same folds; their seeds may differ."""
    if run.run.protocol != "fair" or reference.figure is None:
        return False
    return all(
        getattr(run.run, name) == getattr(reference.run, name)
        for name in ("fingerprint", "folds", "split_seed", "splits")
    )


def _adjusted(cells: dict[str, Cell]) -> dict[str, Cell]:
    """Adjust the p-values of a data set for their number."""
    tested = {key: cell.p for key, cell in cells.items() if cell.p is not None}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    return {key: replace(cell, p=adjusted.get(key)) for key, cell in cells.items()}


def _folds_in_words(runs: Sequence[RunSummary]) -> str:
    """Return the folds of the runs on a data set, in words."""
    words = []
    for run in runs:
        splits = run.records[0].splits
        if splits is None:
            words.append(f"own folds, seed {run.run.split_seed}")
        else:
            words.append(f"folds of {SOURCES['fair'] if splits.name == ERRICA else splits.name}")
    return "; ".join(dict.fromkeys(words))


def _costs(run: RunSummary, value: Callable[[FitCost], float | None]) -> list[float]:
    found = [value(record.cost) for record in run.records if record.cost is not None]
    return [one for one in found if one is not None]


def _median(run: RunSummary, value: Callable[[FitCost], float | None]) -> float | None:
    found = _costs(run, value)
    return float(np.median(found)) if found else None


def _most(run: RunSummary, value: Callable[[FitCost], float | None]) -> int | None:
    found = _costs(run, value)
    return int(max(found)) if found else None
