"""Trained image networks: scores, predictions and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import cliquepool as cp
from cliquepool.training.compute import Compute
from cliquepool.training.image_network import FittedImageNetwork
from tests.helpers.small_image_training import DATA, PLAIN, SMALL, every_kind, run, unbroken

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.nn.image_settings import ImageSettings


def test_scores_do_not_depend_on_other_samples() -> None:
    fitted = unbroken().network
    scores = fitted.scores(DATA.images)
    assert scores.shape == (60, 3)
    assert torch.allclose(fitted.scores(DATA.images[5:7]), scores[5:7], atol=1e-5)
    assert fitted.scores(DATA.images[:0]).shape == (0, 3)
    right = (scores.argmax(dim=1).numpy() == DATA.targets).mean()
    assert fitted.accuracy(DATA, np.arange(60)) == right
    assert fitted.predict(DATA.images).tolist() == DATA.classes[scores.argmax(dim=1)].tolist()


@every_kind
def test_a_saved_network_is_the_same_when_it_is_read(tmp_path: Path, settings: ImageSettings) -> None:
    fitted = unbroken(settings).network
    fitted.save(tmp_path / "network.safetensors")
    read = FittedImageNetwork.load(tmp_path / "network.safetensors", PLAIN)
    assert (read.settings, read.normalisation) == (fitted.settings, fitted.normalisation)
    assert torch.equal(read.scores(DATA.images), fitted.scores(DATA.images))
    assert read.predict(DATA.images).tolist() == fitted.predict(DATA.images).tolist()


def test_another_file_is_not_mistaken_for_a_network(tmp_path: Path) -> None:
    file = tmp_path / "network.safetensors"
    run(SMALL.model_copy(update={"epochs": 1}), checkpoint=file)
    with pytest.raises(cp.InputError, match="expected a image network of cliquepool"):
        FittedImageNetwork.load(file)
    unbroken().network.save(file)
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(cp.InputError, match="expected a image network of cliquepool"):
        FittedImageNetwork.load(file)


@every_kind
@pytest.mark.parametrize(
    ("compute", "rounding"),
    [(Compute.choose("cpu", channels_last=False), 1e-4), (Compute.choose("cpu", mixed=True), 0.2)],
    ids=str,
)
def test_the_scores_of_a_network_differ_by_rounding_alone(
    tmp_path: Path, settings: ImageSettings, compute: Compute, rounding: float
) -> None:
    fitted = unbroken(settings).network
    fitted.save(tmp_path / "network.safetensors")
    other = FittedImageNetwork.load(tmp_path / "network.safetensors", compute)
    expected = fitted.scores(DATA.images)
    difference = (other.scores(DATA.images) - expected).abs().max()
    assert difference < rounding * expected.abs().max()


def test_the_name_of_before_keeps_working(tmp_path: Path) -> None:
    file = tmp_path / "network.safetensors"
    unbroken().network.save(file)
    read = FittedImageNetwork.load(file, arithmetic=PLAIN)
    assert read.arithmetic is read.compute is PLAIN
