"""`cliquepool partition`: parts of a graph or of a saved hierarchy, in a folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import cliquepool as cp
from tests.helpers.commands import refused_line, run_command

if TYPE_CHECKING:
    from pathlib import Path


def test_a_graph_is_pooled_twice_and_divided(graph_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "parts"
    result = run_command("partition", graph_file, "--parts", 3, "--out", folder)
    assert (result.returncode, result.stderr) == (0, "")
    hierarchy = cp.clique_hierarchy(cp.read_graph(graph_file), levels=2)
    parts = cp.scale.Parts.open(folder, hierarchy)
    parts.check()
    rows = [line.split() for line in result.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert [row[0] for row in rows] == ["0", "1", "2"]
    assert f"saved to {folder}" in result.stdout
    assert "nodes in 3 parts" in result.stdout


def test_a_saved_hierarchy_is_divided(graph_file: Path, tmp_path: Path) -> None:
    hierarchy = cp.clique_hierarchy(cp.read_graph(graph_file))
    hierarchy.save(tmp_path / "h.safetensors")
    result = run_command("partition", tmp_path / "h.safetensors", "--out", tmp_path / "parts", "--json")
    found = json.loads(result.stdout)
    assert found["nodes"] == list(hierarchy.sizes)
    assert len(found["parts"]) == 8
    for level, size in enumerate(hierarchy.sizes):
        assert sum(part["nodes"][level] for part in found["parts"]) == size
    assert cp.scale.Parts.open(tmp_path / "parts", hierarchy).sizes == hierarchy.sizes


def test_bad_input_is_refused(graph_file: Path, tmp_path: Path) -> None:
    saved = tmp_path / "h.safetensors"
    saved.write_bytes(b"nothing")
    assert "h.safetensors" in refused_line("partition", saved, "--out", tmp_path / "parts")
    assert "--levels: expected a graph" in refused_line(
        "partition", saved, "--levels", 1, "--out", tmp_path / "parts"
    )
    assert "expected a folder to write, got a file" in refused_line("partition", graph_file, "--out", saved)
    assert "--out" in refused_line("partition", graph_file)
    assert "--parts" in refused_line("partition", graph_file, "--out", tmp_path / "parts", "--parts", 0)
    assert not (tmp_path / "parts").exists()
