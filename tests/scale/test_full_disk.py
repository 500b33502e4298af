"""A disk that is full at any moment: an error names the file, and nothing half-written is taken for whole."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.scale.rounds import pool_in_shards
from tests.helpers.in_process_workers import InProcessWorkers
from tests.helpers.planted_cliques import with_cliques
from tests.helpers.same_levels import expect_same_levels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GRAPH = with_cliques(nodes=60)
LEVELS = cp.clique_hierarchy(GRAPH, 2)


class FillingDisk:
    """A disk that is full when a file is synced, or disk space is reserved, for the `moment`-th time."""

    def __init__(self, patch: pytest.MonkeyPatch, moment: int | None) -> None:
        self.moments = 0
        self._moment = moment
        patch.setattr(os, "fsync", self._use)
        if hasattr(os, "posix_fallocate"):
            self._reserve = os.posix_fallocate
            patch.setattr(os, "posix_fallocate", self._use_and_reserve)

    def _use(self, *_: Any) -> None:
        self.moments += 1
        if self.moments == self._moment:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _use_and_reserve(self, handle: int, begin: int, size: int) -> None:
        self._use()
        self._reserve(handle, begin, size)


def convert(folder: Path) -> None:
    text = folder.parent / "edges.txt"
    text.write_text("".join(f"{u} {v}\n" for u, v in GRAPH.edges().tolist()))
    assert cp.scale.convert_graph(text, folder / "graph") == cp.read_graph(text)


def pool_on_disk(folder: Path) -> None:
    graph = folder.parent / "graph"
    if not graph.exists():
        with pytest.MonkeyPatch.context() as patch:
            FillingDisk(patch, None)
            convert(folder.parent)
    found = cp.scale.pool_out_of_core(graph, folder / "levels", 2, memory=1)
    expect_same_levels(found, cp.clique_hierarchy(cp.Graph.open(graph), 2))


def pool_shards(folder: Path) -> None:
    workers: Any = InProcessWorkers()
    how: dict[str, Any] = {"shards": 2, "by": "ranges", "budget": cp.Budget(), "progress": None}
    offsets, members, _ = pool_in_shards(workers, GRAPH._factors(), folder=folder, **how)
    expected = cp.clique_pool(GRAPH)._by_class
    assert np.array_equal(offsets, expected.offsets)
    assert np.array_equal(members, expected.members)


def divide(folder: Path) -> None:
    cp.scale.partition(LEVELS, 2, folder / "parts")
    parts = cp.scale.Parts.open(folder / "parts", LEVELS)
    parts.check()
    assert len(parts) == 2


def build(folder: Path) -> None:
    dataset = GraphDataset.from_graphs([GRAPH, GRAPH], [0, 1])
    pooled = PooledDataset.build(dataset, folder / "pooled")
    assert pooled.sizes.tolist() == PooledDataset(dataset).sizes.tolist()


def save(folder: Path) -> None:
    LEVELS.save(folder / "h.safetensors")
    expect_same_levels(cp.Hierarchy.load(folder / "h.safetensors"), LEVELS)


def use_disk(write: Callable[[Path], None], folder: Path, moment: int | None = None) -> OSError | int:
    """Call `write`; return the error of a disk that is full at a moment, or how many moments there were."""
    with pytest.MonkeyPatch.context() as patch:
        disk = FillingDisk(patch, moment)
        try:
            write(folder)
        except OSError as error:
            return error
    return disk.moments


@pytest.mark.parametrize("write", [convert, pool_on_disk, pool_shards, divide, build, save])
def test_a_disk_that_is_full_at_any_moment_is_told_and_the_same_call_then_succeeds(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    (tmp_path / "whole").mkdir()
    moments = use_disk(write, tmp_path / "whole")
    assert isinstance(moments, int)
    failures = 0
    for moment in range(1, moments + 1, max(moments // 8, 1)):
        folder = tmp_path / str(moment)
        folder.mkdir()
        error = use_disk(write, folder, moment)
        if isinstance(error, OSError):  # where only the sync of a folder fails, nothing is lost
            failures += 1
            assert error.errno == errno.ENOSPC
            assert str(folder) in str(error.filename)
            assert isinstance(use_disk(write, folder), int), "the same call succeeds on a disk with space"
        assert [path.name for path in folder.rglob(".*")] == [], "nothing half-written is left"
    assert failures > 0
