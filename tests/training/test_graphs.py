"""Training: the same seed gives the same bits, broken off or not; foreign checkpoints are refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import cliquepool as cp
from cliquepool.training.graphs import EpochReport, FittedNetwork, Training, accuracy, train
from tests.helpers.small_training import (
    DATA,
    SMALL,
    TRAIN,
    VALIDATION,
    Stopped,
    best_by_hand,
    rings_and_chains,
    run,
    stopping_after,
)

if TYPE_CHECKING:
    from cliquepool.nn import ClassifierSettings


def bits(training: Training[FittedNetwork]) -> dict[str, bytes]:
    """All that a training gives, but for the time it took."""
    weights = training.network.network.state_dict()
    found = {name: value.numpy().tobytes() for name, value in weights.items()}
    found |= {name: np.array(curve).tobytes() for name, curve in training.curves.items()}
    return found | {"best epoch": str(training.best_epoch).encode()}


# ---- the same bits ----

KINDS = {
    "gcn": SMALL,
    "sage": SMALL.model_copy(update={"convolution": "sage"}),
    "dropout": SMALL.model_copy(update={"dropout": 0.4}),
    "max": SMALL.model_copy(update={"reduce": "max", "normalise": False, "composition": False}),
    "gin": SMALL.model_copy(update={"convolution": "gin", "reduce": "attention", "batch_norm": True}),
    "average": SMALL.model_copy(update={"convolution": "gin", "batch_norm": True, "averaging": 0.95}),
}
every_kind = pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)


@every_kind
def test_the_same_seed_gives_the_same_bits_and_another_does_not(settings: ClassifierSettings) -> None:
    first = bits(run(3, settings))
    assert bits(run(3, settings)) == first
    other = bits(run(4, settings))
    assert all(other[name] != value for name, value in first.items() if name.endswith("weight"))
    assert other["loss"] != first["loss"]


def test_what_else_draws_random_numbers_does_not_matter() -> None:
    torch.manual_seed(1)
    first = bits(run(settings=KINDS["dropout"]))
    torch.rand(17)
    np.random.default_rng().random(5)
    assert bits(run(settings=KINDS["dropout"])) == first


@every_kind
def test_the_random_numbers_of_others_are_left_as_they_were(settings: ClassifierSettings) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    run(settings=settings)
    assert torch.equal(torch.get_rng_state(), before)
    with pytest.raises(Stopped):
        run(settings=settings, on_epoch=stopping_after(1))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.usefixtures("every_epoch_is_kept")
@every_kind
@pytest.mark.parametrize("stops", [(1,), (2, 4), (1, 2, 3, 4, 5, 6)], ids=str)
def test_a_training_broken_off_and_resumed_ends_with_the_same_bits(
    tmp_path: Path, settings: ClassifierSettings, stops: tuple[int, ...]
) -> None:
    unbroken = bits(run(settings=settings))
    file = tmp_path / "run.safetensors"
    for stop in stops:
        with pytest.raises(Stopped):
            run(settings=settings, checkpoint=file, on_epoch=stopping_after(stop))
    resumed = run(settings=settings, checkpoint=file)
    assert resumed.resumed_from == stops[-1]
    assert bits(resumed) == unbroken


@pytest.mark.usefixtures("every_epoch_is_kept")
def test_a_checkpoint_does_not_change_a_training(tmp_path: Path) -> None:
    assert bits(run(checkpoint=tmp_path / "deep" / "run.safetensors")) == bits(run())
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["run.safetensors"]


def test_a_finished_training_is_only_read(tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    first = run(checkpoint=file)
    seen: list[EpochReport] = []
    again = run(checkpoint=file, on_epoch=seen.append)
    assert seen == []
    assert again.resumed_from == SMALL.epochs
    assert again.seconds == first.seconds
    assert bits(again) == bits(first)


ENDLESS = """
import sys
from pathlib import Path
from cliquepool.training import loop
from tests.helpers.small_training import run
from tests.training.test_graphs import KINDS
loop._SECONDS_BETWEEN_CHECKPOINTS = -1.0
def tell(report):
    print(report.epoch, flush=True)
    while report.epoch == 3:
        pass
run(settings=KINDS["dropout"], checkpoint=Path(sys.argv[1]), on_epoch=tell)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_training_that_was_killed_is_resumed_to_the_same_bits(tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    threads = {"OMP_NUM_THREADS": str(torch.get_num_threads())}
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(file)],
        cwd=Path(__file__).parents[2],
        env=os.environ | threads,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line == "3\n":
                process.kill()
    assert process.returncode == -signal.SIGKILL
    resumed = run(settings=KINDS["dropout"], checkpoint=file)
    assert resumed.resumed_from == 3
    assert bits(resumed) == bits(run(settings=KINDS["dropout"]))


# ---- what is refused ----


def test_data_pooled_too_few_times_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a data set pooled 2 times, got one pooled 1"):
        train(rings_and_chains(1), TRAIN, VALIDATION, SMALL, seed=0)


# ---- what it gives ----


def test_a_training_learns() -> None:
    """Easy on purpose: the labels of the nodes tell the class, and every one of many seeds learns that."""
    data = rings_and_chains(labels_tell=True)
    settings = SMALL.model_copy(update={"epochs": 40})
    learnt = train(data, TRAIN, VALIDATION, settings, seed=0)
    assert learnt.curves["loss"][-1] < 0.7 * learnt.curves["loss"][0]
    assert accuracy(learnt.network, data, VALIDATION) > 0.8


def test_every_epoch_is_reported_as_it_is_kept() -> None:
    seen: list[EpochReport] = []
    result = run(on_epoch=seen.append)
    assert [report.epoch for report in seen] == [1, 2, 3, 4, 5, 6]
    assert {report.epochs for report in seen} == {6}
    for name in ("loss", "validation_loss", "validation_accuracy"):
        assert [getattr(report, name) for report in seen] == result.curves[name]
    assert all(a.seconds < b.seconds for a, b in pairwise(seen))
    assert result.seconds == seen[-1].seconds


@pytest.mark.parametrize("seed", range(4))
def test_the_network_is_the_one_of_the_best_epoch(seed: int) -> None:
    result = run(seed, KINDS["dropout"])
    assert result.best_epoch == best_by_hand(result.curves)
    best = result.curves["validation_accuracy"][result.best_epoch - 1]
    assert accuracy(result.network, DATA, VALIDATION) == best
    assert not result.network.network.training
    short = run(seed, KINDS["dropout"].model_copy(update={"epochs": result.best_epoch}))
    assert bits(short)["head.1.weight"] == bits(result)["head.1.weight"]


PATIENT = KINDS["dropout"].model_copy(update={"epochs": 60, "patience": 3})


def test_patience_ends_a_training_as_many_epochs_after_the_best() -> None:
    stopped = run(settings=PATIENT)
    epochs = len(stopped.curves["loss"])
    assert epochs == stopped.best_epoch + 3 < 60
    unhurried = run(settings=PATIENT.model_copy(update={"patience": None, "epochs": epochs}))
    assert bits(unhurried) == bits(stopped)
    assert run(settings=PATIENT, keep_last=True).best_epoch == 60  # nothing tells when to stop


@pytest.mark.parametrize("by", ["score", "loss", "brier"])
def test_the_setting_says_what_chooses_the_epoch(by: str) -> None:
    result = run(settings=KINDS["dropout"].model_copy(update={"epoch_by": by}))
    curves = result.curves
    assert ("validation_brier" in curves) == (by == "brier")
    worst_first = {
        "score": list(zip(curves["validation_accuracy"], -np.array(curves["validation_loss"]), strict=True)),
        "loss": [-loss for loss in curves["validation_loss"]],
        "brier": [-brier for brier in curves.get("validation_brier", [])],
    }[by]
    assert result.best_epoch == 1 + worst_first.index(max(worst_first))


@pytest.mark.usefixtures("every_epoch_is_kept")
def test_a_patient_training_broken_off_and_resumed_ends_with_the_same_bits(tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    unbroken = run(settings=PATIENT)
    last = len(unbroken.curves["loss"])
    for stop in (1, last - 1, last):
        with pytest.raises(Stopped):
            run(settings=PATIENT, checkpoint=file, on_epoch=stopping_after(stop))
    seen: list[EpochReport] = []
    assert bits(run(settings=PATIENT, checkpoint=file, on_epoch=seen.append)) == bits(unbroken)
    assert seen == []


def test_weights_count_in_the_loss_and_in_the_score() -> None:
    weights = np.ones(24)
    weights[VALIDATION[0]] = 1e9
    alone = train(DATA, TRAIN, VALIDATION[:1], SMALL, seed=0, weights=np.ones(24))
    heavy = train(DATA, TRAIN, VALIDATION, SMALL, seed=0, weights=weights)
    np.testing.assert_allclose(heavy.curves["loss"], alone.curves["loss"], rtol=1e-6)
    np.testing.assert_allclose(heavy.curves["validation_loss"], alone.curves["validation_loss"], rtol=1e-4)
    np.testing.assert_allclose(
        heavy.curves["validation_accuracy"], alone.curves["validation_accuracy"], atol=1e-6
    )


def test_a_loss_that_is_not_finite_ends_training_with_a_hint() -> None:
    wild = SMALL.model_copy(update={"learning_rate": 1e30, "normalise": False})
    with pytest.raises(cp.InputError, match=r"expected a finite .*loss, got (inf|nan).*lower learning rate"):
        run(settings=wild)


def test_a_loss_that_is_not_finite_with_both_norms_names_them() -> None:
    wild = SMALL.model_copy(update={"learning_rate": 1e38, "batch_norm": True, "convolution": "sage"})
    with pytest.raises(cp.InputError, match=r"lower learning rate, or normalise=False: .* rounding errors"):
        run(settings=wild)


def test_scores_are_those_of_the_graphs_requested() -> None:
    network = run().network
    everything = network.scores(DATA)
    assert everything.shape == (24, 2)
    assert not everything.requires_grad
    assert torch.allclose(network.scores(DATA, [5, 2, 5]), everything[[5, 2, 5]], atol=1e-6)
    right = (everything.argmax(dim=1).numpy() == DATA.dataset.targets).mean()
    assert accuracy(network, DATA, np.arange(24)) == right


def test_attributes_are_standardised_by_the_training_part_alone() -> None:
    encoder = run().network.encoder
    dataset = DATA.dataset
    assert dataset.node_attributes is not None
    seen = dataset.node_attributes[: dataset.node_start[len(TRAIN)]]
    assert encoder.shift is not None
    np.testing.assert_allclose(encoder.shift, seen.mean(axis=0, dtype=np.float64), rtol=1e-6)


def test_random_numbers_that_a_callback_draws_do_not_change_the_weights() -> None:
    def draw(_: EpochReport) -> None:
        torch.rand(3)

    assert bits(run(on_epoch=draw)) == bits(run())
