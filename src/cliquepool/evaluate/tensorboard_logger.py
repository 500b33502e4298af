"""`TensorBoardLogger`: log runs for TensorBoard, which is imported on first use only."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cliquepool._extras import require
from cliquepool.evaluate.run_logs import FoldPlace, RunLogger, setting_texts, settings_of
from cliquepool.files import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from cliquepool.evaluate.plans import Plan
    from cliquepool.evaluate.records import FoldRecord, RunKey
    from cliquepool.evaluate.summary import RunSummary

__all__ = ["TensorBoardLogger"]

_STATE: Final = "logged.json"
_FLUSH_SECONDS: Final = 5


class TensorBoardLogger(RunLogger):
    """Log a run in a folder for TensorBoard: ``tensorboard --logdir FOLDER``.

    The folder of a run is named after its data set, model, protocol and hash, and has a folder for each fold
    and seed with its curves. Settings and the final figure are in the folder of the run itself, as text and
    as hyperparameters.

    A run that is resumed goes on in its log, which has every epoch of every fold once: folds on record that
    it lacks are logged from their records. A log that cannot be opened raises InputError before the first
    fold; one that fails later is given up with a warning, and the run goes on.

    Parameters
    ----------
    folder : str or path
        The folder for all runs; it is made where it is missing.
    warn : callable, optional
        Called with the message if the log is given up; by default a RuntimeWarning.

    Raises
    ------
    MissingDependency
        Where tensorboard is not installed.
    """

    def __init__(self, folder: str | PathLike[str], *, warn: Callable[[str], None] | None = None) -> None:
        require("tensorboard", "TensorBoardLogger")
        super().__init__(str(folder), warn)
        self._folder = Path(folder)
        self._run = self._folder
        self._key: RunKey | None = None
        self._writers: dict[FoldPlace, Any] = {}
        self._logged: list[str] = []
        self._figure_of = 0

    def _open(self, plan: Plan) -> None:
        self._key = plan.run
        self._run = self._folder / _folder_name(plan.run)
        self._run.mkdir(parents=True, exist_ok=True)
        self._writers = {}
        self._logged, self._figure_of = _read_state(self._run / _STATE)

    def _has(self, place: FoldPlace) -> bool:
        return place.identity in self._logged

    def _begin(self, place: FoldPlace, first_epoch: int) -> bool:
        folder = self._folder_of(place)
        if first_epoch > 1 and not folder.is_dir():
            return False
        # TensorBoard hides what an interrupted training logged after its last checkpoint.
        self._writers[place] = _writer(folder, first_epoch if folder.is_dir() else None)
        return True

    def _restart(self, place: FoldPlace) -> None:
        folder = self._folder_of(place)
        self._writers[place] = _writer(folder, 0 if folder.is_dir() else None)

    def _log_epochs(self, place: FoldPlace, values: dict[int, dict[str, float]]) -> None:
        writer = self._writers[place]
        for epoch, found in values.items():
            for name, value in found.items():
                writer.add_scalar(name, value, epoch)

    def _finish(self, record: FoldRecord) -> None:
        place = FoldPlace.of(record)
        writer = self._writers.pop(place)
        writer.add_scalar("kept/epoch", record.best_epoch, record.best_epoch)
        writer.add_scalar("kept/validation_accuracy", record.validation_accuracy, record.best_epoch)
        if record.test_accuracy is not None:
            writer.add_scalar("kept/test_accuracy", record.test_accuracy, record.best_epoch)
        writer.close()
        self._logged.append(place.identity)
        self._save_state()

    def _close(self, summary: RunSummary | None) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}
        if summary is None or summary.figure is None or self._figure_of == len(summary.records):
            return
        figure = {"figure/accuracy": summary.figure.mean, "figure/std": summary.figure.std}
        texts = setting_texts(summary.run)
        writer = _writer(self._run, None)
        for name, value in figure.items():
            writer.add_scalar(name, value, len(summary.records))
        writer.add_text("settings", _as_table(texts))
        writer.add_text("run", _as_table(_described(summary)))
        for part in _hyperparameters(settings_of(summary.run), figure):
            writer.file_writer.add_summary(part)
        writer.close()
        self._figure_of = len(summary.records)
        self._save_state()

    def _folder_of(self, place: FoldPlace) -> Path:
        return self._run / f"seed-{place.seed}-fold-{place.fold:02}"

    def _save_state(self) -> None:
        state = {"folds": self._logged, "figure_of": self._figure_of}
        write_text(self._run / _STATE, json.dumps(state) + "\n")


def _folder_name(run: RunKey) -> str:
    words = re.sub(r"[^\w.-]+", "-", f"{run.dataset}-{run.model}-{run.protocol}")
    return f"{words[:100]}-{run.sha256[:8]}"


def _writer(folder: Path, purge_step: int | None) -> Any:
    from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 (imports tensorboard)

    return SummaryWriter(str(folder), purge_step=purge_step, flush_secs=_FLUSH_SECONDS)


def _hyperparameters(settings: dict[str, Any], metrics: Iterable[str]) -> Any:
    """Return the summaries by which TensorBoard lists runs by their settings."""
    from torch.utils.tensorboard import summary  # noqa: PLC0415 (imports tensorboard)

    untyped: Any = summary
    return untyped.hparams(settings, dict.fromkeys(metrics))


def _read_state(path: Path) -> tuple[list[str], int]:
    """Return the folds that are logged, and the number of records behind the figure that is logged."""
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        return [str(identity) for identity in state["folds"]], int(state["figure_of"])
    except FileNotFoundError:
        return [], 0
    except (ValueError, KeyError, TypeError) as error:
        raise OSError(f"{path}: expected the state of a log, got {error}") from error


def _described(summary: RunSummary) -> dict[str, str]:
    run = summary.run
    return {
        "data set": run.dataset,
        "model": run.model,
        "protocol": run.protocol,
        "run": summary.extent,
        "accuracy": f"{summary.figure} %",
        "fingerprint": run.fingerprint,
        "hash of the run": run.sha256,
        **summary.records[-1].versions,
    }


def _as_table(values: dict[str, str]) -> str:
    rows = "".join(f"| {name} | {value} |\n" for name, value in values.items())
    return f"| | |\n|---|---|\n{rows}"
