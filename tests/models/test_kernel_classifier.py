"""The base of classifiers by kernels: prepared counts, weights, settings, refusals, several classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.data.selection import Selection
from cliquepool.evaluate import evaluate
from cliquepool.models import (
    GraphletKernelClassifier,
    ShortestPathKernelClassifier,
    WLKernelClassifier,
    WLOAKernelClassifier,
)
from tests.helpers.labelled_graphs import molecules
from tests.helpers.shape_graphs import clique, described, path, shapes, star

if TYPE_CHECKING:
    from pathlib import Path

SHAPES = shapes()
MODELS = (
    GraphletKernelClassifier,
    ShortestPathKernelClassifier,
    WLKernelClassifier,
    WLOAKernelClassifier,
)
# Few candidates, to be quick.
QUICK: dict[str, Any] = {"C": (1.0, 100.0), "inner_folds": 3}
WL: dict[str, Any] = QUICK | {"iterations": (1, 2)}

every_model = pytest.mark.parametrize("model", MODELS)


@every_model
def test_prepared_graphs_give_the_same_as_graphs(model: Any) -> None:
    dataset, train, test = molecules(30, seed=0), np.arange(0, 30, 2), np.arange(1, 30, 2)
    prepared = model(**QUICK).prepare(dataset)
    selected = model(**QUICK).fit(Selection(prepared, train))
    plain = model(**QUICK).fit(dataset[train])
    of_data_set = model(**QUICK).fit(Selection(dataset, train))
    expected = plain.decision_function(dataset[test])
    for found in (
        selected.decision_function(Selection(prepared, test)),
        of_data_set.decision_function(Selection(dataset, test)),
        plain.decision_function(prepared)[test],
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert selected.score(Selection(prepared, test)) == plain.score(dataset[test])


def test_counts_that_were_prepared_for_other_settings_are_not_used() -> None:
    dataset, ids = molecules(20, seed=1), np.arange(20)
    prepared = WLKernelClassifier(**WL, labels="degree").prepare(dataset)
    expected = WLKernelClassifier(**WL).fit(dataset).decision_function(dataset)
    found = WLKernelClassifier(**WL).fit(Selection(prepared, ids)).decision_function(prepared)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert WLKernelClassifier().preparation == WLOAKernelClassifier().preparation
    assert WLKernelClassifier(iterations=(1,)).preparation != WLKernelClassifier().preparation


@every_model
def test_several_classes_are_learned_and_most_probable_ones_predicted(model: Any) -> None:
    graphs = [shape(size) for size in (4, 5, 6) for shape in (star, clique, path)] * 5
    classes = ["star", "clique", "path"] * 15
    fitted = model(**QUICK).fit(graphs, classes)
    assert fitted.score(graphs, classes) > 0.95
    probabilities = fitted.predict_proba(graphs)
    assert probabilities.shape == fitted.decision_function(graphs).shape == (45, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert fitted.classes_[probabilities.argmax(axis=1)].tolist() == fitted.predict(graphs).tolist()


def test_the_decision_of_two_classes_is_positive_for_the_second() -> None:
    model = WLKernelClassifier(**WL).fit(SHAPES)
    is_second = model.decision_function(SHAPES) > 0
    assert model.classes_[is_second.astype(int)].tolist() == model.predict(SHAPES).tolist()
    assert ((model.predict_proba(SHAPES)[:, 1] > 0.5) == is_second).all()


def test_unseen_colours_of_new_graphs_count_in_their_norm_alone() -> None:
    model = WLKernelClassifier(iterations=(0,), C=(1.0,)).fit([star(3), clique(3)] * 5, [0, 1] * 5)
    seen, mixed = star(3), cp.Graph.from_edges([(0, 1), (0, 2), (0, 3), *[(4, i) for i in range(5, 15)]])
    alone, strange = model.decision_function([seen, mixed]) - model.fitted_.intercepts[0] * -1
    assert abs(strange) < abs(alone)


def test_graphs_without_structures_have_a_kernel_of_zero() -> None:
    dots = [cp.Graph.from_edges([], num_nodes=n) for n in (0, 1, 2)]
    model = GraphletKernelClassifier(**QUICK).fit([star(3), clique(4)] * 5, [0, 1] * 5)
    found = model.decision_function(dots)
    assert found.tolist() == [found[0]] * 3
    counted = ShortestPathKernelClassifier(**QUICK).fit(dots * 4, [0, 1, 1] * 4)
    assert np.isfinite(counted.decision_function(dots)).all()


def test_weights_of_graphs_and_of_classes_count() -> None:
    graphs = [star(3)] * 8 + [clique(4)] * 2
    graphs += [path(3)] * 2
    y = [0] * 8 + [1] * 2 + [0, 1]
    one = WL | {"C": (1.0,)}
    heavy = WLKernelClassifier(**one).fit(graphs, y, sample_weight=[1] * 10 + [1, 50])
    light = WLKernelClassifier(**one).fit(graphs, y, sample_weight=[1] * 10 + [50, 1])
    assert (heavy.predict([path(3)]).tolist(), light.predict([path(3)]).tolist()) == ([1], [0])
    left_out = WLKernelClassifier(**one).fit(graphs, y, sample_weight=[1] * 11 + [0])
    without = WLKernelClassifier(**one).fit(graphs[:-1], y[:-1])
    assert left_out.decision_function(graphs).tobytes() == without.decision_function(graphs).tobytes()
    balanced = WLKernelClassifier(**one, class_weight="balanced").fit(graphs, y)
    assert balanced.describe()[1]["class_weight"] == "balanced"
    with pytest.raises(cp.GraphError, match="sample_weight: expected one for each of 12 graphs"):
        WLKernelClassifier().fit(graphs, y, sample_weight=[1, 2])


def test_a_random_state_draws_the_seed_of_the_folds() -> None:
    random = np.random.RandomState(7)
    model = WLKernelClassifier(**WL, random_state=random).fit(SHAPES)
    assert WLKernelClassifier(**WL, random_state=5).fit(SHAPES).seed_ == 5
    assert model.seed_ == np.random.RandomState(7).randint(np.iinfo(np.int32).max)


def test_settings_are_checked() -> None:
    for wrong, match in (
        ({"C": ()}, "C: expected a list"),
        ({"C": (0.0,)}, "C: expected"),
        ({"iterations": (-1,)}, "iterations: expected"),
        ({"inner_folds": 1}, "inner_folds: expected an integer"),
        ({"labels": "colour"}, "labels: expected one of auto, labels, degree, none"),
    ):
        with pytest.raises(cp.InputError, match=match):
            WLKernelClassifier(**wrong).fit(SHAPES)
    with pytest.raises(cp.InputError, match="size: expected"):
        GraphletKernelClassifier(size=5).fit(SHAPES)


@every_model
def test_defaults_are_those_of_the_settings(model: Any) -> None:
    assert model().settings == model.settings_type()
    assert model.from_settings(model.settings_type(C=(2.0,))).C == (2.0,)
    title, settings = model().describe()
    assert title == model.title
    assert settings["inner_folds"] == 5


def test_other_labels_than_those_fitted_on_are_refused() -> None:
    labelled = WLKernelClassifier(**WL).fit(described("CN", width=0))
    with pytest.raises(
        cp.GraphError, match="with node labels that are text, as those fitted on, got some wi"
    ):
        labelled.predict(SHAPES)
    with pytest.raises(cp.GraphError, match="expected node labels, got a data set without them"):
        WLKernelClassifier(labels="labels").fit(SHAPES)
    # Attributes are not read, and a label that was not seen is another colour.
    assert len(labelled.predict(described("CX", width=2))) == 12


def test_several_labels_for_each_graph_are_refused() -> None:
    with pytest.raises(cp.GraphError, match="expected one class for each graph, got labels of shape"):
        WLKernelClassifier().fit(SHAPES, np.tile([[0, 1], [1, 1]], (16, 1)))
    with pytest.raises(cp.GraphError, match="at least two classes"):
        WLKernelClassifier().fit(SHAPES, np.zeros(32, dtype=int))


@every_model
def test_models_are_judged_by_protocols(model: Any, tmp_path: Any) -> None:
    records = evaluate(model(**QUICK), SHAPES, "fair", tmp_path / "r.jsonl", folds=2, seeds=1, jobs=1)
    assert [record.model for record in records] == [model.title] * 2
    assert np.mean([record.test_accuracy for record in records]) > 0.8


def test_the_classes_of_a_data_set_may_be_text() -> None:
    dataset = GraphDataset.from_graphs([star(4), clique(4)] * 6, ["s", "c"] * 6)
    assert set(WLOAKernelClassifier(**WL).fit(dataset).predict(dataset)) == {"s", "c"}


def test_settings_that_change_after_the_fit_do_not_change_predictions(tmp_path: Path) -> None:
    model = GraphletKernelClassifier(**QUICK, size=3).fit(SHAPES)
    expected = model.decision_function(SHAPES)
    model.set_params(size=4)
    np.testing.assert_array_equal(model.decision_function(SHAPES), expected)
    model.save(tmp_path / "kernel.safetensors")
    loaded = GraphletKernelClassifier.load(tmp_path / "kernel.safetensors")
    np.testing.assert_array_equal(loaded.decision_function(SHAPES), expected)
    assert loaded.size == 3
