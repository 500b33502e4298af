"""Pooling of one level on disk: the pools of the core, for blocks of any size."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.array_folders import open_folder, write_folder
from cliquepool.ragged import Ragged
from cliquepool.scale.disk_pooling import DiskPooling, Meter
from tests.helpers.random_edges import random_edges


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


def pools_on_disk(graph: cp.Graph, memory: int, meter: Meter | None = None) -> Ragged:
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, "pools")
        with write_folder(folder, "test", 1) as writer:
            meter = meter or Meter(cp.Budget(), None)
            DiskPooling(graph._factors(), writer, meter, name="test", memory=memory).run()
        arrays = open_folder(folder, "test", 1).arrays
        return Ragged(arrays["offsets"].copy(), arrays["members"].copy())


@settings(max_examples=60)
@given(drawn=random_edges(12), memory=st.sampled_from([1, 200, 10**6]))
def test_pools_are_those_in_memory(drawn: tuple[int, list[tuple[int, int]]], memory: int) -> None:
    graph = cp.Graph.from_edges(drawn[1], num_nodes=drawn[0])
    assert pools_on_disk(graph, memory) == cp.clique_pool(graph)._by_class


@pytest.mark.parametrize("memory", [1, 10_000])
def test_rounds_that_outgrow_a_block_are_merged(memory: int) -> None:
    draw = np.random.default_rng(5)
    edges = draw.integers(0, 300, (2_500, 2))
    graph = cp.Graph.from_edges(edges, num_nodes=300)
    assert pools_on_disk(graph, memory) == cp.clique_pool(graph)._by_class


def test_an_empty_graph_has_no_pools() -> None:
    assert len(pools_on_disk(cp.Graph.from_edges([], num_nodes=0), 1)) == 0
    assert pools_on_disk(cp.Graph.from_edges([], num_nodes=2), 1).tolist() == [[0], [1]]


def test_limits_hold_for_all_rounds_together() -> None:
    path = cp.Graph.from_edges([(i, i + 1) for i in range(50)])
    with pytest.raises(cp.BudgetExceeded, match="max_cliques"):
        pools_on_disk(path, 1, Meter(cp.Budget(max_cliques=48), None))
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        pools_on_disk(path, 1, Meter(cp.Budget(max_bytes=100), None))
    with pytest.raises(cp.BudgetExceeded, match="max_seconds"):
        pools_on_disk(path, 1, Meter(cp.Budget(max_seconds=0), None))
    assert len(pools_on_disk(path, 1, Meter(cp.Budget(max_cliques=50), None))) == 50


def test_progress_names_the_round_and_what_is_left() -> None:
    said: list[tuple[str, int, int]] = []
    graph = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (4, 5)])
    pools_on_disk(graph, 1, Meter(cp.Budget(), lambda *now: said.append(now)))
    assert ("test: cliques of 3, 4 classes left, 0 pools", 0, 4) in said
    assert ("test: cliques of 2, 2 classes left, 1 pools", 2, 4) in said
