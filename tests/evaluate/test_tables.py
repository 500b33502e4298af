"""Tables and pictures: from records alone, published figures beside ours, nothing averaged silently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.evaluate import EvaluationError, FoldRecord, summarise
from cliquepool.evaluate.published import PUBLISHED, published
from cliquepool.evaluate.tables import HEADS, comparison, markdown_table, table_rows
from cliquepool.view.curves import draw_curves
from tests.helpers.fold_records import record

if TYPE_CHECKING:
    from pathlib import Path


def run(folds: int = 4, **changes: Any) -> list[FoldRecord]:
    """A run of the clique-pool classifier on ENZYMES: accuracies from 0.50 on, by 0.01."""
    base = {"dataset": "ENZYMES", "model": "CliquePool", "folds": folds}
    return [record(fold, test_accuracy=0.49 + fold / 100, **(base | changes)) for fold in range(1, folds + 1)]


def paper_run(folds: int = 4) -> list[FoldRecord]:
    changes = {"dataset": "ENZYMES", "model": "CliquePool", "protocol": "paper", "folds": folds}
    return [
        record(fold, **changes).model_copy(update={"test_accuracy": None}) for fold in range(1, folds + 1)
    ]


def test_a_row_has_both_protocols_beside_what_was_published() -> None:
    (row,) = table_rows([*run(), *paper_run()])
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
    (row,) = table_rows([*run()[:2], *run()[3:], *paper_run()])
    assert row.cells()[2:5] == ("50.00 ± 0.00", "60.71", "3 of 4 folds × 1 seed")
    assert row.cells()[-1] == "fair: 3 of 4 folds × 1 seed; paper: 4 folds × 1 seed"


def test_settings_that_differ_have_rows_of_their_own_that_say_how() -> None:
    rows = table_rows([*run(), *run(candidates=[{"rate": 0.7}])])
    assert [row.cells()[1] for row in rows] == ["CliquePool", "CliquePool (rate 0.7)"]
    several = table_rows([*run(), *run(candidates=[{"rate": 0.7}, {"rate": 0.8}])])
    assert several[1].cells()[1] == "CliquePool (best of 2 settings)"


def test_two_records_of_one_fold_are_refused() -> None:
    with pytest.raises(EvaluationError, match="got two of fold 2, seed 0 of CliquePool on ENZYMES"):
        summarise([*run(), run()[1]])


def test_curves_of_different_lengths_have_no_highest_mean() -> None:
    records = paper_run()
    records[0] = records[0].model_copy(update={"curves": {"validation_accuracy": [0.5]}})
    with pytest.raises(
        EvaluationError, match=r"expected curves of as many epochs in every fold, got \[1, 2\]"
    ):
        summarise(records)


def test_markdown_has_a_line_for_each_row() -> None:
    lines = markdown_table(table_rows(run())).splitlines()
    assert lines[0] == f"| {' | '.join(HEADS)} |"
    assert len(lines) == 3
    assert len({line.count("|") for line in lines}) == 1


def test_a_run_is_compared_under_its_protocol_and_with_the_paper() -> None:
    (summary,) = summarise(run())
    rows = comparison(summary)
    assert (rows[0].accuracy, rows[0].source) == ("51.50 ± 1.12", "this run, 4 folds × 1 seed")
    assert (rows[1].model, rows[1].protocol, rows[1].accuracy) == ("CliquePool", "paper", "60.71")
    assert {row.protocol for row in rows[2:]} == {"fair"}
    assert ("GIN", "59.60") in {(row.model, row.accuracy) for row in rows}
    (paper,) = summarise(paper_run())
    assert {row.protocol for row in comparison(paper)} == {"paper"}
    assert len(comparison(paper)) == 1 + sum("ENZYMES" in row for row in PUBLISHED["paper"].values())


def test_published_figures_are_those_of_the_sources() -> None:
    assert [published("paper", "CliquePool", name) for name in ("ENZYMES", "DD", "PROTEINS", "COLLAB")] == [
        60.71,
        77.33,
        72.59,
        74.50,
    ]
    assert published("fair", "DiffPool", "DD") == 75.0
    assert published("fair", "ECC", "COLLAB") is None
    assert published("paper", "PatchySAN", "ENZYMES") is None
    assert {len(models) for models in PUBLISHED.values()} == {14, 6}


@pytest.mark.parametrize("records", [run(), paper_run(), run()[:2]], ids=["fair", "paper", "incomplete"])
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
