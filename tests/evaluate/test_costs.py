"""The cost of a fit: time of an epoch, memory, parameters."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cliquepool.evaluate import EpochReport, evaluate
from cliquepool.evaluate.costs import CostMeter
from cliquepool.models import CliquePoolClassifier
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path


def report(epoch: int, seconds: float) -> EpochReport:
    return EpochReport(epoch, 4, 1.0, seconds=seconds)


def test_the_median_time_of_an_epoch_is_that_between_reports() -> None:
    passed: list[EpochReport] = []
    meter = CostMeter(passed.append)
    for epoch, seconds in enumerate([10.0, 11.0, 14.0, 16.0], start=1):
        meter.on_epoch(report(epoch, seconds))
    assert meter.cost(SimpleNamespace()).epoch_seconds == 2.0
    assert len(passed) == 4


def test_curves_of_seconds_come_first() -> None:
    meter = CostMeter(lambda _: None)
    model = SimpleNamespace(curves_={"seconds": [1.0, 5.0, 3.0]})
    assert meter.cost(model).epoch_seconds == 3.0


def test_without_epochs_there_is_no_time_of_one() -> None:
    meter = CostMeter(lambda _: None)
    assert meter.cost(SimpleNamespace()).epoch_seconds is None
    meter.on_epoch(report(1, 3.0))  # it may have begun before a checkpoint
    assert meter.cost(SimpleNamespace()).epoch_seconds is None


def test_the_peak_is_of_the_fit_alone() -> None:
    _ = np.ones(64 * 2**20, np.uint8)
    del _
    peaks = []
    for size in (1, 256 * 2**20):
        meter = CostMeter(lambda _: None)
        with meter.measuring():
            block = np.ones(size, np.uint8)
            time.sleep(0)
            del block
        cost = meter.cost(SimpleNamespace())
        if cost.peak_memory is None or cost.memory_before is None:
            pytest.skip("the peak of resident memory cannot be reset here")
        peaks.append(cost.peak_memory - cost.memory_before)
    assert peaks[1] > 200 * 2**20
    assert peaks[0] < 100 * 2**20


def test_a_model_says_its_parameters_or_they_are_counted() -> None:
    meter = CostMeter(lambda _: None)
    cost = meter.cost(SimpleNamespace(num_parameters_=np.int64(7), num_pooling_parameters_=2))
    assert (cost.num_parameters, cost.num_pooling_parameters) == (7, 2)
    assert meter.cost(SimpleNamespace()).num_parameters is None


def test_a_record_of_a_network_has_its_cost(tmp_path: Path) -> None:
    model = CliquePoolClassifier(
        convolution="gcn", composition=False, epochs=3, patience=None, hidden=4, mlp=()
    )
    (record, _) = evaluate(model, rings_and_stars(), "paper", tmp_path / "r.jsonl", folds=2, jobs=1)
    assert record.cost is not None
    assert record.cost.epoch_seconds is not None
    width = 21  # one-hot degrees of the training graphs
    blocks = (width * 4 + 4) + 2 * (4 * 4 + 4)
    assert record.cost.num_parameters == blocks + (2 * 3 * 4) * 2 + 2
