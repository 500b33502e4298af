"""Weights: one for each graph, finite and not negative; classes come back from JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.models import CliquePoolClassifier
from cliquepool.models.sample_weights import (
    checked_weights,
    class_weight_from_json,
    class_weight_to_json,
    product,
)
from tests.helpers.shape_graphs import QUICK, star

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset


def test_a_single_number_is_the_weight_of_all() -> None:
    weights = checked_weights("w", 2, 3)
    assert weights is not None
    assert weights.tolist() == [2.0, 2.0, 2.0]
    assert checked_weights("w", None, 3) is None


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["a", "b", "c"], "w: expected numbers, got"),
        ([1, 2], r"w: expected one for each of 3 graphs, got shape \(2,\)"),
        ([1, 2, -1], "w: expected finite numbers of at least 0"),
        ([1, 2, np.nan], "w: expected finite numbers of at least 0"),
        ([0, 0, 0], "w: expected some above 0, got all zero"),
    ],
    ids=["text", "few", "negative", "nan", "zero"],
)
def test_wrong_weights_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        checked_weights("w", weights, 3)


def test_no_weights_leave_the_others_as_they_are() -> None:
    two = np.array([1.0, 2.0])
    assert product(None, None) is None
    assert product(two, None) is product(None, two) is two
    both = product(two, two)
    assert both is not None
    assert both.tolist() == [1.0, 4.0]


@pytest.mark.parametrize(
    "weight", [None, "balanced", {1: 0.5, 2: 2.0}, {"a": 1.0}, [{0: 1.0, 1: 2.0}, {0: 1.0, 1: 3.0}]], ids=str
)
def test_class_weights_come_back_from_json(weight: Any) -> None:
    assert class_weight_from_json(json.loads(json.dumps(class_weight_to_json(weight)))) == weight


# ---- in a classifier ----


def same_graphs() -> tuple[list[cp.Graph], list[int]]:
    """Graphs that cannot be told apart: three in four of class 0."""
    return [star(3)] * 40, [0, 0, 0, 1] * 10


def test_class_weights_make_a_rare_class_count() -> None:
    graphs, y = same_graphs()
    how = QUICK | {"epochs": 60, "validation_fraction": 0}
    of_rare = {
        str(weight): CliquePoolClassifier(**how, class_weight=weight)
        .fit(graphs, y)
        .predict_proba(graphs)[0, 1]
        for weight in (None, "balanced", {0: 1, 1: 30})
    }
    assert abs(of_rare["None"] - 0.25) < 0.08
    assert abs(of_rare["balanced"] - 0.5) < 0.08
    assert of_rare["{0: 1, 1: 30}"] > 0.8


def test_sample_weights_make_a_graph_count() -> None:
    graphs, y = same_graphs()
    how = QUICK | {"epochs": 60, "validation_fraction": 0}
    model = CliquePoolClassifier(**how).fit(graphs, y, sample_weight=[3.0 if code else 1.0 for code in y])
    assert abs(model.predict_proba(graphs)[0, 1] - 0.5) < 0.08


def test_weights_that_are_all_the_same_change_nothing_but_rounding(shapes: GraphDataset) -> None:
    plain = CliquePoolClassifier(**QUICK).fit(shapes)
    for weights in (np.full(32, 7.0), 7.0):
        weighted = CliquePoolClassifier(**QUICK).fit(shapes, sample_weight=weights)
        np.testing.assert_allclose(weighted.predict_proba(shapes), plain.predict_proba(shapes), atol=0.02)


def test_a_graph_of_weight_zero_is_left_out(shapes: GraphDataset) -> None:
    y = shapes.classes[shapes.targets]
    kept = np.arange(32) % 5 != 0
    without = CliquePoolClassifier(**QUICK, validation_fraction=0).fit(
        shapes[kept], y[kept], sample_weight=np.ones(kept.sum())
    )
    y[~kept] = "clique"  # what it is does not matter
    zero = CliquePoolClassifier(**QUICK, validation_fraction=0).fit(shapes, y, sample_weight=kept)
    np.testing.assert_allclose(zero.predict_proba(shapes), without.predict_proba(shapes), atol=1e-4)


def test_the_score_can_be_weighted(fitted: CliquePoolClassifier, shapes: GraphDataset) -> None:
    y = shapes.classes[shapes.targets]
    y[0] = "clique"  # the only one that is predicted wrong
    assert fitted.score(shapes, y) == 31 / 32
    assert fitted.score(shapes, y, sample_weight=np.eye(32)[0]) == 0.0


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, 2.0], r"expected one for each of 32 graphs, got shape \(2,\)"),
        (np.full(32, np.nan), "expected finite numbers of at least 0"),
        (np.full(32, -1.0), "expected finite numbers of at least 0"),
        (np.zeros(32), "expected some above 0, got all zero"),
        (["a"] * 32, "expected numbers"),
    ],
    ids=["short", "nan", "negative", "zero", "text"],
)
def test_what_are_no_weights_is_refused(shapes: GraphDataset, weights: Any, words: str) -> None:
    with pytest.raises(cp.GraphError, match=f"sample_weight: {words}"):
        CliquePoolClassifier().fit(shapes, sample_weight=weights)


def test_class_weights_that_leave_nothing_are_refused(shapes: GraphDataset) -> None:
    with pytest.raises(cp.GraphError, match="class_weight: expected some above 0, got all zero"):
        CliquePoolClassifier(class_weight={"star": 0, "clique": 0}).fit(shapes)
    with pytest.raises(cp.GraphError, match="class_weight: expected finite numbers of at least 0"):
        CliquePoolClassifier(class_weight={"star": -1, "clique": 1}).fit(shapes)
    with pytest.raises(ValueError, match="class_weight"):
        CliquePoolClassifier(class_weight={"star": 1, "ring": 2}).fit(shapes)


def test_balanced_weights_are_those_of_the_graphs_trained_on() -> None:
    graphs, y = same_graphs()
    how = QUICK | {"epochs": 1, "dropout": 0.0, "class_weight": "balanced"}
    losses = [
        CliquePoolClassifier(**how).fit(graphs, y, validation=(graphs[:8], held_out)).curves_["loss"]
        for held_out in ([0, 1] * 4, [0] * 7 + [1], [0] * 8)
    ]
    assert losses[0] == losses[1] == losses[2]


def test_weights_that_leave_nothing_to_train_on_or_to_validate_are_refused() -> None:
    graphs, y = same_graphs()
    how = QUICK | {"epochs": 1, "class_weight": {0: 1, 1: 0}}
    with pytest.raises(cp.GraphError, match="expected validation graphs of weights above 0"):
        CliquePoolClassifier(**how).fit(graphs, y, validation=(graphs[:4], [1] * 4))
    with pytest.raises(cp.GraphError, match="expected training graphs of weights above 0"):
        CliquePoolClassifier(**how).fit(graphs, y, y, validation=(graphs[:4], [0] * 4))
