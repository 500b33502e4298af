"""The demonstration runs, prints correct statements, and writes its pictures and records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cliquepool as cp
from cliquepool import demo
from cliquepool.data import load_dataset
from cliquepool.evaluate import RecordFile, summarise

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_demonstration_trains_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "demo"
    for _ in range(2):  # twice: each run starts from the beginning
        assert demo.main(["--out", str(folder), "--folds", "2", "--seeds", "1", "--epochs", "2"]) == 0
    printed = capsys.readouterr().out
    for picture in ("MUTAG-curves.png", "MUTAG-molecule.png"):
        assert (folder / picture).read_bytes().startswith(b"\x89PNG")
        assert picture in printed
    (summary,) = summarise(RecordFile.read(folder / "MUTAG-fair.jsonl").records)
    assert summary.extent == "2 folds × 1 seed"
    assert str(summary.figure) in printed
    assert "66.49 %" in printed
    assert sorted(file.name for file in folder.iterdir()) == [
        "MUTAG-curves.png",
        "MUTAG-fair.jsonl",
        "MUTAG-molecule.png",
    ]


def test_what_is_said_of_the_molecule_is_so() -> None:
    data = load_dataset("MUTAG")
    graph = data.graph(demo.MOLECULE)
    labels = data[demo.MOLECULE].node_labels
    assert labels is not None
    atoms = [demo.ATOMS[label] for label in labels.tolist()]
    assert (atoms.count("C"), atoms.count("N"), atoms.count("O")) == (14, 1, 2)
    assert cp.clique_number(graph) == 2
    hierarchy = cp.clique_hierarchy(graph)
    bonds = [sorted(pool) for pool in hierarchy[0].pools.tolist()]
    assert sorted(bonds) == sorted(map(sorted, graph.edges().tolist()))
    nitrogen = atoms.index("N")
    groups = [set(hierarchy.receptive_field(2, pool).tolist()) for pool in range(hierarchy.sizes[2])]
    smallest = min((group for group in groups if nitrogen in group), key=len)
    assert sorted(atoms[node] for node in smallest) == ["C", "C", "C", "N", "O", "O"]
    assert smallest > {nitrogen, *graph.neighbours(nitrogen).tolist()}
