"""The choice among candidates, made once for each fold and shared by its seeds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cliquepool.files import write_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cliquepool.evaluate.estimators import FittedFold
    from cliquepool.evaluate.records import FoldRecord

__all__ = ["CHOOSING_SEED", "Choice", "is_better"]

CHOOSING_SEED: Final = 0
"""The seed whose split and whose trainings choose among candidates, for all seeds of a fold."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate that the validation samples of a fold chose.

    Attributes
    ----------
    accuracies : tuple of float
        The validation accuracy of each candidate.
    chosen : int
        The position of the chosen one.
    """

    accuracies: tuple[float, ...]
    chosen: int

    @classmethod
    def of_record(cls, record: FoldRecord) -> Choice:
        """Return the choice that a record tells."""
        same = [
            position for position, settings in enumerate(record.candidates) if settings == record.settings
        ]
        chosen = max(same, key=record.candidate_accuracies.__getitem__)
        return cls(tuple(record.candidate_accuracies), chosen)

    @classmethod
    def read(cls, path: Path, candidates: int) -> Choice | None:
        """Read a choice among so many candidates; None where the file is gone or is not one."""
        try:
            content = json.loads(path.read_bytes())
            choice = cls(tuple(float(accuracy) for accuracy in content["accuracies"]), int(content["chosen"]))
        except (OSError, ValueError, TypeError, KeyError):
            return None
        is_whole = len(choice.accuracies) == candidates and 0 <= choice.chosen < candidates
        return choice if is_whole else None

    def write(self, path: Path) -> None:
        """Write the choice to a file, atomically."""
        write_text(path, json.dumps({"accuracies": self.accuracies, "chosen": self.chosen}))


def is_better(candidate: FittedFold, best: FittedFold) -> bool:
    """Return whether a candidate is chosen before the best one so far.

    It is if its validation accuracy is higher; or if that is equal, as among few samples it often is, and its
    validation loss is lower in the epoch that was kept, where both have one.
    """
    if candidate.validation_accuracy != best.validation_accuracy:
        return candidate.validation_accuracy > best.validation_accuracy
    losses = [_loss(fitted.curves, fitted.best_epoch) for fitted in (candidate, best)]
    return losses[0] is not None and losses[1] is not None and losses[0] < losses[1]


def _loss(curves: Any, epoch: int) -> float | None:
    curve: Sequence[float] = curves.get("validation_loss", ())
    return float(curve[epoch - 1]) if len(curve) >= epoch else None
