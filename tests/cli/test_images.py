"""`cliquepool images train`: training, testing once, checkpoints and saved networks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cliquepool.data.images import ImageDataset
from cliquepool.training.compute import Arithmetic
from cliquepool.training.image_network import FittedImageNetwork
from tests.helpers.small_images import bars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DATA = bars()
SMALL = ("--data", "bars.safetensors", "--width", "1/64", "--device", "cpu")
TRAIN = ("images", "train", *SMALL, "--epochs", 3, "--threads", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a working folder with two data sets of images, one of them without test images."""
    DATA.save(tmp_path / "bars.safetensors")
    fields = {"name": "all", "images": DATA.images, "targets": DATA.targets, "classes": DATA.classes}
    none = np.zeros(len(DATA), dtype=bool)
    ImageDataset(**fields, is_test=none, mirrored=True).save(tmp_path / "all.safetensors")
    return tmp_path


@pytest.mark.parametrize("arch", ["vgg", "vgg-clique"])
def test_a_network_is_trained_tested_once_and_saved(
    folder: Path, succeeded: Callable[..., str], arch: str
) -> None:
    told = json.loads(succeeded(*TRAIN, "--arch", arch, "--save", "network.safetensors", "--json"))
    assert (told["dataset"], told["train_images"], told["test_images"]) == ("bars", 45, 15)
    assert (told["settings"]["arch"], told["settings"]["width"], told["seed"]) == (arch, 1 / 64, 0)
    assert len(told["curves"]["loss"]) == 3
    assert "validation_accuracy" not in told["curves"]  # nothing was held out, and no test image seen
    network = FittedImageNetwork.load(folder / "network.safetensors", Arithmetic.choose("cpu"))
    accuracy = network.accuracy(DATA, np.flatnonzero(DATA.is_test))
    assert told["test_accuracy"] == pytest.approx(100 * accuracy, abs=1e-3)
    shown = succeeded(*TRAIN, "--arch", arch)
    assert "bars  45 images to train on, 15 to test on" in shown
    assert f"{arch}, width 1/64, 3 epochs, seed 0, cpu, float32, channels last" in shown
    assert f"accuracy on the test images  {100 * accuracy:.2f} %" in shown


def test_a_training_is_resumed_only_with_resume(
    refused: Callable[..., str], succeeded: Callable[..., str]
) -> None:
    kept = (*TRAIN, "--checkpoint", "run.checkpoint")
    first = json.loads(succeeded(*kept, "--json"))
    assert "run.checkpoint is there already: go on from it with --resume" in refused(*kept)
    again = json.loads(succeeded(*kept, "--resume", "--json"))
    assert again == first
    assert "expected a checkpoint of this training" in refused(*kept, "--resume", "--seed", 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "--data", "none.safetensors"), "got 'none.safetensors'"),
        (("train", "--data", "all.safetensors"), "images to test on in all, got 0 of 60 to test on"),
        (("train", "--arch", "resnet"), "'resnet' is not one of 'vgg', 'vgg-clique'"),
        (("train", "--width", "wide"), "expected a factor such as 1/8 or 0.5, got 'wide'"),
        (("train", "--width", "1/0"), "expected a factor such as 1/8 or 0.5, got '1/0'"),
        (("train", "--width", "-1"), "--width: expected a number above 0 and of at most 16, got -1.0"),
        (("train", "--lr", "0"), "--lr: expected a number above 0, got 0.0"),
        (("train", "--epochs", "0"), "'--epochs'"),
        (("train", "--device", "tpu"), "device: expected auto, cpu, cuda"),
        (("train", "--device", "cuda:99"), "got 'cuda:99', which torch does not find here"),
        (("train", "--resume"), "--resume: expected --checkpoint FILE to go on from, got none"),
        (("train", "--save", "no/such/folder/network"), "there is no folder"),
        (
            ("train", "--data", "bars.safetensors", "--lr", "1e30", "--width", "1/64", "--threads", "1"),
            "take a lower learning rate",
        ),
        (("flip",), "no such command 'flip'"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(
    folder: Path, refused: Callable[..., str], arguments: tuple[object, ...], message: str
) -> None:
    assert message in refused("images", *arguments)
    assert not (folder / "results").exists()


def test_the_commands_are_listed_without_any_argument(succeeded: Callable[..., str]) -> None:
    listed = succeeded("images")
    assert "train" in listed
    assert "compare" in listed
