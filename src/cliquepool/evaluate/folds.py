"""One fold of a run: fit every candidate, choose one by the validation samples, test it, make the record."""

from __future__ import annotations

import contextlib
import platform
import tempfile
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

import cliquepool
from cliquepool.evaluate.choices import CHOOSING_SEED, Choice, is_better
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.estimators import Samples, describe, fit_fold
from cliquepool.evaluate.records import FoldRecord, Predictions
from cliquepool.evaluate.splits import derived_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cliquepool.evaluate.estimators import Dataset, Estimator, FittedFold
    from cliquepool.evaluate.plans import Unit
    from cliquepool.evaluate.records import NamedSplits, RunKey
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
def shared_data_set(
    dataset: Dataset, *, by_others: bool, folder: Path | None = None
) -> Iterator[Dataset | SavedDataset]:
    """Save the data set for other processes, which map the file into memory instead of copying it.

    It is removed at the end; `folder` is where it is, by default that of temporary files.
    """
    if not by_others:
        yield dataset
        return
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cliquepool-", dir=folder) as temporary:
        path = Path(temporary, "dataset.safetensors").absolute()
        dataset.save(path)
        yield SavedDataset(type(dataset), path)


@dataclass(frozen=True, slots=True)
class FoldJobMaker:
    """Make, in each process, the function that runs one fold; picklable, unlike that function."""

    source: Dataset | SavedDataset
    models: tuple[Estimator, ...]
    run: RunKey
    splits: NamedSplits | None = None

    def __call__(self) -> Callable[[Unit, OnEpoch], FoldRecord]:
        """Load the data set, and return the function that runs a fold."""
        source = self.source
        dataset = source.kind.load(source.path, mmap=True) if isinstance(source, SavedDataset) else source
        return _FoldJob(Samples(dataset), self)


class _FoldJob:
    def __init__(self, samples: Samples, made_by: FoldJobMaker) -> None:
        self._samples = samples
        self._models = made_by.models
        self._run = made_by.run
        self._splits = made_by.splits

    def __call__(self, unit: Unit, on_epoch: OnEpoch) -> FoldRecord:
        """Run one fold; its test samples are read once, by the candidate that was chosen."""
        for model in self._models:
            self._samples.prepare(model)
        began = time.perf_counter()
        choice, fitted = self._choose_and_fit(unit, on_epoch)
        predictions, test_accuracy = self._test(fitted, unit)
        settings = [describe(model)[1] for model in self._models]
        return FoldRecord(
            protocol=self._run.protocol,
            dataset=self._run.dataset,
            fingerprint=self._run.fingerprint,
            model=self._run.model,
            settings=settings[choice.chosen],
            candidates=settings,
            candidate_accuracies=list(choice.accuracies),
            folds=self._run.folds,
            fold=unit.fold,
            seed=unit.seed,
            split_seed=self._run.split_seed,
            split_sha256=unit.split.sha256,
            curves={
                name: [round(float(value), _DIGITS) for value in curve]
                for name, curve in fitted.curves.items()
            },
            best_epoch=fitted.best_epoch,
            validation_accuracy=round(fitted.validation_accuracy, _DIGITS),
            test_accuracy=test_accuracy,
            seconds=round(time.perf_counter() - began, 3),
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
            versions=_versions(),
            splits=self._splits,
            selection="per fold" if len(self._models) > 1 else None,
            predictions=predictions,
            cost=fitted.cost,
        )

    def _choose_and_fit(self, unit: Unit, on_epoch: OnEpoch) -> tuple[Choice, FittedFold]:
        """Choose among the candidates, unless another seed of the fold has, and fit the chosen one."""
        count = len(self._models)
        if count == 1:
            fitted = self._fit(0, unit, on_epoch)
            return Choice((round(fitted.validation_accuracy, _DIGITS),), 0), fitted
        choice = Choice.read(unit.choice_file, count)
        if choice is not None:
            return choice, self._fit(choice.chosen, unit, on_epoch)
        is_chooser = unit.seed == CHOOSING_SEED
        among = _EpochsAmong(count if is_chooser else count + 1, on_epoch)
        choice, best = self._choose(unit, among)
        choice.write(unit.choice_file)
        # The training of this seed is one of those that chose: to repeat it would give the same.
        return choice, best if is_chooser else self._fit(choice.chosen, unit, among.next())

    def _choose(self, unit: Unit, among: _EpochsAmong) -> tuple[Choice, FittedFold]:
        """Fit every candidate on the split that chooses; return the choice and the chosen one."""
        chooser = replace(unit, seed=CHOOSING_SEED, split=unit.choosing_split)
        accuracies: list[float] = []
        chosen, best = 0, None
        for number in range(len(self._models)):
            checkpoint = unit.checkpoint(number, of_choice=True)
            fitted = self._fit(number, chooser, among.next(), checkpoint)
            accuracies.append(round(fitted.validation_accuracy, _DIGITS))
            if best is None or is_better(fitted, best):
                chosen, best = number, fitted
        assert best is not None
        return Choice(tuple(accuracies), chosen), best

    def _fit(self, number: int, unit: Unit, on_epoch: OnEpoch, checkpoint: Path | None = None) -> FittedFold:
        fitted = fit_fold(
            self._models[number],
            self._samples,
            unit.split.train,
            unit.split.validation,
            seed=derived_seed(unit.seed, unit.fold),
            checkpoint=checkpoint or unit.checkpoint(number),
            on_epoch=on_epoch,
        )
        _expect_finite(fitted)
        return fitted

    def _test(self, fitted: FittedFold, unit: Unit) -> tuple[Predictions | None, float | None]:
        if self._run.protocol != "fair":
            return None, None
        predicted, accuracy = fitted.predict(self._samples, unit.split.test)
        return Predictions(ids=unit.split.test.tolist(), classes=predicted.tolist()), accuracy


class _EpochsAmong:
    """Epochs of trainings in turn, counted as those of a single one."""

    def __init__(self, trainings: int, on_epoch: OnEpoch) -> None:
        self._trainings = trainings
        self._on_epoch = on_epoch
        self._begun = 0

    def next(self) -> OnEpoch:
        """Return what to call after every epoch of the next training."""
        number = self._begun
        self._begun += 1
        return lambda report: self._on_epoch(report.among(number, self._trainings))


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
