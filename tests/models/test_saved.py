"""Files of fitted models: those of version 0.1.0 are read, and what a damaged one says is not believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from cliquepool.training.checkpoint import read_tensors, write_tensors
from tests.helpers.shape_graphs import QUICK, described, shapes

OLD = Path(__file__).parents[1] / "saved_files" / "classifier-0.1.0.safetensors"


def as_fitted_then() -> GraphDataset:
    """The data set that the old model was fitted on."""
    graphs = [nx.star_graph(3 + i % 3) if i % 2 else nx.complete_graph(3 + i % 3) for i in range(12)]
    return GraphDataset.from_graphs(
        graphs,
        ["star" if i % 2 else "clique" for i in range(12)],
        node_labels=[["C" if v % 2 else "N" for v in g] for g in graphs],
        node_attributes=[[[float(v + 1), (-1.0) ** v] for v in g] for g in graphs],
        name="made",
    )


def test_a_model_saved_by_version_0_1_0_predicts_as_it_did() -> None:
    model = CliquePoolClassifier.load(OLD)
    of_star = [0.3809, 0.5723, 0.4459, 0.5723, 0.4465, 0.5723] * 2
    np.testing.assert_allclose(model.predict_proba(as_fitted_then())[:, 1], of_star, atol=2e-4)
    assert model.classes_.tolist() == ["clique", "star"]
    assert (model.convolution, model.mlp, model.random_state, model.best_epoch_) == ("sage", (3,), 3, 4)
    assert model.settings.patience is None
    assert {name: getattr(model, name) for name in model.settings_type.added_later} == {
        "patience": None,
        "epoch_by": "score",
        "averaging": 0.0,
        "layers": 1,
        "batch_norm": False,
        "readout": ("mean", "max"),
        "composition": False,
    }  # not the defaults of now


def test_fitting_with_the_parameters_of_version_0_1_0_gives_the_same_curves() -> None:
    old = CliquePoolClassifier.load(OLD)
    new = CliquePoolClassifier(**old.get_params()).fit(as_fitted_then())
    for name, curve in old.curves_.items():
        np.testing.assert_allclose(new.curves_[name], curve, rtol=1e-3)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    CliquePoolClassifier(**QUICK).fit(described()).save(tmp_path / "m.safetensors")
    return tmp_path / "m.safetensors"


def changed(path: Path, **changes: Any) -> Path:
    """Write the model again with another header; a name with a dot is of a part."""
    tensors, described_ = read_tensors(path, "model")
    for name, value in changes.items():
        part, _, field = name.rpartition("__")
        (described_[part] if part else described_)[field] = value
    write_tensors(path, tensors, "model", described_)
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters__pools": 2147483648},
        {"parameters__pools": 200},
        {"parameters__hidden": 65536},
        {"parameters__mlp": [65536] * 200},
        {"parameters__mlp": 3},
        {"parameters__surprise": 1},
        {"parameters": []},
        {"target": {"kind": "labels", "num_labels": 10**12}},
        {"target": {"kind": "numbers", "shift": [0.0], "scale": [1.0], "flat": True, "loss": "mse"}},
        {"target": {"kind": "classes", "classes": [1]}},
        {"target": {"kind": "classes", "classes": [[1], [2]]}},
        {"target": {"kind": "else"}},
        {"estimator": "regressor"},
        {"kind_of_features": "colour"},
        {"kind_of_features": "constant"},
        {"kind_of_features": "labels"},
        {"codes": None},
        {"codes": ["C"]},
        {"codes": 7},
        {"curves": [1]},
        {"best_epoch": -1},
    ],
    ids=lambda changes: json.dumps(changes)[:50],
)
def test_a_header_that_does_not_fit_its_tensors_is_refused(saved: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(cp.InputError, match=r"m\.safetensors: expected a saved classifier"):
        CliquePoolClassifier.load(changed(saved, **changes))


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused(saved: Path, wrong: float) -> None:
    tensors, described_ = read_tensors(saved, "model")
    tensors["head.0.weight"][0, 0] = wrong
    write_tensors(saved, tensors, "model", described_)
    with pytest.raises(cp.InputError, match=r"head\.0\.weight: expected finite numbers"):
        CliquePoolClassifier.load(saved)


def test_weights_of_another_precision_are_refused(saved: Path) -> None:
    tensors, described_ = read_tensors(saved, "model")
    write_tensors(saved, {name: value.double() for name, value in tensors.items()}, "model", described_)
    with pytest.raises(cp.InputError, match="expected a saved classifier"):
        CliquePoolClassifier.load(saved)


def test_parameters_come_back_as_they_were(tmp_path: Path) -> None:
    data = shapes()
    y = data.targets + 3
    for parameters in (
        {"class_weight": {3: 1.0, 4: 2.5}, "patience": 3, "handle_unknown": "ignore", "verbose": 0},
        {"class_weight": "balanced", "random_state": None},
        {"hidden": np.int64(8), "learning_rate": np.float32(0.25), "mlp": (np.int32(4), np.int32(3))},
    ):
        model = CliquePoolClassifier(**QUICK | {"epochs": 2} | parameters).fit(data, y)
        model.save(tmp_path / "m.safetensors")
        assert CliquePoolClassifier.load(tmp_path / "m.safetensors").get_params() == model.get_params()


@pytest.mark.parametrize("classes", [[True, False], [1.5e0 + 0.5, 3.0], ["a", "bc"], [-4, 9]], ids=str)
def test_classes_come_back_as_they_were(tmp_path: Path, classes: list[Any]) -> None:
    data = shapes()
    y = np.array(classes)[data.targets]
    model = CliquePoolClassifier(**QUICK | {"epochs": 2}).fit(data, y)
    model.save(tmp_path / "m.safetensors")
    loaded = CliquePoolClassifier.load(tmp_path / "m.safetensors")
    assert loaded.predict(data).dtype == model.predict(data).dtype
    assert loaded.predict(data).tolist() == model.predict(data).tolist()


def test_a_classifier_is_no_regressor(saved: Path) -> None:
    with pytest.raises(cp.InputError, match=r"expected a saved regressor.*it is of a classifier"):
        CliquePoolRegressor.load(saved)


def test_a_loaded_model_can_be_fitted_again(saved: Path) -> None:
    model = CliquePoolClassifier.load(saved)
    assert all(weight.requires_grad for weight in model.network_.network.parameters())
    assert model.fit(described()).score(described()) >= 0
    assert not any(weight.is_meta for weight in model.network_.network.parameters())
    assert torch.isfinite(model.network_.scores(PooledDataset(described(), 2))).all()


def test_a_file_has_the_settings_and_the_seed_of_the_fit(tmp_path: Path) -> None:
    data = shapes()
    model = CliquePoolClassifier(**QUICK | {"epochs": 2, "random_state": None}).fit(data)
    expected = model.predict_proba(data)
    model.set_params(reduce="sum", normalise=False, hidden=32)
    model.save(tmp_path / "m.safetensors")
    loaded = CliquePoolClassifier.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(data), expected)
    np.testing.assert_array_equal(model.predict_proba(data), expected)
    assert (loaded.seed_, loaded.random_state) == (model.seed_, None)
