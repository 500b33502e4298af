"""The results in the documentation are those of the records."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from cliquepool.evaluate import Figure, read_records, summarise
from cliquepool.evaluate.comparison_table import Cell, Column, ComparisonTable, Line
from cliquepool.models.registry import MODELS

ROOT = Path(__file__).parent.parent
FOLDERS = ("default", "batch-norm", "weight-decay")
OWN_SETTINGS = sorted(path for name in FOLDERS for path in (ROOT / "results" / name).glob("*.jsonl"))
RECORDS = sorted([*(ROOT / "results").glob("*.jsonl"), *OWN_SETTINGS])
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
    # The paper's presets have no composition either: their records are those of CliquePool.
    assert {record.model for record in records} == {titles[path.stem].removesuffix(", no composition")}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_recorded_run_is_complete_and_named_by_its_file(path: Path) -> None:
    (summary,) = summarise(read_records([path]))
    assert f"{summary.run.dataset}-{summary.run.protocol}" == path.stem
    assert summary.run.folds == 10
    assert summary.figure is not None, "a run with folds missing has no figure"


def test_the_table_of_settings_has_a_row_for_each_folder_and_the_same_settings_along_a_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    assert set(importlib.import_module("settings_table").SETTINGS) == {".", *FOLDERS}
    for folder in FOLDERS:
        paths = [path for path in OWN_SETTINGS if path.parent.name == folder]
        settings = {summary.run.candidates for summary in summarise(read_records(paths))}
        assert len(settings) <= 1, f"{folder} has records of several settings"


def test_the_table_of_settings_says_what_was_not_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    (tmp_path / "default").mkdir()
    recorded = (ROOT / "results" / "default" / "PROTEINS-paper.jsonl").read_text(encoding="utf-8")
    lines = recorded.splitlines(keepends=True)
    (tmp_path / "default" / "PROTEINS-paper.jsonl").write_text("".join(lines[:3]), encoding="utf-8")
    text = importlib.import_module("settings_table").settings_table(tmp_path, ["PROTEINS"])
    assert text.splitlines()[2:5] == [
        "| the paper's presets | not run |",
        "| preset `default` | 3 of 10 folds × 1 seed |",
        "| GCN, batch norm, no weight decay | not run |",
    ]
    assert "| highest figure of the paper's table | 76.43 (Shortest-path kernel) |" in text
