"""One fold of a run: fit every candidate, choose one by the validation samples, test it, make the record."""

from __future__ import annotations

import contextlib
import platform
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

import cliquepool
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.estimators import Samples, describe, fit_fold
from cliquepool.evaluate.records import FoldRecord
from cliquepool.evaluate.splits import derived_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cliquepool.evaluate.estimators import Dataset, Estimator, FittedFold
    from cliquepool.evaluate.plans import Unit
    from cliquepool.evaluate.records import RunKey
    from cliquepool.training.report import EpochReport

    OnEpoch = Callable[[EpochReport], None]

__all__ = ["FoldJobMaker", "SavedDataset", "shared_data_set"]

_DIGITS: Final = 5


@dataclass(frozen=True, slots=True)
class SavedDataset:
    """A data set in a file, and its class."""

    kind: type[Dataset]
    path: Path


@contextlib.contextmanager
def shared_data_set(dataset: Dataset, processes: int) -> Iterator[Dataset | SavedDataset]:
    """Save the data set for several processes, which map the file into memory instead of copying it."""
    if processes <= 1:
        yield dataset
        return
    with tempfile.TemporaryDirectory(prefix="cliquepool-") as folder:
        path = Path(folder, "dataset.safetensors")
        dataset.save(path)
        yield SavedDataset(type(dataset), path)


@dataclass(frozen=True, slots=True)
class FoldJobMaker:
    """Make, in each process, the function that runs one fold; picklable, unlike that function."""

    source: Dataset | SavedDataset
    models: tuple[Estimator, ...]
    run: RunKey

    def __call__(self) -> Callable[[Unit, OnEpoch], FoldRecord]:
        """Load the data set, and return the function that runs a fold."""
        source = self.source
        dataset = source.kind.load(source.path, mmap=True) if isinstance(source, SavedDataset) else source
        return _FoldJob(Samples(dataset), self.models, self.run)


class _FoldJob:
    def __init__(self, samples: Samples, models: tuple[Estimator, ...], run: RunKey) -> None:
        self._samples = samples
        self._models = models
        self._run = run

    def __call__(self, unit: Unit, on_epoch: OnEpoch) -> FoldRecord:
        """Run one fold; its test samples are read once, by the candidate that was chosen."""
        for model in self._models:
            self._samples.prepare(model)
        began = time.perf_counter()
        fitted = [self._fit(model, number, unit, on_epoch) for number, model in enumerate(self._models)]
        for candidate in fitted:
            _expect_finite(candidate)
        accuracies = [candidate.validation_accuracy for candidate in fitted]
        chosen = accuracies.index(max(accuracies))
        best = fitted[chosen]
        is_tested = self._run.protocol == "fair"
        test_accuracy = best.accuracy(self._samples, unit.split.test) if is_tested else None
        settings = [describe(model)[1] for model in self._models]
        return FoldRecord(
            protocol=self._run.protocol,
            dataset=self._run.dataset,
            fingerprint=self._run.fingerprint,
            model=self._run.model,
            settings=settings[chosen],
            candidates=settings,
            candidate_accuracies=[round(accuracy, _DIGITS) for accuracy in accuracies],
            folds=self._run.folds,
            fold=unit.fold,
            seed=unit.seed,
            split_seed=self._run.split_seed,
            split_sha256=unit.split.sha256,
            curves={
                name: [round(float(value), _DIGITS) for value in curve] for name, curve in best.curves.items()
            },
            best_epoch=best.best_epoch,
            validation_accuracy=round(accuracies[chosen], _DIGITS),
            test_accuracy=test_accuracy,
            seconds=round(time.perf_counter() - began, 3),
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
            versions=_versions(),
        )

    def _fit(self, model: Estimator, number: int, unit: Unit, on_epoch: OnEpoch) -> FittedFold:
        return fit_fold(
            model,
            self._samples,
            unit.split.train,
            unit.split.validation,
            seed=derived_seed(unit.seed, unit.fold),
            checkpoint=unit.checkpoint(number),
            on_epoch=lambda report: on_epoch(report.among(number, len(self._models))),
        )


def _expect_finite(fitted: FittedFold) -> None:
    for name, curve in fitted.curves.items():
        wrong = np.flatnonzero(~np.isfinite(curve))
        if len(wrong):
            value = curve[int(wrong[0])]
            raise EvaluationError(f"expected a finite {name}, got {value} in epoch {wrong[0] + 1}")


def _versions() -> dict[str, str]:
    """Return what a figure may depend on: packages, Python, and the kind of machine, not its name."""
    packages = {name: metadata.version(name) for name in ("torch", "numpy")}
    return {
        "cliquepool": cliquepool.__version__,
        "python": platform.python_version(),
        **packages,
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
    }


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
