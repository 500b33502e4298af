"""Runs to report on: of a small data set with its predictions, and what records may lack."""

from __future__ import annotations

from typing import Any

from cliquepool.report.runs import ReportedRun, reported_runs
from tests.helpers.fold_records import record
from tests.helpers.small_model import rings_and_stars

HOSTILE = "<img src=x onerror=alert(1)>"
DATA = rings_and_stars(12, name="TOY")
FOLDS = 3


def predicted_run(**changes: Any) -> list[Any]:
    """Return records of three folds of `DATA`, whose predictions are right but for one graph of each fold."""
    truth = DATA.classes[DATA.targets].tolist()
    records = []
    for fold in range(1, FOLDS + 1):
        ids = list(range(fold - 1, len(DATA), FOLDS))
        classes = [truth[at] for at in ids]
        classes[fold % len(ids)] = "star" if classes[fold % len(ids)] == "ring" else "ring"
        content = {
            "dataset": DATA.name,
            "fingerprint": DATA.fingerprint,
            "folds": FOLDS,
            "predictions": {"ids": ids, "classes": classes},
            "test_accuracy": 1 - 1 / len(ids),
        }
        records.append(record(fold, **(content | changes)))
    return records


def run_of(records: list[Any]) -> ReportedRun:
    """Return the only run of records."""
    (run,) = reported_runs(records)
    return run
