"""Probabilities of all classes, as text, csv and JSON."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cliquepool.data import GraphDataset, load_dataset
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with a data set, and a classifier that was trained on it."""
    data = rings_and_stars(name="RINGS")
    data.save(tmp_path / "RINGS.safetensors")
    CliquePoolClassifier(epochs=2).fit(data, data.classes[data.targets]).save(tmp_path / "rings.model")
    return tmp_path


def test_probabilities_are_columns_named_by_class(folder: Path, succeeded: Callable[..., str]) -> None:
    printed = succeeded("predict", "rings.model", "RINGS", "--proba")
    rows = list(csv.DictReader(printed.splitlines()))
    assert list(rows[0]) == ["graph", "class", "ring", "star"]
    model = CliquePoolClassifier.load(folder / "rings.model")
    expected = model.predict_proba(load_dataset(folder / "RINGS.safetensors"))
    found = np.array([[float(row["ring"]), float(row["star"])] for row in rows])
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    np.testing.assert_allclose(found.sum(1), 1, atol=1e-4)
    assert [row["class"] for row in rows] == model.classes_[expected.argmax(1)].tolist()

    succeeded("predict", "rings.model", "RINGS", "--proba", "--out", "classes.csv")
    assert (folder / "classes.csv").read_text(encoding="utf-8") == printed

    told = json.loads(succeeded("predict", "rings.model", "RINGS", "--proba", "--json"))
    assert told["probabilities"] == {name: [float(row[name]) for row in rows] for name in ("ring", "star")}
    assert told["classes"] == [row["class"] for row in rows]


def test_there_are_no_probabilities_without_proba(folder: Path, succeeded: Callable[..., str]) -> None:
    assert succeeded("predict", "rings.model", "RINGS").startswith("graph,class\n0,")
    assert "probabilities" not in json.loads(succeeded("predict", "rings.model", "RINGS", "--json"))


def test_classes_of_three_numbers_have_three_columns(folder: Path, succeeded: Callable[..., str]) -> None:
    rings = load_dataset(folder / "RINGS.safetensors")
    graphs = [rings.graph(number) for number in range(12)]
    data = GraphDataset.from_graphs(graphs, [3, 5, 9] * 4, name="THREE")
    data.save(folder / "THREE.safetensors")
    CliquePoolClassifier(epochs=1, validation_fraction=0).fit(data, data.classes[data.targets]).save(
        folder / "three.model"
    )
    printed = succeeded("predict", "three.model", "THREE", "--proba")
    assert printed.splitlines()[0] == "graph,class,3,5,9"


def test_models_that_give_no_single_class_are_refused(folder: Path, refused: Callable[..., str]) -> None:
    data = load_dataset(folder / "RINGS.safetensors")
    sizes = np.diff(data.node_start)
    CliquePoolRegressor(epochs=1).fit(data, sizes).save(folder / "sizes.model")
    assert "expected a saved classifier" in refused("predict", "sizes.model", "RINGS")
    labels = np.stack([data.targets, 1 - data.targets], axis=1)
    CliquePoolClassifier(epochs=1).fit(data, labels).save(folder / "labels.model")
    assert "expected a classifier of one class" in refused("predict", "labels.model", "RINGS")
