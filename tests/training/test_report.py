"""Reports on epochs: counted through several models."""

from __future__ import annotations

from cliquepool.evaluate import EpochReport as PublicReport
from cliquepool.training.report import EpochReport


def test_epochs_of_several_models_are_counted_through() -> None:
    report = EpochReport(3, 10, 0.5, 0.75)
    second = report.among(1, 4)
    assert (second.epoch, second.epochs) == (13, 40)
    assert (second.loss, second.validation_accuracy) == (0.5, 0.75)
    assert report.among(0, 1) == report


def test_there_is_one_report_and_it_has_nothing_where_nothing_was_validated() -> None:
    assert PublicReport is EpochReport
    report = EpochReport(1, 1, 0.5)
    assert (report.validation_accuracy, report.validation_loss, report.accuracy) == (None, None, None)
