"""The contract of all methods, and the arguments of `explain`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.errors import BudgetExceeded, InputError
from cliquepool.explain import explain
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from tests.helpers.labelled_graphs import permuted

METHODS = ["occlusion", "shapley", "gradient", "delete"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", [0, 1, 2])
def test_every_method_has_its_stated_property(
    method: Any, level: int, model: Any, graphs: GraphDataset
) -> None:
    why = explain(model, graphs[1], method, level=level, baseline=graphs)
    values, pools = why.contributions, len(why.pools)
    assert values.of_pools.shape == (pools, 2)
    assert why.node_scores.shape == (graphs[1].num_nodes,)
    assert np.allclose(values.whole[1], model.decision_function(graphs[1]), atol=1e-5)
    difference = values.whole - values.nothing
    if method == "shapley":
        assert np.abs(values.of_pools.sum(0) - difference).max() < 1e-4
    elif method == "gradient":
        assert np.allclose(values.of_pools.sum(0) + values.gap, difference)
    else:
        without = [list(why.what_if([pool]).scores.values()) for pool in range(pools)]
        assert np.abs(values.whole - np.array(without) - values.of_pools).max() < 1e-5
    assert np.allclose(values.of_pools[:, 0], -values.of_pools[:, 1])  # two classes


@pytest.mark.parametrize("method", METHODS)
def test_scores_follow_the_nodes_when_these_are_relabelled(
    method: Any, model: Any, graphs: GraphDataset
) -> None:
    seed = 5
    other = permuted(graphs[2], seed)
    order = np.random.default_rng(seed).permutation(graphs[2].num_nodes)  # as `permuted` draws it
    before, after = (explain(model, graph, method, target="1").node_scores for graph in (graphs[2], other))
    assert np.abs(after[order] - before).max() < 1e-5


def test_pools_beyond_sixteen_are_sampled_with_errors(model: Any) -> None:
    path = cp.Graph.from_edges([(i, i + 1) for i in range(20)])
    graph = GraphDataset.from_graphs([path], node_labels=[[i % 3 for i in range(21)]])
    why = explain(model, graph, level=1, samples=10)
    assert len(why.pools) == 20
    assert why.contributions.standard_errors is not None
    assert why.contributions.answers is None
    assert why.answers is None
    assert np.array_equal(
        why.contributions.of_pools, explain(model, graph, level=1, samples=10).contributions.of_pools
    )


def test_a_regressor_is_explained_in_the_unit_of_y(graphs: GraphDataset) -> None:
    y = 50.0 + np.diff(graphs.node_start)
    model = CliquePoolRegressor(hidden=8, epochs=3, validation_fraction=0).fit(graphs, y)
    why = explain(model, graphs[0])
    assert np.isclose(why.answer.scores["y"], model.predict(graphs[0])[0])
    assert why.answer.probabilities == {}


def test_the_target_is_the_predicted_class_unless_it_is_named(model: Any, graphs: GraphDataset) -> None:
    why = explain(model, graphs[0], "occlusion")
    assert why.names.scores[why.target] == str(model.predict(graphs[0])[0]) == why.answer.prediction
    assert [explain(model, graphs[0], "occlusion", target=name).target for name in (0, "1")] == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "lime"}, "method: expected one of occlusion, shapley, gradient, delete, got 'lime'"),
        ({"level": -1}, "level: expected an integer of at least 0, got -1"),
        ({"level": True}, "level: expected an integer of at least 0, got True"),
        ({"samples": 1}, "samples: expected an integer of at least 2, got 1"),
        ({"steps": 0}, "steps: expected an integer of at least 1, got 0"),
        ({"target": "cat"}, "target: expected one of 0, 1, got 'cat'"),
        ({"baseline": "one"}, "baseline: expected"),
        ({"labels": 3}, "labels: expected a mapping of names to texts, got int"),
    ],
)
def test_bad_arguments_are_named(
    arguments: dict[str, Any], message: str, model: Any, graphs: GraphDataset
) -> None:
    with pytest.raises(InputError, match=message):
        explain(model, graphs[0], **arguments)


def test_masks_without_effect_are_refused(graphs: GraphDataset) -> None:
    model = CliquePoolClassifier(hidden=8, epochs=1, validation_fraction=0, features="constant").fit(graphs)
    with pytest.raises(InputError, match="masks would have no effect"):
        explain(model, graphs[0], baseline=graphs)
    assert explain(model, graphs[0], "delete", baseline=graphs).method == "delete"


def test_time_is_limited(model: Any, graphs: GraphDataset) -> None:
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        explain(model, graphs[0], budget=cp.Budget(max_seconds=0))
