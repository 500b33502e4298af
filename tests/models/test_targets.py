"""Targets of a classifier: classes of any kind, or several labels; anything else is refused with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import DataConversionWarning

import cliquepool as cp
from cliquepool.models import CliquePoolClassifier
from tests.helpers.shape_graphs import QUICK, clique, star

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.data import GraphDataset


@pytest.mark.parametrize(
    "pair",
    [("star", "clique"), (True, False), (3, -7), (1.0, 2.0), (np.str_("b"), np.str_("a"))],
    ids=str,
)
def test_classes_may_be_text_truth_values_or_numbers(shapes: GraphDataset, pair: tuple[Any, Any]) -> None:
    y = [pair[code] for code in shapes.targets.tolist()]
    model = CliquePoolClassifier(**QUICK, validation_fraction=0).fit(shapes, y)
    assert model.classes_.tolist() == sorted(pair)
    assert model.predict(shapes).tolist() == y
    assert model.predict(shapes).dtype == np.array(y).dtype
    objects = CliquePoolClassifier(**QUICK, validation_fraction=0).fit(shapes, np.array(y, dtype=object))
    assert objects.predict(shapes).tolist() == y


def test_classes_may_be_a_pandas_categorical(shapes: GraphDataset) -> None:
    pandas = pytest.importorskip("pandas")
    y = shapes.classes[shapes.targets]
    for given in (pandas.Categorical(y), pandas.Series(y, dtype="category"), pandas.Series(y)):
        model = CliquePoolClassifier(**QUICK, validation_fraction=0).fit(shapes, given)
        assert model.predict(shapes).tolist() == y.tolist()
    with pytest.raises(cp.GraphError, match="y: expected a class for every graph"):
        CliquePoolClassifier().fit(shapes, pandas.Series([pandas.NA, *y[1:]]))


def test_a_column_of_classes_is_taken_with_a_warning(shapes: GraphDataset) -> None:
    column = shapes.targets[:, None]
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = CliquePoolClassifier(**QUICK, validation_fraction=0).fit(shapes, column)
    assert model.predict(shapes).shape == (32,)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (
            np.linspace(0, 1, 32),
            r"expected classes, got continuous numbers \(first 0.0\).*CliquePoolRegressor",
        ),
        (
            np.where(np.arange(32) == 3, np.nan, 1.0),
            "expected a class for every graph, got NaN.* for graph 3",
        ),
        ([None, "a"] * 16, "expected a class for every graph, got NaN or none for graph 0 and 15 more"),
        (["a", 1] * 16, "expected text or numbers, got both"),
        (["a", float("nan")] * 16, "expected a class for every graph, got NaN or none for graph 1"),
        (np.arange(64).reshape(32, 2), r"expected one class for each of 32 graphs.*got shape \(32, 2\)"),
        (np.zeros((32, 2, 2)), r".*got shape \(32, 2, 2\)"),
        (3, r"expected one class for each of 32 graphs, got shape \(\)"),
        ([0, 1], r"expected one class for each of 32 graphs, got shape \(2,\)"),
        ([[0], [0, 1]] * 16, "expected one class for each graph, got lists of several lengths"),
    ],
    ids=[
        "continuous",
        "nan",
        "none",
        "mixed",
        "nan in text",
        "two columns",
        "cube",
        "number",
        "short",
        "ragged",
    ],
)
def test_what_is_no_list_of_classes_is_refused(shapes: GraphDataset, y: Any, words: str) -> None:
    with pytest.raises(cp.GraphError, match=f"^y: {words}"):
        CliquePoolClassifier().fit(shapes, y)


def test_without_y_the_data_set_has_to_have_classes(shapes: GraphDataset) -> None:
    with pytest.raises(cp.GraphError, match="pass y"):
        CliquePoolClassifier().fit([star(3), clique(3)])


# ---- several labels ----


def labels_of(dataset: GraphDataset) -> Any:
    """Whether a graph is a star, whether it has more than five nodes, and never."""
    star_like = dataset.targets == dataset.classes.tolist().index("star")
    large = np.diff(dataset.node_start) > 5
    return np.stack([star_like, large, np.zeros(len(dataset))], axis=1).astype(int)


def test_each_graph_may_have_several_labels(shapes: GraphDataset, tmp_path: Path) -> None:
    y = labels_of(shapes)
    model = CliquePoolClassifier(**QUICK | {"epochs": 80}, validation_fraction=0).fit(shapes, y)
    assert model.classes_.tolist() == [0, 1, 2]
    predicted, probabilities = model.predict(shapes), model.predict_proba(shapes)
    assert predicted.shape == probabilities.shape == model.decision_function(shapes).shape == (32, 3)
    assert set(np.unique(predicted)) <= {0, 1}
    np.testing.assert_array_equal(predicted, probabilities > 0.5)
    np.testing.assert_array_equal(predicted, model.decision_function(shapes) > 0)
    assert model.score(shapes, y) == (predicted == y).all(axis=1).mean()
    assert (predicted[:, 0] == y[:, 0]).mean() > 0.9
    assert set(model.curves_) == {"loss", "validation_loss", "validation_accuracy", "validation_brier"}
    model.save(tmp_path / "m.safetensors")
    loaded = CliquePoolClassifier.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(shapes), probabilities)
    assert loaded.classes_.tolist() == [0, 1, 2]
    assert model.predict([]).shape == (0, 3)


def test_labels_may_be_a_sparse_matrix(shapes: GraphDataset) -> None:
    y = labels_of(shapes)
    dense, sparse = (
        CliquePoolClassifier(**QUICK).fit(shapes, given) for given in (y, scipy.sparse.csr_array(y))
    )
    np.testing.assert_array_equal(dense.predict_proba(shapes), sparse.predict_proba(shapes))
