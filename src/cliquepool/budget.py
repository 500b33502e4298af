"""Limits on the time, memory and results of one call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from cliquepool.errors import InputError

__all__ = ["DEFAULT_BUDGET", "Budget"]

_NO_LIMIT: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on one call; ``None`` lifts one.

    Clique pooling is exact, and some graphs have exponentially many cliques of the same size. A call
    that reaches a limit raises `BudgetExceeded` instead of filling the memory or running for ever.

    Parameters
    ----------
    max_cliques : int, optional
        Cliques listed, or pools computed, in the whole call.
    max_seconds : float, optional
        Wall-clock time of the whole call.
    max_bytes : int, optional
        Memory for results and for the search, without the input.

    Examples
    --------
    >>> Budget(max_seconds=5)
    Budget(max_cliques=100000000, max_seconds=5, max_bytes=4294967296)
    """

    max_cliques: int | None = 100_000_000
    max_seconds: float | None = 600.0
    max_bytes: int | None = 4 * 2**30

    def __post_init__(self) -> None:
        for name in ("max_cliques", "max_seconds", "max_bytes"):
            value = getattr(self, name)
            if value is None:
                continue
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or math.isnan(value) or value < 0:
                raise InputError(
                    f"Budget({name}=...): expected a number of at least 0 or None, got {value!r}"
                )

    def _limits(self) -> tuple[int, float, int]:
        """Return the limits in the form that the core expects."""
        return (
            _NO_LIMIT if self.max_cliques is None else min(int(self.max_cliques), _NO_LIMIT),
            math.inf if self.max_seconds is None else float(self.max_seconds),
            _NO_LIMIT if self.max_bytes is None else min(int(self.max_bytes), _NO_LIMIT),
        )


DEFAULT_BUDGET: Final = Budget()
