from __future__ import annotations

import pytest

from cliquepool.errors import InputError
from cliquepool.evaluate import EvaluationError
from cliquepool.report.runs import reported_runs
from tests.helpers.fold_records import enzymes_paper_run, enzymes_run
from tests.helpers.reported_runs import run_of


def test_runs_of_one_name_are_told_apart() -> None:
    other = enzymes_run(candidates=[{"rate": 1}], settings={"rate": 1})
    runs = reported_runs([*enzymes_run(), *other, *enzymes_paper_run()])
    assert [(run.number, run.name, run.anchor) for run in runs] == [
        (1, "CliquePool on ENZYMES, fair (1)", "run-1"),
        (2, "CliquePool on ENZYMES, fair (2)", "run-2"),
        (3, "CliquePool on ENZYMES, paper", "run-3"),
    ]
    assert [run.judged_by for run in runs] == ["test", "test", "validation"]


def test_records_are_needed_and_none_twice() -> None:
    with pytest.raises(InputError, match="expected records of folds, got none"):
        reported_runs([])
    with pytest.raises(EvaluationError, match="expected one record of each fold"):
        reported_runs([*enzymes_run(), *enzymes_run()[:1]])


def test_the_hash_of_the_splits_depends_on_every_split() -> None:
    run, other = run_of(enzymes_run()), run_of(enzymes_run(split_sha256="1" * 64))
    assert run.splits_sha256 == run_of(enzymes_run()).splits_sha256 != other.splits_sha256
    assert run.splits_name == "drawn with seed 0"
    named = {"name": "errica", "sha256": "2" * 64}
    assert run_of(enzymes_run(splits=named)).splits_name == "errica"


def test_the_accuracy_of_a_fold_is_the_one_that_counts_for_the_figure() -> None:
    fair, paper = run_of(enzymes_run()), run_of(enzymes_paper_run())
    assert [fair.accuracy_of(record) for record in fair.summary.records] == pytest.approx(
        list(fair.accuracies)
    )
    assert [paper.accuracy_of(record) for record in paper.summary.records] == list(paper.accuracies)
    part = run_of(enzymes_paper_run()[:2])
    assert part.accuracies == ()
    assert [part.accuracy_of(record) for record in part.summary.records] == [50.0, 50.0]
