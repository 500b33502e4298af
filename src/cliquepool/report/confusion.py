"""Confusion matrices from the predictions that records keep, and the true classes of their data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._words import counted
from cliquepool.errors import InputError
from cliquepool.view.html_page import text
from cliquepool.view.html_tables import HtmlCell, HtmlColumn, HtmlRow, sortable_table

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.evaluate.estimators import Dataset
    from cliquepool.evaluate.records import FoldRecord
    from cliquepool.report.runs import ReportedRun

__all__ = ["Confusion", "confusion_of", "confusion_table"]

_MOST_CLASSES: Final = 20
_MOST_PAIRS: Final = 30
_SHADES: Final = 8
_ROUNDING: Final = 1e-6


@dataclass(frozen=True)
class Confusion:
    """How often samples of each class (rows) were predicted to be of each class (columns).

    `samples` is the number of samples; with several seeds each of them is counted once for each seed.
    """

    classes: tuple[str, ...]
    counts: npt.NDArray[np.int64]
    samples: int


def confusion_of(run: ReportedRun, dataset: Dataset) -> Confusion:
    """Count the predictions of all test folds and seeds of a run.

    Raises InputError where records have no predictions, or where these contradict the data set.
    """
    known_as = {name: str(name) for name in dataset.classes.tolist()}
    truth = [known_as[name] for name in dataset.classes[dataset.targets].tolist()]
    pairs: list[tuple[str, str]] = []
    samples: set[int] = set()
    for record in run.summary.records:
        pairs += _pairs(record, truth, known_as)
        assert record.predictions is not None
        samples.update(record.predictions.ids)
    known = [str(name) for name in dataset.classes.tolist()]
    classes = tuple(dict.fromkeys([*known, *sorted({predicted for _, predicted in pairs})]))
    position = {name: index for index, name in enumerate(classes)}
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for true, predicted in pairs:
        counts[position[true], position[predicted]] += 1
    return Confusion(classes, counts, len(samples))


def _pairs(record: FoldRecord, truth: list[str], known_as: dict[Any, str]) -> list[tuple[str, str]]:
    """Return the true and the predicted class of each test sample of a fold.

    `known_as` has the name of each class: a model may predict 1.0 for class 1.
    """
    where = f"fold {record.fold}, seed {record.seed}"
    if record.predictions is None:
        raise InputError(f"the records have no predictions ({where})")
    ids = record.predictions.ids
    if ids and (min(ids) < 0 or max(ids) >= len(truth)):
        raise InputError(f"the predictions are of samples that the data set does not have ({where})")
    predicted = [known_as.get(name, str(name)) for name in record.predictions.classes]
    pairs = [(truth[at], name) for at, name in zip(ids, predicted, strict=True)]
    right = sum(true == predicted for true, predicted in pairs) / max(1, len(pairs))
    if abs(right - (record.test_accuracy or 0.0)) > _ROUNDING:
        raise InputError(f"the predictions contradict the recorded test accuracy ({where})")
    return pairs


def confusion_table(confusion: Confusion, name: str) -> str:
    """Return the matrix as a table; of many classes, the pairs that are confused most."""
    if len(confusion.classes) > _MOST_CLASSES:
        return _pair_table(confusion, name)
    counts = confusion.counts
    of_rows = counts.sum(axis=1)
    columns = [
        HtmlColumn("true class"),
        *(HtmlColumn(f"as {predicted}", css="number") for predicted in confusion.classes),
        HtmlColumn("predictions", css="number"),
        HtmlColumn("recall", css="number"),
    ]
    rows = [
        HtmlRow(
            HtmlCell(true),
            [
                *(
                    _count(int(count), int(of_rows[row]), row == column)
                    for column, count in enumerate(counts[row])
                ),
                HtmlCell(f"{of_rows[row]:,}", float(of_rows[row]), css="number"),
                _share(int(counts[row, row]), int(of_rows[row])),
            ],
        )
        for row, true in enumerate(confusion.classes)
    ]
    columns_said = ", ".join(
        f"{predicted} {_share(int(counts[at, at]), int(counts[:, at].sum())).words}"
        for at, predicted in enumerate(confusion.classes)
    )
    table = sortable_table(f"Confusion matrix of {name}", columns, rows, css="confusion")
    return f'{table}<p class="quiet">{text(f"Precision: {columns_said}. {_counted(confusion)}")}</p>'


def _pair_table(confusion: Confusion, name: str) -> str:
    counts = confusion.counts.copy()
    np.fill_diagonal(counts, 0)
    order = np.argsort(-counts, axis=None, kind="stable")[:_MOST_PAIRS]
    rows = []
    for true, predicted in zip(*np.unravel_index(order, counts.shape), strict=True):
        count = int(counts[true, predicted])
        if count:
            shown = HtmlCell(confusion.classes[predicted]), HtmlCell(f"{count:,}", count, css="number")
            rows.append(HtmlRow(HtmlCell(confusion.classes[true]), shown))
    columns = [HtmlColumn("true class"), HtmlColumn("predicted class"), HtmlColumn("times", css="number")]
    note = f"Of {len(confusion.classes)} classes, the pairs that are confused most. {_counted(confusion)}"
    table = sortable_table(f"Most frequent confusions of {name}", columns, rows)
    return f'{table}<p class="quiet">{text(note)}</p>'


def _count(count: int, of_row: int, is_right: bool) -> HtmlCell:
    shade = round(_SHADES * count / of_row) if of_row else 0
    side = "right" if is_right else "wrong"
    return HtmlCell(f"{count:,}", count, css=f"number shade-{shade} {side}")


def _share(part: int, whole: int) -> HtmlCell:
    if not whole:
        return HtmlCell("–", css="number")
    return HtmlCell(f"{100 * part / whole:.1f} %", 100 * part / whole, css="number")


def _counted(confusion: Confusion) -> str:
    total = int(confusion.counts.sum())
    said = f"{counted(total, 'prediction')} of {counted(confusion.samples, 'test sample')}"
    return f"{said}, once for each seed on record." if total > confusion.samples else f"{said}."
