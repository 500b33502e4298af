"""The command of a report repeats the run: it is parsed as the command line parses it."""

from __future__ import annotations

import shlex
from itertools import pairwise
from typing import Any

import pytest

from cliquepool.cli.settings import changed_settings, parse_assignments
from cliquepool.evaluate.estimators import describe
from cliquepool.models import CliquePoolClassifier
from cliquepool.models.registry import registered_models
from cliquepool.nn import PRESETS, ClassifierSettings
from cliquepool.report.repeat import repetition_of
from tests.helpers.fold_records import enzymes_paper_run, enzymes_run
from tests.helpers.reported_runs import run_of


def settings_of(words: list[str], protocol: str) -> ClassifierSettings:
    """Return the settings that `cliquepool train` would train."""
    options = list(pairwise(words))
    preset = PRESETS[dict(options).get("--preset", "default")]
    start = preset.model_copy(update={"patience": None}) if protocol == "paper" else preset
    return changed_settings(start, parse_assignments(value for name, value in options if name == "--set"), {})


def recorded(settings: ClassifierSettings) -> dict[str, Any]:
    return describe(CliquePoolClassifier.from_settings(settings))[1]


@pytest.mark.parametrize("protocol", ["fair", "paper"])
@pytest.mark.parametrize(
    "settings",
    [
        ClassifierSettings(),
        ClassifierSettings(mlp=(32, 16), dropout=0.125, learning_rate=1.5e-05, composition=False),
        ClassifierSettings(patience=None, standardise=False),
        *PRESETS.values(),
    ],
)
def test_a_training_of_ours_is_repeated_by_train(protocol: str, settings: ClassifierSettings) -> None:
    if protocol == "paper":
        settings = settings.model_copy(update={"patience": None})
    own = recorded(settings)
    make = enzymes_paper_run if protocol == "paper" else enzymes_run
    records = [one.model_copy(update={"settings": own, "candidates": [own]}) for one in make(4)]
    repetition = repetition_of(run_of(records))
    assert repetition.is_command
    words = shlex.split(repetition.words)
    assert words[:3] == ["cliquepool", "train", "ENZYMES"]
    assert settings_of(words, protocol) == settings
    assert ("--protocol" in words) == (protocol == "paper")
    assert words[words.index("--folds") + 1] == "4"


def test_defaults_need_no_options() -> None:
    own = recorded(ClassifierSettings())
    records = [one for seed in range(3) for one in enzymes_run(10, seed=seed, settings=own, candidates=[own])]
    assert repetition_of(run_of(records)).words == "cliquepool train ENZYMES"
    part = repetition_of(run_of(records[:-1]))
    assert part.words == "cliquepool train ENZYMES"
    assert "--resume" in part.note
    seeded = [one.model_copy(update={"split_seed": 7, "dataset": "my data"}) for one in records]
    assert repetition_of(run_of(seeded)).words == "cliquepool train 'my data' --split-seed 7"
    cuda = own | {"device": "cuda"}
    on_card = [one.model_copy(update={"settings": cuda, "candidates": [cuda]}) for one in records]
    assert repetition_of(run_of(on_card)).words == "cliquepool train ENZYMES --device cuda"


@pytest.mark.parametrize("key", ["clique-pool", "clique-pool-no-composition", "wl-kernel"])
def test_a_row_of_the_table_is_repeated_by_compare(key: str) -> None:
    described = [describe(model) for model in registered_models()[key].estimators()]
    settings = [own for _, own in described]
    changes: dict[str, Any] = {
        "model": described[0][0],
        "candidates": settings,
        "settings": settings[0],
        "candidate_accuracies": [0.5] * len(settings),
        "splits": {"name": "errica", "sha256": "0" * 64},
    }
    if len(settings) > 1:
        changes["selection"] = "per fold"
    words = repetition_of(run_of(enzymes_run(10, **changes))).words
    assert words == f"cliquepool compare --models {key} --datasets ENZYMES --splits errica --seeds 1"
    own_folds = repetition_of(run_of(enzymes_run(5, **changes | {"splits": None}))).words
    assert (
        own_folds == f"cliquepool compare --models {key} --datasets ENZYMES --splits own --folds 5 --seeds 1"
    )


def test_what_no_command_repeats_is_shown_as_a_call() -> None:
    for changes in ({"model": "mine"}, {"settings": {"hidden": 64}, "candidates": [{"hidden": 64}]}):
        repetition = repetition_of(run_of(enzymes_run(4, seed=3, **changes)))
        assert not repetition.is_command
        assert 'evaluate(model, dataset, "fair", "again.jsonl", folds=4, split_seed=0, seeds=[3])' in (
            repetition.words
        )
        assert "No command repeats this run" in repetition.note
