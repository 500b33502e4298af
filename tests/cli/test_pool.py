"""`cliquepool pool`: a line for each level, saved hierarchies and pictures."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

import cliquepool as cp
from tests.helpers.commands import refused_line, run_command

if TYPE_CHECKING:
    from pathlib import Path


def test_pool_prints_every_level(graph_file: Path) -> None:
    result = run_command("pool", graph_file)
    rows = [line.split()[:3] for line in result.stdout.splitlines() if line.strip()[:1].isdigit()]
    hierarchy = cp.clique_hierarchy(cp.read_graph(graph_file))
    graphs = [hierarchy.graph(level) for level in range(len(hierarchy) + 1)]
    assert rows == [[str(i), str(g.num_nodes), str(g.num_edges)] for i, g in enumerate(graphs)]
    assert "converged: 1 component" in result.stdout


def test_pool_as_json_and_levels(graph_file: Path) -> None:
    found = json.loads(run_command("pool", graph_file, "--json", "--levels", 1, "--threads", 2).stdout)
    (level,) = found["levels"]
    assert (level["level"], level["nodes"], level["largest_pool"]) == (1, 3, 4)
    assert not found["converged"]
    assert json.loads(run_command("pool", graph_file, "--json", "--levels", 0).stdout)["levels"] == []


def test_pool_saves_and_draws(graph_file: Path, tmp_path: Path) -> None:
    saved, picture = tmp_path / "h.safetensors", tmp_path / "h.png"
    result = run_command("pool", graph_file, "--out", saved, "--picture", picture)
    assert (result.returncode, result.stderr) == (0, "")
    assert cp.Hierarchy.load(saved).sizes == cp.clique_hierarchy(cp.read_graph(graph_file)).sizes
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_empty_graph_is_a_graph(tmp_path: Path) -> None:
    file = tmp_path / "empty.txt"
    file.write_text("")
    assert "0 nodes, 0 edges" in run_command("cliques", file).stdout
    assert run_command("cliques", file, "--list").stdout == ""
    assert json.loads(run_command("cliques", file, "--list", "--json").stdout)["cliques"] == []
    assert "converged: 0 components" in run_command("pool", file).stdout


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="no /dev/stdin")  # noqa: PTH110
def test_a_graph_can_come_through_a_pipe(graph_file: Path) -> None:
    assert "7 nodes, 10 edges" in run_command("pool", "/dev/stdin", stdin=graph_file.read_text()).stdout


def test_files_that_cannot_be_written(graph_file: Path, tmp_path: Path) -> None:
    assert "no folder" in refused_line("pool", graph_file, "--out", tmp_path / "missing" / "h.safetensors")
    assert "directory" in refused_line("pool", graph_file, "--out", tmp_path)
    assert "no folder" in refused_line("pool", graph_file, "--picture", tmp_path / "missing" / "h.png")
    assert "--picture" in refused_line("pool", graph_file, "--picture", tmp_path / "h.docx")


def test_graphs_too_large_to_draw_are_refused_before_the_work(tmp_path: Path) -> None:
    file = tmp_path / "path.txt"
    file.write_text("".join(f"{node} {node + 1}\n" for node in range(1200)))
    assert "1,201" in refused_line("pool", file, "--picture", tmp_path / "h.png")
