"""The table of the landing page: CliquePool beside the best model of each other kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool.evaluate.tables import as_markdown
from cliquepool.models.registry import MODELS, RegisteredModel

if TYPE_CHECKING:
    from cliquepool.evaluate.comparison_table import Cell, Column, ComparisonTable, Line

KINDS = {"best graph kernel": "kernel", "best flat network": "flat", "best other pooling": "pooler"}


def headline_table(table: ComparisonTable) -> str:
    """Return our models and the best of each other kind, by data set; what was not run says so."""
    models = {model.key: model for model in MODELS}
    ours = [line for line in table.lines if "ours" in models[line.key].tags]
    rows = [[line.title, *(_figure(table.cell(column, line)) for column in table.columns)] for line in ours]
    for title, tag in KINDS.items():
        others = [line for line in table.lines if _is_other(models[line.key], tag)]
        rows.append([title, *(_best(table, column, others) for column in table.columns)])
    note = (
        "Accuracy in percent, mean ± standard deviation over ten folds, fair protocol; the best of a kind is "
        "the best of those that were run, chosen by the figures shown."
    )
    heads = ["model", *(column.dataset for column in table.columns)]
    return f"{as_markdown(heads, [row for row in rows if _was_run(row)])}\n{note}\n"


def _is_other(model: RegisteredModel, tag: str) -> bool:
    return tag in model.tags and "ours" not in model.tags


def _figure(cell: Cell) -> str:
    if cell.figure is not None:
        return str(cell.figure)
    return cell.note if cell.state == "incomplete" else cell.state


def _best(table: ComparisonTable, column: Column, lines: list[Line]) -> str:
    found = [(cell.figure.mean, line) for line in lines if (cell := table.cell(column, line)).figure]
    if not found:
        return "not run"
    _, best = max(found, key=lambda pair: pair[0])
    return f"{table.cell(column, best).figure} ({best.title})"


def _was_run(row: list[str]) -> bool:
    return set(row[1:]) != {"not run"}
