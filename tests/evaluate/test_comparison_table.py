"""The comparison table: differences on the same folds, adjusted p-values, costs, and what was not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cliquepool.evaluate import RecordFile
from cliquepool.evaluate.comparison_table import Line, comparison_table
from cliquepool.evaluate.comparison_words import CELL_HEADS, cell_words
from cliquepool.evaluate.comparisons import ComparisonFolder, Failure
from cliquepool.evaluate.pairs import corrected_t_test, holm
from tests.helpers.fold_records import record

if TYPE_CHECKING:
    from pathlib import Path

LINES = (Line("clique-pool", "CliquePool"), Line("gin", "GIN"), Line("ecc", "ECC"))
OURS = (0.50, 0.52, 0.54, 0.51)
GIN = (0.49, 0.50, 0.51, 0.51)
ECC = (0.40, 0.41, 0.44, 0.42)


def put(folder: ComparisonFolder, line: Line, accuracies: tuple[float, ...], **changes: Any) -> None:
    """Record a run on ENZYMES with these test accuracies."""
    file = RecordFile.read(folder.records("ENZYMES", line.key))
    for fold, accuracy in enumerate(accuracies, start=1):
        given = {
            "dataset": "ENZYMES",
            "model": line.title,
            "folds": len(accuracies),
            "test_accuracy": accuracy,
        }
        file.append(record(fold, **given | changes))


def fail(folder: ComparisonFolder, line: Line, reason: str, protocol: str = "fair", run: str = "0") -> None:
    path = folder.failure("ENZYMES", line.key)
    path.parent.mkdir(parents=True, exist_ok=True)
    failure = Failure.model_validate(
        {"run": run, "protocol": protocol, "reason": reason, "failed_at": "2020-01-01"}
    )
    path.write_text(failure.model_dump_json())


@pytest.fixture
def folder(tmp_path: Path) -> ComparisonFolder:
    found = ComparisonFolder(tmp_path)
    for line, accuracies in zip(LINES, (OURS, GIN, ECC), strict=True):
        put(found, line, accuracies)
    return found


def test_differences_are_those_of_the_folds_and_p_values_are_adjusted(folder: ComparisonFolder) -> None:
    table = comparison_table(folder, LINES, ["ENZYMES"])
    ours, gin, ecc = (table.cells["ENZYMES", line.key] for line in LINES)
    assert ours.difference is None
    assert ours.p is None
    plain = []
    for cell, accuracies in ((gin, GIN), (ecc, ECC)):
        differences = 100 * (np.array(accuracies) - np.array(OURS))
        assert cell.difference is not None
        assert cell.difference.mean == pytest.approx(differences.mean())
        assert cell.difference.std == pytest.approx(differences.std())
        p = corrected_t_test(differences)
        assert p is not None
        plain.append(p)
    assert [gin.p, ecc.p] == pytest.approx(holm(plain))
    assert (gin.published, ecc.published, ours.published) == (None, None, None)


def test_published_figures_stand_beside_figures_on_the_same_folds_alone(tmp_path: Path) -> None:
    folder = ComparisonFolder(tmp_path)
    put(folder, LINES[1], GIN, splits={"name": "errica", "sha256": "1" * 64})
    cells = comparison_table(folder, LINES, ["ENZYMES"]).cells
    assert [cells["ENZYMES", line.key].published for line in LINES] == [None, 59.6, 29.5]
    put(folder, LINES[2], ECC)
    cells = comparison_table(folder, LINES, ["ENZYMES"]).cells
    assert [cells["ENZYMES", line.key].published for line in LINES] == [None, None, None]


def test_seeds_of_a_fold_are_averaged_before_folds_are_compared(folder: ComparisonFolder) -> None:
    put(folder, LINES[0], tuple(accuracy + 0.02 for accuracy in OURS), seed=1)
    table = comparison_table(folder, LINES, ["ENZYMES"])
    difference = table.cells["ENZYMES", "gin"].difference
    assert difference is not None
    assert difference.mean == pytest.approx(100 * (np.mean(GIN) - np.mean(OURS) - 0.01))
    assert table.cells["ENZYMES", "clique-pool"].note == "4 folds × 2 seeds"


@pytest.mark.parametrize(
    "other",
    [{"split_seed": 1}, {"splits": {"name": "errica", "sha256": "1" * 64}}, {"fingerprint": "1" * 64}],
)
def test_figures_on_other_folds_have_no_difference(folder: ComparisonFolder, other: dict[str, Any]) -> None:
    put(folder, LINES[1], GIN, **other)
    table = comparison_table(folder, LINES, ["ENZYMES"])
    cell = table.cells["ENZYMES", "gin"]
    assert cell.figure is not None
    assert (cell.difference, cell.p) == (None, None)
    assert table.cells["ENZYMES", "ecc"].difference is not None
    if "splits" in other:
        assert table.columns[0].folds == "own folds, seed 0; folds of Errica et al. 2020"


def test_what_has_no_figure_says_why(tmp_path: Path) -> None:
    folder = ComparisonFolder(tmp_path)
    put(folder, LINES[0], OURS)
    fail(folder, LINES[1], "out of memory\nin a long story")
    lines = folder.records("ENZYMES", "clique-pool").read_text().splitlines()
    folder.records("ENZYMES", "clique-pool").write_text("\n".join(lines[:3]) + "\n")
    table = comparison_table(folder, LINES, ["ENZYMES", "DD"])
    states = {where: cell.state for where, cell in table.cells.items()}
    assert states == {
        ("ENZYMES", "clique-pool"): "incomplete",
        ("ENZYMES", "gin"): "failed",
        ("ENZYMES", "ecc"): "not run",
        **{("DD", line.key): "not run" for line in LINES},
    }
    words = {
        where: dict(zip(CELL_HEADS, cell_words(cell), strict=True)) for where, cell in table.cells.items()
    }
    assert words["ENZYMES", "clique-pool"]["accuracy"] == "incomplete"
    assert words["ENZYMES", "clique-pool"]["run"] == "3 of 4 folds × 1 seed"
    assert words["ENZYMES", "gin"]["accuracy"] == "failed: out of memory"
    assert words["DD", "ecc"]["accuracy"] == "not run"
    assert words["DD", "ecc"]["published"] == "72.60"


def test_a_run_that_failed_has_no_figure_though_the_folds_of_a_seed_are_complete(
    folder: ComparisonFolder,
) -> None:
    run = folder.run("ENZYMES", "gin", "fair")
    assert run is not None
    fail(folder, LINES[1], "diverged with seed 1", run=run.run.sha256)
    cell = comparison_table(folder, LINES, ["ENZYMES"]).cells["ENZYMES", "gin"]
    assert (cell.state, cell.note, cell.figure) == ("failed", "diverged with seed 1", None)


def test_the_run_that_is_asked_for_is_shown(folder: ComparisonFolder) -> None:
    wanted = folder.run("ENZYMES", "gin", "fair")
    assert wanted is not None
    put(folder, LINES[1], ECC[:3])
    newest = comparison_table(folder, LINES, ["ENZYMES"]).cells["ENZYMES", "gin"]
    asked = {("ENZYMES", "gin"): wanted.run.sha256, ("ENZYMES", "ecc"): "0" * 64}
    table = comparison_table(folder, LINES, ["ENZYMES"], "fair", asked)
    assert newest.note == "3 folds × 1 seed"
    assert table.cells["ENZYMES", "gin"].figure == wanted.figure
    assert table.cells["ENZYMES", "ecc"].state == "not run"


def test_a_failure_counts_only_without_a_figure_under_its_protocol(folder: ComparisonFolder) -> None:
    fail(folder, LINES[1], "once")
    fail(folder, LINES[2], "under paper", "paper")
    table = comparison_table(folder, LINES, ["ENZYMES"])
    assert {cell.state for cell in table.cells.values()} == {"figure"}
    under_paper = comparison_table(folder, LINES, ["ENZYMES"], "paper")
    assert [under_paper.cells["ENZYMES", line.key].state for line in LINES] == [
        "not run",
        "not run",
        "failed",
    ]


def test_costs_are_those_of_all_folds_together(tmp_path: Path) -> None:
    folder = ComparisonFolder(tmp_path)
    costs = [(1.0, 2**20), (3.0, 5 * 2**20), (2.0, None), (None, 3 * 2**20)]
    file = RecordFile.read(folder.records("ENZYMES", "gin"))
    for fold, (seconds, memory) in enumerate(costs, start=1):
        cost = {"epoch_seconds": seconds, "peak_memory": memory, "num_pooling_parameters": 27776}
        file.append(record(fold, dataset="ENZYMES", model="GIN", folds=4, cost=cost))
    cell = comparison_table(folder, LINES, ["ENZYMES"]).cells["ENZYMES", "gin"]
    assert (cell.epoch_seconds, cell.peak_memory, cell.num_pooling_parameters) == (2.0, 5 * 2**20, 27776)
    words = dict(zip(CELL_HEADS, cell_words(cell), strict=True))
    assert (words["s an epoch"], words["peak memory"], words["pooling parameters"]) == (
        "2",
        "5 MiB",
        "27,776",
    )
