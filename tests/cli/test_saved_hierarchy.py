from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import cliquepool as cp
from cliquepool.budget import DEFAULT_BUDGET
from cliquepool.cli.progress import PatientProgress
from cliquepool.cli.saved_hierarchy import open_hierarchy
from tests.helpers.commands import refused_line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    file = tmp_path / "g.txt"
    file.write_text("0 1\n1 2\n2 0\n2 3\n3 4\n")
    return file


def test_a_graph_is_pooled_as_often_as_asked_and_a_saved_hierarchy_is_loaded(graph_file: Path) -> None:
    saved = graph_file.with_suffix(".SafeTensors")
    cp.clique_hierarchy(cp.read_graph(graph_file), levels=2).save(saved)
    with PatientProgress() as progress:
        by_default, once, loaded = (
            len(open_hierarchy(file, levels, DEFAULT_BUDGET, progress, default_levels=2))
            for file, levels in ((graph_file, None), (graph_file, 1), (saved, None))
        )
    assert (by_default, once, loaded) == (2, 1, 2)


@pytest.mark.parametrize("command", ["view", "partition"])
def test_levels_of_a_saved_hierarchy_are_refused(command: str, graph_file: Path, tmp_path: Path) -> None:
    saved = tmp_path / "h.safetensors"
    cp.clique_hierarchy(cp.read_graph(graph_file)).save(saved)
    out = tmp_path / "page.html" if command == "view" else tmp_path / "parts"
    assert "--levels" in refused_line(command, saved, "--levels", "1", "--out", out)
