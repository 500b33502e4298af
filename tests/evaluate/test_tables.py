"""Tables and pictures: from records alone, published figures beside ours, nothing averaged silently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cliquepool.evaluate import FoldRecord, summarise
from cliquepool.evaluate.published import PUBLISHED, published
from cliquepool.evaluate.tables import HEADS, comparison, markdown_table, table_rows
from cliquepool.view.curves import draw_curves
from tests.helpers.fold_records import enzymes_paper_run, enzymes_run

if TYPE_CHECKING:
    from pathlib import Path


PAPER_SETS = ("ENZYMES", "DD", "PROTEINS", "COLLAB")


def test_a_row_has_both_protocols_beside_what_was_published() -> None:
    (row,) = table_rows([*enzymes_run(), *enzymes_paper_run()])
    assert row.cells() == (
        "ENZYMES",
        "CliquePool",
        "50.00 ± 0.00",
        "60.71",
        "51.50 ± 1.12",
        "–",
        "4 folds × 1 seed",
    )


def test_a_run_with_a_fold_missing_is_shown_without_a_figure() -> None:
    (row,) = table_rows([*enzymes_run()[:2], *enzymes_run()[3:], *enzymes_paper_run()])
    assert row.cells()[2:5] == ("50.00 ± 0.00", "60.71", "3 of 4 folds × 1 seed")
    assert row.cells()[-1] == "fair: 3 of 4 folds × 1 seed; paper: 4 folds × 1 seed"


def test_settings_that_differ_have_rows_of_their_own_that_say_how() -> None:
    rows = table_rows([*enzymes_run(), *enzymes_run(candidates=[{"rate": 0.7}])])
    assert [row.cells()[1] for row in rows] == ["CliquePool", "CliquePool (rate 0.7)"]
    several = table_rows([*enzymes_run(), *enzymes_run(candidates=[{"rate": 0.7}, {"rate": 0.8}])])
    assert several[1].cells()[1] == "CliquePool (best of 2 settings)"


def test_markdown_has_a_line_for_each_row() -> None:
    lines = markdown_table(table_rows(enzymes_run())).splitlines()
    assert lines[0] == f"| {' | '.join(HEADS)} |"
    assert len(lines) == 3
    assert len({line.count("|") for line in lines}) == 1


def test_a_run_is_compared_under_its_protocol_and_with_the_paper() -> None:
    (summary,) = summarise(enzymes_run())
    rows = comparison(summary)
    assert (rows[0].accuracy, rows[0].source) == ("51.50 ± 1.12", "this run, 4 folds × 1 seed")
    assert (rows[1].model, rows[1].protocol, rows[1].accuracy) == ("CliquePool", "paper", "60.71")
    assert {row.protocol for row in rows[2:]} == {"fair"}
    assert ("GIN", "59.60") in {(row.model, row.accuracy) for row in rows}
    (paper,) = summarise(enzymes_paper_run())
    assert {row.protocol for row in comparison(paper)} == {"paper"}
    assert len(comparison(paper)) == 1 + sum("ENZYMES" in row for row in PUBLISHED["paper"].values())


def test_published_figures_are_those_of_the_sources() -> None:
    assert [published("paper", "CliquePool", name) for name in PAPER_SETS] == [
        60.71,
        77.33,
        72.59,
        74.50,
    ]
    assert published("paper", "DiffPool, deterministic clusters", "COLLAB") == 82.13
    assert published("paper", "Shortest-path kernel", "PROTEINS") == 76.43
    assert published("paper", "DiffPool", "PROTEINS") == 76.25
    best = {name: max(row.get(name, 0.0) for row in PUBLISHED["paper"].values()) for name in PAPER_SETS}
    assert best == {"ENZYMES": 64.17, "DD": 80.64, "PROTEINS": 76.43, "COLLAB": 82.13}
    assert published("fair", "DiffPool", "DD") == 75.0
    assert published("fair", "ECC", "COLLAB") is None
    assert published("paper", "PatchySAN", "ENZYMES") is None
    assert {len(models) for models in PUBLISHED.values()} == {14, 6}


@pytest.mark.parametrize(
    "records", [enzymes_run(), enzymes_paper_run(), enzymes_run()[:2]], ids=["fair", "paper", "incomplete"]
)
def test_curves_are_drawn_for_every_fold_and_their_mean(records: list[FoldRecord], tmp_path: Path) -> None:
    (summary,) = summarise(records)
    figure = draw_curves(summary, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    accuracy = figure.axes[1]
    bold = [line for line in accuracy.lines if line.get_label() == "validation"]
    assert [list(map(float, line.get_ydata())) for line in bold] == [[25.0, 50.0]]
    assert sum(line.get_linewidth() < 1 for line in accuracy.lines) >= len(records)
    shown = {str(line.get_label()) for line in accuracy.lines}
    assert any(str(summary.figure) in label for label in shown) == (summary.figure is not None)
