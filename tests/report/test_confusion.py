from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cliquepool.errors import InputError
from cliquepool.report.confusion import Confusion, confusion_of, confusion_table
from tests.helpers.fold_records import record
from tests.helpers.reported_runs import DATA, HOSTILE, predicted_run, run_of


def test_counts_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import confusion_matrix  # noqa: PLC0415

    records = predicted_run()
    confusion = confusion_of(run_of(records), DATA)
    truth = DATA.classes[DATA.targets]
    ids = [at for one in records for at in one.predictions.ids]
    predicted = [name for one in records for name in one.predictions.classes]
    assert confusion.classes == ("ring", "star")
    assert confusion.counts.tolist() == confusion_matrix(truth[ids], predicted).tolist()
    assert confusion.samples == len(DATA)


def test_seeds_are_counted_one_by_one() -> None:
    once, twice = predicted_run(), [*predicted_run(), *predicted_run(seed=1)]
    confusion = confusion_of(run_of(twice), DATA)
    assert confusion.counts.tolist() == (2 * confusion_of(run_of(once), DATA).counts).tolist()
    assert "24 predictions of 12 test samples, once for each seed on record." in confusion_table(
        confusion, "run"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"predictions": None}, "the records have no predictions"),
        ({"predictions": {"ids": [99], "classes": ["ring"]}}, "samples that the data set does not have"),
        ({"predictions": {"ids": [-1], "classes": ["ring"]}}, "samples that the data set does not have"),
        ({"test_accuracy": 0.5}, "contradict the recorded test accuracy"),
    ],
)
def test_predictions_that_cannot_be_judged_are_refused(changes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        confusion_of(run_of(predicted_run(**changes)), DATA)


def test_a_class_that_the_data_set_does_not_have_gets_a_column() -> None:
    one = record(
        1,
        dataset="TOY",
        fingerprint=DATA.fingerprint,
        test_accuracy=0.0,
        predictions={"ids": [0], "classes": [HOSTILE]},
    )
    confusion = confusion_of(run_of([one]), DATA)
    assert confusion.classes == ("ring", "star", HOSTILE)
    table = confusion_table(confusion, HOSTILE)
    assert "<img" not in table
    assert "&lt;img src=x onerror=alert(1)&gt; 0.0 %" in table


def test_the_table_has_recall_and_precision() -> None:
    table = confusion_table(Confusion(("a", "b"), np.array([[3, 1], [0, 6]]), 10), "run")
    assert '<td class="number" data-value="75.0">75.0 %</td>' in table
    assert "Precision: a 100.0 %, b 85.7 %. 10 predictions of 10 test samples." in table
    assert 'class="number shade-6 right" data-value="3.0"' in table
    assert 'class="number shade-2 wrong" data-value="1.0"' in table


def test_of_many_classes_the_pairs_that_are_confused_most_are_listed() -> None:
    counts = 50 * np.eye(25, dtype=np.int64)
    counts[3, 7], counts[4, 8] = 2, 9
    table = confusion_table(Confusion(tuple(f"c{n}" for n in range(25)), counts, 1000), "run")
    rows = table.split("<tbody>")[1].split("</tr>")
    assert ["c4" in rows[0], "c8" in rows[0], "c3" in rows[1]] == [True] * 3
    assert len(rows) == 3  # and the end of the table
