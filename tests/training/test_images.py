"""Training on images: the same seed gives the same bits, broken off or not, however it computes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

import cliquepool as cp
from cliquepool.nn.image_settings import ImageSettings
from cliquepool.training import images as module
from cliquepool.training.augmentation import Normalisation
from cliquepool.training.compute import Compute
from cliquepool.training.image_network import FittedImageNetwork
from tests.helpers.small_image_training import (
    DATA,
    KINDS,
    SMALL,
    TEST,
    TRAIN,
    every_kind,
    run,
    unbroken,
)
from tests.helpers.small_images import bars, colours
from tests.helpers.small_training import Stopped, stopping_after

if TYPE_CHECKING:
    from cliquepool.training.loop import Training
    from cliquepool.training.report import EpochReport

needs_card = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a graphics card")


def bits(training: Training[FittedImageNetwork]) -> dict[str, bytes]:
    """All that a training gives, but for the time it took."""
    weights = training.network.network.state_dict()
    found = {name: value.contiguous().numpy().tobytes() for name, value in weights.items()}
    curves = {name: curve for name, curve in training.curves.items() if not name.endswith("seconds")}
    return found | {name: np.array(curve).tobytes() for name, curve in curves.items()}


def weights(training: Training[FittedImageNetwork]) -> torch.Tensor:
    return torch.cat([value.flatten().double() for value in training.network.network.state_dict().values()])


# ---- the same bits ----


@every_kind
def test_the_same_seed_gives_the_same_bits_and_another_does_not(settings: ImageSettings) -> None:
    first = bits(unbroken(settings))
    torch.rand(17)
    assert bits(run(settings)) == first
    other = bits(run(settings, seed=4))
    assert all(other[name] != value for name, value in first.items() if name.endswith("0.weight"))
    assert other["loss"] != first["loss"]


def test_the_random_numbers_of_others_are_left_as_they_were() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    run()
    with pytest.raises(Stopped):
        run(on_epoch=stopping_after(1))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.usefixtures("every_epoch_is_kept")
@every_kind
@pytest.mark.parametrize("stops", [(2,), (1, 2, 3, 4)], ids=str)
def test_a_training_broken_off_and_resumed_ends_with_the_same_bits(
    tmp_path: Path, settings: ImageSettings, stops: tuple[int, ...]
) -> None:
    file = tmp_path / "run.safetensors"
    for stop in stops:
        with pytest.raises(Stopped):
            run(settings, checkpoint=file, on_epoch=stopping_after(stop))
    resumed = run(settings, checkpoint=file)
    assert resumed.resumed_from == stops[-1]
    assert bits(resumed) == bits(unbroken(settings))


def test_a_finished_training_is_only_read(tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    first = run(checkpoint=file)
    seen: list[EpochReport] = []
    again = run(checkpoint=file, on_epoch=seen.append)
    assert seen == []
    assert (again.curves, again.seconds) == (first.curves, first.seconds)
    assert bits(again) == bits(first)


ENDLESS = """
import sys
from pathlib import Path
from cliquepool.training import loop
from tests.helpers.small_image_training import KINDS, run
loop._SECONDS_BETWEEN_CHECKPOINTS = -1.0
def tell(report):
    print(report.epoch, flush=True)
    while report.epoch == 2:
        pass
run(KINDS["vgg-clique"], checkpoint=Path(sys.argv[1]), on_epoch=tell)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_training_that_was_killed_is_resumed_to_the_same_bits(tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(file)],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line == "2\n":
                process.kill()
    assert process.returncode == -signal.SIGKILL
    resumed = run(KINDS["vgg-clique"], checkpoint=file)
    assert resumed.resumed_from == 2
    assert bits(resumed) == bits(unbroken(KINDS["vgg-clique"]))


# ---- what is refused ----


@pytest.mark.parametrize(
    "other",
    [
        {"settings": KINDS["vgg-clique"]},
        {"settings": SMALL.model_copy(update={"epochs": 5})},
        {"seed": 1},
        {"train": TRAIN[1:]},
        {"validation": TEST[1:]},
        {"dataset": bars(seed=1)},
        {"compute": Compute.choose("cpu", channels_last=False)},
    ],
    ids=["arch", "epochs", "seed", "train", "validation", "data", "compute"],
)
def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    file = tmp_path / "run.safetensors"
    run(SMALL.model_copy(update={"epochs": 1}), checkpoint=file)
    before = file.read_bytes()
    with pytest.raises(cp.InputError, match=r"run\.safetensors: expected a checkpoint of this training"):
        run(**({"settings": SMALL.model_copy(update={"epochs": 1})} | other), checkpoint=file)
    assert file.read_bytes() == before


def test_a_training_without_images_is_refused() -> None:
    with pytest.raises(cp.InputError, match="expected images to train on, got none"):
        run(train=[])


def test_a_loss_that_grows_without_bound_ends_the_training() -> None:
    with pytest.raises(cp.InputError, match=r"expected a finite loss, got .* in epoch \d: take a lower"):
        run(SMALL.model_copy(update={"learning_rate": 1e30}))


# ---- what it gives ----


@pytest.mark.parametrize(("arch", "width"), [("vgg", 1 / 8), ("vgg-clique", 1 / 12)])
def test_a_training_learns(arch: Any, width: float) -> None:
    """Easy on purpose: every one of many seeds gets all images right, under every numerics.

    All images are in every mini-batch, and there are steps enough for the running statistics of batch norm
    to settle: they, and not what was learnt, decide what a short training of few images gives.
    """
    data = colours()
    train, test = np.flatnonzero(~data.is_test), np.flatnonzero(data.is_test)
    settings = ImageSettings(
        arch=arch, width=width, epochs=60, batch_size=len(train), learning_rate=0.02, crop=0
    )
    learnt = run(settings, dataset=data, train=train, validation=test)
    assert learnt.curves["validation_loss"][-1] < 0.5 * np.log(3)
    assert learnt.network.accuracy(data, test) > 0.7


def test_every_epoch_is_reported_as_it_is_kept_and_the_last_one_stays() -> None:
    seen: list[EpochReport] = []
    result = run(on_epoch=seen.append)
    assert [report.epoch for report in seen] == [1, 2, 3, 4]
    assert {report.epochs for report in seen} == {4}
    for name in ("loss", "accuracy", "validation_accuracy"):
        assert [getattr(report, name) for report in seen] == result.curves[name]
    assert {len(curve) for curve in result.curves.values()} == {4}
    assert result.network.accuracy(DATA, TEST) == result.curves["validation_accuracy"][-1]
    assert not result.network.network.training


def test_images_are_watched_only_where_there_are_some_and_change_nothing() -> None:
    alone, watched = run(validation=()), unbroken()
    assert set(watched.curves) - set(alone.curves) == {"validation_loss", "validation_accuracy"}
    assert torch.equal(weights(alone), weights(watched))


def test_images_are_mirrored_only_where_they_stay_of_their_class() -> None:
    straight = SMALL.model_copy(update={"mirror": False})
    assert not torch.equal(weights(unbroken()), weights(run(straight)))
    data = bars(mirrored=False)
    assert torch.equal(weights(run(dataset=data)), weights(run(straight, dataset=data)))


def test_brightness_is_normalised_by_the_training_part_alone() -> None:
    chosen = TRAIN[:20]
    fitted = run(train=chosen).network
    assert fitted.normalisation == Normalisation.of(DATA.images[chosen])


# ---- how it computes ----


@pytest.mark.usefixtures("every_epoch_is_kept")
@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_mixed_precision_trains_and_is_resumed_to_the_same_bits(tmp_path: Path, precision: Any) -> None:
    mixed = Compute("cpu", precision)
    whole = run(compute=mixed)
    assert np.isfinite(whole.curves["loss"]).all()
    assert torch.isfinite(weights(whole)).all()
    assert not torch.equal(weights(whole), weights(unbroken()))
    file = tmp_path / "run.safetensors"
    with pytest.raises(Stopped):
        run(compute=mixed, checkpoint=file, on_epoch=stopping_after(2))
    assert bits(run(compute=mixed, checkpoint=file)) == bits(whole)


@every_kind
@pytest.mark.parametrize("channels_last", [True, False])
def test_a_compiled_network_trains_to_the_weights_of_one_that_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: ImageSettings, channels_last: bool
) -> None:
    # Traced by torch.compile, but run as it is: compilers round otherwise, and take their time.
    monkeypatch.setattr(module, "_COMPILER", "eager")
    short = settings.model_copy(update={"epochs": 1})
    compiled = run(short, compute=Compute.choose("cpu", compiled=True, channels_last=channels_last))
    plain = run(short, compute=Compute.choose("cpu", channels_last=channels_last))
    assert bits(compiled) == bits(plain)
    compiled.network.save(tmp_path / "network.safetensors")
    read = FittedImageNetwork.load(tmp_path / "network.safetensors", plain.network.compute)
    assert torch.equal(read.scores(DATA.images), plain.network.scores(DATA.images))


@needs_card
@every_kind
def test_a_card_trains_as_a_processor_does_up_to_rounding(settings: ImageSettings) -> None:
    short = settings.model_copy(update={"epochs": 1})
    there = run(short, compute=Compute.choose("cuda", mixed=False, compiled=False))
    assert there.curves["loss"] == pytest.approx(run(short).curves["loss"], rel=0.05)
    fast = run(settings, compute=Compute.choose("cuda"))
    assert np.isfinite(fast.curves["loss"]).all()
