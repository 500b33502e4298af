"""Tasks on shards: stateless, of one version, and cancelled with their run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.budget import Budget
from cliquepool.errors import ClusterError
from cliquepool.scale.shard_tasks import (
    Covered,
    CutTask,
    SearchTask,
    cut_shard,
    forget_shards,
    search_shard,
)
from cliquepool.scale.shards import OrientedGraph, ShardPaths
from cliquepool.scale.tasks import cancel, ending_with, here
from tests.helpers.planted_cliques import with_cliques

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = Budget()._limits()


def first_task(folder: Path, run: str = "a") -> SearchTask:
    graph = OrientedGraph.build(with_cliques()._factors(), 2, "ranges", LIMITS, None)
    graph.write(folder / "oriented", "run")
    paths = ShardPaths.of(folder, 0)
    cut_shard(CutTask(here(run), folder / "oriented", paths, 0, "run", LIMITS))
    nothing = Covered(None, None, None)
    return SearchTask(here(run), paths.shard, "run", 0, nothing, None, 2**31 - 1, LIMITS)


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_covered_nodes_travel_in_the_shorter_form(flags: list[bool]) -> None:
    indices = np.flatnonzero(flags).astype(np.int32)
    covered = Covered.of(3, indices, len(flags))
    live = np.ones(len(flags), dtype=np.uint8)
    covered.remove_from(live)
    assert live.tolist() == [not flag for flag in flags]
    assert covered.nbytes <= min(4 * len(indices) or 1, len(flags) // 8 + 1)


def test_a_task_can_run_again_and_elsewhere(tmp_path: Path) -> None:
    task = first_task(tmp_path)
    begun = search_shard(task)
    assert begun is not None
    next_task = task._replace(
        round=1, covered=Covered(0, np.zeros(0, dtype=np.int32), None), bound=begun.next_bound
    )
    once = search_shard(next_task)
    assert once is not None
    assert len(once.members)
    assert once.next_bound < begun.next_bound
    assert search_shard(next_task) is None  # what it remembers is after that round
    again = search_shard(next_task._replace(covered=Covered(None, None, None)))
    assert again is not None
    assert again.members.tolist() == once.members.tolist()
    forget_shards("a")
    assert search_shard(next_task._replace(round=2, covered=Covered(1, None, None))) is None


def test_versions_are_compared_in_each_task(tmp_path: Path) -> None:
    task = first_task(tmp_path)
    for origin in (task.origin._replace(version="0.0.1"), task.origin._replace(format=99)):
        with pytest.raises(ClusterError, match=r"expected a worker with cliquepool .* got one with"):
            search_shard(task._replace(origin=origin))
        with pytest.raises(ClusterError, match="expected a worker with cliquepool"):
            cut_shard(CutTask(origin, tmp_path / "oriented", ShardPaths.of(tmp_path, 0), 0, "run", LIMITS))


def test_a_cancelled_run_ends_its_tasks(tmp_path: Path) -> None:
    task = first_task(tmp_path, "cancelled")
    check = ending_with("cancelled")
    check("", 0, 0)
    cancel("cancelled")
    with pytest.raises(ClusterError, match="the run was cancelled"):
        check("", 0, 0)
    assert search_shard(task._replace(origin=here("other"))) is not None
