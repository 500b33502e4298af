"""The errors of evaluations."""

from __future__ import annotations

from cliquepool.errors import InputError

__all__ = ["AtWorkElsewhere", "EvaluationError", "FoldFailed"]


class EvaluationError(InputError):
    """The data set, the records or the settings do not allow this run.

    The message says what was expected and what was got.
    """


class AtWorkElsewhere(EvaluationError):
    """Another process is at work on this run."""


class FoldFailed(EvaluationError):
    """A fold failed, and therefore the run: the other folds are never averaged without it.

    Attributes
    ----------
    fold, seed : int
        The fold, from 1, and its seed.
    trace : str
        The traceback of the process that ran it, as text; empty if that process was killed.
    """

    def __init__(self, fold: int, seed: int, reason: str, trace: str = "") -> None:
        self.fold = fold
        self.seed = seed
        self.reason = reason
        self.trace = trace
        super().__init__(fold, seed, reason, trace)

    def __str__(self) -> str:
        return f"fold {self.fold}, seed {self.seed} failed: {self.reason}"
