"""The plan of a run: its folds, their splits and identities, and which of them are on record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cliquepool.evaluate.choices import CHOOSING_SEED, Choice
from cliquepool.evaluate.errors import EvaluationError
from cliquepool.evaluate.estimators import describe, expect_estimator
from cliquepool.evaluate.records import FoldRecord, NamedSplits, RecordFile, RunKey, canonical, identity
from cliquepool.evaluate.split_files import resolve_splits
from cliquepool.evaluate.splits import Split, fair_split, outer_folds, paper_split

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from pathlib import Path

    from cliquepool.evaluate.estimators import Dataset, Estimator
    from cliquepool.evaluate.records import Protocol
    from cliquepool.evaluate.split_files import FixedSplits
    from cliquepool.evaluate.splits import Ids

__all__ = ["DEFAULT_FOLDS", "DEFAULT_SEEDS", "Plan", "Unit", "plan_run"]

DEFAULT_FOLDS: Final = 10

DEFAULT_SEEDS: Final[dict[Protocol, int]] = {"paper": 1, "fair": 3}


@dataclass(frozen=True, slots=True)
class Unit:
    """One fold under one seed.

    `checkpoints` is the folder of its checkpoints. `choosing_split` is the split that chooses among several
    candidates, for all seeds of the fold.
    """

    fold: int
    seed: int
    split: Split
    identity: str
    checkpoints: Path
    choosing_split: Split

    @property
    def choice_file(self) -> Path:
        """The file of the choice among candidates, which the seeds of a fold share."""
        return self.checkpoints / f"choice-{self.fold}.json"

    def checkpoint(self, candidate: int, *, of_choice: bool = False) -> Path:
        """Return the checkpoint file of a candidate, by its number from 0.

        Its training for the choice has another one, where that is not the training of this seed.
        """
        mark = "choice-" if of_choice and self.seed != CHOOSING_SEED else ""
        return self.checkpoints / f"{self.identity[:16]}-{mark}{candidate}.safetensors"

    def remove_checkpoints(self) -> None:
        """Remove all checkpoints of this unit, and what interrupted writes have left of them."""
        for file in self.checkpoints.glob(f"*{self.identity[:16]}-*"):
            file.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Plan:
    """A run before it starts: its models, all of its units, and the records of those that are finished.

    `splits` names the splits of a file; None for own folds.
    """

    run: RunKey
    models: tuple[Estimator, ...]
    units: tuple[Unit, ...]
    file: RecordFile
    finished: tuple[FoldRecord, ...]
    splits: NamedSplits | None = None

    @classmethod
    def of(
        cls,
        run: RunKey,
        models: tuple[Estimator, ...],
        units: tuple[Unit, ...],
        file: RecordFile,
        splits: NamedSplits | None = None,
    ) -> Plan:
        """Return the plan, with the records of the file that belong to it."""
        wanted = {unit.identity for unit in units}
        finished = tuple(record for record in file.records if record.identity in wanted)
        return cls(run, models, units, file, finished, splits)

    def read_again(self) -> Plan:
        """Return the same plan with the records that the file has now."""
        return Plan.of(self.run, self.models, self.units, RecordFile.read(self.file.path), self.splits)

    def recorded_choices(self) -> dict[int, Choice]:
        """Return the choice among candidates of each fold that has a record, under any seed."""
        if len(self.models) < 2:
            return {}
        return {
            record.fold: Choice.of_record(record) for record in self.file.records if record.run == self.run
        }

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
    folds: int | None = None,
    seeds: int | Sequence[int] | None = None,
    split_seed: int = 0,
    splits: FixedSplits | str | PathLike[str] | None = None,
) -> Plan:
    """Check the arguments, which are those of `evaluate`; make the splits, and read the records."""
    models = tuple(model) if isinstance(model, Sequence) else (model,)
    fixed = resolve_splits(splits, dataset)
    named = None if fixed is None else NamedSplits(name=fixed.name, sha256=fixed.sha256)
    if fixed is None:
        count = DEFAULT_FOLDS if folds is None else folds
        parts = outer_folds(dataset.targets, count, split_seed, dataset.classes.tolist())
    else:
        _expect_no_own_folds(fixed, folds, split_seed)
        parts = [split.test for split in fixed.folds]
    run = _run_key(models, dataset, protocol, len(parts), split_seed)._replace(
        splits=None if named is None else named.sha256
    )
    file = RecordFile.read(records)
    checkpoints = file.path.with_name(f"{file.path.name}.checkpoints") / run.sha256[:16]
    cut = _Cutter(dataset, protocol, parts, fixed)
    units = []
    for seed in _seeds(seeds, protocol):
        for fold in range(1, len(parts) + 1):
            split = cut(fold, seed)
            same = identity(run, fold, seed, split.sha256)
            units.append(Unit(fold, seed, split, same, checkpoints, cut(fold, CHOOSING_SEED)))
    return Plan.of(run, models, tuple(units), file, named)


def _expect_no_own_folds(fixed: FixedSplits, folds: int | None, split_seed: int) -> None:
    if folds is not None and folds != len(fixed.folds):
        raise EvaluationError(
            f"folds: expected the {len(fixed.folds)} of the splits {fixed.name}, got {folds}"
        )
    if split_seed != 0:
        raise EvaluationError(f"split_seed: expected none with the splits {fixed.name}, got {split_seed}")


class _Cutter:
    """The split of each fold and seed, each made once."""

    def __init__(
        self, dataset: Dataset, protocol: Protocol, parts: Sequence[Ids], fixed: FixedSplits | None
    ) -> None:
        self._targets = dataset.targets
        self._protocol = protocol
        self._parts = parts
        self._fixed = fixed
        self._made: dict[tuple[int, int], Split] = {}

    def __call__(self, fold: int, seed: int) -> Split:
        if self._protocol == "paper":
            return self._once(fold, 0, lambda: paper_split(self._parts, fold))
        if self._fixed is not None:
            return self._fixed.folds[fold - 1]
        return self._once(fold, seed, lambda: fair_split(self._parts, fold, self._targets, seed))

    def _once(self, fold: int, seed: int, make: Callable[[], Split]) -> Split:
        if (fold, seed) not in self._made:
            self._made[fold, seed] = make()
        return self._made[fold, seed]


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
    selection = "per fold" if len(models) > 1 else None
    return RunKey(
        protocol,
        dataset.name,
        dataset.fingerprint,
        names[0],
        candidates,
        folds,
        split_seed,
        selection=selection,
    )


def _seeds(seeds: int | Sequence[int] | None, protocol: Protocol) -> list[int]:
    if seeds is None:
        seeds = DEFAULT_SEEDS[protocol]
    chosen = list(range(seeds)) if isinstance(seeds, int) else [int(seed) for seed in seeds]
    if not chosen or min(chosen) < 0 or len(set(chosen)) < len(chosen):
        raise EvaluationError(f"expected one seed or more, different and not negative, got {seeds}")
    return chosen
