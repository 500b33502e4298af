"""Logs of MLflow, in a folder, which mlflow-skinny alone can write; read back with its own client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.errors import InputError
from cliquepool.evaluate import MLflowLogger, summarise
from tests.helpers.interrupted_run import EPOCHS, interrupted_run, small_run

if TYPE_CHECKING:
    from pathlib import Path

mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
# Of MLflow's own imports, and of its store in a folder.
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def _folders_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.delenv("MLFLOW_EXPERIMENT_NAME", raising=False)


def runs(uri: str) -> tuple[Any, dict[int, Any], Any]:
    """Return the run of the whole, those of the folds, and the client."""
    client = mlflow.tracking.MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("cliquepool")
    found = client.search_runs([experiment.experiment_id])
    (whole,) = [run for run in found if "cliquepool.run" in run.data.tags]
    folds = {int(run.data.tags["fold"]): run for run in found if run is not whole}
    assert len(folds) == len(found) - 1
    assert {run.data.tags["mlflow.parentRunId"] for run in folds.values()} <= {whole.info.run_id}
    return whole, folds, client


def expect_log(uri: str, records: list[Any]) -> None:
    """Expect every epoch of every record once, settings, tags and the figure."""
    whole, folds, client = runs(uri)
    for record in records:
        run = folds[record.fold]
        assert run.info.status == "FINISHED"
        for name in ("loss", "validation_accuracy"):
            history = client.get_metric_history(run.info.run_id, name)
            assert [metric.step for metric in history] == list(range(1, EPOCHS + 1))
            assert [metric.value for metric in history] == pytest.approx(record.curves[name], abs=1e-5)
        assert run.data.metrics["test_accuracy"] == record.test_accuracy
        assert run.data.tags["split_sha256"] == record.split_sha256
        assert run.data.params == {"epochs": str(EPOCHS), "rate": "0.5"}
    (summary,) = summarise(records)
    assert summary.figure is not None
    assert whole.info.status == "FINISHED"
    assert whole.data.metrics == {"accuracy": summary.figure.mean, "accuracy_std": summary.figure.std}
    assert whole.data.params == {"epochs": str(EPOCHS), "rate": "0.5"}
    assert whole.data.tags["fingerprint"] == summary.run.fingerprint
    assert whole.info.run_name == "small on rings and stars, fair"


def test_every_fold_is_a_run_below_that_of_the_whole(tmp_path: Path) -> None:
    uri = (tmp_path / "logs").as_uri()
    records = small_run(tmp_path / "r.jsonl", MLflowLogger(uri))
    expect_log(uri, records)


def test_a_resumed_run_has_every_epoch_once(tmp_path: Path) -> None:
    uri = str(tmp_path / "logs")
    interrupted_run(tmp_path / "r.jsonl", MLflowLogger(uri))
    whole, folds, _ = runs(uri)
    assert (whole.info.status, folds[2].info.status) == ("KILLED", "KILLED")
    assert folds[1].info.status == "FINISHED"
    for _ in range(2):  # the second time nothing is left to log
        records = small_run(tmp_path / "r.jsonl", MLflowLogger(uri))
        expect_log(uri, records)


def test_a_run_that_went_on_without_a_log_is_logged_from_its_records(tmp_path: Path) -> None:
    uri = str(tmp_path / "logs")
    interrupted_run(tmp_path / "r.jsonl")
    expect_log(uri, small_run(tmp_path / "r.jsonl", MLflowLogger(uri)))


def test_the_experiment_is_named_by_an_argument_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "mine")
    for given in (None, "yours"):
        logger = MLflowLogger(str(tmp_path / "logs"), experiment=given)
        small_run(tmp_path / f"{given}.jsonl", logger)
    client = mlflow.tracking.MlflowClient(tracking_uri=str(tmp_path / "logs"))
    assert {found.name for found in client.search_experiments()} >= {"mine", "yours"}


def test_what_mlflow_refuses_is_one_line_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="gopher://x: cannot log there"):
        small_run(tmp_path / "r.jsonl", MLflowLogger("gopher://x"))
    monkeypatch.delenv("MLFLOW_ALLOW_FILE_STORE")
    with pytest.raises(InputError, match="MLFLOW_ALLOW_FILE_STORE=true") as refused:
        small_run(tmp_path / "r.jsonl", MLflowLogger(str(tmp_path / "logs")))
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "r.jsonl").exists()
