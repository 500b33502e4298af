"""scikit-learn's tools and its own checks of estimators.

`check_estimator` needs an array X, and estimators of graphs say by their tags that they take none. So:

- checks that use no X run on the estimators themselves (`WITHOUT_X`);
- all others run on the estimators over rows of numbers, each row a graph of one node (`on_rows.py`). What
  they check of y, weights, labels, outputs and state is the code of the estimators of graphs. What they check
  of X as an array (`ABOUT_ARRAYS`) is the test's own code, and says nothing of graphs;
- those that are not run are in `NOT_RUN`, with the reason;
- what the checks of `ABOUT_STATE` say is also tested with graphs, by hand.
"""

from __future__ import annotations

import pickle
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier, VotingRegressor
from sklearn.model_selection import (
    GridSearchCV,
    PredefinedSplit,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    permutation_test_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from tests.helpers.shape_graphs import QUICK, paths, shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

HAS_TAGS: Final = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 6)

SHAPES = shapes()
Y = SHAPES.classes[SHAPES.targets]
PATHS, LENGTHS = paths()
ESTIMATORS: Final = (CliquePoolClassifier(**QUICK), CliquePoolRegressor(**QUICK))

# ---- scikit-learn's own checks ----

WITHOUT_X: Final = (
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
)

ABOUT_ARRAYS: Final = (
    "check_array_api_input",
    "check_classifier_data_not_an_array",
    "check_complex_data",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_empty_data_messages",
    "check_estimators_nan_inf",
    "check_f_contiguous_array_estimator",
    "check_fit1d",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit2d_predict1d",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_regressor_data_not_an_array",
    "check_requires_y_none",
)

ABOUT_STATE: Final = (
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_estimators_unfitted",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_pipeline_consistency",
)

ABOUT_TARGETS: Final = (
    "check_all_zero_sample_weights_error",
    "check_class_weight_classifiers",
    "check_classifiers_classes",
    "check_classifiers_multilabel_output_format_decision_function",
    "check_classifiers_multilabel_output_format_predict",
    "check_classifiers_multilabel_output_format_predict_proba",
    "check_classifiers_multilabel_representation_invariance",
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_regression_target",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_estimators_partial_fit_n_features",
    "check_non_transformer_estimators_n_iter",
    "check_regressor_multioutput",
    "check_regressors_int",
    "check_regressors_no_decision_function",
    "check_regressors_train",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
    "check_supervised_y_2d",
    "check_supervised_y_no_nan",
)

NOT_RUN: Final = {
    "check_sample_weight_equivalence_on_dense_data": "a graph of weight 2 is in one mini-batch, the same "
    "graph given twice in two: losses are the same on average, the network after training is not",
    "check_methods_subset_invariance": "in 32 bits the last digits depend on what else is in a batch; "
    "test_a_graph_is_predicted_the_same_among_any_others checks the others",
    "check_methods_sample_order_invariance": "as check_methods_subset_invariance",
}

if HAS_TAGS:
    from tests.helpers.row_estimators import RowClassifier, RowRegressor

    ON_ROWS: dict[str, Any] = QUICK | {
        "pools": 0,
        "hidden": 16,
        "mlp": (16,),
        "epochs": 20,
        "learning_rate": 0.05,
        "batch_size": 32,
        "normalise": False,
        "validation_fraction": 0,
    }
    ROWS: tuple[Any, ...] = (RowClassifier(**ON_ROWS), RowRegressor(**ON_ROWS))
else:
    ROWS = ()


def checks_on_rows() -> Iterator[Any]:
    """Every check of scikit-learn, named by the estimator, the check and how often it came."""
    names: Counter[str] = Counter()
    for rows in ROWS:
        for estimator, check in estimator_checks.estimator_checks_generator(rows):
            name = f"{type(rows).__name__}-{estimator_checks._check_name(check)}"
            names[name] += 1
            yield pytest.param(estimator, check, id=name if names[name] == 1 else f"{name}-{names[name]}")


@pytest.mark.parametrize(("estimator", "check"), list(checks_on_rows()))
@pytest.mark.filterwarnings("ignore")
def test_a_check_of_scikit_learn_passes_on_rows(estimator: Any, check: Any) -> None:
    name = estimator_checks._check_name(check)
    if name in NOT_RUN:
        pytest.skip(NOT_RUN[name])
    check(estimator)


@pytest.mark.skipif(not HAS_TAGS, reason="scikit-learn 1.5 has other tags")
@pytest.mark.parametrize("name", WITHOUT_X)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_a_check_of_scikit_learn_that_needs_no_rows_passes(estimator: Any, name: str) -> None:
    check = getattr(estimator_checks, name)
    check(type(estimator).__name__, clone(estimator))


@pytest.mark.skipif(not HAS_TAGS, reason="scikit-learn 1.5 has other tags")
def test_every_check_is_accounted_for() -> None:
    known = {*WITHOUT_X, *ABOUT_ARRAYS, *ABOUT_STATE, *ABOUT_TARGETS, *NOT_RUN}
    for estimator in ROWS:
        for _, check in estimator_checks.estimator_checks_generator(estimator):
            name = estimator_checks._check_name(check)
            assert name in known, f"{name} is new in scikit-learn {sklearn.__version__}: say what it is about"


@pytest.mark.skipif(not HAS_TAGS, reason="scikit-learn 1.5 has other tags")
def test_the_tags_say_what_is_taken() -> None:
    from sklearn.utils import get_tags  # noqa: PLC0415

    classifier, regressor = map(get_tags, ESTIMATORS)
    for tags in (classifier, regressor):
        assert not tags.input_tags.two_d_array
        assert tags.no_validation
    assert (classifier.estimator_type, regressor.estimator_type) == ("classifier", "regressor")
    assert classifier.classifier_tags.multi_label
    assert regressor.target_tags.multi_output
    assert not classifier.target_tags.required
    assert regressor.target_tags.required


# ---- the same of graphs ----


@pytest.fixture(params=["classifier", "regressor"])
def case(request: pytest.FixtureRequest) -> tuple[Any, Any, Any]:
    """An estimator that is not fitted, graphs and their y."""
    if request.param == "classifier":
        return CliquePoolClassifier(**QUICK), SHAPES, Y
    return CliquePoolRegressor(**QUICK), PATHS, LENGTHS


def answers(model: Any, X: Any) -> list[Any]:
    names = ("predict", "predict_proba", "decision_function")
    return [getattr(model, name)(X) for name in names if hasattr(model, name)]


def test_fitting_changes_no_parameter_and_no_input(case: tuple[Any, Any, Any]) -> None:
    model, X, y = case
    parameters, kept = model.get_params(), (X.fingerprint, y.copy())
    assert model.fit(X, y) is model
    assert model.get_params() == parameters
    assert X.fingerprint == kept[0]
    np.testing.assert_array_equal(y, kept[1])
    own = {name for name in vars(model) if name not in parameters}
    assert all(name.endswith("_") and not name.startswith("_") for name in own)


def test_predicting_changes_nothing(case: tuple[Any, Any, Any]) -> None:
    model, X, y = case
    model.fit(X, y)
    before = pickle.dumps(model)
    answers(model, X)
    model.score(X, y)
    assert pickle.dumps(model) == before


def test_fitting_again_gives_the_same(case: tuple[Any, Any, Any]) -> None:
    model, X, y = case
    first = answers(model.fit(X, y), X)
    for again in (model.fit(X, y), clone(model).fit(X, y), pickle.loads(pickle.dumps(model))):
        for one, other in zip(first, answers(again, X), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_graph_is_predicted_the_same_among_any_others(case: tuple[Any, Any, Any]) -> None:
    model, X, y = case
    model.fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    for whole, one_by_one, moved in zip(
        answers(model, X),
        zip(*(answers(model, X[i : i + 1]) for i in range(len(X))), strict=True),
        answers(model, X[order]),
        strict=True,
    ):
        if whole.dtype.kind == "U":
            assert np.concatenate(one_by_one).tolist() == whole.tolist()
            assert moved.tolist() == whole[order].tolist()
        else:
            np.testing.assert_allclose(np.concatenate(one_by_one), whole, rtol=1e-3, atol=1e-4)
            np.testing.assert_allclose(moved, whole[order], rtol=1e-3, atol=1e-4)


# ---- scikit-learn's tools ----


FOLDS: Final = PredefinedSplit(np.arange(len(Y)) % 2)  # every graph is there four times, so in both folds


def learner(**others: Any) -> CliquePoolClassifier:
    return CliquePoolClassifier(**QUICK | {"epochs": 40, "validation_fraction": 0} | others)


@pytest.mark.parametrize("scoring", ["roc_auc", "average_precision", "neg_log_loss", "f1_macro", "accuracy"])
def test_every_kind_of_score_is_a_number(scoring: str) -> None:
    y = (Y == "star").astype(int)
    scores = cross_val_score(learner(), SHAPES, y, cv=FOLDS, scoring=scoring, error_score="raise")
    assert np.isfinite(scores).all()
    if scoring == "roc_auc":
        assert scores.min() > 0.8


def test_roc_auc_of_three_classes_and_of_several_labels() -> None:
    three = np.where(np.diff(SHAPES.node_start) > 6, "large", Y)
    ovr = cross_val_score(learner(), SHAPES, three, cv=FOLDS, scoring="roc_auc_ovr", error_score="raise")
    assert np.isfinite(ovr).all()
    labels = np.stack([Y == "star", np.diff(SHAPES.node_start) > 5], axis=1).astype(int)
    model = learner().fit(SHAPES, labels)
    assert 0 <= sklearn.metrics.roc_auc_score(labels, model.predict_proba(SHAPES)) <= 1
    assert 0 <= sklearn.metrics.roc_auc_score(labels, model.decision_function(SHAPES)) <= 1


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_works(method: Any) -> None:
    graphs = [SHAPES[i] for i in range(len(SHAPES))]
    calibrated = CalibratedClassifierCV(learner(), method=method, cv=FOLDS).fit(graphs, Y)
    probabilities = calibrated.predict_proba(graphs)
    assert probabilities.shape == (32, 2)
    assert (calibrated.predict(graphs) == Y).mean() > 0.8


def test_a_pipeline_and_a_grid_search_over_it_work() -> None:
    pipeline = Pipeline([("same", FunctionTransformer()), ("model", learner())])
    weights = np.ones(len(Y))
    assert pipeline.fit(SHAPES, Y, model__sample_weight=weights).score(SHAPES, Y) > 0.8
    grid = {"model__pools": [0, 1], "model__class_weight": [None, "balanced"]}
    search = GridSearchCV(pipeline, grid, cv=FOLDS, scoring="roc_auc", error_score="raise")
    search.fit(SHAPES, (Y == "star").astype(int))
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_models_vote() -> None:
    models = [(str(seed), learner(random_state=seed)) for seed in range(2)]
    for voting in ("hard", "soft"):
        vote = VotingClassifier(models, voting=voting).fit(SHAPES, Y, sample_weight=np.ones(len(Y)))
        assert (vote.predict(SHAPES) == Y).mean() > 0.8
    numbers = VotingRegressor([("a", CliquePoolRegressor(**QUICK)), ("b", CliquePoolRegressor(**QUICK))])
    assert numbers.fit(PATHS, LENGTHS).predict(PATHS).shape == (40,)


def test_curves_permutations_and_predictions_by_folds_work() -> None:
    sizes, _, scores = learning_curve(
        learner(),
        SHAPES,
        Y,
        cv=FOLDS,
        train_sizes=[0.5, 1.0],
        shuffle=True,
        random_state=0,
        error_score="raise",
    )
    assert sizes.tolist() == [8, 16]
    assert np.isfinite(scores).all()
    score, others, p = permutation_test_score(
        learner(), SHAPES, Y, cv=FOLDS, n_permutations=2, random_state=0
    )
    assert score > 0.8
    assert others.shape == (2,)
    assert 0 < p <= 1
    for method, shape in (("predict", (32,)), ("predict_proba", (32, 2)), ("decision_function", (32,))):
        assert cross_val_predict(learner(), SHAPES, Y, cv=FOLDS, method=method).shape == shape


def test_one_against_the_rest_works() -> None:
    three = np.where(np.diff(SHAPES.node_start) > 6, "large", Y)
    graphs = [SHAPES[i] for i in range(len(SHAPES))]
    assert OneVsRestClassifier(learner()).fit(graphs, three).decision_function(graphs).shape == (32, 3)
