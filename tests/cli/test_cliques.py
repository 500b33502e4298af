"""`cliquepool cliques`: counts by size, histograms and lists of maximal cliques."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.helpers.commands import run_command

if TYPE_CHECKING:
    from pathlib import Path


def test_cliques_counts_by_size(graph_file: Path) -> None:
    result = run_command("cliques", graph_file)
    assert result.returncode == 0
    assert result.stderr == ""
    assert "6 nodes" not in result.stdout
    assert "7 nodes, 10 edges" in result.stdout
    assert "3 maximal cliques, the largest of 4 nodes" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines() if "█" in line]
    assert [row[:2] for row in rows] == [["2", "1"], ["3", "1"], ["4", "1"]]


def test_cliques_as_json_are_those_of_the_library(graph_file: Path) -> None:
    found = json.loads(run_command("cliques", graph_file, "--json").stdout)
    assert (found["nodes"], found["edges"], found["count"], found["largest"]) == (7, 10, 3, 4)
    assert found["sizes"] == {"2": 1, "3": 1, "4": 1}
    assert "cliques" not in found


def test_list_prints_a_clique_a_line_by_the_ids_of_the_file(graph_file: Path) -> None:
    result = run_command("cliques", graph_file, "--list")
    assert sorted(result.stdout.splitlines()) == ["10 11 12 13", "13 20 21", "21 99"]
    assert run_command("cliques", graph_file, "--list", "--min-size", 3).stdout.count("\n") == 2
    assert run_command("cliques", graph_file, "--list", "--min-size", 9).stdout == ""
    assert run_command("cliques", graph_file, "--list", "--maximum").stdout == "10 11 12 13\n"


@pytest.mark.parametrize(("options", "cliques"), [(["--maximum"], 1), ([], 3), (["--min-size", "9"], 0)])
def test_list_as_json_is_one_object(graph_file: Path, options: list[str], cliques: int) -> None:
    found = json.loads(run_command("cliques", graph_file, "--json", "--list", *options).stdout)
    assert found["count"] == len(found["cliques"]) == cliques
    assert all(len(clique) >= 2 for clique in found["cliques"])


def test_long_lists_are_whole(tmp_path: Path) -> None:
    file = tmp_path / "star.txt"
    file.write_text("".join(f"0 {leaf}\n" for leaf in range(1, 25_001)))
    lines = run_command("cliques", file, "--list").stdout.splitlines()
    assert len(set(lines)) == len(lines) == 25_000
    assert len(json.loads(run_command("cliques", file, "--list", "--json").stdout)["cliques"]) == 25_000


def test_histograms_of_very_many_sizes_are_of_ranges(tmp_path: Path) -> None:
    file = tmp_path / "sizes.txt"
    with file.open("w") as out:
        for size in range(2, 60):
            nodes = range(100 * size, 100 * size + size)
            out.writelines(f"{u} {v}\n" for u in nodes for v in nodes if u < v)
    lines = [line for line in run_command("cliques", file).stdout.splitlines() if "█" in line]
    assert lines[0].split()[:2] == ["2–3", "2"]
    assert len(lines) == 29
