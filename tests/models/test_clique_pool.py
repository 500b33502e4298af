"""The clique-pool classifier as scikit-learn's tools use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_score

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.models import CliquePoolClassifier
from cliquepool.nn import PRESETS, ClassifierSettings
from tests.helpers.shape_graphs import QUICK, clique, described, star

if TYPE_CHECKING:
    from pathlib import Path


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


def test_presets_are_the_default_and_the_papers() -> None:
    assert CliquePoolClassifier().settings == ClassifierSettings() == PRESETS["default"]
    with pytest.warns(DeprecationWarning, match="preset 'dd' is now 'paper-dd'"):
        assert CliquePoolClassifier.from_preset("dd").settings == PRESETS["paper-dd"]
    for name, settings in PRESETS.items():
        assert CliquePoolClassifier.from_preset(name).settings == settings
        assert CliquePoolClassifier.from_settings(settings).settings == settings
    with pytest.raises(ValueError, match=r"preset: expected one of .*enzymes.*, got 'mutag'"):
        CliquePoolClassifier.from_preset("mutag")


def test_cross_validation_and_grid_search_work(shapes: GraphDataset) -> None:
    y = shapes.classes[shapes.targets]
    # Every graph is there four times, so one of each is in every fold.
    folds = PredefinedSplit(np.arange(len(shapes)) % 4)
    scores = cross_val_score(CliquePoolClassifier(**QUICK, validation_fraction=0), shapes, y, cv=folds)
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


def test_an_interrupted_fit_continues(shapes: GraphDataset, tmp_path: Any) -> None:
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
    with pytest.raises(cp.InputError, match=r"expected a model of cliquepool.*damaged"):
        CliquePoolClassifier.load(tmp_path / "junk")
    with pytest.raises(cp.InputError, match="got no file"):
        CliquePoolClassifier.load(tmp_path / "absent")


def test_a_fit_that_fails_leaves_the_model_as_it_was(shapes: GraphDataset) -> None:
    model = CliquePoolClassifier(**QUICK).fit(shapes)
    before = model.predict_proba(shapes)
    three = np.arange(len(shapes)) % 3
    with pytest.raises(cp.InputError, match="finite"):
        model.set_params(learning_rate=1e30, normalise=False).fit(shapes, three)
    np.testing.assert_array_equal(model.predict_proba(shapes), before)
    assert model.classes_.tolist() == ["clique", "star"]


# ---- what it predicts ----


def three_shapes() -> tuple[list[cp.Graph], list[str]]:
    kinds = {"clique": clique, "dots": lambda n: cp.Graph.from_edges([], num_nodes=n), "star": star}
    graphs = [make(size) for size in (3, 4, 5, 6) for make in kinds.values() for _ in range(3)]
    return graphs, [kind for _ in range(4) for kind in kinds for _ in range(3)]


def test_two_classes_have_one_score_and_more_have_one_each(
    fitted: CliquePoolClassifier, shapes: GraphDataset
) -> None:
    scores = fitted.decision_function(shapes)
    assert scores.shape == (32,)
    np.testing.assert_array_equal(fitted.classes_[(scores > 0).astype(int)], fitted.predict(shapes))
    odds = np.diff(np.log(fitted.predict_proba(shapes)), axis=1)[:, 0]
    np.testing.assert_allclose(odds, scores, rtol=1e-2, atol=1e-2)
    graphs, kinds = three_shapes()
    three = CliquePoolClassifier(**QUICK, validation_fraction=0).fit(graphs, kinds)
    scores = three.decision_function(graphs)
    assert scores.shape == (36, 3)
    np.testing.assert_array_equal(three.classes_[scores.argmax(axis=1)], three.predict(graphs))


@pytest.mark.parametrize("way", ["list", "data set", "pooled"])
def test_no_graphs_give_empty_predictions(
    fitted: CliquePoolClassifier, shapes: GraphDataset, way: str
) -> None:
    nothing: Any = {"list": [], "data set": shapes[:0], "pooled": PooledDataset(shapes[:0])}[way]
    assert fitted.predict(nothing).shape == (0,)
    assert fitted.predict(nothing).dtype == fitted.classes_.dtype
    assert fitted.predict_proba(nothing).shape == (0, 2)
    assert fitted.predict_proba(nothing).dtype == np.float32
    assert fitted.decision_function(nothing).shape == (0,)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (clique(3), r"expected a GraphDataset or a list of graphs, got one Graph: pass \[graph\]"),
        (nx.path_graph(4), r"got one Graph: pass \[graph\]"),
        (np.eye(3), r"got an array of float64 of shape \(3, 3\)"),
        (scipy.sparse.csr_array(np.eye(3)), "got one csr_array"),
        ("MUTAG", "got str 'MUTAG'"),
        (7, "got int 7"),
    ],
    ids=["graph", "networkx", "array", "scipy", "text", "number"],
)
def test_what_is_not_a_list_of_graphs_is_refused(
    fitted: CliquePoolClassifier, given: Any, words: str
) -> None:
    for call in (fitted.predict, lambda X: CliquePoolClassifier().fit(X, [0, 1])):
        with pytest.raises(cp.GraphError, match=words):
            call(given)


def test_a_single_pyg_graph_is_refused_and_a_list_of_them_is_not(fitted: CliquePoolClassifier) -> None:
    data = pytest.importorskip("torch_geometric.data")
    edge_index = torch.tensor([[0, 1, 0, 2, 0, 3], [1, 0, 2, 0, 3, 0]])
    one = data.Data(edge_index=edge_index, num_nodes=4)
    with pytest.raises(cp.GraphError, match=r"got one Data: pass \[graph\]"):
        fitted.predict(one)
    assert fitted.predict([one]).tolist() == ["star"]


# ---- random_state ----


def weights_of(model: CliquePoolClassifier) -> bytes:
    return b"".join(value.numpy().tobytes() for value in model.network_.network.state_dict().values())


def test_none_gives_other_weights_each_time(shapes: GraphDataset) -> None:
    model = CliquePoolClassifier(**QUICK, random_state=None)
    assert weights_of(model.fit(shapes)) != weights_of(model.fit(shapes))


def test_a_random_state_advances_and_comes_back(shapes: GraphDataset) -> None:
    random = np.random.RandomState(4)
    model = CliquePoolClassifier(**QUICK, random_state=random)
    first, second = (weights_of(model.fit(shapes)) for _ in range(2))
    assert first != second
    again = CliquePoolClassifier(**QUICK, random_state=np.random.RandomState(4))
    assert [weights_of(again.fit(shapes)) for _ in range(2)] == [first, second]


def test_a_random_state_is_saved_as_the_seed_drawn_from_it(shapes: GraphDataset, tmp_path: Path) -> None:
    model = CliquePoolClassifier(**QUICK, random_state=np.random.RandomState(4)).fit(shapes)
    model.save(tmp_path / "m.safetensors")
    loaded = CliquePoolClassifier.load(tmp_path / "m.safetensors")
    assert weights_of(clone(loaded).fit(shapes)) == weights_of(model)


@pytest.mark.parametrize("wrong", [-1, "seed", 1.5])
def test_what_is_no_seed_is_refused(shapes: GraphDataset, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"[Ss]eed|RandomState"):
        CliquePoolClassifier(**QUICK, random_state=wrong).fit(shapes)


# ---- features ----


def test_graphs_with_other_features_than_the_fitted_ones_are_refused() -> None:
    both = CliquePoolClassifier(**QUICK).fit(described())
    with pytest.raises(
        cp.GraphError, match=r"expected graphs with node labels and attributes.*got node labels"
    ):
        both.predict(described(width=0))
    with pytest.raises(cp.GraphError, match="expected 2 node attributes, got 3"):
        both.predict(described(width=3))
    bare = CliquePoolClassifier(**QUICK).fit([star(3), clique(3)] * 12, [0, 1] * 12)
    with pytest.raises(cp.GraphError, match="expected graphs with neither node labels nor attributes"):
        bare.predict(described())
    labels = CliquePoolClassifier(**QUICK).fit(described(width=0))
    with pytest.raises(
        cp.GraphError, match=r"expected graphs with node labels, as.*got node labels and attr"
    ):
        labels.predict(described())
    with pytest.raises(cp.GraphError, match="expected node labels that are text, got numbers"):
        labels.predict(GraphDataset.from_graphs([star(2)], node_labels=[[1, 2, 3]]))
    named = CliquePoolClassifier(**QUICK, features="labels").fit(described())
    assert named.predict(described(width=0)).shape == (12,)


def test_labels_not_seen_are_an_error_or_no_label(tmp_path: Path) -> None:
    known, strange = described("CN"), described("CNX")
    with pytest.raises(
        cp.GraphError, match=r'expected node labels seen in training, got X.*handle_unknown="ignore"'
    ):
        CliquePoolClassifier(**QUICK).fit(known).predict(strange)
    model = CliquePoolClassifier(**QUICK, handle_unknown="ignore").fit(known)
    model.save(tmp_path / "m.safetensors")
    for one in (model, CliquePoolClassifier.load(tmp_path / "m.safetensors")):
        features = one.network_.encoder.encode(strange).to_dense()
        of_strange = features[[label == "X" for label in strange.node_label_values[strange.node_labels]]]
        assert (of_strange[:, :2] == 0).all()
        assert one.predict(strange).shape == (12,)
        np.testing.assert_allclose(one.predict_proba(known), model.predict_proba(known), rtol=1e-5)
    with pytest.raises(ValueError, match="handle_unknown: expected one of error, ignore, got 'drop'"):
        CliquePoolClassifier(handle_unknown="drop").fit(known)  # type: ignore[arg-type]


def test_labels_that_the_data_set_names_are_known_though_no_training_graph_has_them() -> None:
    data = described("CNX", width=0)
    without = np.array([i for i in range(12) if "X" not in data[i].node_label_values[data[i].node_labels]])
    data = GraphDataset.concatenate([data, described("CN", width=0)])
    assert CliquePoolClassifier(**QUICK).fit(data[12:]).predict(data[:12]).shape == (12,)
    assert len(without) < 12


# ---- stopping ----


def test_training_stops_when_patience_has_run_out(shapes: GraphDataset) -> None:
    model = CliquePoolClassifier(**QUICK | {"epochs": 500}, validation_fraction=0.25, patience=4).fit(shapes)
    epochs = len(model.curves_["loss"])
    assert epochs < 500
    assert epochs == model.best_epoch_ + 4
    unhurried = CliquePoolClassifier(**QUICK | {"epochs": epochs}, validation_fraction=0.25).fit(shapes)
    assert unhurried.best_epoch_ == model.best_epoch_
    assert weights_of(unhurried) == weights_of(model)
    without = CliquePoolClassifier(**QUICK | {"epochs": 9}, validation_fraction=0, patience=1).fit(shapes)
    assert len(without.curves_["loss"]) == without.best_epoch_ == 9
    with pytest.raises(ValueError, match="patience: expected an integer of at least 1 or none, got 0"):
        CliquePoolClassifier(patience=0).fit(shapes)


def test_verbose_prints_how_training_goes(shapes: GraphDataset, capsys: pytest.CaptureFixture[str]) -> None:
    lines = {}
    for verbose in (0, 1, 2):
        CliquePoolClassifier(**QUICK | {"epochs": 40}, verbose=verbose).fit(shapes)
        lines[verbose] = capsys.readouterr().out.splitlines()
    assert lines[0] == []
    assert 5 <= len(lines[1]) <= 12
    assert len(lines[2]) == 40
    assert lines[1][-1] == lines[2][-1]
    assert lines[2][-1].startswith("epoch 40/40: loss 0.")


# ---- devices ----


def test_a_device_that_is_not_there_is_refused(shapes: GraphDataset, tmp_path: Path) -> None:
    with pytest.raises(cp.InputError, match="device: expected auto, cpu, cuda or one card"):
        CliquePoolClassifier(**QUICK, device="abacus").fit(shapes)
    auto = CliquePoolClassifier(**QUICK, device="auto").fit(shapes)
    auto.save(tmp_path / "m.safetensors")
    assert CliquePoolClassifier.load(tmp_path / "m.safetensors").device == "cpu"
    with pytest.raises(cp.InputError, match="device: expected"):
        CliquePoolClassifier.load(tmp_path / "m.safetensors", device="abacus")
