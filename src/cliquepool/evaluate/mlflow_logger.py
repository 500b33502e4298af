"""`MLflowLogger`: log runs with MLflow while they train. MLflow is imported on first use only."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Final

from cliquepool._extras import require
from cliquepool.evaluate.run_logs import FoldPlace, RunLogger, setting_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cliquepool.evaluate.plans import Plan
    from cliquepool.evaluate.records import FoldRecord, RunKey
    from cliquepool.evaluate.summary import RunSummary

__all__ = ["MLflowLogger"]

_EXPERIMENT: Final = "cliquepool"
_RUN_TAG: Final = "cliquepool.run"
_FOLD_TAG: Final = "cliquepool.fold"
_PARENT_TAG: Final = "mlflow.parentRunId"
_MOST_METRICS: Final = 1000  # that MLflow takes in one call
_LONGEST_PARAM: Final = 500
_SECONDS_BETWEEN: Final = 2.0
# Unless a user has chosen: a log is sent to its URI and nowhere else, and a server that does not answer is
# given up within seconds; by default MLflow tries for four minutes, in which nothing would train.
_ENVIRONMENT: Final = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2"}


class MLflowLogger(RunLogger):
    """Log a run with MLflow: a run with the settings and the figure, and one below it for each fold and seed.

    Values of epochs are sent every two seconds. A run that is resumed goes on in its log, which has every
    epoch of every fold once: folds on record that it lacks are logged from their records. A log that cannot
    be opened raises InputError before the first fold; one that fails later is given up with a warning, and
    the run goes on.

    Parameters
    ----------
    uri : str
        The tracking URI, as MLflow takes it: the address of a server; ``sqlite:///mlflow.db``, which needs
        all of mlflow; or a folder, for which MLflow wants ``MLFLOW_ALLOW_FILE_STORE=true``.
    experiment : str, optional
        The name of the experiment, by default ``$MLFLOW_EXPERIMENT_NAME`` or ``cliquepool``; made where it is
        missing.
    warn : callable, optional
        Called with the message if the log is given up; by default a RuntimeWarning.

    Raises
    ------
    MissingDependency
        Where mlflow, or its part mlflow-skinny, is not installed.
    """

    def __init__(
        self, uri: str, *, experiment: str | None = None, warn: Callable[[str], None] | None = None
    ) -> None:
        require("mlflow", "MLflowLogger")
        super().__init__(uri, warn)
        self._uri = uri
        self._experiment = experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME") or _EXPERIMENT
        self._store: _Store | None = None
        self._run = ""
        self._folds: dict[FoldPlace, _FoldLog] = {}
        self._known: dict[str, Any] = {}  # folds that earlier parts of this run have logged

    @property
    def _opened(self) -> _Store:
        assert self._store is not None
        return self._store

    def _open(self, plan: Plan) -> None:
        self._store = store = _Store(self._uri, self._experiment)
        self.errors = store.errors
        self._folds = {}
        found = store.find(_RUN_TAG, plan.run.sha256)
        self._known = {} if found is None else store.folds_of(found.run_id)
        if found is None:
            name = f"{plan.run.model} on {plan.run.dataset}, {plan.run.protocol}"
            self._run = store.create(name, {_RUN_TAG: plan.run.sha256, **_tags(plan.run)})
        else:
            self._run = found.run_id
            store.reopen(self._run)
        store.log_settings(self._run, setting_texts(plan.run))

    def _has(self, place: FoldPlace) -> bool:
        found = self._known.get(place.identity)
        return found is not None and found.status == "FINISHED"

    def _begin(self, place: FoldPlace, first_epoch: int) -> bool:
        log = self._folds[place] = self._fold_log(place)
        return log.last_step >= first_epoch - 1

    def _restart(self, place: FoldPlace) -> None:
        if place not in self._folds:
            self._folds[place] = self._fold_log(place)

    def _fold_log(self, place: FoldPlace) -> _FoldLog:
        store = self._opened
        found = self._known.get(place.identity)
        if found is not None:
            store.reopen(found.run_id)
            return _FoldLog(store, found.run_id, store.last_step(found.run_id))
        tags = {
            _FOLD_TAG: place.identity,
            _PARENT_TAG: self._run,
            "fold": str(place.fold),
            "seed": str(place.seed),
        }
        return _FoldLog(store, store.create(f"fold {place.fold}, seed {place.seed}", tags), 0)

    def _log_epochs(self, place: FoldPlace, values: dict[int, dict[str, float]]) -> None:
        self._folds[place].add(values)

    def _finish(self, record: FoldRecord) -> None:
        log = self._folds.pop(FoldPlace.of(record))
        log.flush()
        kept = {
            "kept_epoch": float(record.best_epoch),
            "kept_validation_accuracy": record.validation_accuracy,
        }
        if record.test_accuracy is not None:
            kept["test_accuracy"] = record.test_accuracy
        self._opened.log_metrics(log.run_id, {record.best_epoch: kept})
        self._opened.log_settings(log.run_id, {name: str(value) for name, value in record.settings.items()})
        self._opened.tag(log.run_id, {"split_sha256": record.split_sha256, **record.versions})
        self._opened.end(log.run_id, "FINISHED")

    def _close(self, summary: RunSummary | None) -> None:
        store = self._opened
        for log in self._folds.values():
            log.flush()
            store.end(log.run_id, "KILLED")
        self._folds = {}
        if summary is not None and summary.figure is not None:
            figure = {"accuracy": summary.figure.mean, "accuracy_std": summary.figure.std}
            store.log_metrics(self._run, {len(summary.records): figure})
            store.tag(self._run, {"run": summary.extent, **summary.records[-1].versions})
        store.end(self._run, "KILLED" if summary is None else "FINISHED")


def _tags(run: RunKey) -> dict[str, str]:
    return {
        "dataset": run.dataset,
        "fingerprint": run.fingerprint,
        "model": run.model,
        "protocol": run.protocol,
        "folds": str(run.folds),
        "split_seed": str(run.split_seed),
    }


class _FoldLog:
    """The log of a fold: its values are kept back for a moment, since every call may be one to a server."""

    def __init__(self, store: _Store, run_id: str, last_step: int) -> None:
        self.run_id = run_id
        self.last_step = last_step
        self._store = store
        self._waiting: dict[int, dict[str, float]] = {}
        self._sent_at = time.monotonic()

    def add(self, values: Mapping[int, dict[str, float]]) -> None:
        """Log epochs; those that an earlier part of the training has logged are the same."""
        for step, found in values.items():
            if step > self.last_step:
                self._waiting[step] = found
                self.last_step = step
        if time.monotonic() - self._sent_at >= _SECONDS_BETWEEN:
            self.flush()

    def flush(self) -> None:
        """Send the values that wait."""
        self._store.log_metrics(self.run_id, self._waiting)
        self._waiting = {}
        self._sent_at = time.monotonic()


class _Store:
    """The few calls to MLflow that logs need."""

    def __init__(self, uri: str, experiment: str) -> None:
        for name, value in _ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        from mlflow import entities  # noqa: PLC0415
        from mlflow.exceptions import MlflowException  # noqa: PLC0415
        from mlflow.tracking import MlflowClient  # noqa: PLC0415

        self.errors: tuple[type[Exception], ...] = (MlflowException, OSError)
        self._entities = entities
        try:
            self._client = MlflowClient(tracking_uri=uri)
            found = self._client.get_experiment_by_name(experiment)
            self._experiment = found.experiment_id if found else self._client.create_experiment(experiment)
        except MlflowException as error:
            raise OSError(_with_remedy(uri, str(error))) from error

    def find(self, tag: str, value: str) -> Any:
        """Return the info of the newest run with this tag; None if there is none."""
        found = self._client.search_runs([self._experiment], f"tags.`{tag}` = '{value}'", max_results=1)
        return found[0].info if found else None

    def folds_of(self, run_id: str) -> dict[str, Any]:
        """Return the infos of the runs of folds below a run, by the identity of the fold."""
        found: dict[str, Any] = {}
        token = None
        while True:
            page = self._client.search_runs(
                [self._experiment], f"tags.`{_PARENT_TAG}` = '{run_id}'", page_token=token
            )
            found |= {run.data.tags[_FOLD_TAG]: run.info for run in page if _FOLD_TAG in run.data.tags}
            token = page.token
            if not token:
                return found

    def create(self, name: str, tags: dict[str, str]) -> str:
        """Create a run; return its id."""
        run_id: str = self._client.create_run(self._experiment, tags=tags, run_name=name).info.run_id
        return run_id

    def reopen(self, run_id: str) -> None:
        """Mark a run as running again."""
        self._client.update_run(run_id, status="RUNNING")

    def end(self, run_id: str, status: str) -> None:
        """End a run with a status."""
        self._client.set_terminated(run_id, status)

    def last_step(self, run_id: str) -> int:
        """Return the last epoch that was logged; 0 if there is none."""
        history = self._client.get_metric_history(run_id, "validation_accuracy")
        return max((metric.step for metric in history), default=0)

    def tag(self, run_id: str, tags: Mapping[str, str]) -> None:
        """Set tags of a run."""
        found = [self._entities.RunTag(name, value) for name, value in tags.items()]
        self._client.log_batch(run_id, tags=found)

    def log_settings(self, run_id: str, settings: Mapping[str, str]) -> None:
        """Log settings as parameters of a run."""
        params = [self._entities.Param(name, value[:_LONGEST_PARAM]) for name, value in settings.items()]
        self._client.log_batch(run_id, params=params)

    def log_metrics(self, run_id: str, values: Mapping[int, Mapping[str, float]]) -> None:
        """Log values by step."""
        now = time.time_ns() // 1_000_000
        metrics = [
            self._entities.Metric(name, value, now, step)
            for step, found in values.items()
            for name, value in found.items()
        ]
        for begin in range(0, len(metrics), _MOST_METRICS):
            self._client.log_batch(run_id, metrics=metrics[begin : begin + _MOST_METRICS])


def _with_remedy(uri: str, problem: str) -> str:
    """Return an error of MLflow with what to do, where its first line does not say it."""
    if "MLFLOW_ALLOW_FILE_STORE" in problem:
        return "MLflow wants the environment variable MLFLOW_ALLOW_FILE_STORE=true for a folder"
    if "unsupported URI" in problem and "://" in uri:
        return f"mlflow-skinny alone cannot write {uri.partition(':')[0]}: pip install mlflow"
    if "Max retries exceeded" in problem:
        return "the server does not answer"
    return problem
