"""Comparisons: what is run, what is resumed, and failures that do not stop the others."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.errors import InputError
from cliquepool.evaluate import EvaluationError, RecordFile
from cliquepool.evaluate.comparisons import (
    ComparisonFolder,
    HowToCompare,
    Outcome,
    plan_comparison,
    run_comparison,
)
from cliquepool.evaluate.splits import fair_split, outer_folds
from cliquepool.evaluate.workers import Limits
from cliquepool.models.registry import RegisteredModel, select_models
from tests.helpers.compared_models import rings
from tests.helpers.fold_records import record

if TYPE_CHECKING:
    from pathlib import Path

HERE = "tests.helpers.compared_models"


def own(*names: str) -> list[RegisteredModel]:
    return select_models([], [f"{HERE}:{name}" for name in names])


def ran(folder: ComparisonFolder, models: list[RegisteredModel], **options: Any) -> list[Outcome]:
    how = HowToCompare(**{"folds": 3, "jobs": 1} | options)
    return list(run_comparison(plan_comparison(models, [rings()], folder, how), folder, how))


def test_a_model_that_fails_is_on_record_and_the_others_go_on(tmp_path: Path) -> None:
    folder = ComparisonFolder(tmp_path)
    outcomes = ran(folder, own("hopeless", "AllStars"))
    assert [outcome.state for outcome in outcomes] == ["failed", "finished"]
    reason = "ArithmeticError: the weights are not finite\nand more"
    assert outcomes[0].reason == reason
    failure = folder.read_failure("rings", f"{HERE}.hopeless")
    assert failure is not None
    assert (failure.fold, failure.seed, failure.reason) == (1, 0, reason)
    assert len(RecordFile.read(folder.records("rings", f"{HERE}.AllStars")).records) == 3
    assert folder.datasets() == ["rings"]
    assert folder.keys("rings") == [f"{HERE}.AllStars", f"{HERE}.hopeless"]


def test_what_has_failed_is_not_tried_again_unless_asked_or_changed(tmp_path: Path) -> None:
    folder = ComparisonFolder(tmp_path)
    model = own("hopeless")
    ran(folder, model)
    path = folder.failure("rings", model[0].key)
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"reason": "as told before"}))
    again = ran(folder, model)[0].reason
    assert again == "as told before (failed before; run it again with --retry-failed)"
    assert ran(folder, model, retry_failed=True)[0].reason.startswith("ArithmeticError")
    path.write_text(json.dumps(content | {"reason": "of other settings", "run": "0" * 64}))
    assert ran(folder, model)[0].reason.startswith("ArithmeticError")
    assert folder.read_failure("rings", model[0].key, "paper") is None


def test_a_success_removes_the_failure(tmp_path: Path) -> None:
    folder = ComparisonFolder(tmp_path)
    model = own("AllStars")
    path = folder.failure("rings", model[0].key)
    path.parent.mkdir()
    failure = {"run": "0" * 64, "protocol": "fair", "reason": "once", "failed_at": "2020-01-01"}
    path.write_text(json.dumps(failure))
    assert ran(folder, model)[0].state == "finished"
    assert not path.exists()
    path.write_text("{}")
    with pytest.raises(EvaluationError, match="expected the failure of a run, got Field required"):
        folder.read_failure("rings", model[0].key)


def test_a_run_out_of_time_is_failed(tmp_path: Path) -> None:
    (outcome,) = ran(ComparisonFolder(tmp_path), own("small"), limits=Limits(max_seconds=1e-3))
    assert outcome.state == "failed"
    assert outcome.reason.startswith("out of time: the run was not finished within")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits the memory of a process")
def test_a_run_out_of_memory_is_failed_by_its_own_limit(tmp_path: Path) -> None:
    limits = Limits(max_bytes=8 << 30)
    outcomes = ran(ComparisonFolder(tmp_path), own("Greedy", "AllStars"), limits=limits)
    assert [outcome.state for outcome in outcomes] == ["failed", "finished"]
    assert outcomes[0].reason.startswith("out of memory (allowed: 8 GiB)")


def test_a_model_that_is_not_installed_is_skipped_with_the_reason(tmp_path: Path) -> None:
    missing = RegisteredModel("missing", "Missing", "cliquepool.no_such_module:Model")
    (outcome,) = ran(ComparisonFolder(tmp_path), [missing])
    assert (outcome.state, outcome.reason) == ("skipped", "No module named 'cliquepool.no_such_module'")


def test_splits_of_a_file_are_used_and_leave_no_folds_to_ask_for(tmp_path: Path) -> None:
    parts = outer_folds(rings().targets, 3, 5)
    splits = [fair_split(parts, fold, rings().targets, 0) for fold in (1, 2, 3)]
    names = ("train", "validation", "test")
    listed = [{name: getattr(split, name).tolist() for name in names} for split in splits]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"dataset": "rings", "graphs": len(rings()), "folds": listed}))
    folder = ComparisonFolder(tmp_path / "out")
    (outcome,) = ran(folder, own("AllStars"), splits=str(path))
    assert outcome.summary is not None
    assert outcome.summary.records[0].splits is not None
    assert outcome.summary.records[0].splits.name == "mine"
    with pytest.raises(EvaluationError, match="folds: expected the 3 of the splits mine, got 4"):
        ran(folder, own("AllStars"), splits=str(path), folds=4)


def test_data_sets_that_the_authors_have_not_split_get_own_folds(tmp_path: Path) -> None:
    (outcome,) = ran(ComparisonFolder(tmp_path), own("AllStars"), splits="errica")
    assert outcome.summary is not None
    assert outcome.summary.run.splits is None


def test_nothing_is_run_twice_and_the_newest_run_counts(tmp_path: Path) -> None:
    folder = ComparisonFolder(tmp_path)
    (model,) = own("two_small")
    (first,) = ran(folder, [model])
    content = folder.records("rings", model.key).read_bytes()
    (again,) = ran(folder, [model])
    assert again.summary == first.summary
    assert folder.records("rings", model.key).read_bytes() == content
    ran(folder, [model], folds=4)
    newest = folder.run("rings", model.key, "fair")
    assert newest is not None
    assert (newest.run.folds, len(newest.records)) == (4, 4)
    assert folder.run("rings", model.key, "paper") is None


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("Nowhere", {}, "got NaN or infinity"),
        ("Contradictory", {}, "curves of different lengths"),
        ("Impatient", {"protocol": "paper"}, "the paper protocol needs as many epochs in every fold"),
        ("Unsendable", {"jobs": 2}, "expected a model that other processes can be sent"),
    ],
)
def test_what_cannot_be_recorded_is_failed_and_all_records_can_be_read(
    tmp_path: Path, name: str, options: dict[str, Any], reason: str
) -> None:
    folder = ComparisonFolder(tmp_path)
    outcomes = ran(folder, own(name, "AllStars"), **options)
    assert [outcome.state for outcome in outcomes] == ["failed", "finished"]
    assert reason in outcomes[0].reason
    failure = folder.read_failure("rings", f"{HERE}.{name}")
    assert failure is not None
    assert reason in failure.reason
    assert len(RecordFile.read(folder.records("rings", f"{HERE}.{name}")).records) <= 1


@pytest.mark.parametrize(("name", "reason"), [("Needy", "TypeError"), ("broken", "no such file of weights")])
def test_a_model_that_cannot_be_made_does_not_stop_the_others(tmp_path: Path, name: str, reason: str) -> None:
    row = RegisteredModel(name, name, f"{HERE}:{name}", tags=("own",))
    outcomes = ran(ComparisonFolder(tmp_path), [row, *own("AllStars")])
    assert [outcome.state for outcome in outcomes] == ["skipped", "finished"]
    assert reason in outcomes[0].reason
    with pytest.raises(InputError, match=f"expected an estimator, or a function that .*{reason}"):
        own(name)


def test_a_package_that_a_model_needs_and_that_is_missing_is_named(tmp_path: Path) -> None:
    row = RegisteredModel("x", "x", f"{HERE}:uninstalled", tags=("own",))
    (outcome,) = ran(ComparisonFolder(tmp_path), [row])
    assert (outcome.state, outcome.reason) == ("skipped", "no package named weights")
    with pytest.raises(InputError, match="expected a module to import, got no package named weights"):
        own("uninstalled")


def test_data_sets_keep_their_names_and_stay_in_the_folder(tmp_path: Path) -> None:
    folder = ComparisonFolder(tmp_path / "out")
    assert folder.records("..", "gin").parent == tmp_path / "out" / "-"
    file = RecordFile.read(folder.records("a/b", "gin"))
    file.append(record(dataset="a/b", model="GIN"))
    assert file.path.parent == tmp_path / "out" / "a-b"
    assert folder.datasets() == ["a/b"]
    assert folder.keys("a/b") == ["gin"]
    assert folder.title("a/b", "gin") == "GIN"
