"""The clique-pool classifier as scikit-learn's tools use it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.models import CliquePoolClassifier
from cliquepool.nn import PRESETS, ClassifierSettings

QUICK: dict[str, Any] = {"hidden": 8, "mlp": (8,), "epochs": 15, "learning_rate": 0.02, "batch_size": 8}


def star(leaves: int) -> cp.Graph:
    return cp.Graph.from_edges([(0, i) for i in range(1, leaves + 1)])


def clique(nodes: int) -> cp.Graph:
    return cp.Graph.from_edges([(i, j) for i in range(nodes) for j in range(i)])


@pytest.fixture(scope="module")
def shapes() -> GraphDataset:
    """Stars and cliques of several sizes, with their shapes as classes."""
    graphs = [shape(size) for size in (3, 4, 5, 6) for shape in (star, clique) for _ in range(4)]
    kinds = ["star", "clique"]
    classes = [kind for _ in range(4) for kind in kinds for _ in range(4)]
    return GraphDataset.from_graphs(graphs, classes, name="shapes")


def test_it_learns_what_is_easy_to_learn(shapes: GraphDataset) -> None:
    model = CliquePoolClassifier(**QUICK, validation_fraction=0).fit(shapes)
    assert model.score(shapes) == 1.0
    assert model.predict([clique(4), star(4)]).tolist() == ["clique", "star"]
    probabilities = model.predict_proba(shapes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(shapes)).all()


def test_every_setting_is_a_parameter_with_the_same_default() -> None:
    parameters = CliquePoolClassifier().get_params()
    defaults = {name: field.default for name, field in ClassifierSettings.model_fields.items()}
    assert {name: parameters[name] for name in defaults} == defaults
    others = {"validation_fraction", "class_weight", "handle_unknown", "random_state", "device", "verbose"}
    assert set(parameters) - set(defaults) == others


def test_parameters_are_kept_as_given_and_cloned() -> None:
    model = CliquePoolClassifier(hidden=7, mlp=(3, 2), reduce="max")
    assert clone(model).get_params() == model.get_params()
    assert clone(model).set_params(hidden=9).settings.hidden == 9


def test_presets_are_the_papers() -> None:
    for name, settings in PRESETS.items():
        assert CliquePoolClassifier.from_preset(name).settings == settings
        assert CliquePoolClassifier.from_settings(settings).settings == settings
    with pytest.raises(ValueError, match=r"preset: expected one of .*enzymes.*, got 'mutag'"):
        CliquePoolClassifier.from_preset("mutag")


def test_cross_validation_and_grid_search_work(shapes: GraphDataset) -> None:
    y = shapes.classes[shapes.targets]
    scores = cross_val_score(CliquePoolClassifier(**QUICK, validation_fraction=0), shapes, y, cv=4)
    assert scores.shape == (4,)
    assert scores.mean() > 0.8
    search = GridSearchCV(CliquePoolClassifier(**QUICK), {"pools": [0, 1]}, cv=2, error_score="raise")
    search.fit(shapes, y)
    assert search.best_params_["pools"] in {0, 1}


def test_the_same_seed_gives_the_same_weights_and_another_one_others(shapes: GraphDataset) -> None:
    def weights(seed: int) -> list[torch.Tensor]:
        model = CliquePoolClassifier(**QUICK, random_state=seed).fit(shapes)
        return list(model.network_.network.state_dict().values())

    first, again, other = weights(0), weights(0), weights(1)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("as_given", ["data set", "pooled", "parts", "graphs", "pyg"])
def test_graphs_may_come_in_any_form(shapes: GraphDataset, as_given: str) -> None:
    model = CliquePoolClassifier(**QUICK, features="degree").fit(shapes)
    forms: dict[str, Any] = {
        "data set": shapes,
        "pooled": PooledDataset(shapes, levels=2),
        "parts": [shapes[i] for i in range(len(shapes))],
        "graphs": [shapes.graph(i) for i in range(len(shapes))],
        "pyg": shapes.to_pyg(),
    }
    np.testing.assert_array_equal(model.predict(forms[as_given]), model.predict(shapes))


def test_a_saved_model_predicts_the_same(shapes: GraphDataset, tmp_path: Any) -> None:
    model = CliquePoolClassifier(**QUICK).fit(shapes)
    path = tmp_path / "model.safetensors"
    model.save(path)
    loaded = CliquePoolClassifier.load(path)
    assert loaded.get_params() == model.get_params()
    assert loaded.classes_.tolist() == model.classes_.tolist()
    np.testing.assert_array_equal(loaded.predict_proba(shapes), model.predict_proba(shapes))
    assert list(tmp_path.iterdir()) == [path]


def test_labels_and_attributes_come_back_with_a_saved_model(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    graphs = [star(3), clique(3)] * 6
    labels = [["C"] * g.num_nodes if i % 2 else ["N"] * g.num_nodes for i, g in enumerate(graphs)]
    attributes = [rng.normal(size=(g.num_nodes, 2)) for g in graphs]
    data = GraphDataset.from_graphs(graphs, [0, 1] * 6, node_labels=labels, node_attributes=attributes)
    model = CliquePoolClassifier(**QUICK).fit(data)
    model.save(tmp_path / "m.safetensors")
    loaded = CliquePoolClassifier.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(data), model.predict_proba(data))
    only_n = GraphDataset.from_graphs(graphs[:1], [0], node_labels=labels[:1], node_attributes=attributes[:1])
    np.testing.assert_allclose(loaded.predict_proba(only_n), model.predict_proba(data[:1]), rtol=1e-4)
    strange = GraphDataset.from_graphs(
        graphs[:1], [0], node_labels=[["Xe"] * 4], node_attributes=attributes[:1]
    )
    with pytest.raises(cp.GraphError, match="expected node labels seen in training, got Xe"):
        loaded.predict(strange)


def test_an_interrupted_fit_goes_on(shapes: GraphDataset, tmp_path: Any) -> None:
    whole = CliquePoolClassifier(**QUICK).fit(shapes)
    checkpoint = tmp_path / "fit.safetensors"
    CliquePoolClassifier(**QUICK).fit(shapes, checkpoint=checkpoint)
    resumed = CliquePoolClassifier(**QUICK).fit(shapes, checkpoint=checkpoint)
    assert resumed.curves_ == whole.curves_
    np.testing.assert_array_equal(resumed.predict_proba(shapes), whole.predict_proba(shapes))


def test_what_is_wrong_is_said(shapes: GraphDataset, tmp_path: Any) -> None:
    with pytest.raises(NotFittedError, match="call fit first"):
        CliquePoolClassifier().predict(shapes)
    with pytest.raises(ValueError, match=r"hidden: expected an integer from 1 to 65536, got -3"):
        CliquePoolClassifier(hidden=-3).fit(shapes)
    with pytest.raises(cp.GraphError, match="at least two classes, got 1"):
        CliquePoolClassifier().fit(shapes, ["same"] * len(shapes))
    with pytest.raises(cp.GraphError, match=r"y: expected one class for each of 32 graphs, got shape \(3,\)"):
        CliquePoolClassifier().fit(shapes, [0, 1, 0])
    with pytest.raises(cp.GraphError, match="too few to hold out"):
        CliquePoolClassifier().fit([star(3), clique(3)], [0, 1])
    with pytest.raises(ValueError, match="validation_fraction: expected 0 up to 1, got 2"):
        CliquePoolClassifier(validation_fraction=2).fit(shapes)
    with pytest.raises(cp.GraphError, match="expected graphs, got none"):
        CliquePoolClassifier().fit([], [])
    (tmp_path / "junk").write_bytes(b"junk that is no model")
    with pytest.raises(cp.GraphError, match=r"expected a model of cliquepool.*damaged"):
        CliquePoolClassifier.load(tmp_path / "junk")
    with pytest.raises(cp.GraphError, match="got no file"):
        CliquePoolClassifier.load(tmp_path / "absent")
