"""Data sets by name, path, function and entry point."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from cliquepool.errors import GraphError
from cliquepool.evaluate import EvaluationError, data_sources
from cliquepool.evaluate.data_sources import open_dataset
from tests.helpers.compared_models import rings

if TYPE_CHECKING:
    from pathlib import Path

HERE = "tests.helpers.compared_models"


def test_a_data_set_is_opened_by_path_function_or_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "saved.safetensors"
    rings().save(path)
    found = [EntryPoint("mine", f"{HERE}:rings", "cliquepool.datasets")]
    monkeypatch.setattr(data_sources, "entry_points", lambda **_: found)
    opened = [open_dataset(words) for words in (str(path), f"{HERE}:rings", "mine")]
    assert {dataset.fingerprint for dataset in opened} == {rings().fingerprint}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (f"{HERE}:small", "expected a data set, such as a GraphDataset, got a SmallModel without name"),
        ("no_such_module:make", "expected a module to import, got No module named"),
    ],
)
def test_what_is_no_data_set_is_refused_in_words(words: str, reason: str) -> None:
    with pytest.raises(EvaluationError, match=reason):
        open_dataset(words)


def test_a_path_that_is_not_there_is_refused() -> None:
    with pytest.raises(GraphError, match="got no such file"):
        open_dataset("no/such/folder.zip")
