"""How an evaluation ends when it cannot give a figure."""

from __future__ import annotations

from cliquepool.errors import InputError

__all__ = ["EvaluationError", "FoldFailed"]


class EvaluationError(InputError):
    """The data set, the records or the settings do not allow the run that was asked for.

    The message says what was expected and what was got.
    """


class FoldFailed(EvaluationError):
    """A fold ended with an error, so the run did: its other folds are never averaged without it.

    Attributes
    ----------
    fold, seed : int
        Which one it was.
    trace : str
        The traceback in the process that ran it, as text; empty where that process was killed.
    """

    def __init__(self, fold: int, seed: int, reason: str, trace: str = "") -> None:
        self.fold = fold
        self.seed = seed
        self.reason = reason
        self.trace = trace
        super().__init__(fold, seed, reason, trace)

    def __str__(self) -> str:
        return f"fold {self.fold}, seed {self.seed} failed: {self.reason}"
