"""`cliquepool images compare`: both networks on the same folds, recorded and resumed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cliquepool.evaluate import RecordFile
from tests.helpers.commands import interrupted_after_a_fold, on_posix
from tests.helpers.small_images import bars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


SMALL = ("--data", "bars.safetensors", "--width", "1/64", "--device", "cpu")
COMPARE = ("images", "compare", *SMALL, "--epochs", 2, "--folds", 3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a working folder with images."""
    bars().save(tmp_path / "bars.safetensors")
    return tmp_path


def test_networks_are_compared_and_folds_on_record_are_not_done_again(
    folder: Path, refused: Callable[..., str], succeeded: Callable[..., str]
) -> None:
    shown = succeeded(*COMPARE, "--jobs", 1)
    assert "bars 60 images, 3 classes, 3 folds × 1 seed, width 1/64, 2 epochs" in " ".join(shown.split())
    rows = {line.split("  ")[0]: line for line in shown.splitlines()}
    records = RecordFile.read(folder / "results" / "images" / "bars.jsonl").records
    for model in ("VGG", "VGG, clique pools"):
        found = [record.test_accuracy for record in records if record.model == model]
        assert len(found) == 3
        assert f"{100 * np.mean(found):.2f} ± {100 * np.std(found):.2f}" in rows[model]
    assert "92.0 ± 0.5" in rows["VGG"]
    assert "92.4 ± 0.3" in rows["VGG, clique pools"]
    assert "paired t-test, as in the paper" in shown
    assert "the paper's are at full width on all of CIFAR-10" in shown

    assert "has 3 of 3 folds of this run already: go on with --resume" in refused(*COMPARE)
    told = json.loads(succeeded(*COMPARE, "--resume", "--json"))
    assert [network["model"] for network in told["networks"]] == ["VGG", "VGG, clique pools"]
    assert set(told["p"]) == {"t_test", "corrected_t_test", "sign_flips"}
    accuracies = [network["accuracy"] for network in told["networks"]]
    assert told["difference"] == pytest.approx(accuracies[1] - accuracies[0], abs=2e-3)
    assert len(RecordFile.read(folder / "results" / "images" / "bars.jsonl").records) == 6
    table = succeeded("report", "results/images/bars.jsonl")
    assert "VGG, clique pools" in " ".join(table.split())


@on_posix
def test_a_comparison_that_was_interrupted_continues(folder: Path, succeeded: Callable[..., str]) -> None:
    path = folder / "broken.jsonl"
    code, output, errors = interrupted_after_a_fold(folder, *COMPARE, "--jobs", 1, "--out", path)
    assert (code, output, errors) == (130, b"", b"")
    done = RecordFile.read(path).records
    assert len(done) == 1
    told = json.loads(succeeded(*COMPARE, "--jobs", 1, "--out", path, "--resume", "--json"))
    assert RecordFile.read(path).records[: len(done)] == done
    assert [len(network["accuracies"]) for network in told["networks"]] == [3, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "--data", "none.safetensors"), "got 'none.safetensors'"),
        (("compare", "--folds", "1"), "'--folds'"),
        (("compare", "--data", "bars.safetensors", "--folds", "30"), "expected at least 30"),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(
    folder: Path, refused: Callable[..., str], arguments: tuple[object, ...], message: str
) -> None:
    assert message in refused("images", *arguments)
    assert not (folder / "results").exists()
