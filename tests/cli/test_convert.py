"""`cliquepool convert`: folders that the other commands take."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import cliquepool as cp

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def test_convert_writes_a_folder_that_other_commands_take(
    graph_file: Path, succeeded: Callable[..., str], folder: Path
) -> None:
    assert "7 nodes, 10 edges" in succeeded("convert", graph_file, folder / "graph", "--memory", "64K")
    assert cp.Graph.open(folder / "graph") == cp.read_graph(graph_file)
    from_folder, from_file = (json.loads(succeeded("pool", path, "--json")) for path in ("graph", graph_file))
    sizes = [[level["nodes"] for level in found["levels"]] for found in (from_folder, from_file)]
    assert sizes[0] == sizes[1]
    assert "7 nodes" in succeeded("cliques", folder / "graph")


def test_convert_as_json(graph_file: Path, succeeded: Callable[..., str], folder: Path) -> None:
    found = json.loads(succeeded("convert", graph_file, folder / "graph", "--json"))
    assert (found["nodes"], found["edges"]) == (7, 10)
    assert found["bytes"] > 100


def test_convert_refuses(graph_file: Path, refused: Callable[..., str], folder: Path) -> None:
    assert "exists already" in refused("convert", graph_file, folder)
    assert "expected at least" in refused("convert", graph_file, folder / "g", "--memory", "1K")
    graph_file.write_text("1 2\n1 x\n")
    assert "line 2" in refused("convert", graph_file, folder / "g")
    assert sorted(path.name for path in folder.iterdir()) == ["small.txt"]


def test_pool_out_of_core_equals_pool_and_continues(
    graph_file: Path, succeeded: Callable[..., str], folder: Path
) -> None:
    succeeded("convert", graph_file, folder / "graph")
    how = ("pool", "graph", "--out-of-core", "--out", "levels")
    first = json.loads(succeeded(*how, "--levels", 1, "--json"))
    assert len(first["levels"]) == 1
    assert first["levels"][0]["edges"] is None
    assert "not joined yet" in succeeded(*how, "--levels", 1)
    assert "converged: 1 component" in succeeded(*how)
    assert cp.Hierarchy.open(folder / "levels").sizes == cp.clique_hierarchy(cp.read_graph(graph_file)).sizes


def test_options_of_files_are_refused_for_folders(
    graph_file: Path, here: Callable[..., tuple[int, str, str]], folder: Path
) -> None:
    here("convert", graph_file, folder / "graph")
    for option in (("--ids", "text"), ("--format", "csv"), ("--header",)):
        code, _, errors = here("pool", "graph", *option)
        assert code == 2
        assert "expected no --format, --ids or --header" in errors


def test_pool_out_of_core_refuses(graph_file: Path, refused: Callable[..., str], folder: Path) -> None:
    assert "cliquepool convert" in refused("pool", graph_file, "--out-of-core", "--out", "levels")
    (folder / "graph").mkdir()
    assert "cliquepool convert" in refused("pool", "graph", "--out-of-core", "--out", "levels")


def test_pool_out_of_core_wants_a_folder_to_write(
    graph_file: Path, here: Callable[..., tuple[int, str, str]], folder: Path
) -> None:
    here("convert", graph_file, folder / "graph")
    code, _, errors = here("pool", "graph", "--out-of-core")
    assert code == 2
    assert "expected --out FOLDER" in errors
