"""The demonstration runs, tells the truth, and leaves its pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

import cliquepool as cp
from cliquepool import demo

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_demonstration_prints_hierarchies_and_draws_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(["--out", str(tmp_path / "pictures")]) == 0
    printed = capsys.readouterr().out
    assert "Les Misérables" in printed
    for subject in demo.SUBJECTS:
        picture = tmp_path / "pictures" / f"{subject.name}.png"
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.name in printed
        hierarchy = cp.clique_hierarchy(cp.Graph.from_networkx(getattr(nx, subject.make)()))
        rows = [line.split()[:2] for line in printed.splitlines()]
        assert all([str(level), str(size)] in rows for level, size in enumerate(hierarchy.sizes))


def test_what_is_said_of_the_karate_club_is_so() -> None:
    pools = cp.clique_pool(cp.Graph.from_networkx(nx.karate_club_graph())).pools.tolist()
    assert all(0 in pool for pool in pools if len(pool) == 5)
    assert all(33 in pool for pool in pools if len(pool) == 4)


def test_what_is_said_of_les_miserables_is_so() -> None:
    graph = cp.Graph.from_networkx(nx.les_miserables_graph())
    assert graph.labels is not None
    names = [set(graph.labels[pool].tolist()) for pool in cp.clique_pool(graph).pools[:6]]
    assert all({"Gavroche", "Enjolras"} <= pool for pool in names[:2])
    assert "Fantine" in names[2]
    assert all({"Valjean", "Thenardier"} <= pool for pool in names[3:5])
    assert {"Valjean", "Champmathieu", "Judge"} <= names[5]
