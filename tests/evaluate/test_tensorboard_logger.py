"""Logs for TensorBoard, read back with its own reader."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cliquepool.errors import InputError
from cliquepool.evaluate import TensorBoardLogger, summarise
from tests.helpers.interrupted_run import EPOCHS, interrupted_run, small_run

ROOT = Path(__file__).parents[2]
pytest.importorskip("tensorboard", reason="tensorboard is not installed")
# Of tensorboard's own imports.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Return the curves of a folder as TensorBoard shows them: without what was purged, by step.

    It reads the files of a folder by their names, which are in order only if they are of different seconds.
    """
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: PLC0415

    events = EventAccumulator(str(folder))
    events.Reload()
    return {
        tag: sorted((event.step, round(event.value, 4)) for event in events.Scalars(tag))
        for tag in events.Tags()["scalars"]
    }


def curve(record: Any, name: str) -> list[tuple[int, float]]:
    return [(epoch, round(value, 4)) for epoch, value in enumerate(record.curves[name], start=1)]


def expect_log(folder: Path, records: list[Any]) -> None:
    """Expect every epoch of every record once, and the figure."""
    (run,) = folder.iterdir()
    for record in records:
        found = scalars(run / f"seed-0-fold-{record.fold:02}")
        for name in ("loss", "validation_accuracy"):
            assert found[name] == [
                (step, pytest.approx(value, abs=2e-4)) for step, value in curve(record, name)
            ]
        assert found["kept/epoch"] == [(record.best_epoch, record.best_epoch)]
        assert found["kept/test_accuracy"] == [
            (record.best_epoch, pytest.approx(record.test_accuracy, abs=1e-4))
        ]
    (summary,) = summarise(records)
    assert summary.figure is not None
    figure = [(len(records), pytest.approx(summary.figure.mean, abs=1e-3))]
    assert scalars(run)["figure/accuracy"] == figure


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_fold_has_its_curves_and_the_run_its_figure(tmp_path: Path, jobs: int) -> None:
    records = small_run(tmp_path / "r.jsonl", TensorBoardLogger(tmp_path / "logs"), jobs=jobs)
    expect_log(tmp_path / "logs", records)


def test_a_resumed_run_has_every_epoch_once(tmp_path: Path) -> None:
    interrupted_run(tmp_path / "r.jsonl", TensorBoardLogger(tmp_path / "logs"))
    (run,) = (tmp_path / "logs").iterdir()
    assert len(scalars(run / "seed-0-fold-02")["loss"]) == EPOCHS // 2
    for _ in range(2):  # the second time nothing is left to log
        records = small_run(tmp_path / "r.jsonl", TensorBoardLogger(tmp_path / "logs"))
        expect_log(tmp_path / "logs", records)
    assert len(list(run.glob("events*"))) == 1


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    with pytest.raises(InputError, match="logs: cannot log there"):
        small_run(tmp_path / "r.jsonl", TensorBoardLogger(tmp_path / "logs"))
    assert not (tmp_path / "r.jsonl").exists()


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    small_run(tmp_path / "r.jsonl", TensorBoardLogger(tmp_path / "logs"))
    (state,) = (tmp_path / "logs").glob("*/logged.json")
    assert len(json.loads(state.read_text())["folds"]) == 3
    state.write_text("[]")
    with pytest.raises(InputError, match="expected the state of a log"):
        small_run(tmp_path / "r.jsonl", TensorBoardLogger(tmp_path / "logs"))


NOT_IMPORTED = """
import sys
import cliquepool.report
from cliquepool.evaluate import MLflowLogger, TensorBoardLogger
from tests.helpers.interrupted_run import small_run
from pathlib import Path
small_run(Path(sys.argv[1]))
TensorBoardLogger("logs"), MLflowLogger("logs")
print({"tensorboard", "mlflow", "google"} & {name.partition(".")[0] for name in sys.modules})
"""


def test_neither_tensorboard_nor_mlflow_is_imported_without_a_log(tmp_path: Path) -> None:
    pytest.importorskip("mlflow", reason="mlflow is not installed")
    command = [sys.executable, "-c", NOT_IMPORTED, str(tmp_path / "r.jsonl")]
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=surroundings)
    assert done.stdout.strip() == "set()"
