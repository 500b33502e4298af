"""The errors of this library: bad input, an exceeded budget, a failed cluster, a package not installed."""

from __future__ import annotations

__all__ = ["BudgetExceeded", "ClusterError", "GraphError", "InputError", "MissingDependency"]


class InputError(ValueError):
    """An argument, a setting or a file is not in the form that was expected.

    The base of all errors about input: `GraphError` for graphs and data sets,
    `cliquepool.evaluate.EvaluationError` for evaluations. The message says what was expected and what was
    got; for a text file, in which line.
    """


class GraphError(InputError):
    """The input is not a graph or a data set of graphs, or not in the form that was expected.

    The readers of CIFAR-10 raise it too; other errors about images, settings, devices and saved models are
    an `InputError`.
    """


class MissingDependency(ModuleNotFoundError):
    """A package that only parts of this library need is not installed; the message says how to install it."""


class ClusterError(RuntimeError):
    """A cluster cannot be used, or has failed; the message names the shard, the fold or the worker.

    What was finished before is kept where a folder was given for it, and the same call goes on from there.

    Attributes
    ----------
    task : int or None
        The position of the task that failed among those of the call.
    """

    def __init__(self, message: str, task: int | None = None) -> None:
        self.task = task
        super().__init__(message)


class BudgetExceeded(RuntimeError):
    """A call reached a limit of its `Budget`; its inputs are untouched and nothing is half-done.

    Attributes
    ----------
    limit : str
        The field of `Budget` that was reached: ``"max_cliques"``, ``"max_seconds"`` or ``"max_bytes"``.
    allowed, reached : float
        The limit, and what the call had used or would have used next.
    """

    def __init__(self, limit: str, allowed: float, reached: float, doing: str = "") -> None:
        self.limit = limit
        self.allowed = allowed
        self.reached = reached
        self.doing = doing
        super().__init__(limit, allowed, reached, doing)

    def __str__(self) -> str:
        reached, allowed = (_in_words(self.limit, amount) for amount in (self.reached, self.allowed))
        doing = f" while {self.doing}" if self.doing else ""
        return (
            f"{self.limit} reached{doing}: {reached} needed so far, {allowed} allowed. "
            f"{_ADVICE[self.limit]} (budget=Budget({self.limit}=...))."
        )


_GROWTH = (
    "a graph with many edges and few triangles grows with every level, one with many tied cliques at once"
)
_ADVICE = {
    "max_cliques": "This graph has very many tied cliques; allow more, ask for fewer levels, or pool a "
    "smaller graph",
    "max_seconds": f"Allow more time, ask for fewer levels, or pool a smaller graph; {_GROWTH}",
    "max_bytes": f"Allow more memory, ask for fewer levels, or pool a smaller graph; {_GROWTH}",
}


def _in_words(limit: str, amount: float) -> str:
    if limit == "max_seconds":
        return f"{amount:.3g} s"
    if limit == "max_bytes":
        for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
            if amount >= scale:
                return f"{amount / scale:.3g} {unit}"
        return f"{amount:.0f} bytes"
    return f"{amount:,.0f} cliques"
