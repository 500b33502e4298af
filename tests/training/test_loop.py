"""The training loop, with a learner of one weight: epochs, the one to keep, reports, checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import cliquepool as cp
from cliquepool.training.loop import BestEpoch, Learner, Training, run_training, using_threads
from tests.helpers.small_training import Stopped, best_by_hand, stopping_after

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cliquepool.training.report import EpochReport

CPU = torch.device("cpu")


class Walk(Learner[nn.Linear]):
    """Adds a random number to a weight in every epoch; scores are given beforehand."""

    def __init__(self, scores: Sequence[float], **attributes: Any) -> None:
        torch.manual_seed(1)
        self.scores = scores
        self.network = self.fitted = nn.Linear(1, 1)
        self.optimiser = torch.optim.SGD(self.network.parameters(), lr=0.1, momentum=0.5)
        self.identity = f"a walk of {len(scores)} steps"
        self.epochs = len(scores)
        self.device = CPU
        self.keep_last = False
        self.seen = 0
        for name, value in attributes.items():
            setattr(self, name, value)

    def run_epoch(self, epoch: int) -> dict[str, float]:
        self.seen += 1
        self.optimiser.zero_grad()
        (self.network(torch.rand(3, 1)).sum()).backward()
        self.optimiser.step()
        loss = float(self.network.weight.detach())
        return {"loss": loss, "validation_loss": 0.5, "validation_accuracy": self.scores[epoch]}

    def extra_state(self) -> dict[str, Any]:
        return {"seen": self.seen}

    def restore_extra_state(self, described: dict[str, Any]) -> None:
        self.seen = described["seen"]


def walk(
    scores: Sequence[float], how: dict[str, Any] | None = None, **attributes: Any
) -> Training[nn.Linear]:
    return run_training(lambda: Walk(scores, **attributes), device=CPU, threads=1, **(how or {}))


def weight(training: Training[nn.Linear]) -> float:
    return float(training.network.weight.detach())


def test_the_weights_of_the_best_epoch_are_kept_or_those_of_the_last() -> None:
    best, last = walk([0.1, 0.9, 0.9, 0.2]), walk([0.1, 0.9, 0.9, 0.2], keep_last=True)
    assert (best.best_epoch, last.best_epoch) == (2, 4)
    assert (weight(best), weight(last)) == (best.curves["loss"][1], best.curves["loss"][3])
    assert not best.network.training


def test_training_ends_when_patience_has_run_out() -> None:
    assert len(walk([0.1, 0.9, 0.3, 0.4, 0.95], patience=2).curves["loss"]) == 4
    assert len(walk([0.1, 0.9, 0.3, 0.95, 0.1], patience=2).curves["loss"]) == 5


def test_reports_have_the_values_of_their_epoch() -> None:
    seen: list[EpochReport] = []
    result = walk([0.25, 0.5], {"on_epoch": seen.append})
    assert [(report.epoch, report.epochs) for report in seen] == [(1, 2), (2, 2)]
    assert [report.loss for report in seen] == result.curves["loss"]
    assert [report.validation_accuracy for report in seen] == [0.25, 0.5]
    assert {report.validation_loss for report in seen} == {0.5}
    assert {report.accuracy for report in seen} == {None}
    assert result.seconds == seen[-1].seconds


@pytest.mark.usefixtures("every_epoch_is_kept")
def test_a_resumed_training_ends_with_the_same_bits_and_has_its_own_state_back(tmp_path: Path) -> None:
    scores, file = [0.1, 0.9, 0.3, 0.4], tmp_path / "c"
    unbroken = walk(scores)
    for stop in (1, 3):
        with pytest.raises(Stopped):
            walk(scores, {"checkpoint": file, "on_epoch": stopping_after(stop)})
    learners: list[Walk] = []

    def build() -> Walk:
        learners.append(Walk(scores))
        return learners[-1]

    resumed = run_training(build, device=CPU, threads=1, checkpoint=file)
    assert (resumed.resumed_from, learners[0].seen) == (3, 4)
    assert (weight(resumed), resumed.curves) == (weight(unbroken), unbroken.curves)


def test_a_curve_that_has_to_be_finite_ends_the_training() -> None:
    with pytest.raises(
        cp.InputError, match="expected a finite validation accuracy, got nan in epoch 2: take"
    ):
        walk([0.5, float("nan")], finite_curves=("loss", "validation_accuracy"))
    assert len(walk([0.5, float("nan")]).curves["loss"]) == 2


def test_random_numbers_and_threads_are_restored_also_after_an_error() -> None:
    torch.manual_seed(3)
    random, threads = torch.get_rng_state(), torch.get_num_threads()
    with pytest.raises(Stopped):
        run_training(lambda: Walk([0.5]), device=CPU, threads=threads + 1, on_epoch=stopping_after(1))
    assert torch.equal(torch.get_rng_state(), random)
    assert torch.get_num_threads() == threads


def test_threads_are_those_requested() -> None:
    before = torch.get_num_threads()
    with using_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before


@given(st.lists(st.tuples(st.sampled_from([0.5, 0.75, 1.0]), st.sampled_from([0.1, 0.2])), min_size=1))
def test_the_best_epoch_is_the_most_accurate_then_of_lowest_loss_then_the_earliest(
    judged: list[tuple[float, float]],
) -> None:
    best, network = BestEpoch(), nn.Linear(1, 1)
    for epoch, (value, loss) in enumerate(judged, 1):
        best.update(epoch, value, loss, network)
    values, losses = zip(*judged, strict=True)
    assert best.epoch == best_by_hand({"validation_accuracy": [*values], "validation_loss": [*losses]})
