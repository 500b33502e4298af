"""Paired comparisons: only of pairs, and with the chances that textbooks give."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cliquepool.evaluate import EvaluationError, FoldRecord, RecordFile, paired_comparison
from cliquepool.evaluate.pairs import recorded_pairs
from cliquepool.evaluate.tables import PAIR_HEADS, markdown_pairs, pair_rows
from tests.helpers.fold_records import record

if TYPE_CHECKING:
    from pathlib import Path

MODELS = {"vgg": "VGG", "vgg-clique": "VGG, clique pools"}
VGG = [0.90, 0.92, 0.91, 0.95, 0.90]
CLIQUE = [0.93, 0.92, 0.94, 0.96, 0.91]


def run(arch: str, accuracies: list[float], *, seeds: int = 1, **changes: Any) -> list[FoldRecord]:
    """A run of `accuracies` in the order of seeds and folds."""
    folds = len(accuracies) // seeds
    settings = {"arch": arch, "epochs": 3, "width": 0.0625, "arithmetic": "cpu, float32"} | changes.pop(
        "settings", {}
    )
    base = {
        "dataset": "PIXELS",
        "model": MODELS[arch],
        "settings": settings,
        "candidates": [settings],
        "folds": folds,
    }
    return [
        record(number % folds + 1, seed=number // folds, test_accuracy=accuracy, **(base | changes))
        for number, accuracy in enumerate(accuracies)
    ]


fractions = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)
pairs = st.lists(st.tuples(fractions, fractions), min_size=2, max_size=9)


@given(pairs)
def test_chances_are_those_of_textbooks(found: list[tuple[float, float]]) -> None:
    first, second = (list(side) for side in zip(*found, strict=True))
    compared = paired_comparison(run("vgg", first), run("vgg-clique", second))
    differences = 100 * np.subtract(second, first)
    folds = len(differences)
    assert compared.difference.mean == pytest.approx(differences.mean())
    assert compared.difference.std == pytest.approx(differences.std())
    signed = [
        abs(np.dot(signs, differences)) for signs in itertools.product((-1, 1), repeat=len(differences))
    ]
    expected = np.mean(np.array(signed) >= abs(differences.sum()) - 1e-9)
    assert compared.sign_flips == pytest.approx(expected)
    if np.ptp(differences) < 1e-9:
        return
    assert compared.t_test == pytest.approx(stats.ttest_rel(second, first).pvalue)
    # Nadeau and Bengio: test images per training image are added to 1/n; a tenth of the others do not train.
    variance = (1 / folds + 1 / (0.9 * (folds - 1))) * differences.var(ddof=1)
    statistic = abs(differences.mean()) / np.sqrt(variance)
    assert compared.corrected_t_test == pytest.approx(2 * stats.t.sf(statistic, folds - 1))
    assert compared.t_test is not None
    assert compared.corrected_t_test is not None
    assert compared.corrected_t_test >= compared.t_test


def test_it_does_not_matter_which_comes_first() -> None:
    one = paired_comparison(run("vgg", VGG), run("vgg-clique", CLIQUE))
    other = paired_comparison(run("vgg-clique", CLIQUE), run("vgg", VGG))
    assert one.difference.mean == pytest.approx(-other.difference.mean)
    for test in ("t_test", "corrected_t_test", "sign_flips"):
        assert getattr(one, test) == pytest.approx(getattr(other, test))


def test_networks_that_are_equal_in_every_fold_have_no_t_test() -> None:
    compared = paired_comparison(run("vgg", VGG), run("vgg-clique", VGG))
    assert (compared.t_test, compared.corrected_t_test, compared.sign_flips) == (None, None, 1.0)


def test_the_smallest_exact_chance_is_two_in_all_ways_to_swap() -> None:
    compared = paired_comparison(run("vgg", [0.1] * 5), run("vgg-clique", [0.5, 0.6, 0.7, 0.8, 0.9]))
    assert compared.sign_flips == 2 / 2**5
    many = np.linspace(0.1, 0.5, 21).tolist()
    assert paired_comparison(run("vgg", many), run("vgg-clique", many[::-1])).sign_flips is None


def test_seeds_are_averaged_before_folds_are_compared() -> None:
    second = [accuracy + 0.02 for accuracy in VGG]
    twice = paired_comparison(run("vgg", VGG + second, seeds=2), run("vgg-clique", CLIQUE * 2, seeds=2))
    once = paired_comparison(run("vgg", [accuracy + 0.01 for accuracy in VGG]), run("vgg-clique", CLIQUE))
    assert twice.first_accuracies == pytest.approx(once.first_accuracies)
    assert twice.t_test == pytest.approx(once.t_test)


def test_the_time_of_an_epoch_is_the_median_over_all_folds() -> None:
    first = [
        one.model_copy(update={"curves": {"validation_accuracy": [0.5], "seconds": [seconds]}})
        for one, seconds in zip(run("vgg", VGG), [1.0, 2.0, 3.0, 4.0, 500.0], strict=True)
    ]
    compared = paired_comparison(first, run("vgg-clique", CLIQUE))
    assert compared.seconds_an_epoch == (3.0, None)
    assert compared.processor_seconds_an_epoch == (None, None)


def test_a_file_of_two_runs_is_compared(tmp_path: Path) -> None:
    file = RecordFile.read(tmp_path / "pairs.jsonl")
    for one in run("vgg", VGG) + run("vgg-clique", CLIQUE):
        file.append(one)
    assert recorded_pairs(file.path) == paired_comparison(run("vgg", VGG), run("vgg-clique", CLIQUE))
    file.append(run("vgg", VGG, split_seed=1)[0])
    with pytest.raises(EvaluationError, match=r"pairs\.jsonl: expected the records of two runs, got 3"):
        recorded_pairs(file.path)


def test_a_comparison_is_a_table_beside_the_figures_of_the_paper() -> None:
    compared = paired_comparison(run("vgg", VGG), run("vgg-clique", CLIQUE))
    rows = pair_rows(compared)
    assert rows == [
        ("VGG", "91.60 ± 1.85", "–", "–", "92.0 ± 0.5"),
        ("VGG, clique pools", "93.20 ± 1.72", "–", "–", "92.4 ± 0.3"),
        ("difference", "+1.60 ± 1.20", "", "", "p = 0.02"),
    ]
    lines = markdown_pairs(compared).splitlines()
    assert lines[0] == "**PIXELS**: 5 folds × 1 seed, width 1/16, 3 epochs, cpu, float32."
    assert lines[2] == f"| {' | '.join(PAIR_HEADS)} |"
    assert "| paired t-test, as in the paper | p = 0.056 |" in lines


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (run("vgg", VGG), [], "expected the records of one run as the second, got 0 runs"),
        (
            [*run("vgg", VGG), *run("vgg-clique", VGG)],
            run("vgg-clique", CLIQUE),
            "expected the records of one run as the first, got 2 runs",
        ),
        (
            run("vgg", VGG),
            run("vgg-clique", CLIQUE)[1:],
            "expected all folds of VGG, clique pools, got 4 of 5 folds × 1 seed: fold 1, seed 0 is missing",
        ),
        (run("vgg", VGG), run("vgg-clique", CLIQUE, fingerprint="1" * 64), "got runs of fingerprint 000"),
        (
            run("vgg", VGG),
            run("vgg-clique", CLIQUE, dataset="OTHERS"),
            "got runs of dataset PIXELS and OTHERS",
        ),
        (run("vgg", VGG), run("vgg-clique", CLIQUE[:4]), "got runs of folds 5 and 4"),
        (run("vgg", VGG), run("vgg-clique", CLIQUE, split_seed=1), "got runs of split_seed 0 and 1"),
        (run("vgg", VGG), run("vgg-clique", CLIQUE * 2, seeds=2), "got seeds 0 and 0, 1"),
        (run("vgg", VGG), run("vgg-clique", CLIQUE, split_sha256="f" * 64), "got two splits of fold 1"),
        (
            run("vgg", VGG),
            run("vgg-clique", CLIQUE, settings={"epochs": 4, "width": 1.0}),
            "expected settings that differ in arch alone, got ones that differ in arch, epochs, width",
        ),
        (run("vgg", VGG), run("vgg", CLIQUE), "got ones that differ in nothing"),
        (
            run("vgg", VGG),
            run("vgg-clique", CLIQUE, candidates=[{"arch": "a"}, {"arch": "b"}]),
            "expected one choice of settings, got 2 to choose from for VGG, clique pools",
        ),
        (
            run("vgg", VGG, protocol="paper"),
            run("vgg-clique", CLIQUE, protocol="paper"),
            "expected runs under the fair protocol, whose test folds are read once, got VGG under paper",
        ),
    ],
)
def test_what_is_no_pair_is_refused(first: list[FoldRecord], second: list[FoldRecord], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        paired_comparison(first, second)


def test_differences_that_are_equal_but_for_rounding_have_no_t_test() -> None:
    first = [0.1 + 0.2, 0.3, 0.7, 0.1]
    compared = paired_comparison(run("vgg", first), run("vgg-clique", [one + 0.1 for one in first]))
    assert (compared.t_test, compared.corrected_t_test) == (None, None)
