# ruff: noqa: PLC0415 (records and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool report`: tables, learning curves and a page from records."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cliquepool._words import counted
from cliquepool.cli.output import expect_writable, out
from cliquepool.cli.train import TORN_LINE, DataDirOption, file_name
from cliquepool.errors import GraphError, InputError
from cliquepool.files import write_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cliquepool.cli.tables import FittingTable
    from cliquepool.evaluate import FoldRecord, RunSummary
    from cliquepool.evaluate.tables import Row

__all__ = ["show_report", "write_report"]


def show_report(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORDS...",
            help="Files that cliquepool train or compare wrote, or folders of them.",
            show_default=False,
        ),
    ],
    *,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="Write the table there, as markdown, and the learning curves of each run, as png.",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write a page to mail: figures, curves, folds, confusion, settings, how to repeat it.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="What cliquepool train --save wrote: explain two graphs of each class in the page.",
        ),
    ] = None,
    data_dir: DataDirOption = None,
) -> None:
    """Show the figures of training runs, from their records.

    A run with missing folds has no figure yet.

    [bold]Examples[/bold]

    cliquepool report results/MUTAG-fair.jsonl

    cliquepool report results/*.jsonl --out report

    cliquepool report results/MUTAG-fair.jsonl --html report.html --model mutag.safetensors
    """
    from cliquepool.evaluate.published import footnote
    from cliquepool.evaluate.tables import table_rows

    if page is None and model is not None:
        raise InputError("--model: expected with --html, got it alone")
    if page is not None:
        expect_writable(page)
    console = out()
    records = _read(files)
    rows = table_rows(records)
    if page is not None:
        _write_page(records, page, model, data_dir)
    console.print(_table(rows))
    note = footnote(["paper"], [row.dataset for row in rows])
    if note is not None:
        console.print(f"\n{note}")
    if folder is not None:
        written = write_report(records, folder)
        console.print(f"\n{counted(len(written), 'file')} written to {folder}", soft_wrap=True)
    if page is not None:
        console.print(f"\nreport written to {page}", soft_wrap=True)


def _read(paths: "Sequence[Path]") -> "list[FoldRecord]":
    """Read the records of files, and of all files of folders; say on stderr where a last line is cut off."""
    from cliquepool.evaluate import RecordFile

    records: list[FoldRecord] = []
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(2, "no such file", str(path))
        for one in sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]:
            file = RecordFile.read(one)
            if file.torn is not None:
                print(f"{one}: {TORN_LINE}", file=sys.stderr)
            records += file.records
    if not records:
        raise GraphError(f"expected records of folds, got none in {', '.join(map(str, paths))}")
    return records


def _write_page(
    records: "Sequence[FoldRecord]", page: Path, model: Path | None, data_dir: Path | None
) -> None:
    from cliquepool.cli.predict import load_classifier
    from cliquepool.report import html_report

    classifier = None if model is None else load_classifier(model)
    html_report(records, data_dir=data_dir, model=classifier).save(page)


def write_report(records: "Sequence[FoldRecord]", folder: Path) -> list[Path]:
    """Write `table.md` and a picture of each run's curves into `folder`; return the files."""
    from cliquepool.evaluate import summarise
    from cliquepool.evaluate.tables import markdown_table, table_rows
    from cliquepool.view.curves import draw_curves

    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "table.md"
    write_text(table, markdown_table(table_rows(records)))
    written = [table]
    for summary in summarise(records):
        picture = folder / _picture_name(summary)
        draw_curves(summary, picture)
        written.append(picture)
    return written


def _picture_name(summary: "RunSummary") -> str:
    """Return a file name that differs between runs, also between settings."""
    run = summary.run
    return f"{file_name(f'{run.dataset}-{run.model}-{run.protocol}')}-{run.sha256[:6]}.png"


def _table(rows: "Sequence[Row]") -> "FittingTable":
    from cliquepool.cli.tables import Column, FittingTable
    from cliquepool.evaluate.tables import HEADS

    columns = [
        Column(head, style="bold cyan") if head.endswith("protocol") else Column(head, wraps=True)
        for head in HEADS
    ]
    table = FittingTable(columns, gap=2)
    for row in rows:
        table.add_row(*row.cells())
    return table
