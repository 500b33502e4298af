"""The plan of a run: its folds, their splits and identities, and which of them are on record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.estimators import describe, expect_estimator
from cliquepool.evaluate.records import FoldRecord, RecordFile, RunKey, canonical, identity
from cliquepool.evaluate.splits import Split, fair_split, outer_folds, paper_split

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from cliquepool.evaluate.estimators import Dataset, Estimator
    from cliquepool.evaluate.records import Protocol

__all__ = ["DEFAULT_SEEDS", "Plan", "Unit", "plan_run"]

DEFAULT_SEEDS: Final[dict[Protocol, int]] = {"paper": 1, "fair": 3}


@dataclass(frozen=True, slots=True)
class Unit:
    """One fold under one seed; `checkpoints` is the folder of its checkpoints."""

    fold: int
    seed: int
    split: Split
    identity: str
    checkpoints: Path

    def checkpoint(self, candidate: int) -> Path:
        """Return the checkpoint file of a candidate, by its number from 0."""
        return self.checkpoints / f"{self.identity[:16]}-{candidate}.safetensors"

    def remove_checkpoints(self) -> None:
        """Remove all checkpoints of this unit, and what interrupted writes have left of them."""
        for file in self.checkpoints.glob(f"*{self.identity[:16]}-*"):
            file.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Plan:
    """A run before it starts: its models, all of its units, and the records of those that are finished."""

    run: RunKey
    models: tuple[Estimator, ...]
    units: tuple[Unit, ...]
    file: RecordFile
    finished: tuple[FoldRecord, ...]

    @classmethod
    def of(
        cls, run: RunKey, models: tuple[Estimator, ...], units: tuple[Unit, ...], file: RecordFile
    ) -> Plan:
        """Return the plan, with the records of the file that belong to it."""
        wanted = {unit.identity for unit in units}
        finished = tuple(record for record in file.records if record.identity in wanted)
        return cls(run, models, units, file, finished)

    def read_again(self) -> Plan:
        """Return the same plan with the records that the file has now."""
        return Plan.of(self.run, self.models, self.units, RecordFile.read(self.file.path))

    @property
    def left(self) -> list[Unit]:
        """The units without a record."""
        done = {record.identity for record in self.finished}
        return [unit for unit in self.units if unit.identity not in done]


def plan_run(
    model: Estimator | Sequence[Estimator],
    dataset: Dataset,
    protocol: Protocol,
    records: str | PathLike[str],
    *,
    folds: int = 10,
    seeds: int | Sequence[int] | None = None,
    split_seed: int = 0,
) -> Plan:
    """Check the arguments, which are those of `evaluate`; make the splits, and read the records."""
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


def _run_key(
    models: Sequence[Estimator], dataset: Dataset, protocol: Protocol, folds: int, split_seed: int
) -> RunKey:
    if protocol not in ("paper", "fair"):
        raise EvaluationError(f"expected the protocol paper or fair, got {protocol!r}")
    for model in models:
        expect_estimator(model)
    names, settings = zip(*map(describe, models), strict=True) if models else ((), ())
    if len(set(names)) != 1:
        raise EvaluationError(f"expected settings of one model to choose from, got {sorted(set(names))}")
    if protocol == "paper" and any(chosen.get("patience") is not None for chosen in settings):
        raise EvaluationError(
            "patience: expected none under the paper protocol, whose figure is of one epoch of all folds"
        )
    if protocol == "paper" and len(models) > 1:
        raise EvaluationError(
            f"expected one model under the paper protocol, got {len(models)} to choose from: "
            "it has no graphs to choose by that do not also judge"
        )
    candidates = canonical(settings)
    return RunKey(protocol, dataset.name, dataset.fingerprint, names[0], candidates, folds, split_seed)


def _seeds(seeds: int | Sequence[int] | None, protocol: Protocol) -> list[int]:
    if seeds is None:
        seeds = DEFAULT_SEEDS[protocol]
    chosen = list(range(seeds)) if isinstance(seeds, int) else [int(seed) for seed in seeds]
    if not chosen or min(chosen) < 0 or len(set(chosen)) < len(chosen):
        raise EvaluationError(f"expected one seed or more, different and not negative, got {seeds}")
    return chosen
