"""Ensembles: means of probabilities of networks that differ in their seeds, saved as one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError

from cliquepool.errors import InputError
from cliquepool.evaluate import evaluate
from cliquepool.models import (
    CliquePoolClassifier,
    CliquePoolRegressor,
    EnsembleClassifier,
    NoStructureClassifier,
)
from cliquepool.training.checkpoint import read_tensors, write_tensors
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.training.report import EpochReport

DATA = rings_and_stars()
Y = DATA.classes[DATA.targets]
BASE = CliquePoolClassifier(hidden=4, mlp=(4,), epochs=3)


def ensemble(size: int = 3, **others: Any) -> EnsembleClassifier:
    return EnsembleClassifier(clone(BASE), size=size, **others)


def test_probabilities_are_the_mean_over_networks_of_different_seeds() -> None:
    model = ensemble().fit(DATA, Y)
    of_members = [member.predict_proba(DATA) for member in model.members_]
    assert len(of_members) == 3
    assert not np.array_equal(of_members[0], of_members[1])
    np.testing.assert_allclose(model.predict_proba(DATA), np.mean(of_members, axis=0), rtol=1e-6)
    np.testing.assert_array_equal(model.predict(DATA), DATA.classes[model.predict_proba(DATA).argmax(axis=1)])
    assert model.score(DATA) == float((model.predict(DATA) == Y).mean())
    assert model.best_epoch_ == len(model.curves_["loss"]) == 3


def test_a_seed_gives_the_same_networks_however_many_there_are() -> None:
    three, two, other = ensemble(3).fit(DATA), ensemble(2).fit(DATA), ensemble(2, random_state=1).fit(DATA)
    for mine, yours in zip(three.members_, two.members_, strict=False):
        np.testing.assert_array_equal(mine.predict_proba(DATA), yours.predict_proba(DATA))
    assert not np.array_equal(two.predict_proba(DATA), other.predict_proba(DATA))


def test_validation_graphs_judge_one_network_then_two_and_so_on() -> None:
    seen: list[EpochReport] = []
    train, held_out = DATA[np.arange(0, len(DATA), 2)], DATA[np.arange(1, len(DATA), 2)]
    model = ensemble().fit(train, validation=(held_out, None), on_epoch=seen.append)
    assert model.curves_["validation_accuracy"][-1] == model.score(held_out)
    assert model.curves_["validation_accuracy"][0] == model.members_[0].score(held_out)
    assert [report.epoch for report in seen] == [*range(1, 10)]
    assert {report.epochs for report in seen} == {9}


def test_several_labels_are_predicted_where_their_mean_probability_is_above_half() -> None:
    y = np.stack([DATA.targets, 1 - DATA.targets], axis=1)
    model = ensemble(2).fit(DATA, y, validation=(DATA, y))
    np.testing.assert_array_equal(model.predict(DATA), model.predict_proba(DATA) > 0.5)
    assert model.curves_["validation_accuracy"][-1] == model.score(DATA, y)


def test_protocols_take_it_as_a_model_of_its_own(tmp_path: Path) -> None:
    records = evaluate(ensemble(2), DATA, "fair", tmp_path / "r.jsonl", folds=2, seeds=1, jobs=1)
    assert {record.model for record in records} == {"CliquePool, ensemble"}
    assert records[0].settings == BASE.settings.recorded() | {"size": 2}
    assert [file.name for file in tmp_path.iterdir()] == ["r.jsonl"]  # no checkpoint is left
    assert EnsembleClassifier().describe()[0] == EnsembleClassifier.title
    assert EnsembleClassifier(NoStructureClassifier()).describe()[0] == "No-structure baseline, ensemble"


def test_an_interrupted_fit_resumes_from_the_files_of_its_networks(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(report: EpochReport) -> None:
        if report.epoch == 5:
            raise Stopped

    file = tmp_path / "run.safetensors"
    with pytest.raises(Stopped):
        ensemble().fit(DATA, checkpoint=file, on_epoch=stop)
    assert (tmp_path / "run-0.safetensors").exists()
    seen: list[EpochReport] = []
    resumed = ensemble().fit(DATA, checkpoint=file, on_epoch=seen.append)
    assert min(report.epoch for report in seen) > 3  # the first network was finished
    np.testing.assert_array_equal(resumed.predict_proba(DATA), ensemble().fit(DATA).predict_proba(DATA))


@pytest.mark.parametrize(
    "base", [BASE, NoStructureClassifier(hidden=4, epochs=2)], ids=lambda base: base.title
)
def test_a_file_gives_back_the_ensemble(base: Any, tmp_path: Path) -> None:
    model = EnsembleClassifier(base, size=2, random_state=7).fit(DATA)
    model.save(tmp_path / "m.safetensors")
    read = EnsembleClassifier.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(read.predict_proba(DATA), model.predict_proba(DATA))
    assert (read.size, read.random_state, read.curves_) == (2, 7, model.curves_)
    assert read.describe() == model.describe()


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "m.safetensors"
    model = ensemble(1).fit(DATA)
    model.members_[0].save(file)
    with pytest.raises(InputError, match="expected a ensemble of cliquepool"):
        EnsembleClassifier.load(file)
    model.save(file)
    tensors, described = read_tensors(file, "ensemble")
    for changes in (
        {"members": []},
        {"members": [described["members"][0] | {"model": "VGGClassifier"}]},
        {"members": [described["members"][0] | {"model": "os"}]},
        {"members": described["members"] * 2},
        {"curves": None},
    ):
        write_tensors(file, tensors, "ensemble", described | changes)
        with pytest.raises(InputError, match=r"m\.safetensors: expected a saved ensemble"):
            EnsembleClassifier.load(file)
    write_tensors(file, {"a.b": tensors["0.head.1.bias"], **tensors}, "ensemble", described)
    with pytest.raises(InputError, match=r"a\.b: expected a tensor of one of 1 networks"):
        EnsembleClassifier.load(file)


def test_bad_sizes_and_ensembles_without_a_fit_are_refused() -> None:
    for size in (0, -1, 2.5, True):
        with pytest.raises(InputError, match="size: expected an integer of at least 1, got"):
            ensemble(size).fit(DATA)  # type: ignore[arg-type]
    with pytest.raises(NotFittedError, match="expected a fitted ensemble"):
        ensemble().predict(DATA)


def test_what_cannot_be_an_ensemble_is_refused_before_it_is_trained() -> None:
    with pytest.raises(InputError, match="base: expected a network that classifies, got CliquePoolRegressor"):
        EnsembleClassifier(CliquePoolRegressor()).fit(DATA, DATA.targets)
    with pytest.raises(InputError, match="y: expected one class for each of"):
        ensemble().fit(DATA, Y, validation=(DATA, Y[:3]), on_epoch=pytest.fail)


def test_a_column_of_validation_classes_is_taken_as_classes() -> None:
    with pytest.warns(DataConversionWarning):
        model = ensemble(1).fit(DATA, Y, validation=(DATA, Y[:, None]))
    assert model.curves_["validation_accuracy"] == [model.score(DATA, Y)]
