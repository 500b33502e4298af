"""Checks that the figures of a record agree with its curves, its candidates and its protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cliquepool.evaluate.choices import CHOOSING_SEED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cliquepool.evaluate.records import FoldRecord

__all__ = ["contradiction_in"]

_CURVE: Final = "validation_accuracy"
_ROUNDING: Final = 1e-9  # accuracies are rounded to the same digits before they are written


def contradiction_in(record: FoldRecord) -> str | None:
    """Return what in a record contradicts the rest of it, in words; None if nothing does."""
    return next(_contradictions(record), None)


def _contradictions(record: FoldRecord) -> Iterator[str]:
    if record.fold > record.folds:
        yield f"fold {record.fold} of {record.folds}"
    yield from _in_curves(record)
    yield from _in_candidates(record)
    yield from _in_predictions(record)
    if record.protocol == "paper" and record.test_accuracy is not None:
        yield "a test accuracy under the paper protocol, which has no test set"
    if record.protocol == "fair" and record.test_accuracy is None:
        yield "no test accuracy under the fair protocol"


def _in_curves(record: FoldRecord) -> Iterator[str]:
    lengths = {name: len(curve) for name, curve in record.curves.items()}
    if len(set(lengths.values())) > 1:
        yield f"curves of different lengths, {_shortened(lengths)}"
    for name, curve in record.curves.items():
        if name.endswith("accuracy") and not all(0 <= value <= 1 for value in curve):
            yield f"a curve {name[:50]} that leaves the range from 0 to 1"
    curve = record.curves.get(_CURVE, [])
    if record.best_epoch > len(curve):
        yield f"best_epoch {record.best_epoch} where the curve {_CURVE} has {len(curve)} epochs"
    elif not _same(curve[record.best_epoch - 1], record.validation_accuracy):
        yield (
            f"validation_accuracy {record.validation_accuracy} where its curve has "
            f"{curve[record.best_epoch - 1]} in best_epoch {record.best_epoch}"
        )


def _in_candidates(record: FoldRecord) -> Iterator[str]:
    accuracies = record.candidate_accuracies
    if len(accuracies) != len(record.candidates):
        yield f"{len(accuracies)} candidate_accuracies of {len(record.candidates)} candidates"
    elif not all(0 <= accuracy <= 1 for accuracy in accuracies):
        yield "candidate_accuracies that leave the range from 0 to 1"
    elif _is_of_the_choice(record) and not _same(max(accuracies), record.validation_accuracy):
        yield (
            f"validation_accuracy {record.validation_accuracy} where the best of candidate_accuracies "
            f"is {max(accuracies)}"
        )
    elif not any(
        _same(accuracy, max(accuracies)) and record.settings == candidate
        for accuracy, candidate in zip(accuracies, record.candidates, strict=True)
    ):
        yield "settings that are not those of the best candidate"
    if record.selection is not None and len(record.candidates) < 2:
        yield f"a selection {record.selection} from a single candidate"
    if record.protocol == "paper" and len(record.candidates) > 1:
        yield f"{len(record.candidates)} candidates under the paper protocol, which has none to choose from"


def _is_of_the_choice(record: FoldRecord) -> bool:
    """Return whether the training of a record is one of those that chose among the candidates.

    With another seed than theirs, the chosen candidate was trained again, with another accuracy.
    """
    return record.selection is None or record.seed == CHOOSING_SEED


def _in_predictions(record: FoldRecord) -> Iterator[str]:
    if record.predictions is None:
        return
    ids, classes = record.predictions.ids, record.predictions.classes
    if len(ids) != len(classes):
        yield f"predictions of {len(classes)} classes for {len(ids)} samples"
    if record.test_accuracy is None:
        yield "predictions of test samples without a test accuracy"


def _same(accuracy: float, other: float) -> bool:
    return abs(accuracy - other) <= _ROUNDING


def _shortened(value: object) -> str:
    return str(value)[:100]
