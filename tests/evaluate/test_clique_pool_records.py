"""The clique-pool classifier under the protocols: its records are those of before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cliquepool.data import GraphDataset
from cliquepool.data.pooled import PooledDataset
from cliquepool.evaluate import EvaluationError, evaluate, read_records
from cliquepool.evaluate.splits import derived_seed, fair_split, outer_folds
from cliquepool.models import CliquePoolClassifier
from cliquepool.nn import PRESETS, ClassifierSettings
from cliquepool.training.graphs import accuracy, train
from tests.helpers.fold_records import without_times
from tests.helpers.small_model import rings_and_stars

RESULTS = Path(__file__).parents[2] / "results"

DATA = rings_and_stars()
SETTINGS = PRESETS["paper-dd"].model_copy(
    update={"hidden": 8, "mlp": (8,), "epochs": 4, "learning_rate": 0.01}
)


def model(settings: ClassifierSettings = SETTINGS, **others: Any) -> CliquePoolClassifier:
    return CliquePoolClassifier.from_settings(settings, **others)


def recorded(estimator: CliquePoolClassifier) -> dict[str, Any]:
    name, settings = estimator.describe()
    assert name == "CliquePool"
    return settings


def test_processes_train_as_one_process_does_bit_for_bit(tmp_path: Path) -> None:
    one = evaluate(model(), DATA, "fair", tmp_path / "one.jsonl", folds=3, seeds=2, jobs=1)
    two = evaluate(model(), DATA, "fair", tmp_path / "two.jsonl", folds=3, seeds=2, jobs=2)
    assert without_times(one) == without_times(two)


def test_a_record_is_what_training_by_hand_gives(tmp_path: Path) -> None:
    records = evaluate(model(), DATA, "fair", tmp_path / "r.jsonl", folds=3, seeds=1, jobs=1)
    split = fair_split(outer_folds(DATA.targets, 3, 0), 2, DATA.targets, 0)
    data = PooledDataset(DATA, levels=SETTINGS.pools)
    trained = train(data, split.train, split.validation, SETTINGS, seed=derived_seed(0, 2))
    record = records[1]
    assert (record.fold, record.split_sha256, record.best_epoch) == (2, split.sha256, trained.best_epoch)
    assert np.allclose(record.curves["loss"], trained.curves["loss"], atol=1e-3)
    assert set(record.curves) == {"loss", "validation_loss", "validation_accuracy"}
    assert record.test_accuracy == accuracy(trained.network, data, split.test)
    assert record.settings == SETTINGS.recorded()


def test_settings_that_pool_differently_are_chosen_among(tmp_path: Path) -> None:
    models = [model(SETTINGS.model_copy(update={"pools": pools})) for pools in (1, 2)]
    records = evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=3, seeds=1, jobs=1)
    for record in records:
        best = record.candidate_accuracies.index(max(record.candidate_accuracies))
        assert record.settings["pools"] == (1, 2)[best]


def test_settings_added_since_are_recorded_where_they_are_not_the_default(tmp_path: Path) -> None:
    stopping = SETTINGS.model_copy(update={"patience": 1})
    assert recorded(model(stopping)) == recorded(model()) | {"patience": 1}
    records = evaluate(model(stopping), DATA, "fair", tmp_path / "r.jsonl", folds=3, seeds=1, jobs=1)
    assert all(record.settings["patience"] == 1 for record in records)
    assert all(len(record.curves["loss"]) in {record.best_epoch + 1, 4} for record in records)
    with pytest.raises(EvaluationError, match="patience: expected none under the paper protocol"):
        evaluate(model(stopping), DATA, "paper", tmp_path / "p.jsonl")


def test_the_device_is_recorded_where_it_is_not_the_processor() -> None:
    assert recorded(model(device="cpu")) == recorded(model()) == SETTINGS.recorded()
    assert recorded(model(device="cuda:1"))["device"] == "cuda"


def test_class_weights_are_recorded_where_there_are_some() -> None:
    assert recorded(model(class_weight="balanced"))["class_weight"] == "balanced"
    assert recorded(model(class_weight={1: 2.0}))["class_weight"] == [[[1, 2.0]]]


def test_the_old_name_keeps_working_with_a_warning() -> None:
    from cliquepool.evaluate.clique_pool import CliquePoolModel  # noqa: PLC0415

    with pytest.warns(DeprecationWarning, match="CliquePoolModel is deprecated"):
        old = CliquePoolModel(SETTINGS, "cuda")
    assert old.get_params() == model(device="cuda").get_params()


def test_graphs_are_pooled_once_for_all_folds_and_never_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pooled: list[int] = []
    prepare = CliquePoolClassifier.prepare

    def count(self: CliquePoolClassifier, dataset: GraphDataset) -> PooledDataset:
        pooled.append(self.pools)
        return prepare(self, dataset)

    monkeypatch.setattr(CliquePoolClassifier, "prepare", count)
    monkeypatch.setattr(GraphDataset, "__getitem__", None)
    rates = [0.01, 0.02]
    models = [model(SETTINGS.model_copy(update={"epochs": 1, "learning_rate": rate})) for rate in rates]
    evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=2, seeds=2, jobs=1)
    assert pooled == [SETTINGS.pools]


@pytest.mark.skipif(not RESULTS.is_dir(), reason="needs the committed records")
@pytest.mark.parametrize("name", ["ENZYMES", "DD", "PROTEINS", "COLLAB"])
def test_committed_records_are_of_the_presets_as_they_are_now(name: str) -> None:
    records = read_records([RESULTS / f"{name}-paper.jsonl", RESULTS / f"{name}-fair.jsonl"])
    now = recorded(model(PRESETS[f"paper-{name.lower()}"]))
    assert any(record.candidates == [now] for record in records)
