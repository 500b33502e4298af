"""The image networks as estimators: the trainings of `train_images`, with X and y."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import cliquepool as cp
from cliquepool.data.selection import Selection
from cliquepool.models import VGGClassifier
from cliquepool.nn import FittedImageNetwork, ImageSettings, train_images
from cliquepool.training.compute import Compute
from tests.helpers.small_images import bars

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.training.report import EpochReport

DATA = bars()
NAMES = DATA.classes[DATA.targets]
SETTINGS = ImageSettings(arch="vgg", width=1 / 64, epochs=2, batch_size=16)


def model(**others: Any) -> VGGClassifier:
    return VGGClassifier.from_settings(SETTINGS, **({"device": "cpu", "threads": 1} | others))


@functools.cache
def fitted() -> VGGClassifier:
    return model().fit(DATA)


def bits(estimator: VGGClassifier) -> dict[str, bytes]:
    weights = estimator.network_.network.state_dict()
    return {name: value.contiguous().numpy().tobytes() for name, value in weights.items()}


def test_every_setting_is_a_parameter_with_its_default() -> None:
    defaults = VGGClassifier().get_params()
    assert ImageSettings().model_dump().items() <= defaults.items()
    assert VGGClassifier().settings == ImageSettings()
    assert VGGClassifier.from_settings(SETTINGS).settings == SETTINGS
    with pytest.raises(ValueError, match="epochs: expected an integer above 0, got 0"):
        model(epochs=0).fit(DATA)


def test_it_trains_as_train_images_does() -> None:
    trained = train_images(
        DATA, np.arange(60), settings=SETTINGS, seed=0, compute=Compute.choose("cpu"), threads=1
    )
    estimator = fitted()
    for name, weight in trained.network.network.state_dict().items():
        assert bits(estimator)[name] == weight.contiguous().numpy().tobytes()
    assert estimator.curves_["loss"] == trained.curves["loss"]
    assert (estimator.best_epoch_, estimator.seed_) == (2, 0)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (DATA, NAMES),
        (Selection(DATA, np.arange(60)), None),
        (DATA.images, NAMES),
        (DATA.images, DATA.targets),
    ],
    ids=["data set", "selection", "array", "numbers"],
)
def test_every_way_to_give_the_same_images_gives_the_same_weights(X: Any, y: Any) -> None:
    estimator = model().fit(X, y)
    predicted = estimator.predict(X)
    assert predicted.shape == (60,)
    assert set(predicted.tolist()) <= set((NAMES if y is None else y).tolist())
    if y is DATA.targets:  # classes of arrays are sorted, so those of text have other numbers
        assert bits(estimator) == bits(fitted())
    elif X is not DATA.images:
        assert bits(estimator) == bits(fitted())
        assert estimator.predict(DATA.images).tolist() == fitted().predict(DATA).tolist()


def test_validation_images_have_curves_and_change_nothing() -> None:
    train, held_out = Selection(DATA, np.arange(40)), Selection(DATA, np.arange(40, 60))
    alone = model().fit(train, NAMES[:40])
    watched = model().fit(train, NAMES[:40], validation=(held_out, NAMES[40:]))
    assert bits(alone) == bits(watched)
    assert set(watched.curves_) - set(alone.curves_) == {"validation_loss", "validation_accuracy"}
    assert watched.score(held_out, NAMES[40:]) == watched.curves_["validation_accuracy"][-1]
    copied = model().fit(DATA.images[:40], NAMES[:40], validation=(DATA.images[40:], NAMES[40:]))
    assert len(copied.curves_["validation_accuracy"]) == 2


def test_a_fit_is_resumed_from_its_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / "c.safetensors"
    model().fit(DATA, checkpoint=file)
    seen: list[EpochReport] = []
    assert bits(model().fit(DATA, checkpoint=file, on_epoch=seen.append)) == bits(fitted())
    assert seen == []
    with pytest.raises(cp.InputError, match="expected a checkpoint of this training"):
        model(random_state=1).fit(DATA, checkpoint=file)


def test_probabilities_are_of_all_classes() -> None:
    estimator = fitted()
    probabilities = estimator.predict_proba(DATA.images)
    assert probabilities.shape == (60, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    chosen = estimator.classes_[probabilities.argmax(axis=1)]
    assert chosen.tolist() == estimator.predict(DATA.images).tolist()


def test_tools_of_scikit_learn_take_it() -> None:
    estimator = model(epochs=1)
    assert clone(estimator).get_params() == estimator.get_params()
    assert cross_val_score(estimator, DATA.images, DATA.targets, cv=2).shape == (2,)


def test_a_saved_one_is_read_with_its_settings_and_by_both_classes(tmp_path: Path) -> None:
    file = tmp_path / "n.safetensors"
    fitted().save(file)
    read = VGGClassifier.load(file, device="cpu", threads=1)
    assert read.get_params() == fitted().get_params()
    assert read.predict(DATA.images).tolist() == fitted().predict(DATA.images).tolist()
    network = FittedImageNetwork.load(file, Compute.choose("cpu"))
    assert network.predict(DATA.images).tolist() == fitted().predict(DATA.images).tolist()
    other = tmp_path / "o.safetensors"
    network.save(other)
    assert other.read_bytes() == file.read_bytes()
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(cp.InputError, match="expected a image network of cliquepool"):
        VGGClassifier.load(file, device="cpu")


def test_what_is_not_fitted_says_so(tmp_path: Path) -> None:
    for call in (lambda: model().predict(DATA), lambda: model().save(tmp_path / "n")):
        with pytest.raises(NotFittedError, match="expected a fitted classifier of images"):
            call()


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (DATA.images, None, "y: expected a class for each image, got none"),
        (DATA.images, NAMES[:3], "y: expected one class for each of 60 images, got shape"),
        (DATA.images, np.zeros(60), "expected images of at least two classes, got 1 class"),
        (DATA.images / 255, NAMES, "images: expected uint8 in 4 dimensions, got float64"),
        (DATA.images[:, :, 1:], NAMES, "images: expected one or more, of shape"),
    ],
    ids=["no y", "few", "one class", "floats", "sides"],
)
def test_wrong_images_and_classes_are_refused(X: Any, y: Any, message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        model().fit(X, y)


def test_verbose_prints_epochs_with_and_without_validation(capsys: pytest.CaptureFixture[str]) -> None:
    model(verbose=2, epochs=1).fit(DATA)
    assert capsys.readouterr().out.startswith("epoch 1/1: loss ")
    model(verbose=2, epochs=1).fit(DATA, validation=(DATA, None))
    assert "validation score" in capsys.readouterr().out


def test_records_have_the_names_and_settings_of_before() -> None:
    expected = SETTINGS.model_dump(mode="json") | {"arithmetic": "cpu, float32, channels last"}
    assert model().describe() == ("VGG", expected)
    assert model(arch="vgg-clique").describe()[0] == "VGG, clique pools"
