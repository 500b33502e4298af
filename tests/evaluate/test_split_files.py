"""Splits of files: what is read, what is refused, and what a record says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cliquepool.data import load_dataset
from cliquepool.evaluate import EvaluationError, FixedSplits, evaluate, plan_run, read_records
from cliquepool.evaluate.split_files import resolve_splits
from cliquepool.evaluate.splits import fair_split, outer_folds
from tests.helpers.small_model import SmallModel, rings_and_stars, told

DATA = rings_and_stars(name="TOY")
SHARED = Path(__file__).parents[3] / "shared" / "data"


def content(folds: int = 4) -> dict[str, Any]:
    parts = outer_folds(DATA.targets, folds, 7)
    splits = [fair_split(parts, fold, DATA.targets, 3) for fold in range(1, folds + 1)]
    names = ("train", "validation", "test")
    listed = [{name: getattr(split, name).tolist() for name in names} for split in splits]
    return {"dataset": "TOY", "graphs": len(DATA), "folds": listed}


def written(tmp_path: Path, **changes: Any) -> Path:
    path = tmp_path / "folds.json"
    path.write_text(json.dumps(content() | changes))
    return path


def with_fold(**changes: Any) -> dict[str, Any]:
    folds = content()["folds"]
    folds[1] = folds[1] | changes
    return {"folds": folds}


def test_all_seeds_train_on_the_parts_of_the_file(tmp_path: Path) -> None:
    log = tmp_path / "log"
    path, records = written(tmp_path), tmp_path / "r.jsonl"
    evaluate(SmallModel(log=str(log)), DATA, "fair", records, seeds=2, splits=path, jobs=1)
    shown = [ids for _, ids in told(log)]
    parts = [set(fold[name]) for fold in content()["folds"] for name in ("train", "validation", "test")]
    assert shown == parts + parts
    found = read_records([records])
    assert {(one.splits.name, one.splits.sha256) for one in found if one.splits} == {
        ("folds", FixedSplits.read(path).sha256)
    }
    assert len({one.identity for one in found}) == 8
    assert found[0].run != plan_run(SmallModel(), DATA, "fair", records, folds=4).run


def test_under_paper_the_test_parts_are_watched(tmp_path: Path) -> None:
    plan = plan_run(SmallModel(), DATA, "paper", tmp_path / "r.jsonl", splits=written(tmp_path))
    tested = [fold["test"] for fold in content()["folds"]]
    assert [unit.split.validation.tolist() for unit in plan.units] == tested


def test_the_hash_is_of_the_folds_and_not_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = FixedSplits.read(path).sha256
    path.write_text(json.dumps(content(), indent=3))
    assert FixedSplits.read(path).sha256 == before
    folds = content()["folds"]
    path.write_text(json.dumps(content() | {"folds": folds[::-1]}))
    assert FixedSplits.read(path).sha256 != before


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"graphs": 41}, r"fold 1: expected every graph once .* got graph 40 in none"),
        ({"graphs": "many"}, "graphs: "),
        ({"graphs": 10**12}, "graphs: "),
        ({"folds": []}, "folds: "),
        ({"extra": 1}, "extra: "),
        (with_fold(test=[]), "folds.1.test: "),
        (with_fold(test=[0.5]), "folds.1.test.0: "),
        (with_fold(test=[-1]), "fold 2, test: expected positions from 0 to 39, got -1"),
        (with_fold(test=[40]), "fold 2, test: expected positions from 0 to 39, got 40"),
        (with_fold(test=[10**40]), "folds.1.test|fold 2, test: expected positions"),
        (with_fold(test=list(range(40))), r"fold 2: expected every graph once .* got graph 0 in 2 places"),
        ({"folds": [content()["folds"][0]] * 4}, "expected every graph in one test part, got graph"),
    ],
)
def test_damaged_splits_are_refused_in_words(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(EvaluationError, match=reason):
        FixedSplits.read(written(tmp_path, **changes))


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "folds.json"
    path.write_bytes(b"\xff{")
    with pytest.raises(EvaluationError, match="expected splits"):
        FixedSplits.read(path)
    with pytest.raises(FileNotFoundError, match=r"none\.json"):
        FixedSplits.read(tmp_path / "none.json")


def test_splits_of_other_graphs_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, dataset="OTHER")
    with pytest.raises(EvaluationError, match="the 40 graphs of TOY, got those of the 40 graphs of OTHER"):
        plan_run(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", splits=path)


@pytest.mark.parametrize("wrong", [{"folds": 5}, {"split_seed": 1}])
def test_splits_of_a_file_leave_no_folds_to_draw(tmp_path: Path, wrong: dict[str, int]) -> None:
    path = written(tmp_path)
    with pytest.raises(EvaluationError, match=next(iter(wrong))):
        plan_run(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", splits=path, **wrong)  # type: ignore[arg-type]
    assert len(plan_run(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", splits=path, folds=4).units) == 12


def test_own_folds_are_the_default(tmp_path: Path) -> None:
    plain, own = (
        plan_run(SmallModel(), DATA, "fair", tmp_path / "r.jsonl", splits=splits) for splits in (None, "own")
    )
    assert [unit.identity for unit in plain.units] == [unit.identity for unit in own.units]
    assert plain.splits is None


def test_the_authors_splits_are_found_beside_the_data_sets(tmp_path: Path) -> None:
    data = rings_and_stars(name="ENZYMES")
    (tmp_path / "tu").mkdir()
    with pytest.raises(EvaluationError, match=r"a file ENZYMES\.json of splits, got none in"):
        resolve_splits("errica", data, data_dir=tmp_path)
    (tmp_path / "splits").mkdir()
    (tmp_path / "splits" / "ENZYMES.json").write_text(json.dumps(content() | {"dataset": "ENZYMES"}))
    for folder in (tmp_path, tmp_path / "tu"):
        found = resolve_splits("errica", data, data_dir=folder)
        assert found is not None
        assert found.name == "errica"


def test_a_data_set_that_the_authors_have_not_split_is_refused() -> None:
    with pytest.raises(EvaluationError, match=r"that Errica et al. have split .*, got TOY: take own folds"):
        resolve_splits("errica", DATA)


@pytest.mark.skipif(not (SHARED / "splits").is_dir(), reason="the authors' splits are not here")
@pytest.mark.parametrize("name", ["ENZYMES", "PROTEINS"])
def test_the_authors_splits_are_stratified_by_the_classes_of_the_data_set(name: str) -> None:
    data = load_dataset(name, data_dir=SHARED)
    splits = resolve_splits("errica", data, data_dir=SHARED)
    assert splits is not None
    counts = np.array([np.bincount(data.targets[split.test]) for split in splits.folds])
    assert np.abs(counts - np.bincount(data.targets) / 10).max() <= 1
