"""The rows of the comparison table: what is registered, and how models of others join."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import pytest

from cliquepool.errors import InputError
from cliquepool.evaluate.published import PUBLISHED
from cliquepool.models import registry
from cliquepool.models.registry import (
    MODELS,
    RegisteredModel,
    is_source,
    load_source,
    registered_models,
    select_models,
)
from cliquepool.nn import PRESETS

if TYPE_CHECKING:
    from pathlib import Path

HERE = "tests.helpers.compared_models"


def test_every_published_model_has_a_row_of_its_title() -> None:
    titles = {model.title for model in MODELS}
    assert {title for models in PUBLISHED.values() for title in models} <= titles
    assert len({model.key for model in MODELS}) == len(MODELS) == len(titles)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.key)
def test_a_row_makes_few_candidates_that_are_recorded_under_its_title(model: RegisteredModel) -> None:
    try:
        made = model.estimators()
    except ImportError as error:
        pytest.skip(str(error))
    assert 1 <= len(made) <= 8
    described = [estimator.describe() for estimator in made]
    # The paper's presets have no composition either: their records are those of CliquePool.
    assert {name for name, _ in described} == {model.title.removesuffix(", no composition")}
    assert len({str(settings) for _, settings in described}) == len(made)
    (alone,) = model.estimators("paper")
    assert alone.describe()[1].get("patience") is None


def test_all_networks_are_trained_alike() -> None:
    networks = [model for model in MODELS if {"flat", "pooler"} & set(model.tags)]
    assert len(networks) >= 17
    default = PRESETS["default"].model_dump()
    assert {name: default[name] for name in registry.TRAINING} == dict(registry.TRAINING)
    assert all(registry.TRAINING.items() <= model.settings.items() for model in networks)
    assert {len(model.candidates) for model in networks} == {2}


def test_tags_and_keys_select_rows_in_the_order_given() -> None:
    assert [model.key for model in select_models(["clique-pool", "kernel"])][:2] == [
        "clique-pool",
        "graphlet-kernel",
    ]
    assert [model.key for model in select_models()] == [model.key for model in MODELS]
    with pytest.raises(
        InputError, match=r"models: expected keys or tags of .*, got 'gim' \(did you mean gin\?\)"
    ):
        select_models(["gim"])


@pytest.mark.parametrize(
    ("source", "title", "candidates"),
    [("small", "small", 1), ("two_small", "small", 2), ("AllStars", "AllStars", 1)],
)
def test_a_function_or_a_class_of_a_user_is_a_row(source: str, title: str, candidates: int) -> None:
    (model,) = select_models([], [f"{HERE}:{source}"])
    assert (model.key, model.title) == (f"{HERE}.{source}", title)
    assert len(model.estimators()) == candidates
    assert len(model.estimators("paper")) == 1


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("no words", "expected package:name, such as my_models:make, got 'no words'"),
        ("no_such_module:make", "expected a module to import, got No module named"),
        (f"{HERE}:nothing", "expected nothing in .*, got none"),
    ],
)
def test_a_source_that_cannot_be_loaded_is_refused_in_words(source: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        RegisteredModel.of_user(source)


def test_too_many_candidates_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{HERE}.small", lambda: [object()] * 9)
    with pytest.raises(InputError, match="or up to 8 to choose from, got 9"):
        RegisteredModel.of_user(f"{HERE}:small")


def test_a_module_of_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "module_of_this_folder.py").write_text("class Mine:\n    answer = 42\n")
    (tmp_path / "module_with_an_error.py").write_text("1 / 0\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    assert load_source("module_of_this_folder:Mine.answer") == 42
    with pytest.raises(InputError, match="got ZeroDivisionError: division by zero"):
        load_source("module_with_an_error:anything")


def test_entry_points_add_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint("mine", f"{HERE}:small", "cliquepool.models")]

    def found(**wanted: Any) -> list[EntryPoint]:
        assert wanted == {"group": "cliquepool.models"}
        return points

    monkeypatch.setattr(registry, "entry_points", found)
    assert registered_models()["mine"].title == "mine"
    assert registered_models()["mine"].estimators()[0].describe()[0] == "small"
    assert [model.key for model in select_models(["own"])] == ["mine"]
    points[0] = EntryPoint("gin", f"{HERE}:small", "cliquepool.models")
    with pytest.raises(InputError, match=r"entry point gin of cliquepool\.models: expected a new name"):
        registered_models()


def test_sources_are_told_from_paths_and_names() -> None:
    assert is_source("a.b:c.d")
    assert not any(map(is_source, ("C:\\data\\x.zip", "MUTAG", "a:b:c", "data/x:1", "1a:b", ":a", "a:")))
