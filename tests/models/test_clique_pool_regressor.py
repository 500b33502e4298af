"""The clique-pool regressor: numbers of graphs, one or several, in their own unit."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from sklearn.base import clone, is_regressor
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score

import cliquepool as cp
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from cliquepool.nn.settings import RegressorSettings
from tests.helpers.shape_graphs import clique, paths, star

if TYPE_CHECKING:
    from pathlib import Path

PATHS, LENGTHS = paths()
QUICK: dict[str, Any] = {
    "hidden": 16,
    "mlp": (16,),
    "epochs": 60,
    "learning_rate": 0.02,
    "batch_size": 8,
    "pools": 1,
}


@pytest.fixture(scope="module")
def fitted() -> CliquePoolRegressor:
    return CliquePoolRegressor(**QUICK, validation_fraction=0).fit(PATHS, LENGTHS)


@pytest.mark.parametrize("loss", ["mse", "l1", "huber"])
def test_it_learns_what_is_easy_to_learn_with_every_loss(loss: Any) -> None:
    model = CliquePoolRegressor(**QUICK, loss=loss, validation_fraction=0).fit(PATHS, LENGTHS)
    assert model.score(PATHS, LENGTHS) > 0.7
    assert model.score(PATHS, LENGTHS) == r2_score(LENGTHS, model.predict(PATHS))


def test_predictions_are_in_the_unit_of_y(fitted: CliquePoolRegressor) -> None:
    predicted = fitted.predict(PATHS)
    assert predicted.shape == (40,)
    assert predicted.dtype == np.float64
    # After few epochs: what rounding makes of y grows with every step.
    short = QUICK | {"epochs": 5, "validation_fraction": 0}
    near, far = (CliquePoolRegressor(**short).fit(PATHS, y) for y in (LENGTHS, 1e6 + 1e-3 * LENGTHS))
    np.testing.assert_allclose((far.predict(PATHS) - 1e6) * 1e3, near.predict(PATHS), atol=0.05)


def test_targets_are_standardised_by_the_training_part_alone() -> None:
    model = CliquePoolRegressor(**QUICK | {"epochs": 1}, validation_fraction=0.5).fit(PATHS, LENGTHS)
    assert model.target_.shift[0] != LENGTHS.mean()
    weights = np.where(np.arange(40) < 20, 1.0, 0.0)
    half = CliquePoolRegressor(**QUICK | {"epochs": 1}, validation_fraction=0).fit(PATHS, LENGTHS, weights)
    assert half.target_.shift[0] == pytest.approx(LENGTHS[:20].mean())
    assert half.target_.scale[0] == pytest.approx(LENGTHS[:20].std())


def test_several_numbers_are_predicted_together() -> None:
    both = np.stack([LENGTHS, -3.0 * LENGTHS + 1, np.full(40, 7.0)], axis=1)
    model = CliquePoolRegressor(**QUICK, validation_fraction=0).fit(PATHS, both)
    predicted = model.predict(PATHS)
    assert predicted.shape == (40, 3)
    assert r2_score(both[:, :2], predicted[:, :2]) > 0.7
    np.testing.assert_allclose(predicted[:, 2], 7, atol=0.5)
    assert model.predict([]).shape == (0, 3)


def test_no_graphs_give_no_numbers(fitted: CliquePoolRegressor) -> None:
    assert fitted.predict([]).shape == (0,)
    assert fitted.predict([]).dtype == np.float64


def test_the_epoch_of_the_lowest_validation_loss_is_kept() -> None:
    model = CliquePoolRegressor(**QUICK, validation_fraction=0.25).fit(PATHS, LENGTHS)
    assert model.best_epoch_ == 1 + int(np.argmin(model.curves_["validation_loss"]))
    assert set(model.curves_) == {"loss", "validation_loss", "validation_r2"}
    assert max(model.curves_["validation_r2"]) <= 1
    stopped = CliquePoolRegressor(**QUICK | {"epochs": 2000}, validation_fraction=0.25, patience=3)
    stopped.fit(PATHS, LENGTHS)
    assert len(stopped.curves_["loss"]) == stopped.best_epoch_ + 3 < 2000


def test_sample_weights_make_a_graph_count() -> None:
    graphs, y = [star(3)] * 20, [0.0, 4.0] * 10
    how = QUICK | {"epochs": 40, "validation_fraction": 0}
    plain = CliquePoolRegressor(**how).fit(graphs, y).predict(graphs[:1])
    weighted = CliquePoolRegressor(**how).fit(graphs, y, sample_weight=[1.0, 3.0] * 10).predict(graphs[:1])
    assert plain == pytest.approx(2, abs=0.3)
    assert weighted == pytest.approx(3, abs=0.3)


def test_a_column_is_taken_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning):
        model = CliquePoolRegressor(**QUICK | {"epochs": 1}).fit(PATHS, LENGTHS[:, None])
    assert model.predict(PATHS).shape == (40,)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "expected a number for each graph, got none"),
        (["a"] * 40, "expected numbers, got <U1"),
        (np.where(np.arange(40) == 2, np.nan, 1.0), "expected a number for every graph, got NaN.*graph 2"),
        (np.where(np.arange(40) == 2, np.inf, 1.0), "expected finite numbers, got inf for graph 2"),
        (LENGTHS[:3], r"expected one number for each of 40 graphs, got shape \(3,\)"),
        (np.zeros((40, 2, 2)), r"got shape \(40, 2, 2\)"),
        (LENGTHS * 1j, "expected numbers, got complex128"),
    ],
    ids=["none", "text", "nan", "inf", "short", "cube", "complex"],
)
def test_what_are_no_numbers_is_refused(y: Any, words: str) -> None:
    with pytest.raises(cp.GraphError, match=f"^y: .*{words}"):
        CliquePoolRegressor().fit(PATHS, y)


def test_every_setting_is_a_parameter_with_the_same_default() -> None:
    parameters = CliquePoolRegressor().get_params()
    defaults = {name: field.default for name, field in RegressorSettings.model_fields.items()}
    assert {name: parameters[name] for name in defaults} == defaults
    others = {"validation_fraction", "handle_unknown", "random_state", "device", "verbose"}
    assert set(parameters) - set(defaults) == others
    settings = RegressorSettings(loss="l1", hidden=3)
    assert CliquePoolRegressor.from_settings(settings).settings == settings
    with pytest.raises(ValueError, match="loss: expected one of mse, l1, huber, got 'hinge'"):
        CliquePoolRegressor(loss="hinge").fit(PATHS, LENGTHS)  # type: ignore[arg-type]


def test_a_saved_model_predicts_the_same(fitted: CliquePoolRegressor, tmp_path: Path) -> None:
    both = np.stack([LENGTHS, LENGTHS**2], axis=1)
    several = CliquePoolRegressor(**QUICK, loss="huber").fit(PATHS, both)
    for model in (fitted, several):
        model.save(tmp_path / "m.safetensors")
        loaded = CliquePoolRegressor.load(tmp_path / "m.safetensors")
        assert loaded.get_params() == model.get_params()
        assert loaded.curves_ == model.curves_
        np.testing.assert_array_equal(loaded.predict(PATHS), model.predict(PATHS))
    with pytest.raises(cp.InputError, match=r"expected a saved classifier.*it is of a regressor"):
        CliquePoolClassifier.load(tmp_path / "m.safetensors")


def test_scikit_learns_tools_work(fitted: CliquePoolRegressor) -> None:
    assert is_regressor(fitted)
    # Folds are of whole runs of lengths, so that every one has them all.
    scores = cross_val_score(CliquePoolRegressor(**QUICK, validation_fraction=0), PATHS, LENGTHS, cv=4)
    assert scores.min() > 0.5
    search = GridSearchCV(CliquePoolRegressor(**QUICK), {"loss": ["mse", "l1"]}, cv=2, error_score="raise")
    assert search.fit(PATHS, LENGTHS).predict(PATHS).shape == (40,)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(PATHS), fitted.predict(PATHS))
    assert clone(fitted).get_params() == fitted.get_params()
    with pytest.raises(NotFittedError, match="expected a fitted regressor: call fit first"):
        clone(fitted).predict(PATHS)


def test_an_interrupted_fit_continues_and_one_of_another_y_does_not(tmp_path: Path) -> None:
    checkpoint = tmp_path / "fit.safetensors"
    whole = CliquePoolRegressor(**QUICK).fit(PATHS, LENGTHS, checkpoint=checkpoint)
    again = CliquePoolRegressor(**QUICK).fit(PATHS, LENGTHS, checkpoint=checkpoint)
    assert again.curves_ == whole.curves_
    for y, weights in ((LENGTHS + 0.5 * (LENGTHS > 3), None), (LENGTHS, np.arange(1, 41))):
        with pytest.raises(cp.InputError, match="expected a checkpoint of this training"):
            CliquePoolRegressor(**QUICK).fit(PATHS, y, weights, checkpoint=checkpoint)


def test_a_loss_that_is_not_finite_ends_training_with_a_hint() -> None:
    with pytest.raises(cp.InputError, match=r"expected a finite .*loss, got (inf|nan).*lower learning rate"):
        CliquePoolRegressor(**QUICK | {"learning_rate": 1e30}, normalise=False).fit(PATHS, LENGTHS)


def test_fitting_leaves_torchs_random_numbers_alone() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    CliquePoolRegressor(**QUICK | {"epochs": 1}, dropout=0.5).fit(PATHS, LENGTHS)
    assert torch.equal(torch.get_rng_state(), before)


def test_large_numbers_are_predicted_in_their_unit() -> None:
    graphs, y = [star(3), clique(4)] * 8, np.array([1e200, -1e200] * 8)
    model = CliquePoolRegressor(**QUICK | {"epochs": 40, "validation_fraction": 0}).fit(graphs, y)
    assert np.abs(model.predict(graphs) / 1e200 - y / 1e200).max() < 0.5
