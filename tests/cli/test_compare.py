"""`cliquepool compare`: what is missing is run, failures are shown, the table comes from records alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cliquepool.evaluate import RecordFile
from tests.helpers.commands import interrupted_after_a_fold, on_posix
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HERE = "tests.helpers.compared_models"
COMPARE = ("compare", "--datasets", "RINGS", "--splits", "own", "--folds", 3, "--seeds", 1, "--jobs", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rings_and_stars(name="RINGS").save(tmp_path / "RINGS.safetensors")
    return tmp_path


def row(shown: str, model: str) -> str:
    (found,) = [line for line in shown.splitlines() if line.startswith(model)]
    return " ".join(found.split())


def test_own_models_are_run_once_and_failures_are_shown(
    folder: Path, here: Callable[..., tuple[int, str, str]], succeeded: Callable[..., str]
) -> None:
    models = ("--models", "", "--model", f"{HERE}:small", "--model", f"{HERE}:hopeless")
    code, shown, told = here(*COMPARE, *models)
    assert code == 0
    assert "RINGS  own folds, seed 0" in shown
    assert row(shown, "hopeless").startswith("hopeless failed: ArithmeticError: the weights are not finite")
    assert "3 folds × 1 seed" in row(shown, "small")
    assert f"RINGS  small  {row(shown, 'small').split()[1]} ±" in told
    assert "RINGS  hopeless  failed: ArithmeticError" in told
    path = folder / "results" / "compare" / "RINGS" / f"{HERE}.small.jsonl"
    assert len(RecordFile.read(path).records) == 3
    content = path.read_bytes()
    assert here(*COMPARE, *models)[1] == shown
    assert path.read_bytes() == content

    only = succeeded("compare", "--table-only", *models, "--write", "report")
    assert only.startswith(shown)
    assert {file.name for file in (folder / "report").iterdir()} == {
        f"table.{ending}" for ending in ("md", "tex", "csv", "html")
    }
    assert "small" in (folder / "report" / "table.html").read_text(encoding="utf-8")
    everything = succeeded("compare", "--table-only")
    assert {"small", f"{HERE}.hopeless"} <= {
        line.split()[0] for line in everything.splitlines() if line.strip()
    }
    assert "GIN" not in everything


def test_without_records_there_is_nothing_to_show(folder: Path, refused: Callable[..., str]) -> None:
    assert "expected records of a comparison, got none" in refused("compare", "--table-only")
    (folder / "results" / "compare" / "RINGS").mkdir(parents=True)
    assert "expected records of a comparison, got none" in refused("compare", "--table-only")


def test_the_table_is_of_the_runs_that_were_asked_for(
    folder: Path, here: Callable[..., tuple[int, str, str]], refused: Callable[..., str]
) -> None:
    del folder
    models = ("--models", "", "--model", f"{HERE}:AllStars")
    first = here(*COMPARE, *models)[1]
    here(
        "compare", "--datasets", "RINGS", "--splits", "own", "--folds", 4, "--seeds", 1, "--jobs", 1, *models
    )
    assert here(*COMPARE, *models)[1] == first
    assert "4 folds × 1 seed" in here("compare", "--table-only", *models)[1]
    unknown = refused("compare", "--table-only", "--datasets", "RINGZ", *models)
    assert "expected a data set on record (RINGS), got RINGZ" in unknown


def test_models_of_one_name_are_told_apart_by_their_keys(
    folder: Path, here: Callable[..., tuple[int, str, str]]
) -> None:
    del folder
    both = ("--model", f"{HERE}:small", "--model", f"{HERE}:two_small")
    shown = here(*COMPARE, "--models", "", *both)[1]
    assert f"small ({HERE}.small)" in shown
    assert f"small ({HERE}.two_small)" in shown


def test_wrong_options_are_refused_before_anything_is_run(folder: Path, refused: Callable[..., str]) -> None:
    assert "expected keys or tags of" in refused(*COMPARE, "--models", "gim")
    assert "expected a module to import" in refused(*COMPARE, "--model", "no_such_module:make")
    assert "no data set 'RINGZ'" in refused("compare", "--datasets", "RINGZ", "--models", "gin")
    assert "none.json: no such file" in refused(*COMPARE, "--models", "gin", "--splits", "none.json")
    assert "such as 500M or 2G, got 'much'" in refused(*COMPARE, "--max-memory", "much")
    assert "expected an amount above 0" in refused(*COMPARE, "--max-memory", "0")
    (folder / "taken").write_text("")
    assert "taken" in refused(*COMPARE, "--models", "gin", "--write", "taken")
    assert not (folder / "results").exists()


MY_MODELS = """
import numpy as np

class Shares:
    def fit(self, X, y):
        classes, counts = np.unique(y, return_counts=True)
        self.class_ = classes[counts.argmax()]

    def predict(self, X):
        return np.full(len(X), self.class_)
"""


@on_posix
def test_a_comparison_that_was_interrupted_goes_on(
    folder: Path, here: Callable[..., tuple[int, str, str]]
) -> None:
    (folder / "my_models.py").write_text(MY_MODELS)
    compare = (*COMPARE, "--models", "", "--model", "my_models:Shares")
    code, output, errors = interrupted_after_a_fold(folder, *compare)
    assert (code, output, errors) == (130, b"", b"")
    path = folder / "results" / "compare" / "RINGS" / "my_models.Shares.jsonl"
    done = RecordFile.read(path).records
    assert len(done) == 1
    code, shown, _ = here(*compare)
    assert code == 0
    assert "3 folds × 1 seed" in row(shown, "Shares")
    assert RecordFile.read(path).records[:1] == done
