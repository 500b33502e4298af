"""Runs of many models on many data sets, each with its records; one that fails does not stop the others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from cliquepool.errors import InputError
from cliquepool.evaluate.errors import AtWorkElsewhere, EvaluationError, FoldFailed
from cliquepool.evaluate.estimators import describe
from cliquepool.evaluate.plans import Plan, plan_run
from cliquepool.evaluate.protocols import run_plan
from cliquepool.evaluate.records import RecordFile, canonical
from cliquepool.evaluate.split_files import ERRICA, SPLIT_BY_ERRICA, resolve_splits
from cliquepool.evaluate.summary import summarise
from cliquepool.evaluate.watchers import RunWatcher
from cliquepool.files import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from os import PathLike
    from pathlib import Path

    from cliquepool.evaluate.estimators import Dataset
    from cliquepool.evaluate.records import Protocol
    from cliquepool.evaluate.summary import RunSummary
    from cliquepool.evaluate.workers import Limits
    from cliquepool.models.registry import RegisteredModel
    from cliquepool.scale.cluster import Cluster

__all__ = [
    "ComparisonFolder",
    "ComparisonRun",
    "Failure",
    "HowToCompare",
    "Outcome",
    "plan_comparison",
    "run_comparison",
]


class Failure(BaseModel):
    """A model that failed on a data set: the run, the fold and seed, and the reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    protocol: Literal["paper", "fair"]
    fold: int | None = None
    seed: int | None = None
    reason: str
    failed_at: str


@dataclass(frozen=True, slots=True)
class ComparisonFolder:
    """The folder of a comparison: ``DATASET/KEY.jsonl`` has the records of a model on a data set.

    ``DATASET/KEY.failed.json`` beside it says why it failed there.
    """

    path: Path

    def records(self, dataset: str, key: str) -> Path:
        """Return the file of records of a model on a data set."""
        return self.path / _file_name(dataset) / f"{_file_name(key)}.jsonl"

    def failure(self, dataset: str, key: str) -> Path:
        """Return the file that says why a model failed on a data set."""
        return self.records(dataset, key).with_suffix(".failed.json")

    def datasets(self) -> list[str]:
        """Return the names of the data sets that have records or failures, sorted."""
        if not self.path.is_dir():
            return []
        folders = (folder for folder in self.path.iterdir() if folder.is_dir() and self.keys(folder.name))
        return sorted(self._recorded_name(folder.name) for folder in folders)

    def _recorded_name(self, folder: str) -> str:
        """Return the name of a data set as its records have it: that of the folder may be another."""
        for key in self.keys(folder):
            for record in RecordFile.read(self.records(folder, key)).records[:1]:
                return record.dataset
        return folder

    def title(self, dataset: str, key: str) -> str | None:
        """Return the name of a model in its last record on a data set."""
        records = RecordFile.read(self.records(dataset, key)).records
        return records[-1].model if records else None

    def keys(self, dataset: str) -> list[str]:
        """Return the keys of the models that have records, or have failed, on a data set."""
        folder = self.path / _file_name(dataset)
        files = [*folder.glob("*.jsonl"), *folder.glob("*.failed.json")]
        return sorted({file.name.removesuffix(".jsonl").removesuffix(".failed.json") for file in files})

    def read_failure(self, dataset: str, key: str, protocol: str | None = None) -> Failure | None:
        """Return why a model failed on a data set, under this protocol; None if it did not."""
        path = self.failure(dataset, key)
        if not path.is_file():
            return None
        try:
            found = Failure.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise EvaluationError(
                f"{path}: expected the failure of a run, got {error.errors()[0]['msg']}"
            ) from None
        return found if protocol in (None, found.protocol) else None

    def run(self, dataset: str, key: str, protocol: str, wanted: str | None = None) -> RunSummary | None:
        """Return the run of this hash under a protocol; by default that of the last such record."""
        records = [
            record
            for record in RecordFile.read(self.records(dataset, key)).records
            if record.protocol == protocol
        ]
        if not records:
            return None
        shown = records[-1].run.sha256 if wanted is None else wanted
        found = summarise(record for record in records if record.run.sha256 == shown)
        return found[0] if found else None


def _file_name(words: str) -> str:
    return re.sub(r"[^\w.-]+", "-", words).lstrip(".") or "-"


@dataclass(frozen=True, slots=True)
class HowToCompare:
    """The options of a comparison; see `cliquepool compare`.

    `seeds` and `folds` are by default those of each model and of the splits. With ``splits="errica"``, data
    sets that Errica et al. have not split get own folds.
    """

    protocol: Protocol = "fair"
    splits: str = ERRICA
    folds: int | None = None
    seeds: int | None = None
    jobs: int | None = None
    cluster: Cluster | None = None
    limits: Limits | None = None
    retry_failed: bool = False
    data_dir: str | PathLike[str] | None = None

    def splits_of(self, dataset: Dataset) -> Any:
        """Return the splits of a data set; None for own folds."""
        if self.splits == ERRICA and dataset.name not in SPLIT_BY_ERRICA:
            return None
        return resolve_splits(self.splits, dataset, data_dir=self.data_dir)


@dataclass(frozen=True, slots=True)
class ComparisonRun:
    """One model on one data set; `plan` is None where the model cannot be run here, as `problem` says."""

    model: RegisteredModel
    dataset: Dataset
    plan: Plan | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run: its summary, or the reason why there is none."""

    run: ComparisonRun
    state: Literal["finished", "failed", "skipped"]
    summary: RunSummary | None = None
    reason: str = ""


def plan_comparison(
    models: Sequence[RegisteredModel],
    datasets: Iterable[Dataset],
    folder: ComparisonFolder,
    how: HowToCompare,
) -> list[ComparisonRun]:
    """Plan the run of each model on each data set, data set by data set."""
    runs = []
    for dataset in datasets:
        splits = how.splits_of(dataset)
        for model in models:
            try:
                estimators = model.estimators(how.protocol)
                canonical([describe(estimator) for estimator in estimators])
            except Exception as error:  # noqa: BLE001 (not installed, or broken: the others go on)
                known = isinstance(error, ImportError | InputError)
                problem = str(error) if known else f"{type(error).__name__}: {error}"
                runs.append(ComparisonRun(model, dataset, None, problem))
                continue
            plan = plan_run(
                estimators,
                dataset,
                how.protocol,
                folder.records(dataset.name, model.key),
                folds=how.folds,
                seeds=how.seeds or (model.seeds if how.protocol == "fair" else 1),
                splits=splits,
            )
            runs.append(ComparisonRun(model, dataset, plan))
    return runs


def run_comparison(
    runs: Sequence[ComparisonRun],
    folder: ComparisonFolder,
    how: HowToCompare,
    make_watcher: Callable[[ComparisonRun], RunWatcher] | None = None,
) -> Iterator[Outcome]:
    """Run what is missing of each planned run, in turn, and yield how it ended.

    A run that fails is recorded as failed, with its reason, and the others go on; it is not tried again
    unless `how` says so or its settings have changed. A run that another process is at work on is skipped.
    """
    for run in runs:
        if run.plan is None:
            yield Outcome(run, "skipped", reason=run.problem)
            continue
        failure = folder.read_failure(run.dataset.name, run.model.key, how.protocol)
        is_known = failure is not None and failure.run == run.plan.run.sha256
        if failure is not None and is_known and not how.retry_failed and run.plan.left:
            reason = f"{failure.reason} (failed before; run it again with --retry-failed)"
            yield Outcome(run, "failed", reason=reason)
            continue
        watcher = RunWatcher() if make_watcher is None else make_watcher(run)
        yield _outcome(run, run.plan, folder, how, watcher)


def _outcome(
    run: ComparisonRun, plan: Plan, folder: ComparisonFolder, how: HowToCompare, watcher: RunWatcher
) -> Outcome:
    path = folder.failure(run.dataset.name, run.model.key)
    try:
        records = run_plan(
            plan, run.dataset, jobs=how.jobs, cluster=how.cluster, watcher=watcher, limits=how.limits
        )
    except AtWorkElsewhere as error:
        return Outcome(run, "skipped", reason=str(error))
    except EvaluationError as error:
        fold, seed = (error.fold, error.seed) if isinstance(error, FoldFailed) else (None, None)
        reason = error.reason if isinstance(error, FoldFailed) else str(error)
        failure = Failure(
            run=plan.run.sha256,
            protocol=plan.run.protocol,
            fold=fold,
            seed=seed,
            reason=reason,
            failed_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, failure.model_dump_json(indent=1) + "\n")
        return Outcome(run, "failed", reason=reason)
    path.unlink(missing_ok=True)
    return Outcome(run, "finished", summarise(records)[0])
