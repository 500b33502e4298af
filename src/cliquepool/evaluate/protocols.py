"""The two protocols: a model, a data set, and every fold of it judged and recorded."""

from __future__ import annotations

import contextlib
import platform
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import cliquepool
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.locks import alone
from cliquepool.evaluate.records import FoldRecord, RecordFile, RunKey, canonical, identity
from cliquepool.evaluate.splits import Split, derived_seed, fair_split, outer_folds, paper_split
from cliquepool.evaluate.workers import run_units
from cliquepool.threads import thread_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from cliquepool.evaluate.model import Dataset, Epoch, FittedFold, FoldModel
    from cliquepool.evaluate.records import Protocol

__all__ = ["DEFAULT_SEEDS", "Plan", "RunWatcher", "Unit", "evaluate", "plan_run", "run_plan"]

DEFAULT_SEEDS: Final[dict[Protocol, int]] = {"paper": 1, "fair": 3}
_DIGITS: Final = 5


@dataclass(frozen=True, slots=True)
class Unit:
    """One fold under one seed, not yet done."""

    fold: int
    seed: int
    split: Split
    identity: str
    checkpoints: Path


@dataclass(frozen=True, slots=True)
class Plan:
    """A run before it starts: all of its folds, and which of them are on record."""

    run: RunKey
    models: tuple[FoldModel, ...]
    units: tuple[Unit, ...]
    file: RecordFile
    finished: tuple[FoldRecord, ...]

    @classmethod
    def of(
        cls, run: RunKey, models: tuple[FoldModel, ...], units: tuple[Unit, ...], file: RecordFile
    ) -> Plan:
        """Make the plan that goes on where the records of a file end."""
        wanted = {unit.identity for unit in units}
        finished = tuple(record for record in file.records if record.identity in wanted)
        return cls(run, models, units, file, finished)

    def read_again(self) -> Plan:
        """Return the same plan with what is on record now."""
        return Plan.of(self.run, self.models, self.units, RecordFile.read(self.file.path))

    @property
    def left(self) -> list[Unit]:
        """What is still to be done."""
        done = {record.identity for record in self.finished}
        return [unit for unit in self.units if unit.identity not in done]


class RunWatcher:
    """Told how a run goes; what it does with that is up to those who derive from it."""

    def planned(self, plan: Plan) -> None:
        """The run is about to start, or to go on."""

    def epoch(self, unit: Unit, epoch: Epoch) -> None:
        """A fold has trained for another epoch."""

    def finished(self, record: FoldRecord) -> None:
        """A fold is done and on record."""


def evaluate(
    model: FoldModel | Sequence[FoldModel],
    dataset: Dataset,
    protocol: Protocol,
    records: str | PathLike[str],
    *,
    folds: int = 10,
    seeds: int | Sequence[int] | None = None,
    split_seed: int = 0,
    jobs: int | None = None,
    watcher: RunWatcher | None = None,
) -> list[FoldRecord]:
    """Judge a model on a data set, fold by fold, and keep a record of every fold.

    Under `paper`, the data set is cut into stratified folds, and each is watched while the model trains on
    the others; there is no test set. Under `fair`, a tenth of each fold's training part chooses the epoch,
    and among several models the best one; then the fold itself is read, once.

    Parameters
    ----------
    model : FoldModel or several
        What to judge. Several, under `fair` only, are settings of one model to choose from.
    dataset : GraphDataset, ImageDataset or another Dataset
        The samples and their classes.
    protocol : {"paper", "fair"}
        See above; no figure is ever of both.
    records : path
        A file that a line is appended to for every finished fold. Folds of this run that it has already
        are not done again, so a run that was interrupted goes on where it stopped. Beside it, while the run
        lasts, is a folder of checkpoints.
    folds : int
        How many.
    seeds : int or sequence of int, optional
        How many repetitions (seeds 0, 1, …), or their seeds: they change initialisation, shuffling and what
        is held out, never the outer folds. By default 3 under `fair` and 1 under `paper`.
    split_seed : int
        Changes the outer folds.
    jobs : int, optional
        Parallel processes. By default as many as there are cores.
    watcher : RunWatcher, optional
        Told of every epoch and every finished fold.

    Returns the records of the run, in the order of seeds and folds. A fold that fails raises FoldFailed;
    those on record stay.
    """
    plan = plan_run(model, dataset, protocol, records, folds=folds, seeds=seeds, split_seed=split_seed)
    return run_plan(plan, dataset, jobs=jobs, watcher=watcher)


def plan_run(
    model: FoldModel | Sequence[FoldModel],
    dataset: Dataset,
    protocol: Protocol,
    records: str | PathLike[str],
    *,
    folds: int = 10,
    seeds: int | Sequence[int] | None = None,
    split_seed: int = 0,
) -> Plan:
    """Check what was asked for, make its splits, and see what is on record; arguments as for `evaluate`."""
    models = tuple(model) if isinstance(model, Sequence) else (model,)
    run = _run_key(models, dataset, protocol, folds, split_seed)
    parts = outer_folds(dataset.targets, folds, split_seed, dataset.classes.tolist())
    file = RecordFile.read(records)
    checkpoints = file.path.with_name(f"{file.path.name}.checkpoints") / run.sha256[:16]
    units = []
    for seed in _seeds(seeds, protocol):
        for fold in range(1, folds + 1):
            if protocol == "paper":
                split = paper_split(parts, fold)
            else:
                split = fair_split(parts, fold, dataset.targets, seed)
            units.append(Unit(fold, seed, split, identity(run, fold, seed, split.sha256), checkpoints))
    return Plan.of(run, models, tuple(units), file)


def run_plan(
    plan: Plan, dataset: Dataset, *, jobs: int | None = None, watcher: RunWatcher | None = None
) -> list[FoldRecord]:
    """Do what is left of a plan; see `evaluate`.

    What other processes have put on record since the plan was made is not done again.
    """
    watcher = watcher or RunWatcher()
    plan = plan.read_again()
    with _checkpoint_folder(plan):
        plan = plan.read_again()  # nobody else adds to this run from here on
        _remove_finished(plan)
        watcher.planned(plan)
        found = {record.identity: record for record in plan.finished}
        processes = min(thread_count(jobs), len(plan.left))
        with _handed_over(dataset, processes) as source:
            make_job = _JobMaker(source, plan.models, plan.run)
            results = run_units(make_job, plan.left, processes, watcher.epoch)
            with contextlib.closing(results):
                for unit, record in results:
                    plan.file.append(record)
                    found[record.identity] = record
                    _remove_checkpoints(unit)
                    watcher.finished(record)
    return [found[unit.identity] for unit in plan.units]


def _run_key(
    models: Sequence[FoldModel], dataset: Dataset, protocol: Protocol, folds: int, split_seed: int
) -> RunKey:
    if protocol not in ("paper", "fair"):
        raise EvaluationError(f"expected the protocol paper or fair, got {protocol!r}")
    names = {model.name for model in models}
    if len(names) != 1:
        raise EvaluationError(f"expected settings of one model to choose from, got {sorted(names)}")
    if protocol == "paper" and any(model.settings.get("patience") is not None for model in models):
        raise EvaluationError(
            "patience: expected none under the paper protocol, whose figure is of one epoch of all folds"
        )
    if protocol == "paper" and len(models) > 1:
        raise EvaluationError(
            f"expected one model under the paper protocol, got {len(models)} to choose from: "
            "it has no graphs to choose by that do not also judge"
        )
    candidates = canonical([dict(model.settings) for model in models])
    return RunKey(protocol, dataset.name, dataset.fingerprint, names.pop(), candidates, folds, split_seed)


def _seeds(seeds: int | Sequence[int] | None, protocol: Protocol) -> list[int]:
    if seeds is None:
        seeds = DEFAULT_SEEDS[protocol]
    chosen = list(range(seeds)) if isinstance(seeds, int) else [int(seed) for seed in seeds]
    if not chosen or min(chosen) < 0 or len(set(chosen)) < len(chosen):
        raise EvaluationError(f"expected one seed or more, different and not negative, got {seeds}")
    return chosen


@contextlib.contextmanager
def _checkpoint_folder(plan: Plan) -> Iterator[None]:
    """Keep a folder of this run's own, as long as it has checkpoints; one process at a time.

    Where nothing is left to do there is nothing to wait for either.
    """
    folder = plan.units[0].checkpoints
    with contextlib.ExitStack() as stack:
        if plan.left or folder.exists():
            lock = alone(folder / "lock", f"another process is at work on this run of {plan.file.path}")
            # Checkpoints to go on from may be left, and those of other runs.
            stack.callback(_remove_empty, folder)
            with contextlib.nullcontext() if plan.left else contextlib.suppress(EvaluationError):
                stack.enter_context(lock)
        yield


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
        folder.parent.rmdir()


def _remove_finished(plan: Plan) -> None:
    """Remove what a process that ended between recording a fold and removing its checkpoints left."""
    left = {unit.identity for unit in plan.left}
    for unit in plan.units:
        if unit.identity not in left:
            _remove_checkpoints(unit)


@contextlib.contextmanager
def _handed_over(dataset: Dataset, processes: int) -> Iterator[Dataset | _Saved]:
    """Put the data set where every process maps it instead of getting a copy."""
    if processes <= 1:
        yield dataset
        return
    with tempfile.TemporaryDirectory(prefix="cliquepool-") as folder:
        path = Path(folder, "dataset.safetensors")
        dataset.save(path)
        yield _Saved(type(dataset), path)


@dataclass(frozen=True, slots=True)
class _Saved:
    """A data set in a file."""

    kind: type[Dataset]
    path: Path


@dataclass(frozen=True, slots=True)
class _JobMaker:
    """Makes, in a worker, the function that does a unit."""

    source: Dataset | _Saved
    models: tuple[FoldModel, ...]
    run: RunKey

    def __call__(self) -> Callable[[Unit, Callable[[Epoch], None]], FoldRecord]:
        source = self.source
        dataset = source.kind.load(source.path, mmap=True) if isinstance(source, _Saved) else source
        return _Job(dataset, self.models, self.run)


class _Job:
    def __init__(self, dataset: Dataset, models: tuple[FoldModel, ...], run: RunKey) -> None:
        self._dataset = dataset
        self._models = models
        self._run = run
        self._prepared: dict[str, Any] = {}

    def __call__(self, unit: Unit, on_epoch: Callable[[Epoch], None]) -> FoldRecord:
        """Fit every candidate, choose one by the validation graphs, read the test graphs once."""
        self._prepare()
        began = time.perf_counter()
        fitted = [self._fit(model, number, unit, on_epoch) for number, model in enumerate(self._models)]
        for candidate in fitted:
            _expect_finite(candidate)
        accuracies = [_validation_accuracy(candidate) for candidate in fitted]
        chosen = accuracies.index(max(accuracies))
        best = fitted[chosen]
        test_accuracy = best.accuracy(unit.split.test) if self._run.protocol == "fair" else None
        return FoldRecord(
            protocol=self._run.protocol,
            dataset=self._run.dataset,
            fingerprint=self._run.fingerprint,
            model=self._run.model,
            settings=dict(self._models[chosen].settings),
            candidates=[dict(model.settings) for model in self._models],
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

    def _prepare(self) -> None:
        for model in self._models:
            if model.preparation not in self._prepared:
                self._prepared[model.preparation] = model.prepare(self._dataset)

    def _fit(
        self, model: FoldModel, number: int, unit: Unit, on_epoch: Callable[[Epoch], None]
    ) -> FittedFold:
        return model.fit(
            self._prepared[model.preparation],
            unit.split.train,
            unit.split.validation,
            seed=derived_seed(unit.seed, unit.fold),
            checkpoint=_checkpoint(unit, number),
            on_epoch=lambda epoch: on_epoch(epoch.among(number, len(self._models))),
        )


def _expect_finite(fitted: FittedFold) -> None:
    for name, curve in fitted.curves.items():
        wrong = np.flatnonzero(~np.isfinite(curve))
        if len(wrong):
            value = curve[int(wrong[0])]
            raise EvaluationError(f"expected a finite {name}, got {value} in epoch {wrong[0] + 1}")


def _validation_accuracy(fitted: FittedFold) -> float:
    return float(fitted.curves["validation_accuracy"][fitted.best_epoch - 1])


def _checkpoint(unit: Unit, candidate: int) -> Path:
    return unit.checkpoints / f"{unit.identity[:16]}-{candidate}.safetensors"


def _remove_checkpoints(unit: Unit) -> None:
    for file in unit.checkpoints.glob(f"*{unit.identity[:16]}-*"):
        file.unlink(missing_ok=True)


def _versions() -> dict[str, str]:
    """What the figure may depend on: packages, Python, and the kind of machine, not its name."""
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
