"""The tables of the README and of the pages, made from the records alone."""

import re
from pathlib import Path

from expressiveness_table import expressiveness_table
from headline_table import headline_table
from settings_table import settings_table

from cliquepool.evaluate import read_records
from cliquepool.evaluate.comparison_table import ComparisonTable, Line, comparison_table
from cliquepool.evaluate.comparison_words import markdown_details, markdown_overview
from cliquepool.evaluate.comparisons import ComparisonFolder
from cliquepool.evaluate.pairs import recorded_pairs
from cliquepool.evaluate.tables import markdown_pairs, markdown_table, table_rows
from cliquepool.models.registry import MODELS

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
RECORDS = sorted(RESULTS.glob("*.jsonl"))
IMAGE_RECORDS = sorted((RESULTS / "images").glob("*.jsonl"))
COMPARED = ComparisonFolder(RESULTS / "compare")
SMALL_SETS = ("MUTAG", "PTC_MR", "ENZYMES", "PROTEINS", "IMDB-BINARY")
LARGE_SETS = ("NCI1", "DD", "COLLAB", "REDDIT-BINARY")
PAPER_SETS = ("ENZYMES", "PROTEINS", "DD", "COLLAB")


def wanted_pages() -> dict[Path, str]:
    """Return the whole text of every page with tables, as it should be."""
    docs = ROOT / "docs"
    compared = _compared((*SMALL_SETS, *LARGE_SETS))
    short = _with_figures(_compared(PAPER_SETS))
    tables = {
        docs / "results.md": {
            "table": markdown_table(table_rows(read_records(RECORDS))),
            "settings": settings_table(RESULTS, PAPER_SETS),
        },
        docs / "images.md": {
            "table": "\n".join(markdown_pairs(recorded_pairs(path)) for path in IMAGE_RECORDS)
        },
        docs / "compare.md": {
            "table": markdown_overview(compared),
            "details": markdown_details(_with_columns(compared)),
        },
        docs / "expressiveness.md": {"table": expressiveness_table()},
        docs / "index.md": {"table": headline_table(_compared(PAPER_SETS))},
        ROOT / "README.md": {"table": markdown_overview(short) if short.lines else "No figures yet.\n"},
    }
    return {page: _with_tables(page.read_text(encoding="utf-8"), found) for page, found in tables.items()}


def _compared(datasets: tuple[str, ...]) -> ComparisonTable:
    return comparison_table(COMPARED, [Line(model.key, model.title) for model in MODELS], datasets)


def _with_figures(table: ComparisonTable) -> ComparisonTable:
    """Return the table without models that have no figure."""
    lines = [
        line
        for line in table.lines
        if any(table.cell(column, line).figure is not None for column in table.columns)
    ]
    return ComparisonTable(table.protocol, tuple(lines), table.columns, table.cells)


def _with_columns(table: ComparisonTable) -> ComparisonTable:
    """Return the table without data sets on which nothing was run."""
    columns = [
        column
        for column in table.columns
        if any(table.cell(column, line).state != "not run" for line in table.lines)
    ]
    return ComparisonTable(table.protocol, table.lines, tuple(columns), table.cells)


def _with_tables(text: str, tables: dict[str, str]) -> str:
    """Replace the text between each mark and the mark "end" that follows it."""
    for name, table in tables.items():
        marked = rf"(?s)(<!-- {name} -->\n).*?(\n<!-- end -->)"
        text, count = re.subn(marked, lambda found, table=table: found[1] + table + found[2], text)
        if count != 1:
            raise ValueError(f"expected one mark {name} in the page, got {count}")
    return text
