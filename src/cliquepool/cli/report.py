# ruff: noqa: PLC0415 (records and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool report`: tables and learning curves from records."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cliquepool._words import counted
from cliquepool.cli.output import out
from cliquepool.cli.train import TORN_LINE, file_name
from cliquepool.errors import GraphError
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
        typer.Argument(metavar="RECORDS...", help="Files that cliquepool train wrote.", show_default=False),
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
) -> None:
    """Show the figures of training runs, from their records.

    A run with missing folds has no figure yet.

    [bold]Examples[/bold]

    cliquepool report results/MUTAG-fair.jsonl

    cliquepool report results/*.jsonl --out report
    """
    from cliquepool.evaluate import RecordFile
    from cliquepool.evaluate.published import footnote
    from cliquepool.evaluate.tables import table_rows

    console = out()
    records: list[FoldRecord] = []
    for path in files:
        if not path.exists():
            raise FileNotFoundError(2, "no such file", str(path))
        file = RecordFile.read(path)
        if file.torn is not None:
            print(f"{path}: {TORN_LINE}", file=sys.stderr)
        records += file.records
    if not records:
        raise GraphError(f"expected records of folds, got none in {', '.join(map(str, files))}")
    rows = table_rows(records)
    console.print(_table(rows))
    note = footnote(["paper"], [row.dataset for row in rows])
    if note is not None:
        console.print(f"\n{note}")
    if folder is not None:
        written = write_report(records, folder)
        console.print(f"\n{counted(len(written), 'file')} written to {folder}", soft_wrap=True)


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
