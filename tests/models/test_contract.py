"""The contract of every model of the comparison table: one test file over all of them."""

from __future__ import annotations

import pickle
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import cliquepool as cp
from cliquepool import models
from tests.helpers.model_cases import CASES, Case
from tests.helpers.shape_graphs import clique, described, shapes, star

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

SHAPES = shapes()
SINGLE = cp.Graph.from_edges([], num_nodes=1)
EMPTY = cp.Graph.from_edges([], num_nodes=0)
EDGELESS = cp.Graph.from_edges([], num_nodes=4)

every_model = pytest.mark.parametrize("case", CASES, ids=str)


@cache
def fitted(case: Case) -> Any:
    return case().fit(SHAPES)


def outputs(model: Any, graphs: Any) -> npt.NDArray[Any]:
    """Return the probabilities of a model, or where it has none its scores."""
    predict = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
    return np.asarray(predict(graphs))


def plain_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters that are no estimators themselves."""
    parameters = model.get_params(deep=False)
    return {name: value for name, value in parameters.items() if not hasattr(value, "get_params")}


def relabelled(graph: cp.Graph, seed: int) -> cp.Graph:
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    sources = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    return cp.Graph.from_edges(np.stack([order[sources], order[graph.indices]], axis=1), graph.num_nodes)


@every_model
def test_learns_an_easy_task(case: Case) -> None:
    assert fitted(case).score(SHAPES) > 0.9


@every_model
def test_is_deterministic_under_a_seed(case: Case) -> None:
    first, second = (case(**short(case), random_state=3).fit(SHAPES) for _ in range(2))
    assert outputs(first, SHAPES).tobytes() == outputs(second, SHAPES).tobytes()


def short(case: Case) -> dict[str, Any]:
    """Return parameters that shorten a training, where the model is trained in epochs."""
    return {"epochs": 2} if "epochs" in case.parameters else {}


@every_model
def test_predicts_graphs_of_one_node_and_graphs_without_edges(case: Case) -> None:
    for graphs in ([SINGLE], [EDGELESS], [SINGLE, EDGELESS, SINGLE], [star(3), SINGLE]):
        found = outputs(fitted(case), graphs)
        assert len(found) == len(graphs)
        assert np.isfinite(found).all()


@every_model
def test_predicts_a_graph_without_nodes(case: Case) -> None:
    assert np.isfinite(outputs(fitted(case), [star(3), EMPTY, EMPTY])).all()


@every_model
@pytest.mark.parametrize("batch_size", [1, 3])
def test_trains_on_graphs_of_one_node_and_graphs_without_edges(case: Case, batch_size: int) -> None:
    others = short(case)
    if others:
        others["batch_size"] = batch_size
    graphs = [SINGLE, EDGELESS, SINGLE, EDGELESS, SINGLE]
    model = case(**others).fit(graphs, [0, 1, 0, 1, 0])
    assert np.isfinite(outputs(model, [*graphs, clique(5)])).all()


@every_model
def test_predicts_larger_graphs_than_those_trained_on(case: Case) -> None:
    found = outputs(fitted(case), [star(40), clique(12)])
    assert np.isfinite(found).all()


@every_model
def test_predicts_a_graph_alone_as_in_a_batch(case: Case) -> None:
    chosen = [0, 5, 13, 31]
    together = outputs(fitted(case), SHAPES)
    for i in chosen:
        np.testing.assert_allclose(outputs(fitted(case), SHAPES[[i]])[0], together[i], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("case", [case for case in CASES if not case.ordered], ids=str)
def test_does_not_depend_on_the_order_of_nodes(case: Case) -> None:
    graphs = [clique(5), star(4), cp.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4)])]
    permuted = [relabelled(graph, seed) for seed, graph in enumerate(graphs)]
    expected = outputs(fitted(case), graphs)
    np.testing.assert_allclose(outputs(fitted(case), permuted), expected, rtol=1e-3, atol=1e-4)


@every_model
def test_is_saved_and_read_again(case: Case, tmp_path: Path) -> None:
    model = fitted(case)
    model.save(tmp_path / "model.safetensors")
    again = type(model).load(tmp_path / "model.safetensors")
    assert outputs(again, SHAPES).tobytes() == outputs(model, SHAPES).tobytes()
    assert again.predict(SHAPES[:3]).tolist() == model.predict(SHAPES[:3]).tolist()
    assert plain_parameters(again) == plain_parameters(model)
    assert again.describe() == model.describe()


@every_model
def test_refuses_a_file_that_is_not_its_own(case: Case, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"no model")
    with pytest.raises(cp.InputError, match=r"model\.safetensors"):
        getattr(models, case.name).load(tmp_path / "model.safetensors")


@every_model
def test_takes_labels_and_attributes(case: Case) -> None:
    graphs = described()
    model = case(**short(case)).fit(graphs)
    assert np.isfinite(outputs(model, graphs)).all()


@every_model
def test_refuses_what_it_cannot_take(case: Case) -> None:
    with pytest.raises(NotFittedError, match="call fit first"):
        case().predict(SHAPES)
    with pytest.raises(cp.GraphError, match="expected graphs, got none"):
        case().fit([], [])
    with pytest.raises(cp.GraphError, match="X: expected a GraphDataset or a list of graphs"):
        case().fit(np.zeros((4, 3)), [0, 1, 0, 1])
    with pytest.raises((cp.GraphError, ValueError), match=r"y|class"):
        case().fit(SHAPES, [0, 1])
    if case.ignores_labels:
        assert len(fitted(case).predict(described())) == len(described())
        return
    with pytest.raises(cp.GraphError, match=r"X: expected graphs with(out| neither) node labels"):
        fitted(case).predict(described())


@every_model
def test_is_an_estimator_of_scikit_learn(case: Case) -> None:
    model = case()
    copied = clone(model)
    assert plain_parameters(copied) == plain_parameters(model)
    assert copied.describe() == model.describe()
    assert vars(model) == model.get_params(deep=False), "the constructor stores its parameters and no more"
    again = pickle.loads(pickle.dumps(fitted(case)))
    assert again.predict(SHAPES[:2]).tolist() == fitted(case).predict(SHAPES[:2]).tolist()


@every_model
def test_predicts_nothing_for_no_graphs(case: Case) -> None:
    assert len(fitted(case).predict([])) == 0


@every_model
def test_describes_itself_for_records(case: Case) -> None:
    title, settings = case().describe()
    assert title == case().title != ""
    assert settings.items() >= {name: case.parameters[name] for name in short(case)}.items()


@pytest.mark.parametrize("case", [case for case in CASES if short(case)], ids=str)
def test_defaults_are_those_of_the_settings(case: Case) -> None:
    cls = getattr(models, case.name)
    assert cls().settings == cls.settings_type()


def test_every_classifier_of_graphs_is_in_the_list() -> None:
    classifiers = {name for name in models.__all__ if name.endswith("Classifier")} - {"VGGClassifier"}
    assert classifiers == {case.name for case in CASES}
