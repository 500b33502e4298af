"""`html_report`: one self-contained page on one or several runs, made from their records."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from cliquepool._version import version
from cliquepool._words import counted
from cliquepool.errors import InputError
from cliquepool.evaluate.published import footnote, published
from cliquepool.files import write_text
from cliquepool.report.plots import plot_figures
from cliquepool.report.run_section import run_section
from cliquepool.report.runs import reported_runs
from cliquepool.report.side_by_side import identity_facts, settings_facts, side_by_side, version_facts
from cliquepool.report.truth import FoundDatasets
from cliquepool.view.html_page import html_page, text
from cliquepool.view.html_tables import TABLE_SCRIPT, HtmlCell, HtmlColumn, HtmlRow, sortable_table
from cliquepool.view.page import framed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cliquepool.evaluate.estimators import Dataset
    from cliquepool.evaluate.records import FoldRecord
    from cliquepool.report.runs import ReportedRun

__all__ = ["HtmlReport", "html_report"]

_ASSETS: Final = ("report/report.css", "explain/drawing.css", TABLE_SCRIPT)
_HEADS: Final = (
    HtmlColumn("run"),
    HtmlColumn("accuracy, %", ("accuracy", "std"), css="number"),
    HtmlColumn("95 % interval", ("low", "high"), css="number"),
    HtmlColumn("folds × seeds"),
    HtmlColumn("published, %", css="number"),
    HtmlColumn("seconds of all folds", css="number"),
)
_NOTES: Final = (
    "The standard deviation is that of the folds, as in most papers; it is not an error of the mean.",
    (
        "The interval is that of the t-distribution over the folds. Any two folds share most of their "
        "training samples, so they are not independent: the variance of the mean is corrected for that, as "
        "Nadeau and Bengio (2003) do. Seeds repeat the same folds and are averaged first."
    ),
    (
        "fair: a tenth of the training part of each fold chooses the epoch, then the fold is predicted once. "
        "paper: every epoch is judged on the fold, and the epoch with the highest mean is reported."
    ),
)


@dataclass(frozen=True, slots=True)
class HtmlReport:
    """A report: `save` writes it to a file, a notebook shows it.

    Attributes
    ----------
    title : str
        The title of the page.
    """

    title: str
    _page: str

    def html(self) -> str:
        """Return the page as HTML."""
        return self._page

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file atomically. It needs no server and no network."""
        write_text(path, self._page)

    def _repr_html_(self) -> str:
        return framed(self.title, self._page)

    def __repr__(self) -> str:
        return f"HtmlReport({self.title!r}, {len(self._page.encode()):,} bytes)"


def html_report(
    records: Iterable[FoldRecord],
    *,
    datasets: Iterable[Dataset] = (),
    data_dir: str | PathLike[str] | None = None,
    model: Any = None,
    title: str | None = None,
) -> HtmlReport:
    """Return a report on the runs of these records, as one HTML page without a network.

    It has the figure of each run with its protocol and a confidence interval, learning curves with the kept
    epochs, the accuracy of each fold, the confusion matrix, settings with what differs between the runs,
    versions, hashes of splits, and the command that repeats each run. The same records give the same bytes.

    Parameters
    ----------
    records : iterable of FoldRecord
        Of one or several runs, complete or not; see `cliquepool.evaluate.read_records`.
    datasets : iterable of Dataset, optional
        The data sets of the runs, for the true classes of confusion matrices. Others are searched for by
        name, as `load_dataset` does, without a download; one with another fingerprint is not used.
    data_dir : str or path, optional
        Where data sets are searched for; by default ``$CLIQUEPOOL_DATA``.
    model : GraphEstimator or path, optional
        A fitted classifier, or the file of one, to explain two graphs of each class with.
    title : str, optional
        By default the name of the run, or the number of the runs.

    Raises
    ------
    InputError
        Without records; for a model of another data set, and for one with records of several data sets.
    EvaluationError
        For two records of the same fold.

    Examples
    --------
    >>> from cliquepool.data import load_dataset
    >>> from cliquepool.evaluate import evaluate
    >>> from cliquepool.models import WLKernelClassifier
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     records = evaluate(WLKernelClassifier(), load_dataset("MUTAG"), "fair", f"{folder}/r.jsonl",
    ...                        folds=3, seeds=1, jobs=1)
    >>> html_report(records).title
    '1-WL kernel on MUTAG, fair'
    """
    runs = reported_runs(records)
    # Reading a data set that nothing needs may take seconds.
    needed = runs if model is not None else [run for run in runs if run.has_predictions]
    found = FoundDatasets.of(needed, datasets, data_dir)
    shown_title = title or (runs[0].name if len(runs) == 1 else f"{len(runs)} runs")
    sections = [
        _overview(runs),
        *(run_section(run, found) for run in runs),
        _tables(runs),
        _examples(runs, found, model),
        _notes(runs),
    ]
    body = (
        f"<header><h1>{text(shown_title)}</h1>{_summary(runs)}</header>\n<main>{''.join(sections)}</main>\n"
        f"<footer><p>{text(f'Made by cliquepool {version()}.')}</p></footer>"
    )
    return HtmlReport(shown_title, html_page(shown_title, body, assets=_ASSETS))


def _summary(runs: Sequence[ReportedRun]) -> str:
    folds = sum(len(run.summary.records) for run in runs)
    days = sorted(record.finished_at[:10] for run in runs for record in run.summary.records)
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    said = f"{counted(len(runs), 'run')} with {counted(folds, 'record')} of folds, finished {when}."
    return f'<p class="quiet">{text(said)}</p>'


# ---- the sections ----


def _overview(runs: Sequence[ReportedRun]) -> str:
    rows = [HtmlRow(_link(run), _overview_cells(run)) for run in runs]
    plot = plot_figures(runs)
    figure = (
        f"<figure>{plot}<figcaption>Figures with their 95 % intervals, by the number of the run"
        "</figcaption></figure>"
        if plot
        else ""
    )
    table = sortable_table("Figures of all runs", _HEADS, rows)
    note = footnote([run.summary.run.protocol for run in runs], [run.summary.run.dataset for run in runs])
    shown_note = "" if note is None else f'<p class="quiet">{text(note)}</p>'
    return _section("figures", "Figures", f"{table}{shown_note}{figure}")


def _link(run: ReportedRun) -> HtmlCell:
    words = f"{run.number}: {run.name}"
    return HtmlCell(words, run.number, markup=f'<a href="#{run.anchor}">{text(words)}</a>')


def _overview_cells(run: ReportedRun) -> list[HtmlCell]:
    summary, figure, interval = run.summary, run.summary.figure, run.interval
    theirs = published(summary.run.protocol, summary.run.model, summary.run.dataset)
    accuracy = HtmlCell("no figure yet", css="number missing")
    if figure is not None:
        parts = (round(figure.mean, 4), round(figure.std, 4))
        accuracy = HtmlCell(str(figure), figure.mean, parts=parts, css="number")
    spread = HtmlCell("–", css="number")
    if interval is not None:
        ends = (round(interval.low, 4), round(interval.high, 4))
        spread = HtmlCell(str(interval), interval.low, parts=ends, css="number")
    return [
        accuracy,
        spread,
        HtmlCell(summary.extent),
        HtmlCell("–" if theirs is None else f"{theirs:.2f}", theirs, css="number"),
        HtmlCell(f"{summary.seconds:,.0f}", summary.seconds, css="number"),
    ]


def _tables(runs: Sequence[ReportedRun]) -> str:
    hint = "<p>What differs between the runs comes first and is marked.</p>" if len(runs) > 1 else ""
    settings = side_by_side("Settings of each run", "setting", settings_facts(runs), runs)
    identity = side_by_side("Data, folds and splits", "property", identity_facts(runs), runs)
    versions = side_by_side("Versions and machine", "package", version_facts(runs), runs)
    return _section("settings", "Settings", hint + settings) + _section(
        "origin", "Data, splits and versions", identity + versions
    )


def _examples(runs: Sequence[ReportedRun], found: FoundDatasets, model: Any) -> str:
    if model is None:
        key = runs[0].summary.run
        how = f"cliquepool train {key.dataset} --save model.safetensors"
        shown = (
            "<p>A report with a saved classifier explains two graphs of each class: make one with "
            f"<code>{text(how)}</code> and add <code>--model model.safetensors</code>.</p>"
        )
        return _section("examples", "Explained graphs", shown)
    names = sorted({run.summary.run.dataset for run in runs})
    if len({run.summary.run.fingerprint for run in runs}) > 1:
        raise InputError(f"model: expected records of one data set to explain, got {', '.join(names)}")
    dataset = found.get(runs[0])
    if dataset is None:
        raise InputError(
            f"model: expected the data set of the records to explain, but {found.reason(runs[0])}"
        )
    # Only who explains waits for torch.
    from cliquepool.report.examples import examples_section, explained_graphs  # noqa: PLC0415

    graphs: Any = dataset
    if not hasattr(graphs, "node_start"):
        raise InputError(f"model: expected records of graphs to explain, got those of {names[0]}")
    examples = explained_graphs(_loaded(model), graphs)
    return _section("examples", "Explained graphs", examples_section(examples, names[0]))


def _loaded(model: Any) -> Any:
    if not isinstance(model, str | PathLike):
        return model
    from cliquepool.models import CliquePoolClassifier  # noqa: PLC0415 (imports torch)

    return CliquePoolClassifier.load(model)


def _notes(runs: Sequence[ReportedRun]) -> str:
    notes = list(_NOTES)
    if any(run.summary.missing for run in runs):
        notes.append("A run with missing folds has no figure: a mean of some folds is of another data set.")
    return _section(
        "notes", "How to read it", f"<ul>{''.join(f'<li>{text(note)}</li>' for note in notes)}</ul>"
    )


def _section(identity: str, title: str, content: str) -> str:
    return (
        f'<section class="panel" aria-labelledby="{identity}"><h2 id="{identity}">{text(title)}</h2>\n'
        f"{content}</section>\n"
    )
