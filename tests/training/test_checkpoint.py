"""Checkpoints: only those of the same training are read, whole and with weights that fit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import cliquepool as cp
from cliquepool.training.checkpoint import (
    check_optimiser_state,
    check_progress,
    expect_weights,
    read_tensors,
    write_tensors,
)
from cliquepool.training.graphs import train
from tests.helpers.small_training import DATA, SMALL, TRAIN, VALIDATION, rings_and_chains, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    file = tmp_path / "run.safetensors"
    run(checkpoint=file)
    return file


@pytest.mark.parametrize(
    "other",
    [
        {"settings": SMALL.model_copy(update={"hidden": 9})},
        {"settings": SMALL.model_copy(update={"epochs": 7})},
        {"seed": 1},
        {"train": TRAIN[::-1].copy()},
        {"train": TRAIN[1:]},
        {"validation": VALIDATION[1:]},
        {"data": rings_and_chains(shift=1.0)},
    ],
    ids=["width", "epochs", "seed", "order", "train", "validation", "data"],
)
def test_a_checkpoint_of_another_training_is_refused(checkpoint: Path, other: dict[str, Any]) -> None:
    arguments = {"data": DATA, "train": TRAIN, "validation": VALIDATION, "settings": SMALL, "seed": 0} | other
    before = checkpoint.read_bytes()
    with pytest.raises(cp.InputError, match=r"run\.safetensors: expected a checkpoint of this training"):
        train(**arguments, checkpoint=checkpoint)
    assert checkpoint.read_bytes() == before


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99])
def test_a_checkpoint_that_is_cut_short_is_refused(checkpoint: Path, part: float) -> None:
    whole = checkpoint.read_bytes()
    checkpoint.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(cp.InputError, match=r"run\.safetensors: expected a checkpoint"):
        run(checkpoint=checkpoint)


def test_another_file_in_the_place_of_a_checkpoint_is_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file  # noqa: PLC0415

    file = tmp_path / "run.safetensors"
    save_file({"x": torch.zeros(3)}, file)
    with pytest.raises(cp.InputError, match="expected a checkpoint"):
        run(checkpoint=file)
    file.write_text("hello")
    with pytest.raises(cp.InputError, match="expected a checkpoint"):
        run(checkpoint=file)


def test_tensors_come_back_with_what_describes_them(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "t.safetensors"
    tensors = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor(3)}
    write_tensors(file, tensors, "model", {"epochs": [1, 2]})
    read, described = read_tensors(file, "model")
    assert described == {"epochs": [1, 2]}
    assert all(torch.equal(read[name], value) for name, value in tensors.items())
    with pytest.raises(cp.InputError, match="expected a checkpoint of cliquepool"):
        read_tensors(file, "checkpoint")
    with pytest.raises(cp.InputError, match=r"a: expected numbers that NumPy has, got torch\.bfloat16"):
        write_tensors(file, {"a": torch.zeros(1, dtype=torch.bfloat16)}, "model", {})


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"weight": torch.zeros(3, 2)}, "bias: expected torch.float32 of shape .3,., got no such tensor"),
        ({"weight": torch.zeros(2, 3), "bias": torch.zeros(3)}, r"weight: expected .* got .* shape \(2, 3\)"),
        ({"weight": torch.zeros(3, 2).double(), "bias": torch.zeros(3)}, "got torch.float64"),
    ],
    ids=["missing", "shape", "type"],
)
def test_weights_of_another_network_are_refused(tensors: dict[str, torch.Tensor], message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        expect_weights(tensors, lambda: nn.Linear(2, 3))


def test_weights_of_too_many_layers_are_refused_before_the_network_is_built() -> None:
    with pytest.raises(cp.InputError, match="expected the weights of 5 layers, got 0 tensors"):
        expect_weights({}, lambda: nn.Linear(1 << 60, 1 << 60), num_layers=5)


PROGRESS: dict[str, Any] = {"curves": {"loss": [1.0, 0.5]}, "best": [2, 0.5, 0.5], "seconds": 1.5}


@pytest.mark.parametrize(
    "changes",
    [
        {"curves": None},
        {"curves": {"loss": [1.0, 0.5], "accuracy": [1.0]}},
        {"curves": {"loss": [1.0] * 4}},
        {"curves": {"loss": [1.0, "0.5"]}},
        {"best": [3, 0.5, 0.5]},
        {"best": [2.0, 0.5, 0.5]},
        {"best": [2, 0.5]},
        {"seconds": -1},
        {"seconds": math.inf},
    ],
    ids=str,
)
def test_progress_that_no_training_has_is_refused(changes: dict[str, Any]) -> None:
    check_progress(PROGRESS, 3)
    with pytest.raises(cp.InputError, match="expected the curves of up to 3 epochs"):
        check_progress(PROGRESS | changes, 3)


def test_the_state_of_another_optimiser_is_refused() -> None:
    optimiser = torch.optim.SGD(nn.Linear(2, 3).parameters(), lr=0.1)
    check_optimiser_state({0: {"step": torch.tensor(1.0), "exp": torch.zeros(3, 2)}}, optimiser)
    with pytest.raises(cp.InputError, match="expected the optimiser's state of 2 parameters, got 2"):
        check_optimiser_state({2: {}}, optimiser)
    with pytest.raises(cp.InputError, match=r"optimiser.1.exp: expected shape \(3,\), got \(2,\)"):
        check_optimiser_state({1: {"exp": torch.zeros(2)}}, optimiser)
