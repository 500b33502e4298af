"""The cost of a fit: time of an epoch, memory of the process, numbers of parameters."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cliquepool.training.report import EpochReport

__all__ = ["CostMeter", "FitCost"]

_STATUS: Final = Path("/proc/self/status")
_CLEAR_REFS: Final = Path("/proc/self/clear_refs")
_RESET_PEAK: Final = "5"  # proc(5): resets the peak resident set size


class FitCost(BaseModel):
    """The cost of the fit behind a record; None where it is not known.

    Attributes
    ----------
    epoch_seconds : float or None
        The median time of an epoch, with its validation.
    memory_before, peak_memory : int or None
        The resident memory of the process, in bytes, when the fit began, and the most during the fit. Both
        include Python, its packages and the data set. Measured on Linux only.
    num_parameters : int or None
        The number of learned parameters.
    num_pooling_parameters : int or None
        The number of those that pooling layers have.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    epoch_seconds: float | None = Field(default=None, ge=0)
    memory_before: int | None = Field(default=None, ge=0)
    peak_memory: int | None = Field(default=None, ge=0)
    num_parameters: int | None = Field(default=None, ge=0)
    num_pooling_parameters: int | None = Field(default=None, ge=0)


class CostMeter:
    """Measure one fit: enter it around `fit`, pass `on_epoch` on, ask for the cost of the fitted model."""

    def __init__(self, on_epoch: Callable[[EpochReport], None]) -> None:
        self._pass_on = on_epoch
        self._finished: list[float] = []
        self._memory: tuple[int, int] | None = None

    def on_epoch(self, report: EpochReport) -> None:
        """Note the time of an epoch, and pass the report on."""
        self._finished.append(report.seconds or time.perf_counter())
        self._pass_on(report)

    @contextlib.contextmanager
    def measuring(self) -> Iterator[None]:
        """Measure the memory of the process inside the context."""
        before = _memory("VmRSS") if _reset_peak() else None
        yield
        peak = _memory("VmHWM")
        self._memory = None if before is None or peak is None else (before, peak)

    def cost(self, model: Any) -> FitCost:
        """Return the cost of the fit that gave this model."""
        seconds = self._epoch_seconds(getattr(model, "curves_", None) or {})
        before, peak = self._memory or (None, None)
        return FitCost(
            epoch_seconds=None if seconds is None else float(f"{seconds:.4g}"),
            memory_before=before,
            peak_memory=peak,
            num_parameters=_num_parameters(model),
            num_pooling_parameters=_count(getattr(model, "num_pooling_parameters_", None)),
        )

    def _epoch_seconds(self, curves: Any) -> float | None:
        """Return the median time between the ends of epochs: a resumed fit counts those since."""
        if len(curves.get("seconds", ())):
            return float(np.median(curves["seconds"]))
        times = np.diff(self._finished)
        return max(0.0, float(np.median(times))) if len(times) else None


def _num_parameters(model: Any) -> int | None:
    """Return the number of parameters of a fitted model that says it, or of its torch network."""
    told = _count(getattr(model, "num_parameters_", None))
    network = getattr(model, "network_", None)
    module: Any = getattr(network, "network", network)
    if told is not None or not hasattr(module, "parameters"):
        return told
    return sum(int(parameter.numel()) for parameter in module.parameters())


def _count(value: Any) -> int | None:
    return None if value is None else int(value)


def _reset_peak() -> bool:
    """Set the peak of the resident memory to its present size; return whether that is possible here."""
    try:
        _CLEAR_REFS.write_text(_RESET_PEAK, encoding="ascii")
    except OSError:
        return False
    return True


def _memory(field: str) -> int | None:
    """Return a field of the status of this process, in bytes."""
    with contextlib.suppress(OSError):
        found = re.search(rf"^{field}:\s*(\d+) kB$", _STATUS.read_text(encoding="utf-8"), re.MULTILINE)
        if found is not None:
            return 1024 * int(found[1])
    return None
