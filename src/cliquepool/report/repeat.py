"""The command that repeats a run; where no command can, the call in Python."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cliquepool.errors import InputError
from cliquepool.evaluate.estimators import describe
from cliquepool.evaluate.plans import DEFAULT_FOLDS, DEFAULT_SEEDS
from cliquepool.evaluate.records import canonical
from cliquepool.evaluate.split_files import ERRICA
from cliquepool.models.registry import MODELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cliquepool.report.runs import ReportedRun

__all__ = ["Repetition", "repetition_of"]

_CLIQUE_POOL: Final = "CliquePool"


@dataclass(frozen=True, slots=True)
class Repetition:
    """A command of the shell, or code where `is_command` is False, and a note that says what it needs."""

    words: str
    is_command: bool
    note: str = ""


def repetition_of(run: ReportedRun) -> Repetition:
    """Return what repeats a run, with the same settings, splits and seeds.

    The settings of a command are compared with those on record: a command that would train anything else is
    not shown.
    """
    return _by_train(run) or _by_compare(run) or _by_python(run)


def _by_train(run: ReportedRun) -> Repetition | None:
    key = run.summary.run
    if key.model != _CLIQUE_POOL or len(run.candidates) != 1 or key.splits or not _counts_seeds(run):
        return None
    options = _preset_options(run.candidates[0], key.protocol)
    if options is None:
        return None
    words = ["cliquepool", "train", key.dataset]
    if key.protocol != "fair":
        words += ["--protocol", key.protocol]
    words += [*options, *_fold_options(run)]
    if key.split_seed:
        words += ["--split-seed", str(key.split_seed)]
    resume = "Add --resume and --out with the file of these records to train the missing folds only."
    return Repetition(shlex.join(words), True, resume if run.summary.missing else "")


def _fold_options(run: ReportedRun) -> list[str]:
    words = []
    if run.summary.run.folds != DEFAULT_FOLDS:
        words += ["--folds", str(run.summary.run.folds)]
    if len(run.summary.seeds) != DEFAULT_SEEDS[run.summary.run.protocol]:
        words += ["--seeds", str(len(run.summary.seeds))]
    return words


def _preset_options(settings: Mapping[str, Any], protocol: str) -> list[str] | None:
    """Return the options that give these settings, by the preset that needs the fewest; None if none does."""
    from cliquepool.models import CliquePoolClassifier  # noqa: PLC0415 (imports torch)
    from cliquepool.nn import PRESETS, ClassifierSettings  # noqa: PLC0415

    own = dict(settings)
    device = own.pop("device", None)
    try:
        wanted = ClassifierSettings.model_validate({**ClassifierSettings.added_later, **own})
    except ValueError:  # of another version, or of another model of this name
        return None
    if describe(CliquePoolClassifier.from_settings(wanted))[1] != own:
        return None
    found: list[list[str]] = []
    for name, preset in PRESETS.items():
        start = preset.model_copy(update={"patience": None}) if protocol == "paper" else preset
        changed = {key: value for key, value in wanted if getattr(start, key) != value}
        assigned = [word for key, value in changed.items() for word in ("--set", f"{key}={_typed(value)}")]
        found.append([*([] if name == "default" else ["--preset", name]), *assigned])
    return [*min(found, key=len), *([] if device is None else ["--device", str(device)])]


def _by_compare(run: ReportedRun) -> Repetition | None:
    key = run.summary.run
    named = run.summary.records[0].splits
    if key.split_seed or not _counts_seeds(run) or (named is not None and named.name != ERRICA):
        return None
    for model in MODELS:
        # Importing every model of the table takes seconds. A title may say more than the records.
        if not model.title.startswith(key.model):
            continue
        try:
            described = [describe(estimator) for estimator in model.estimators(key.protocol)]
        except (ImportError, InputError):
            continue
        if {name for name, _ in described} == {key.model} and canonical(
            [settings for _, settings in described]
        ) == key.candidates:
            words = ["cliquepool", "compare", "--models", model.key, "--datasets", key.dataset]
            words += [] if key.protocol == "fair" else ["--protocol", key.protocol]
            words += ["--splits", "own" if named is None else ERRICA]
            words += [] if named is not None or key.folds == DEFAULT_FOLDS else ["--folds", str(key.folds)]
            return Repetition(shlex.join([*words, "--seeds", str(len(run.summary.seeds))]), True)
    return None


def _by_python(run: ReportedRun) -> Repetition:
    key = run.summary.run
    named = run.summary.records[0].splits
    folds = f"splits={named.name!r}" if named else f"folds={key.folds}, split_seed={key.split_seed}"
    several = "models" if len(run.candidates) > 1 else "model"
    words = (
        "from cliquepool.evaluate import evaluate\n\n"
        f'evaluate({several}, dataset, "{key.protocol}", "again.jsonl", {folds}, '
        f"seeds={list(run.summary.seeds)})"
    )
    settings = "the settings below" if len(run.candidates) == 1 else "each of the settings below"
    note = (
        f"No command repeats this run. Here {several} is {key.model} with {settings}, and dataset is "
        f"{key.dataset}."
    )
    return Repetition(words, False, note)


def _counts_seeds(run: ReportedRun) -> bool:
    """Return whether the seeds are those that a number of seeds gives."""
    return run.summary.seeds == tuple(range(len(run.summary.seeds)))


def _typed(value: Any) -> str:
    """Return a setting as ``--set`` reads it."""
    if isinstance(value, tuple | list):
        return ",".join(map(_typed, value))
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
