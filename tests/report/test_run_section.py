"""The section of a run says what there is, and what is missing and why."""

from __future__ import annotations

from cliquepool.report.run_section import run_section
from cliquepool.report.truth import FoundDatasets
from tests.helpers.fold_records import enzymes_paper_run, record
from tests.helpers.reported_runs import DATA, HOSTILE, predicted_run, run_of


def section(records: list[object], *, with_data: bool = True) -> str:
    run = run_of(records)
    found = {DATA.fingerprint: DATA} if with_data else {}
    reasons = {} if with_data else {DATA.fingerprint: "it is not here"}
    return run_section(run, FoundDatasets(found, reasons))


def test_a_whole_run_has_its_figure_interval_plots_confusion_and_command() -> None:
    shown = section(predicted_run())
    assert '<p class="figure">75.00 ± 0.00 %</p>' in shown
    assert "3 folds × 1 seed." in shown
    assert "Fair protocol: accuracy on test folds" in shown
    assert "All folds have the same accuracy" in shown
    assert shown.count('<svg class="plot"') == 2
    assert "Confusion matrix of small on TOY, fair" in shown
    assert "Repeat it" in shown
    assert "95 % interval, corrected for training sets that overlap: " in section(
        [
            *predicted_run()[:2],
            record(3, dataset="TOY", fingerprint=DATA.fingerprint, folds=3, test_accuracy=0.5),
        ]
    )


def test_a_run_with_missing_folds_says_which() -> None:
    shown = section(predicted_run()[:2])
    assert '<p class="figure">2 of 3 folds × 1 seed</p>' in shown
    assert "no figure before all folds are on record. Missing: fold 3 of seed 0." in shown
    assert "Confusion matrix of" in shown  # of the folds that are there


def test_a_run_with_many_missing_folds_names_the_first() -> None:
    shown = section([record(1, folds=50, fingerprint=DATA.fingerprint)])
    assert "fold 13 of seed 0 and 37 more." in shown


def test_why_there_is_no_confusion_matrix_is_said() -> None:
    assert "the paper protocol has no test set" in section(enzymes_paper_run())
    assert "of a version that did not record them" in section(predicted_run(predictions=None))
    assert "No confusion matrix: it is not here." in section(predicted_run(), with_data=False)
    assert "contradict the recorded test accuracy" in section(predicted_run(test_accuracy=0.5))


def test_the_figure_of_the_paper_protocol_comes_with_its_epoch_and_a_warning() -> None:
    shown = section(enzymes_paper_run())
    assert "(epoch 2)" in shown
    assert "the figure is too high" in shown
    assert "test accuracy" not in shown


def test_a_model_without_epochs_has_no_curves() -> None:
    flat = {"curves": {"validation_accuracy": [0.5]}, "best_epoch": 1}
    shown = section(predicted_run(**flat))
    assert "This model has no epochs" in shown
    assert shown.count('<svg class="plot"') == 1


def test_the_table_of_folds_has_split_hashes_and_chosen_settings() -> None:
    two = {"candidates": [{"rate": 0.5, "a": 1}, {"rate": 0.1, "a": 1}], "settings": {"rate": 0.5, "a": 1}}
    shown = section(predicted_run(**two, candidate_accuracies=[0.5, 0.25], selection="per fold"))
    assert f'data-words="{3:064}"' in shown
    assert "<td>rate 0.5</td>" in shown


def test_names_of_models_are_text() -> None:
    assert "<img" not in section(predicted_run(model=HOSTILE))
