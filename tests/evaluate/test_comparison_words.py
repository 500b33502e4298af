"""The comparison table as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io

from cliquepool.evaluate.comparison_table import Cell, Column, ComparisonTable, Line
from cliquepool.evaluate.comparison_words import (
    csv_table,
    latex_table,
    markdown_details,
    markdown_overview,
    notes,
)
from cliquepool.evaluate.published import EXCHANGED, SOURCES
from cliquepool.evaluate.summary import Figure

LINES = (Line("gin", "GIN"), Line("my_one", "My_one & 50%"), Line("clique-pool", "CliquePool"))
COLUMNS = (Column("PTC_MR", "own folds, seed 0"), Column("PROTEINS", "folds of Errica et al. 2020"))
CELLS = {
    ("PTC_MR", "gin"): Cell(
        "figure",
        "10 folds × 1 seed",
        Figure(60.0, 2.0),
        difference=Figure(-4.0, 1.0),
        p=0.0004,
        epoch_seconds=0.25,
        peak_memory=2**30,
        num_pooling_parameters=0,
    ),
    ("PTC_MR", "my_one"): Cell("failed", "out of memory | and time"),
    ("PTC_MR", "clique-pool"): Cell("figure", "10 folds × 3 seeds", Figure(64.0, 3.0)),
    ("PROTEINS", "gin"): Cell("not run", published=73.3),
    ("PROTEINS", "my_one"): Cell("incomplete", "3 of 10 folds × 1 seed"),
    ("PROTEINS", "clique-pool"): Cell("not run"),
}
TABLE = ComparisonTable("fair", LINES, COLUMNS, CELLS)


def test_markdown_has_every_cell_the_best_bold_and_differences_marked() -> None:
    shown = markdown_overview(TABLE).splitlines()
    assert shown[:5] == [
        "| model | PTC_MR | PROTEINS |",
        "| --- | --- | --- |",
        "| GIN | 60.00 ± 2.00 * | not run |",
        "| My_one & 50% | failed | 3 of 10 folds × 1 seed |",
        "| CliquePool | **64.00 ± 3.00** | not run |",
    ]
    assert "PTC_MR: own folds, seed 0." in shown
    assert "My_one & 50% failed on PTC_MR: out of memory | and time." in shown


def test_notes_name_the_data_sets_of_a_model_whose_seeds_differ_between_them() -> None:
    three_seeds = Cell("figure", "10 folds × 3 seeds", Figure(70.0, 1.0))
    table = ComparisonTable("fair", LINES, COLUMNS, {**CELLS, ("PROTEINS", "gin"): three_seeds})
    found = notes(table)
    assert "10 folds × 1 seed: GIN (PTC_MR)." in found
    assert "10 folds × 3 seeds: GIN (PROTEINS); CliquePool." in found


def test_details_have_differences_costs_and_published_figures() -> None:
    shown = markdown_details(TABLE)
    assert "**PTC_MR** (own folds, seed 0)" in shown
    gin = "| GIN | 60.00 ± 2.00 | -4.00 ± 1.00 | < 0.001 | 0.25 | 0 | 1,024 MiB | – | 10 folds × 1 seed |"
    assert gin in shown
    assert "| My_one & 50% | failed: out of memory / and time |" in shown
    assert "| 73.30 |" in shown


def test_latex_is_escaped() -> None:
    shown = latex_table(TABLE)
    assert r"model & PTC\_MR & PROTEINS \\" in shown
    assert r"My\_one \& 50\% & failed & 3 of 10 folds × 1 seed \\" in shown
    assert r"CliquePool & \textbf{64.00 $\pm$ 3.00} & not run \\" in shown
    assert shown.count("&") == 4 * 2 + 1 + 1  # also that of a name, and that of a note


def test_csv_has_a_line_for_each_model_and_data_set_with_numbers() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_table(TABLE))))
    assert len(rows) == 6
    gin = rows[0]
    assert (gin["dataset"], gin["key"], gin["accuracy"], gin["difference"]) == (
        "PTC_MR",
        "gin",
        "60.0",
        "-4.0",
    )
    assert (gin["p_holm"], gin["peak_memory"], gin["num_pooling_parameters"]) == ("0.0004", str(2**30), "0")
    assert rows[3]["published"] == "73.3"
    assert (rows[1]["state"], rows[1]["note"]) == ("failed", "out of memory | and time")


def test_published_figures_of_the_paper_have_their_footnote() -> None:
    assert EXCHANGED not in notes(TABLE)
    paper = ComparisonTable("paper", LINES, COLUMNS, CELLS)
    assert notes(paper)[1] == EXCHANGED
    assert SOURCES["paper"] in notes(paper)[0]
