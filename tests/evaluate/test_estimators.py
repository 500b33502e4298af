"""Estimators of all kinds under the protocols: with epochs or without, prepared or not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from cliquepool.data import GraphDataset
from cliquepool.evaluate import EvaluationError, FoldFailed, evaluate, plan_run, summarise
from cliquepool.evaluate.estimators import describe
from cliquepool.evaluate.splits import derived_seed
from tests.helpers.fold_records import without_times
from tests.helpers.small_images import bars
from tests.helpers.small_model import leaf_features, rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.data.selection import Selection

DATA = rings_and_stars()


class LargestClass:
    """The smallest estimator there can be."""

    def fit(self, X: GraphDataset, y: Any) -> Self:
        assert isinstance(X, GraphDataset)
        classes, counts = np.unique(y, return_counts=True)
        self.class_ = classes[counts.argmax()]
        return self

    def predict(self, X: GraphDataset) -> Any:
        return np.full(len(X), self.class_)


class LeafKernel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A kernel machine: one kernel matrix for all folds and for all values of C."""

    preparation = "leaf kernel"

    def __init__(self, C: float = 1.0, log: str = "") -> None:
        self.C = C
        self.log = log

    def describe(self) -> tuple[str, dict[str, Any]]:
        return "leaf kernel", {"C": self.C}

    def prepare(self, dataset: GraphDataset) -> Any:
        if self.log:
            with open(self.log, "a") as file:  # noqa: PTH123
                file.write("prepared\n")
        features = leaf_features(dataset)
        return features @ features.T

    def fit(self, X: Selection, y: Any) -> Self:
        self.train_ = X.ids
        self.machine_ = SVC(kernel="precomputed", C=self.C).fit(X.source[np.ix_(X.ids, X.ids)], y)
        return self

    def predict(self, X: Selection) -> Any:
        return self.machine_.predict(X.source[np.ix_(X.ids, self.train_)])


class QuietKernel(LeafKernel):
    """The same without a key of what it prepares."""

    preparation = None  # type: ignore[assignment]


class Drawn(LargestClass):
    """Says which seed it got, by its accuracy curve."""

    def __init__(self) -> None:
        self.random_state = 5
        self.made_of = [1, 2]

    def fit(self, X: GraphDataset, y: Any) -> Self:
        self.curves_ = {"validation_accuracy": [0.25, 0.75, 0.5], "seed": [self.random_state, 0.0, 0.0]}
        return super().fit(X, y)


def test_fit_and_predict_are_enough_and_the_curve_has_one_value(tmp_path: Path) -> None:
    records = evaluate(LargestClass(), DATA, "fair", tmp_path / "r.jsonl", folds=4, seeds=1, jobs=1)
    for record in records:
        assert (record.model, record.settings, record.best_epoch) == ("LargestClass", {}, 1)
        assert record.curves == {"validation_accuracy": [record.validation_accuracy]}
        assert record.test_accuracy == 0.5
    again = evaluate(LargestClass(), DATA, "fair", tmp_path / "r.jsonl", folds=4, seeds=1, jobs=1)
    assert without_times(again) == without_times(records)
    (summary,) = summarise(evaluate(LargestClass(), DATA, "paper", tmp_path / "p.jsonl", folds=4, jobs=1))
    assert (summary.epoch, str(summary.figure)) == (1, "50.00 ± 0.00")


def test_a_pipeline_of_scikit_learn_is_judged_in_processes_as_in_one(tmp_path: Path) -> None:
    pipeline = make_pipeline(FunctionTransformer(leaf_features), StandardScaler(), LogisticRegression(C=3.0))
    one = evaluate(pipeline, DATA, "fair", tmp_path / "one.jsonl", folds=4, seeds=1, jobs=1)
    two = evaluate(pipeline, DATA, "fair", tmp_path / "two.jsonl", folds=4, seeds=1, jobs=2)
    assert without_times(one) == without_times(two)
    assert {record.model for record in one} == {"Pipeline"}
    settings = one[0].settings
    assert settings["logisticregression__C"] == 3.0
    assert settings["standardscaler"] == "StandardScaler"
    assert settings["functiontransformer__func"] == "leaf_features"
    assert not any("random_state" in name for name in settings)
    (summary,) = summarise(one)
    assert summary.figure is not None
    assert summary.figure.mean > 80


def test_what_is_prepared_is_shared_and_x_is_a_selection_of_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    models = [LeafKernel(C, log=str(log)) for C in (0.01, 1.0, 100.0)]
    records = evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=4, seeds=2, jobs=1)
    assert log.read_text() == "prepared\n"
    assert {record.model for record in records} == {"leaf kernel"}
    assert records[0].candidates == [{"C": 0.01}, {"C": 1.0}, {"C": 100.0}]
    (summary,) = summarise(records)
    assert summary.figure is not None
    assert summary.figure.mean > 80


def test_estimators_that_say_nothing_of_preparation_share_it_where_they_are_alike(tmp_path: Path) -> None:
    log = tmp_path / "log"
    models = [QuietKernel(C, log=str(log)) for C in (1.0, 1.0, 2.0)]
    evaluate(models, DATA, "fair", tmp_path / "r.jsonl", folds=2, seeds=1, jobs=1)
    assert log.read_text() == 2 * "prepared\n"


def test_every_fold_and_repetition_has_another_random_state(tmp_path: Path) -> None:
    model = Drawn()
    records = evaluate(model, DATA, "fair", tmp_path / "r.jsonl", folds=2, seeds=2, jobs=1)
    assert [record.curves["seed"][0] for record in records] == [
        derived_seed(seed, fold) for seed in (0, 1) for fold in (1, 2)
    ]
    assert {record.best_epoch for record in records} == {2}  # the first of the highest
    assert records[0].settings == {"made_of": [1, 2]}
    assert model.random_state == 5
    assert not hasattr(model, "curves_")


def test_a_pipeline_passes_the_seed_on_to_its_parts() -> None:
    from cliquepool.evaluate.estimators import _copy_with_seed  # noqa: PLC0415

    pipeline = make_pipeline(StandardScaler(), LogisticRegression(random_state=1))
    assert _copy_with_seed(pipeline, 7).named_steps["logisticregression"].random_state == 7
    assert pipeline.named_steps["logisticregression"].random_state == 1


def test_images_are_given_as_arrays(tmp_path: Path) -> None:
    flat = FunctionTransformer(_flat)
    records = evaluate(
        make_pipeline(flat, LogisticRegression(max_iter=30, tol=1.0)),
        bars(),
        "fair",
        tmp_path / "r.jsonl",
        folds=3,
        seeds=1,
        jobs=1,
    )
    assert len(records) == 3


def _flat(images: Any) -> Any:
    assert images.shape[1:] == (1, 32, 32)
    return images.reshape(len(images), -1) / 255


@pytest.mark.parametrize(
    ("model", "got"),
    [
        (LargestClass, "the class LargestClass"),
        (FunctionTransformer(), "a FunctionTransformer without predict"),
        (3, "a int without fit and predict"),
    ],
    ids=["class", "transformer", "number"],
)
def test_what_is_no_estimator_is_refused(tmp_path: Path, model: Any, got: str) -> None:
    with pytest.raises(EvaluationError, match=f"expected an estimator with fit and predict .*, got {got}"):
        plan_run(model, DATA, "fair", tmp_path / "r.jsonl")


def test_settings_that_json_cannot_write_are_refused() -> None:
    with pytest.raises(EvaluationError, match=r"SVC.gamma: expected a setting that JSON can write, got set"):
        describe(SVC(gamma={1}))


def test_settings_are_recorded_as_json_reads_them_back() -> None:
    class Odd(LargestClass):
        def __init__(self) -> None:
            self.numbers = (np.float32(0.5), np.array([1, 2]), float("nan"))
            self.kind = SVC
            self.by_class = {1: 2.0}

    _, settings = describe(Odd())
    assert settings == {"numbers": [0.5, [1, 2], "nan"], "kind": "SVC", "by_class": {"1": 2.0}}
    assert json.loads(json.dumps(settings)) == settings


def test_predictions_of_another_shape_fail_the_fold(tmp_path: Path) -> None:
    class OneHot(LargestClass):
        def predict(self, X: GraphDataset) -> Any:
            return np.zeros((len(X), 2))

    with pytest.raises(FoldFailed, match=r"expected predict to return a class for each of 2 samples"):
        evaluate(OneHot(), DATA, "fair", tmp_path / "r.jsonl", folds=2, seeds=1, jobs=1)
