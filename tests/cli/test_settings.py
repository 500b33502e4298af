"""Settings from the command line: parsed, validated in plain words, listed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cliquepool.cli.settings import (
    changed_settings,
    complete_image_setting,
    complete_setting,
    parse_assignments,
)
from cliquepool.nn import PRESETS, ClassifierSettings, ImageSettings
from tests.helpers.small_images import bars
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rings_and_stars(name="RINGS").save(tmp_path / "RINGS.safetensors")
    bars().save(tmp_path / "bars.safetensors")
    return tmp_path


SMALL = ("train", "RINGS", "--folds", 2, "--seeds", 1, "--jobs", 1)
IMAGES = ("images", "train", "--data", "bars.safetensors", "--threads", 1, "--epochs", 1)

# For every setting a value that is not the default, as typed and as parsed.
CLASSIFIER = {
    "convolution": ("sage", "sage"),
    "hidden": ("16", 16),
    "pools": ("1", 1),
    "reduce": ("max", "max"),
    "normalise": ("no", False),
    "mlp": ("8,4", [8, 4]),
    "dropout": ("0.25", 0.25),
    "features": ("degree", "degree"),
    "standardise": ("false", False),
    "learning_rate": ("1e-3", 1e-3),
    "weight_decay": ("0", 0.0),
    "batch_size": ("7", 7),
    "epochs": ("2", 2),
}
IMAGE = {
    "arch": ("vgg", "vgg"),
    "width": ("1/64", 1 / 64),
    "epochs": ("1", 1),
    "batch_size": ("9", 9),
    "learning_rate": ("0.01", 0.01),
    "warm_up": ("0.5", 0.5),
    "momentum": ("0.8", 0.8),
    "weight_decay": ("0", 0.0),
    "label_smoothing": ("0.1", 0.1),
    "crop": ("1", 1),
    "mirror": ("no", False),
}


def assigned(values: dict[str, tuple[str, object]]) -> list[str]:
    return [word for name, (typed, _) in values.items() for word in ("--set", f"{name}={typed}")]


def test_every_setting_of_a_classifier_can_be_set(succeeded: Callable[..., str]) -> None:
    told = json.loads(succeeded(*SMALL, "--json", *assigned(CLASSIFIER)))["settings"]
    assert {name: told[name] for name in CLASSIFIER} == {
        name: value for name, (_, value) in CLASSIFIER.items()
    }


@pytest.mark.parametrize("name", ClassifierSettings.model_fields)
def test_every_setting_of_a_classifier_is_taken_as_text(name: str) -> None:
    default = getattr(ClassifierSettings(), name)
    typed = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
    assert changed_settings(PRESETS["paper-enzymes"], {name: typed}, {}) == PRESETS[
        "paper-enzymes"
    ].model_copy(update={name: default})


def test_every_setting_of_an_image_network_can_be_set(succeeded: Callable[..., str]) -> None:
    assert set(IMAGE) == set(ImageSettings.model_fields)
    told = json.loads(succeeded(*IMAGES, "--json", *assigned(IMAGE)))["settings"]
    assert told == {name: value for name, (_, value) in IMAGE.items()}


def test_a_setting_goes_before_the_preset_and_a_dash_is_a_line(succeeded: Callable[..., str]) -> None:
    arguments = (
        "--preset",
        "paper-enzymes",
        "--set",
        "learning-rate=0.01",
        "--set",
        "hidden = 8",
        "--epochs",
        1,
    )
    told = json.loads(succeeded(*SMALL, "--json", *arguments))["settings"]
    assert (told["convolution"], told["learning_rate"], told["hidden"]) == ("sage", 0.01, 8)


def test_a_value_may_have_an_equals_sign() -> None:
    assert parse_assignments(["a=b=c", "d="]) == {"a": "b=c", "d": ""}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--set", "epochs"), "--set: expected NAME=VALUE, such as learning_rate=1e-3, got 'epochs'"),
        (("--set", "=3"), "--set: expected NAME=VALUE"),
        (("--set", "lerning_rate=1"), "expected the name of a setting, did you mean learning_rate?"),
        (("--set", "qqq=1"), "--set qqq: expected the name of a setting, one of features, standardise"),
        (("--set", "hidden=-1"), "--set hidden: expected an integer"),
        (("--set", "hidden=many"), ", got 'many'"),
        (("--set", "convolution=gat"), "--set convolution: expected one of gcn, sage, gin, got 'gat'"),
        (("--set", "mlp=64,x"), "--set mlp: expected a list of integers"),
        (("--set", "learning_rate=nan"), "--set learning_rate: expected a number above 0, got 'nan'"),
        (("--set", "normalise=maybe"), "--set normalise: expected true or false, got 'maybe'"),
        (("--set", "hidden=1", "--set", "hidden=2"), "--set: expected hidden once, got '1' and '2'"),
        (("--set", "epochs=3", "--epochs", "4"), "--set epochs=3 and --epochs 4 contradict each other"),
        (("--set", "batch_size=3", "--batch-size", "4"), "--batch-size 4 contradict each other"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_one_line(
    folder: Path, refused: Callable[..., str], words: tuple[str, ...], message: str
) -> None:
    refusal = refused("train", "RINGS", *words)
    assert refusal.startswith("cliquepool: error: --set")
    assert message in refusal
    assert not (folder / "results").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("train", "--set", "momentun=0.5"), "did you mean momentum?"),
        (("train", "--set", "momentum=2"), "--set momentum: expected a number above 0 and below 1, got '2'"),
        (("train", "--set", "width=wide"), "expected a factor such as 1/8 or 0.5, got 'wide'"),
        (("train", "--set", "arch=vgg", "--arch", "vgg-clique"), "contradict each other"),
        (("train", "--set", "learning_rate=1", "--lr", "0.1"), "--lr 0.1 contradict each other"),
        (("compare", "--set", "arch=vgg"), "--set arch: expected another setting, as both networks are"),
    ],
)
def test_settings_of_images_that_make_no_sense_are_refused_in_one_line(
    refused: Callable[..., str], words: tuple[str, ...], message: str
) -> None:
    assert message in refused("images", *words, "--data", "bars.safetensors")


def test_an_option_and_the_same_setting_agree(succeeded: Callable[..., str]) -> None:
    told = json.loads(succeeded(*SMALL, "--json", "--set", "epochs=1", "--epochs", 1))
    assert told["settings"]["epochs"] == 1


@pytest.mark.parametrize(
    ("command", "cls"),
    [
        (("train",), ClassifierSettings),
        (("images", "train"), ImageSettings),
        (("images", "compare"), ImageSettings),
    ],
)
def test_all_settings_are_listed_with_their_defaults(
    succeeded: Callable[..., str],
    command: tuple[str, ...],
    cls: type[ClassifierSettings | ImageSettings],
) -> None:
    listed = {line.split()[0]: line for line in succeeded(*command, "--settings").splitlines() if line}
    assert set(cls.model_fields) <= set(listed)
    assert "0.05" in listed["learning_rate"] or "0.001" in listed["learning_rate"]
    for name, field in cls.model_fields.items():
        assert str(field.description).split("\n")[0] in listed[name]


def test_all_settings_are_completed() -> None:
    assert complete_setting("") == [f"{name}=" for name in ClassifierSettings.model_fields]
    assert complete_image_setting("") == [f"{name}=" for name in ImageSettings.model_fields]
