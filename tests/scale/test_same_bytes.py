"""The matrix of benchmarks/scale_same.py on small graphs: every way to pool gives the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("distributed")

from benchmarks import scale_same
from benchmarks.scale_graphs import KINDS
from benchmarks.scale_same import REFERENCE, TASKS, Ways, pool, verdict, write_graph

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.scale import Cluster

EDGES = 3000


@pytest.mark.parametrize("kind", KINDS)
def test_every_way_gives_the_bytes_of_one_thread(
    kind: str, two_workers: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cliquepool.scale.cluster._EDGES_WORTH_SHARDS", 1)
    monkeypatch.setattr(scale_same, "SHARDS", 3)
    folder = write_graph(kind, tmp_path, EDGES)
    ways = Ways(two_workers, two_workers)
    for task in TASKS:
        found = {way: pool(kind, task, way, call, folder) for way, call in ways.of(task, 2).items()}
        assert [result.error for result in found.values()] == [""] * len(found)
        assert len(found[REFERENCE].digests) == (1 if task == "pooling" else 3)
        wrong = [way for way, result in found.items() if not verdict(found[REFERENCE], result)]
        assert wrong == []
