"""`cliquepool train` and `predict`: runs, their records and saved classifiers."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cliquepool.data import GraphDataset, load_dataset
from cliquepool.evaluate import RecordFile
from tests.helpers.commands import (
    COMMAND,
    HANGS_AFTER_SECONDS,
    environment,
    interrupted_after_a_fold,
    on_posix,
)
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with data sets: rings and stars, and some that cannot be judged."""
    rings_and_stars(name="RINGS").save(tmp_path / "RINGS.safetensors")
    graphs = rings_and_stars()
    one = np.flatnonzero(graphs.targets == 0)
    graphs[one].save(tmp_path / "ONE.safetensors")
    graphs[:6].save(tmp_path / "FEW.safetensors")
    return tmp_path


def run(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder),
        timeout=HANGS_AFTER_SECONDS,
        check=False,
    )


SMALL = ("train", "RINGS", "--folds", 4, "--seeds", 1, "--epochs", 3)


def test_a_run_ends_in_a_table_and_one_that_is_there_needs_resume(
    folder: Path, refused: Callable[..., str], succeeded: Callable[..., str]
) -> None:
    result = run(folder, *SMALL)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""  # no display where nobody looks
    (row,) = [line for line in result.stdout.splitlines() if line.startswith("CliquePool")]
    assert "fair" in row
    assert "this run, 4 folds" in row
    records = RecordFile.read(folder / "results" / "RINGS-fair.jsonl").records
    mean = 100 * float(np.mean([record.test_accuracy for record in records]))
    assert f"{mean:.2f} ±" in row

    assert "has 4 of 4 folds of this run already: go on with --resume" in refused(*SMALL)
    told = json.loads(succeeded(*SMALL, "--resume", "--json"))
    assert told["accuracy"] == pytest.approx(mean, abs=1e-3)
    assert (told["protocol"], told["folds"], told["seeds"], told["published"]) == ("fair", 4, [0], None)
    assert told["settings"]["epochs"] == 3
    assert len(RecordFile.read(folder / "results" / "RINGS-fair.jsonl").records) == 4
    # Other settings are another run, and need no --resume.
    succeeded(*SMALL[:-1], 2, "--batch-size", 8, "--jobs", 1)

    succeeded("report", "results/RINGS-fair.jsonl", "--out", "report")
    table = (folder / "report" / "table.md").read_text(encoding="utf-8")
    assert f"| RINGS | CliquePool | – | – | {mean:.2f} ±" in table
    assert "epochs 2" in table
    pictures = list((folder / "report").glob("RINGS-CliquePool-fair-*.png"))
    assert len(pictures) == 2
    assert all(picture.read_bytes().startswith(b"\x89PNG") for picture in pictures)


@on_posix
def test_a_run_that_was_interrupted_continues_to_the_same_table(
    folder: Path, here: Callable[..., tuple[int, str, str]], succeeded: Callable[..., str]
) -> None:
    arguments = ("train", "RINGS", "--folds", 4, "--seeds", 2, "--epochs", 10)
    path = folder / "broken.jsonl"
    code, output, errors = interrupted_after_a_fold(folder, *arguments, "--jobs", 2, "--out", path)
    assert (code, output, errors) == (130, b"", b"")
    assert len(RecordFile.read(path).records) == 1
    with path.open("a") as file:
        file.write('{"format":1,"proto')  # as if killed while writing
    code, rest, note = here(*arguments, "--jobs", 1, "--json", "--out", path, "--resume")
    assert code == 0, note
    assert note == f"{path}: its last line was cut off while it was written, and is left out\n"
    whole = succeeded(*arguments, "--jobs", 1, "--json", "--out", "whole.jsonl")
    first, second = json.loads(whole), json.loads(rest)
    for told in (first, second):
        del told["seconds"], told["records"]
    assert first == second


INTERRUPTED_AT_ONCE = """
import os, signal
from cliquepool.cli import main
from cliquepool.evaluate import workers
start = workers._start
def start_and_interrupt(*arguments):
    started = start(*arguments)
    os.killpg(0, signal.SIGINT)
    return started
workers._start = start_and_interrupt
main()
"""


@on_posix
def test_processes_that_have_just_been_started_say_nothing_of_ctrl_c(folder: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_ONCE, *map(str, SMALL), "--jobs", "2"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder),
        start_new_session=True,
        timeout=HANGS_AFTER_SECONDS,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of imports of tensorboard
def test_a_run_is_logged_for_tensorboard(
    folder: Path, refused: Callable[..., str], succeeded: Callable[..., str]
) -> None:
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    succeeded(*SMALL, "--jobs", 1, "--tensorboard", "logs")
    (run,) = (folder / "logs").iterdir()
    assert sorted(one.name for one in run.iterdir() if one.is_dir()) == [
        f"seed-0-fold-{fold:02}" for fold in range(1, 5)
    ]
    assert "RINGS.safetensors: cannot log there: not a directory" in refused(
        *SMALL, "--out", "other.jsonl", "--tensorboard", "RINGS.safetensors"
    )
    assert not (folder / "other.jsonl").exists()


def test_a_classifier_is_saved_and_predicts(folder: Path, succeeded: Callable[..., str]) -> None:
    trained = succeeded(*SMALL, "--protocol", "paper", "--jobs", 1, "--save", "rings.model")
    assert "saved to rings.model" in trained
    listed = run(folder, "predict", "rings.model", "RINGS")
    assert listed.returncode == 0, listed.stderr
    lines = listed.stdout.splitlines()
    assert lines[0] == "graph,class"
    assert len(lines) == 41
    assert {line.split(",")[1] for line in lines[1:]} <= {"ring", "star"}

    told = json.loads(succeeded("predict", "rings.model", "RINGS", "--json"))
    assert [f"{number},{name}" for number, name in enumerate(told["classes"])] == lines[1:]
    data = load_dataset(folder / "RINGS.safetensors")
    truth = data.classes[data.targets].tolist()
    right = np.mean([predicted == true for predicted, true in zip(told["classes"], truth, strict=True)])
    assert told["accuracy"] == pytest.approx(float(right))

    written = succeeded("predict", "rings.model", "RINGS", "--out", "classes.csv")
    assert (folder / "classes.csv").read_text().splitlines() == lines
    assert f"{100 * right:.2f} % are of the class" in written

    # Where the classes are not known, there is no accuracy.
    GraphDataset.from_graphs([data.graph(number) for number in range(5)]).save(folder / "NEW.safetensors")
    told = json.loads(succeeded("predict", "rings.model", "NEW", "--json"))
    assert told["accuracy"] is None
    assert told["classes"] == [line.split(",")[1] for line in lines[1:6]]


def test_the_device_is_chosen_and_refused_where_it_is_not_there(
    folder: Path, refused: Callable[..., str], succeeded: Callable[..., str]
) -> None:
    found = json.loads(succeeded(*SMALL, "--device", "cpu", "--jobs", 1, "--json"))
    assert "device" not in found["settings"]
    assert "device: expected auto, cpu, cuda or one card" in refused(*SMALL, "--device", "abacus")
    assert (folder / "results").is_dir()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "ONE"), "expected graphs of two classes or more, got only class ring"),
        (("train", "FEW"), "expected at least 10 graphs for 10 folds, got 6"),
        (("train", "FEW", "--folds", 4), "expected at least 4 graphs of each class for 4 folds, got 3"),
        (("train", "RINGS", "--preset", "big"), "--preset: expected one of default, paper-enzymes"),
        (("train", "RINGS", "--protocol", "best"), "'best' is not one of 'fair', 'paper'"),
        (("train", "RINGS", "--save", "no/such/folder/model"), "there is no folder"),
        (("train", "NOTHING-LIKE-IT"), "no data set 'NOTHING-LIKE-IT'"),
        (("predict", "none.model", "RINGS"), "none.model"),
        (("predict", "RINGS.safetensors", "RINGS"), "RINGS.safetensors"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(
    folder: Path, refused: Callable[..., str], arguments: tuple[object, ...], message: str
) -> None:
    assert message in refused(*arguments)
    assert not (folder / "results").exists()


def test_damaged_records_are_not_continued(folder: Path, refused: Callable[..., str]) -> None:
    (folder / "bad.jsonl").write_text('{"format": 1}\n{}\n')
    assert "bad.jsonl, line 1" in refused(*SMALL, "--out", "bad.jsonl")


def test_help_does_not_import_torch() -> None:
    code = (
        "import sys; from cliquepool.cli import app; print('torch' in sys.modules, 'pydantic' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]
