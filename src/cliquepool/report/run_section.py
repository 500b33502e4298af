"""The section of one run: figure, learning curves, folds, confusion matrix, and how to repeat it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cliquepool._words import counted
from cliquepool.errors import InputError
from cliquepool.report.confusion import confusion_of, confusion_table
from cliquepool.report.plots import MOST_FOLDS_DRAWN, MOST_LINES, plot_accuracies, plot_curves
from cliquepool.report.repeat import repetition_of
from cliquepool.view.html_page import text
from cliquepool.view.html_tables import HtmlCell, HtmlColumn, HtmlRow, sortable_table

if TYPE_CHECKING:
    from cliquepool.evaluate.records import FoldRecord
    from cliquepool.report.runs import ReportedRun
    from cliquepool.report.truth import FoundDatasets

__all__ = ["run_section"]

_MOST_ROWS: Final = 2000
_MOST_NAMED: Final = 12
_PROTOCOLS: Final = {
    "fair": "Fair protocol: accuracy on test folds that nothing was chosen by, mean ± standard deviation "
    "over the folds",
    "paper": "Paper protocol: highest mean validation accuracy of any epoch, mean ± standard deviation over "
    "the folds at that epoch. The epoch is chosen by the same folds, so the figure is too high; its interval "
    "does not correct that",
}


def run_section(run: ReportedRun, datasets: FoundDatasets) -> str:
    """Return the section of a run."""
    parts = [_figure(run), _plots(run), _confusion(run, datasets), _folds(run), _repetition(run)]
    return (
        f'<section class="run panel" id="{run.anchor}" aria-labelledby="{run.anchor}-title">'
        f'<h2 id="{run.anchor}-title">{text(f"{run.number}: {run.name}")}</h2>\n{"".join(parts)}</section>\n'
    )


def _figure(run: ReportedRun) -> str:
    summary = run.summary
    if summary.figure is None:
        named = [f"fold {fold} of seed {seed}" for fold, seed in summary.missing[:_MOST_NAMED]]
        more = len(summary.missing) - len(named)
        missing = ", ".join(named) + (f" and {more:,} more" if more else "")
        return (
            f'<p class="figure">{text(summary.extent)}</p>'
            f"<p>There is no figure before all folds are on record. Missing: {text(missing)}.</p>"
        )
    seeds = "" if len(summary.seeds) == 1 else ", each the mean over the seeds"
    epoch = "" if summary.epoch is None else f" (epoch {summary.epoch})"
    told = f"{_PROTOCOLS[summary.run.protocol]}: {summary.extent}{seeds}{epoch}."
    return f'<p class="figure">{text(summary.figure)} %</p><p>{text(told)} {text(_interval(run))}</p>'


def _interval(run: ReportedRun) -> str:
    if run.interval is None:
        return "All folds have the same accuracy: there is no spread to compute an interval from."
    return f"95 % interval, corrected for training sets that overlap: {run.interval}."


def _plots(run: ReportedRun) -> str:
    has_epochs = any(len(record.curves["validation_accuracy"]) > 1 for record in run.summary.records)
    figures = _curves(run) if has_epochs else []
    by_fold = f"Accuracy by fold ({run.judged_by}), %"
    if run.interval is not None:
        by_fold += ", with its mean and 95 % interval"
    figures.append((plot_accuracies(run), by_fold))
    shown = "".join(
        f"<figure>{plot}<figcaption>{caption}</figcaption></figure>" for plot, caption in figures if plot
    )
    notes = _plot_notes(run, has_epochs=has_epochs)
    return f'<div class="plots">{shown}</div><p class="quiet">{text(" ".join(notes))}</p>'


def _curves(run: ReportedRun) -> list[tuple[str, str]]:
    """Return the plots of loss and accuracy by epoch, each with its caption."""
    losses = {
        name: side
        for name, side in {"loss": "training", "validation_loss": "validation"}.items()
        if any(record.curves.get(name) for record in run.summary.records)
    }
    legend = " and ".join(f'<b class="{side}">{side}</b>' for side in losses.values())
    dashed = " (dashed)" if "validation_loss" in losses else ""
    accuracies = plot_curves(
        run,
        {"validation_accuracy": "accuracy"},
        f"The validation accuracy of {run.name} by epoch, in percent",
        scale=100,
    )
    return [
        (plot_curves(run, losses, f"The loss of {run.name} by epoch"), f"Loss, {legend}{dashed}"),
        (accuracies, f"Validation accuracy, %{_kept(run)}"),
    ]


def _plot_notes(run: ReportedRun, *, has_epochs: bool) -> list[str]:
    notes = []
    if has_epochs:
        drawn = math.ceil(len(run.summary.records) / max(1, math.ceil(len(run.summary.records) / MOST_LINES)))
        some = f" (of {drawn} of them)" if drawn < len(run.summary.records) else ""
        notes.append(f"Thin lines are folds{some}, bold ones their mean over the folds that have the epoch.")
    else:
        notes.append("This model has no epochs, so there are no learning curves.")
    if run.summary.run.folds > MOST_FOLDS_DRAWN:
        notes.append(f"More than {MOST_FOLDS_DRAWN} folds are not drawn one by one; the table has them.")
    return notes


def _kept(run: ReportedRun) -> str:
    if run.summary.run.protocol == "fair":
        return "; dots: the epoch that was kept in each fold"
    return "" if run.summary.epoch is None else f"; dot: the highest mean, at epoch {run.summary.epoch}"


def _confusion(run: ReportedRun, datasets: FoundDatasets) -> str:
    dataset = datasets.get(run)
    reason = ""
    if run.summary.run.protocol == "paper":
        reason = "the paper protocol has no test set, so its records keep no predictions"
    elif not run.has_predictions:
        reason = "these records keep no predictions: they are of a version that did not record them"
    elif dataset is None:
        reason = datasets.reason(run)
    else:
        try:
            return f"<h3>Confusion</h3>{confusion_table(confusion_of(run, dataset), run.name)}"
        except InputError as error:
            reason = str(error)
    return f'<h3>Confusion</h3><p class="quiet">No confusion matrix: {text(reason)}.</p>'


def _folds(run: ReportedRun) -> str:
    heads = [HtmlColumn("fold"), HtmlColumn("seed", css="number")]
    if run.summary.run.protocol == "fair":
        heads.append(HtmlColumn("test accuracy, %", css="number"))
    heads += [
        HtmlColumn("validation accuracy, %", css="number"),
        HtmlColumn("kept epoch", css="number"),
        HtmlColumn("epochs", css="number"),
        HtmlColumn("seconds", css="number"),
    ]
    if len(run.candidates) > 1:
        heads.append(HtmlColumn("chosen settings"))
    heads += [HtmlColumn("split"), HtmlColumn("finished")]
    records = run.summary.records[:_MOST_ROWS]
    rows = [HtmlRow(HtmlCell(str(record.fold), record.fold), _fold_cells(run, record)) for record in records]
    table = sortable_table(f"Folds of {run.name}", heads, rows)
    left_out = len(run.summary.records) - len(rows)
    note = f"<p>{text(counted(left_out, 'more record'))} in the file.</p>" if left_out else ""
    return f"<details><summary>All folds, with split hashes</summary>{table}{note}</details>"


def _fold_cells(run: ReportedRun, record: FoldRecord) -> list[HtmlCell]:
    cells = [_number(record.seed, str(record.seed))]
    if record.test_accuracy is not None:
        cells.append(_number(100 * record.test_accuracy, f"{100 * record.test_accuracy:.2f}"))
    cells += [
        _number(100 * record.validation_accuracy, f"{100 * record.validation_accuracy:.2f}"),
        _number(record.best_epoch, str(record.best_epoch)),
        _number(len(record.curves["validation_accuracy"]), str(len(record.curves["validation_accuracy"]))),
        _number(record.seconds, f"{record.seconds:,.1f}"),
    ]
    if len(run.candidates) > 1:
        cells.append(HtmlCell(_chosen(run, record)))
    split = record.split_sha256
    cells.append(HtmlCell(split, tip=split, markup=f"<code>{text(split[:12])}…</code>"))
    cells.append(HtmlCell(record.finished_at))
    return cells


def _chosen(run: ReportedRun, record: FoldRecord) -> str:
    """Return the settings that were chosen, those in which the candidates differ."""
    differing = [
        name
        for name in record.settings
        if any(other.get(name) != record.settings[name] for other in run.candidates)
    ]
    return ", ".join(f"{name} {record.settings[name]}" for name in differing)


def _number(value: float, words: str) -> HtmlCell:
    return HtmlCell(words, value, css="number")


def _repetition(run: ReportedRun) -> str:
    repetition = repetition_of(run)
    note = f"<p>{text(repetition.note)}</p>" if repetition.note else ""
    return (
        f'<h3>Repeat it</h3>{note}<pre tabindex="0" role="region" aria-label="{text(f"Repeats {run.name}")}">'
        f"<code>{text(repetition.words)}</code></pre>"
    )
