"""Fits with validation graphs and on selections of a pooled data set: no copies, the same bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.data.selection import Selection
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from cliquepool.training.graphs import train
from tests.helpers.shape_graphs import QUICK, shapes

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.training.report import EpochReport

DATA = shapes()
NAMES = DATA.classes[DATA.targets]
IDS = np.random.default_rng(0).permutation(len(DATA))
TRAIN, HELD_OUT = np.sort(IDS[:24]), np.sort(IDS[24:])


def model(**others: Any) -> CliquePoolClassifier:
    return CliquePoolClassifier(**(QUICK | {"features": "constant"} | others))


def bits(estimator: CliquePoolClassifier | CliquePoolRegressor) -> dict[str, bytes]:
    weights = estimator.network_.network.state_dict()
    return {name: value.numpy().tobytes() for name, value in weights.items()}


def on_selections(estimator: CliquePoolClassifier, **how: Any) -> CliquePoolClassifier:
    pooled = estimator.prepare(DATA)
    validation = (Selection(pooled, HELD_OUT), NAMES[HELD_OUT])
    return estimator.fit(Selection(pooled, TRAIN), NAMES[TRAIN], validation=validation, **how)


def test_a_fit_on_selections_trains_as_train_does() -> None:
    estimator = on_selections(model(random_state=5))
    pooled = PooledDataset(DATA, levels=estimator.pools)
    trained = train(pooled, TRAIN, HELD_OUT, estimator.settings, seed=5)
    for name, weight in trained.network.network.state_dict().items():
        assert bits(estimator)[name] == weight.numpy().tobytes()
    assert (estimator.curves_, estimator.best_epoch_) == (trained.curves, trained.best_epoch)
    assert estimator.classes_.tolist() == DATA.classes.tolist()
    held_out = Selection(pooled, HELD_OUT)
    best = estimator.curves_["validation_accuracy"][estimator.best_epoch_ - 1]
    assert estimator.score(held_out, NAMES[HELD_OUT]) == estimator.score(held_out) == best


def test_selections_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GraphDataset, "__getitem__", None)
    monkeypatch.setattr(GraphDataset, "concatenate", None)
    estimator = on_selections(model())
    pooled = estimator.prepare(DATA)
    monkeypatch.setattr("cliquepool.models.graphs.PooledDataset.__init__", None)
    assert estimator.predict(Selection(pooled, TRAIN[::-1])).shape == (24,)
    assert estimator.predict_proba(Selection(pooled, HELD_OUT)).shape == (len(HELD_OUT), 2)


def test_validation_graphs_may_be_any_graphs() -> None:
    expected = on_selections(model())
    copied = model().fit(DATA[TRAIN], NAMES[TRAIN], validation=(DATA[HELD_OUT], NAMES[HELD_OUT]))
    pooled = PooledDataset(DATA, levels=copied.pools)
    mixed = model().fit(Selection(pooled, TRAIN), validation=(DATA[HELD_OUT], None))
    for estimator in (copied, mixed):
        np.testing.assert_allclose(estimator.curves_["loss"], expected.curves_["loss"], rtol=1e-3)
        assert len(estimator.curves_["validation_accuracy"]) == len(expected.curves_["loss"])


def test_validation_graphs_choose_the_epoch_and_are_not_trained_on() -> None:
    one = model().fit(DATA[TRAIN], NAMES[TRAIN], validation=(DATA[HELD_OUT], NAMES[HELD_OUT]))
    wrong = np.where(NAMES[HELD_OUT] == DATA.classes[0], DATA.classes[1], DATA.classes[0])
    other = model().fit(DATA[TRAIN], NAMES[TRAIN], validation=(DATA[HELD_OUT], wrong))
    assert one.curves_["loss"] == other.curves_["loss"]
    np.testing.assert_allclose(
        other.curves_["validation_accuracy"], 1 - np.array(one.curves_["validation_accuracy"])
    )
    patient = model(validation_fraction=0, patience=1)
    assert patient.fit(DATA[TRAIN], validation=(DATA[HELD_OUT], None)).best_epoch_ >= 1
    assert patient.fit(DATA[TRAIN]).best_epoch_ == patient.epochs  # nothing tells when to stop


def test_classes_of_a_selection_that_are_not_the_data_sets_are_learned_too() -> None:
    pooled = PooledDataset(DATA)
    numbers = 7 * (DATA.classes[1] == NAMES)
    estimator = model().fit(Selection(pooled, TRAIN), numbers[TRAIN])
    assert estimator.classes_.tolist() == [0, 7]
    whole = model().fit(DATA[TRAIN], numbers[TRAIN])
    np.testing.assert_allclose(estimator.curves_["loss"], whole.curves_["loss"], rtol=1e-3)


def test_weights_are_of_the_selected_graphs() -> None:
    pooled, weights = PooledDataset(DATA), np.linspace(0, 2, len(TRAIN))
    chosen = model().fit(Selection(pooled, TRAIN), NAMES[TRAIN], weights)
    copied = model().fit(DATA[TRAIN], NAMES[TRAIN], weights)
    np.testing.assert_allclose(chosen.curves_["loss"], copied.curves_["loss"], rtol=1e-3)
    validation = (Selection(pooled, HELD_OUT), NAMES[HELD_OUT])
    assert (
        model(class_weight="balanced")
        .fit(Selection(pooled, TRAIN), NAMES[TRAIN], weights, validation=validation)
        .curves_["loss"]
    )


def test_a_regressor_is_fitted_on_selections_too() -> None:
    pooled, numbers = PooledDataset(DATA), np.diff(DATA.node_start).astype(float)
    validation = (Selection(pooled, HELD_OUT), numbers[HELD_OUT])
    chosen = CliquePoolRegressor(**QUICK, features="constant").fit(
        Selection(pooled, TRAIN), numbers[TRAIN], validation=validation
    )
    copied = CliquePoolRegressor(**QUICK, features="constant").fit(
        DATA[TRAIN], numbers[TRAIN], validation=(DATA[HELD_OUT], numbers[HELD_OUT])
    )
    np.testing.assert_allclose(chosen.curves_["loss"], copied.curves_["loss"], rtol=1e-3)


def test_a_fit_on_selections_is_resumed(tmp_path: Path) -> None:
    file = tmp_path / "c.safetensors"
    first = on_selections(model(), checkpoint=file)
    seen: list[EpochReport] = []
    assert bits(on_selections(model(), checkpoint=file, on_epoch=seen.append)) == bits(first)
    assert seen == []


def test_no_validation_graphs_are_refused() -> None:
    with pytest.raises(cp.InputError, match="validation: expected graphs, got none"):
        model().fit(DATA, validation=(DATA[:0], []))


def test_targets_of_validation_graphs_are_like_those_of_the_others() -> None:
    with pytest.raises(cp.GraphError, match=r"validation: expected y of text, as that of X, got numbers"):
        model().fit(DATA, NAMES, validation=(DATA, DATA.targets))
    labels = np.stack([DATA.targets, 1 - DATA.targets], axis=1)
    with pytest.raises(cp.GraphError, match=r"validation: expected y of shape \(32, 2\), .*, got \(32,\)"):
        model().fit(DATA, labels, validation=(DATA, DATA.targets))


def test_node_labels_that_only_validation_graphs_have_are_refused_or_ignored() -> None:
    def labelled(label: str) -> GraphDataset:
        graphs = [DATA.graph(i) for i in range(len(DATA))]
        labels = [[label] * graph.num_nodes for graph in graphs]
        return GraphDataset.from_graphs(graphs, NAMES.tolist(), node_labels=labels)

    how = {"features": "auto", "epochs": 1}
    with pytest.raises(cp.GraphError, match="expected node labels seen in training, got N"):
        model(**how).fit(labelled("C"), validation=(labelled("N"), None))
    model(**how, handle_unknown="ignore").fit(labelled("C"), validation=(labelled("N"), None))


@pytest.mark.parametrize("fraction", [None, "0.1", -0.1, 1.0])
def test_a_wrong_share_of_validation_graphs_is_refused(fraction: Any) -> None:
    with pytest.raises(ValueError, match="validation_fraction: expected 0 up to 1, got"):
        model(validation_fraction=fraction).fit(DATA)
