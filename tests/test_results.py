"""The results in the documentation are those of the records."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from cliquepool.evaluate import Figure, read_records, summarise
from cliquepool.evaluate.comparison_table import Cell, Column, ComparisonTable, Line
from cliquepool.models.registry import MODELS

ROOT = Path(__file__).parent.parent
RECORDS = sorted([*(ROOT / "results").glob("*.jsonl"), *(ROOT / "results" / "default").glob("*.jsonl")])
COMPARED = sorted((ROOT / "results" / "compare").glob("*/*.jsonl"))


def test_the_documented_tables_are_made_from_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    for page, text in importlib.import_module("result_tables").wanted_pages().items():
        is_so = page.read_text(encoding="utf-8") == text
        assert is_so, f"{page.name} has drifted from the records: python docs/write_results.py --tables"


def test_the_landing_page_shows_the_best_model_of_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    figures = {"clique-pool": 70.0, "gin": 71.5, "graphsage": 69.0, "wl-kernel": 68.0, "diff-pool": None}
    cells = {
        ("MUTAG", key): Cell("not run") if mean is None else Cell("figure", figure=Figure(mean, 2.0))
        for key, mean in figures.items()
    }
    titles = {model.key: model.title for model in MODELS}
    lines = tuple(Line(key, titles[key]) for key in figures)
    table = ComparisonTable("fair", lines, (Column("MUTAG", ""),), cells)
    text = importlib.import_module("headline_table").headline_table(table)
    assert text.splitlines()[:5] == [
        "| model | MUTAG |",
        "| --- | --- |",
        "| CliquePool | 70.00 ± 2.00 |",
        "| best graph kernel | 68.00 ± 2.00 (1-WL kernel) |",
        "| best flat network | 71.50 ± 2.00 (GIN) |",
    ]
    assert "pooling" not in text


@pytest.mark.parametrize("path", COMPARED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_compared_models_are_recorded_under_their_titles_and_folders(path: Path) -> None:
    titles = {model.key: model.title for model in MODELS}
    records = read_records([path])
    assert records
    assert {record.dataset for record in records} == {path.parent.name}
    assert {record.model for record in records} == {titles[path.stem]}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_recorded_run_is_complete_and_named_by_its_file(path: Path) -> None:
    (summary,) = summarise(read_records([path]))
    assert f"{summary.run.dataset}-{summary.run.protocol}" == path.stem
    assert summary.run.folds == 10
    assert summary.figure is not None, "a run with folds missing has no figure"
