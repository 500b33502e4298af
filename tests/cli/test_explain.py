"""Explanations and vocabularies of saved classifiers, as text, JSON and pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cliquepool.models import CliquePoolClassifier
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with a data set, and a classifier that was trained on it."""
    data = rings_and_stars(12, name="RINGS")
    data.save(tmp_path / "RINGS.safetensors")
    model = CliquePoolClassifier(epochs=2, hidden=8, validation_fraction=0)
    model.fit(data, data.classes[data.targets]).save(tmp_path / "rings.model")
    return tmp_path


def test_a_graph_is_explained_as_text_json_and_page(folder: Path, succeeded: Callable[..., str]) -> None:
    printed = succeeded(
        "explain", "rings.model", "RINGS", "--graph", "1", "--level", "1", "--out", "why.html"
    )
    assert printed.startswith("graph 1: ")
    assert printed.rstrip().endswith("written to why.html")
    page = (folder / "why.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "RINGS, graph 1: a graph of 4 nodes" in page
    told = json.loads(
        succeeded(
            "explain", "rings.model", "RINGS", "--graph", "1", "--level", "1", "--target", "ring", "--json"
        )
    )
    assert told["target"] == "ring"
    assert len(told["pools"]) == 3  # a star of three edges
    assert sorted(told["pools"][0]) == ["contribution", "nodes", "pool", "standard_error", "text", "without"]


def test_a_vocabulary_is_collected(folder: Path, succeeded: Callable[..., str]) -> None:
    printed = succeeded(
        "explain", "rings.model", "RINGS", "--vocabulary", "--method", "delete", "--out", "words.html"
    )
    assert "words of 12 graphs" in printed
    assert "for ring:" in printed
    assert "</html>" in (folder / "words.html").read_text(encoding="utf-8")
    told = json.loads(
        succeeded("explain", "rings.model", "RINGS", "--vocabulary", "--method", "delete", "--json")
    )
    assert set(told[0]["mean"]) == {"ring", "star"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected either --graph NUMBER or --vocabulary"),
        (["--graph", "0", "--vocabulary"], "expected either --graph NUMBER or --vocabulary"),
        (["--graph", "12"], "--graph: expected 0 to 11, got 12"),
        (["--graph", "0", "--target", "cat"], "target: expected one of ring, star, got 'cat'"),
        (["--graph", "0", "--out", "missing/why.html"], "there is no folder missing"),
    ],
)
def test_bad_arguments_are_one_clear_line(
    arguments: list[str], message: str, folder: Path, refused: Callable[..., str]
) -> None:
    assert message in refused("explain", "rings.model", "RINGS", *arguments)
    assert not list(folder.glob("*.html"))


def test_a_model_of_another_data_set_is_refused(folder: Path, refused: Callable[..., str]) -> None:
    message = refused("explain", "rings.model", "MUTAG", "--graph", "3", "--out", "why.html")
    assert "expected graphs with neither node labels nor attributes" in message
    assert not list(folder.glob("*.html"))
