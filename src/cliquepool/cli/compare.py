# ruff: noqa: PLC0415 (torch and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool compare`: every model on every data set, and the table of them all."""

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cliquepool.cli.cluster import ClusterOption, WorkOption, open_cluster
from cliquepool.cli.options import memory_amount
from cliquepool.cli.output import out
from cliquepool.cli.train import DataDirOption, ProtocolName
from cliquepool.files import write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cliquepool.cli.tables import FittingTable
    from cliquepool.evaluate.comparison_table import Cell, ComparisonTable, Line
    from cliquepool.evaluate.comparisons import ComparisonFolder, ComparisonRun, HowToCompare, Outcome
    from cliquepool.evaluate.estimators import Dataset
    from cliquepool.models.registry import RegisteredModel

__all__ = ["compare_models"]

_DATASETS: Final = "MUTAG, PTC_MR, ENZYMES, PROTEINS, IMDB-BINARY"
_FOLDER: Final = Path("results", "compare")


def compare_models(
    *,
    models: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEYS",
            help="Keys such as gin,clique-pool, or tags: kernel, flat, pooler, ours. By default all models.",
        ),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help=f"Names, paths, or package:factory of data sets. By default {_DATASETS}.",
            show_default=False,
        ),
    ] = None,
    own_models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="PACKAGE:FACTORY",
            help="A model of your own: an estimator class, or a function that returns one. Alone, it is "
            "compared with CliquePool.",
        ),
    ] = None,
    protocol: Annotated[
        ProtocolName,
        typer.Option(
            metavar="fair|paper",
            help="fair: test folds that nothing was chosen by; paper: best mean validation accuracy.",
        ),
    ] = ProtocolName.FAIR,
    splits: Annotated[
        str,
        typer.Option(
            metavar="errica|own|FILE",
            help="errica: the folds of Errica et al. where there are some, else own; or a file of splits.",
        ),
    ] = "errica",
    folds: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Own folds of a data set. By default 10.")
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Repetitions of every fold. By default 1 to 3, by model."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Folds at the same time. By default as many as cores."),
    ] = None,
    cluster: ClusterOption = None,
    work: WorkOption = None,
    max_hours: Annotated[
        float | None,
        typer.Option(min=0, metavar="H", help="Give up a model on a data set after H hours."),
    ] = None,
    max_memory: Annotated[
        int | None,
        typer.Option(
            parser=memory_amount,
            metavar="SIZE",
            help="Give up a model whose process needs more memory, such as 4G. Linux only.",
        ),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run models again that have failed before.")
    ] = False,
    table_only: Annotated[
        bool, typer.Option("--table-only", help="Run nothing: show the table of what is on record.")
    ] = False,
    pages: Annotated[
        Path | None,
        typer.Option(
            "--write",
            metavar="FOLDER",
            help="Write the table there: table.md, table.tex, table.csv and a page, table.html.",
        ),
    ] = None,
    data_dir: DataDirOption = None,
    folder: Annotated[
        Path,
        typer.Option("--out", metavar="FOLDER", help="Where finished folds are recorded."),
    ] = _FOLDER,
) -> None:
    """Run every model on every data set that is not on record yet, and show the table.

    Each finished fold is a line of FOLDER/DATASET/MODEL.jsonl, so a comparison that was interrupted goes on
    with the same command. A model that fails on a data set is shown as failed, with its reason, and the
    others go on.

    [bold]Examples[/bold]

    cliquepool compare --models clique-pool,gin,wl-kernel --datasets MUTAG

    cliquepool compare --models kernel,ours --datasets ENZYMES,PROTEINS --max-hours 2 --max-memory 4G

    cliquepool compare --model my_models:make --datasets MUTAG

    cliquepool compare --table-only --write report
    """
    from cliquepool.evaluate.comparison_table import REFERENCE, Line, comparison_table
    from cliquepool.evaluate.comparisons import ComparisonFolder, HowToCompare
    from cliquepool.evaluate.workers import Limits
    from cliquepool.models.registry import select_models

    if max_memory == 0:
        raise typer.BadParameter("expected an amount above 0", param_hint="--max-memory")
    if pages is not None:
        _expect_folder(pages)
    keys = _listed(models) if models else ([REFERENCE] if own_models else None)
    rows = select_models(keys, own_models or ())
    names = _listed(datasets or [_DATASETS])
    target = ComparisonFolder(folder)
    # On a cluster that is started here, the memory of its workers is limited instead.
    limits = Limits(None if max_hours is None else 3600 * max_hours, max_memory if cluster is None else None)
    how = HowToCompare(
        protocol=protocol.value,
        splits=splits,
        folds=folds,
        seeds=seeds,
        jobs=jobs,
        limits=limits,
        retry_failed=retry_failed,
        data_dir=data_dir,
    )
    lines = [Line(row.key, row.title) for row in rows]
    wanted: dict[tuple[str, str], str] = {}
    if table_only:
        names = _recorded(target, names if datasets else None, data_dir)
        if keys is None:
            lines = _with_records(lines, target, names)
    else:
        memory = None if cluster is None else max_memory
        with open_cluster(cluster, work, workers=jobs, option="--jobs", memory=memory) as workers:
            names, wanted = _run(rows, names, target, replace(how, cluster=workers))
    table = comparison_table(target, _told_apart(lines), names, protocol.value, wanted)
    _print_table(table)
    if pages is not None:
        _write(table, pages)


def _listed(words: "Iterable[str]") -> list[str]:
    """Return the parts of comma-separated words."""
    return [part.strip() for several in words for part in several.split(",") if part.strip()]


def _run(
    models: "Sequence[RegisteredModel]",
    names: "Sequence[str]",
    folder: "ComparisonFolder",
    how: "HowToCompare",
) -> tuple[list[str], dict[tuple[str, str], str]]:
    """Run what is missing; return the names of the data sets, and the hash of each planned run."""
    from cliquepool.cli.run_display import RunDisplay
    from cliquepool.evaluate.comparisons import plan_comparison, run_comparison
    from cliquepool.evaluate.data_sources import open_dataset

    datasets: list[Dataset] = [open_dataset(name, data_dir=how.data_dir) for name in names]
    runs = plan_comparison(models, datasets, folder, how)
    told = _Teller(runs)
    display: RunDisplay | None = None

    def watch(run: "ComparisonRun") -> RunDisplay:
        nonlocal display
        display = RunDisplay(f"{run.dataset.name}, {run.model.title}")
        display.__enter__()
        return display

    try:
        for outcome in run_comparison(runs, folder, how, watch):
            if display is not None:
                display.__exit__(None, None, None)
                display = None
            told.tell(outcome)
    finally:
        if display is not None:
            display.__exit__(None, None, None)
    planned = {(run.dataset.name, run.model.key): run.plan.run.sha256 for run in runs if run.plan is not None}
    return [dataset.name for dataset in datasets], planned


def _recorded(folder: "ComparisonFolder", names: "Sequence[str] | None", data_dir: Path | None) -> list[str]:
    """Return the data sets to show, as their records name them; by default all that are on record."""
    from cliquepool.errors import InputError
    from cliquepool.evaluate.data_sources import open_dataset
    from cliquepool.models.registry import is_source

    known = folder.datasets()
    if not known:
        raise InputError(f"{folder.path}: expected records of a comparison, got none")
    if names is None:
        return known
    found = [
        open_dataset(name, data_dir=data_dir).name if is_source(name) or Path(name).exists() else name
        for name in names
    ]
    for name in found:
        if not folder.keys(name):
            raise InputError(f"{folder.path}: expected a data set on record ({', '.join(known)}), got {name}")
    return found


def _with_records(
    lines: "Sequence[Line]", folder: "ComparisonFolder", names: "Iterable[str]"
) -> "list[Line]":
    """Return the models that have records or failures on these data sets: those of the table, then others."""
    from cliquepool.evaluate.comparison_table import Line

    titles = {line.key: line.title for line in lines}
    found = {key: folder.title(name, key) or key for name in names for key in folder.keys(name)}
    others = [Line(key, title) for key, title in sorted(found.items()) if key not in titles]
    return [line for line in lines if line.key in found] + others


def _told_apart(lines: "Sequence[Line]") -> "list[Line]":
    """Return the models with different titles: the key follows where two have the same."""
    titles = [line.title for line in lines]
    return [
        replace(line, title=f"{line.title} ({line.key})") if titles.count(line.title) > 1 else line
        for line in lines
    ]


def _expect_folder(path: Path) -> None:
    """Raise an error before anything is run where a folder cannot be made or written to."""
    import os

    from cliquepool.errors import InputError
    from cliquepool.files import naming_errors

    with naming_errors(path):
        path.mkdir(parents=True, exist_ok=True)
    if not os.access(path, os.W_OK):
        raise InputError(f"{path}: expected a folder that can be written to")


class _Teller:
    """Print a line on stderr for every run that has ended, with an estimate of the time that is left."""

    def __init__(self, runs: "Sequence[ComparisonRun]") -> None:
        self._left = {id(run): len(run.plan.left) if run.plan is not None else 0 for run in runs}
        self._names = {id(run): run.dataset.name for run in runs}
        self._count = len(runs)
        self._ended = 0
        self._since = time.monotonic()
        self._pace: dict[str, list[float]] = {}  # seconds a fold of finished runs, by data set

    def tell(self, outcome: "Outcome") -> None:
        """Print how a run has ended."""
        run = outcome.run
        self._ended += 1
        now = time.monotonic()
        folds = self._left.pop(id(run))
        if folds and outcome.state == "finished":
            self._pace.setdefault(run.dataset.name, []).append((now - self._since) / folds)
        self._since = now
        summary = outcome.summary
        figure = "" if summary is None or summary.figure is None else str(summary.figure)
        what = figure or f"{outcome.state}: {outcome.reason.splitlines()[0][:200] if outcome.reason else ''}"
        parts = [
            f"{self._ended} of {self._count}",
            run.dataset.name,
            run.model.title,
            what,
            self._time_left(),
        ]
        print("  ".join(filter(None, parts)), file=sys.stderr, flush=True)

    def _time_left(self) -> str:
        """Return the time left in words, at the mean pace on each data set, or on all."""
        paces = [pace for found in self._pace.values() for pace in found]
        if not paces or not any(self._left.values()):
            return ""
        total = 0.0
        for key, folds in self._left.items():
            found = self._pace.get(self._names[key], paces)
            total += folds * sum(found) / len(found)
        hours, minutes = divmod(round(total / 60), 60)
        return f"(about {hours}:{minutes:02} h left)"


def _print_table(table: "ComparisonTable") -> None:
    from rich.text import Text

    from cliquepool.evaluate.comparison_words import explained

    console = out()
    console.print(Text(f"{table.protocol} protocol\n", "bold"))
    for number, column in enumerate(table.columns):
        if number:
            console.print()
        console.print(Text.assemble((column.dataset, "bold"), f"  {column.folds}" if column.folds else ""))
        console.print(_dataset_table([(line, table.cell(column, line)) for line in table.lines]))
    for note in explained(table):
        console.print(Text(f"\n{note}", "dim"))


def _write(table: "ComparisonTable", folder: Path) -> None:
    """Write the table in all formats."""
    from cliquepool.evaluate.comparison_page import comparison_page
    from cliquepool.evaluate.comparison_words import (
        csv_table,
        latex_table,
        markdown_details,
        markdown_overview,
    )

    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "table.md", f"{markdown_overview(table)}\n{markdown_details(table)}")
    write_text(folder / "table.tex", latex_table(table))
    write_text(folder / "table.csv", csv_table(table))
    write_text(folder / "table.html", comparison_page(table))
    out().print(f"\ntable.md, table.tex, table.csv and table.html written to {folder}", soft_wrap=True)


def _dataset_table(cells: "Sequence[tuple[Line, Cell]]") -> "FittingTable":
    from cliquepool.cli.tables import Column, FittingTable
    from cliquepool.evaluate.comparison_table import REFERENCE
    from cliquepool.evaluate.comparison_words import CELL_HEADS, cell_words

    columns = [
        Column(head, wraps=number in (0, 1), style="bold cyan" if number == 1 else "")
        for number, head in enumerate(("model", *CELL_HEADS))
    ]
    table = FittingTable(columns, gap=2)
    for line, cell in cells:
        table.add_row(line.title, *cell_words(cell), style="bold" if line.key == REFERENCE else "")
    return table
