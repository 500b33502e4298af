"""Hierarchies in files: loaded as they were saved; damage is refused."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from safetensors.numpy import load_file, save_file

import cliquepool as cp
from tests.helpers.resealed_files import resealed
from tests.helpers.small_graphs import Sample, complete_multipartite, graphs, grid, path, union

if TYPE_CHECKING:
    from pathlib import Path


def assert_equal(one: cp.Hierarchy, other: cp.Hierarchy) -> None:
    assert one.sizes == other.sizes
    for level in range(len(one)):
        np.testing.assert_array_equal(one[level].pools.offsets, other[level].pools.offsets)
        np.testing.assert_array_equal(one[level].pools.members, other[level].pools.members)
    for level in range(len(one) + 1):
        np.testing.assert_array_equal(one.graph(level).indptr, other.graph(level).indptr)
        np.testing.assert_array_equal(one.graph(level).indices, other.graph(level).indices)


@given(sample=graphs(8))
@settings(max_examples=40, deadline=None)
def test_a_saved_hierarchy_is_loaded_as_it_was(
    sample: Sample, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("saved") / "h.safetensors"
    hierarchy = cp.clique_hierarchy(sample.graph(), levels=3)
    hierarchy.save(file)
    loaded = cp.Hierarchy.load(file)
    assert_equal(loaded, hierarchy)
    for level in range(len(hierarchy)):
        assert loaded[level].memberships.tolist() == hierarchy[level].memberships.tolist()
        np.testing.assert_array_equal(loaded[level].coarse_weights(), hierarchy[level].coarse_weights())
    for v in range(loaded.sizes[-1]):
        assert loaded.receptive_field(3, v).tolist() == hierarchy.receptive_field(3, v).tolist()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    file = tmp_path / "h.safetensors"
    sample = union(grid(4, 5, diagonals=True), complete_multipartite([3, 2, 1]), path(6))
    cp.clique_hierarchy(sample.graph()).save(file)
    return file


def test_saving_replaces_a_file_and_leaves_nothing_beside_it(saved: Path) -> None:
    cp.clique_hierarchy(path(4).graph()).save(str(saved))
    assert cp.Hierarchy.load(str(saved)).sizes == (4, 3, 1)
    assert list(saved.parent.iterdir()) == [saved]


def test_a_save_that_fails_leaves_the_old_file(saved: Path, tmp_path: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises((OSError, cp.GraphError)):
        cp.clique_hierarchy(path(4).graph()).save(tmp_path / "no such folder" / "h.safetensors")
    assert saved.read_bytes() == before


def test_a_truncated_file_is_refused_wherever_it_ends(saved: Path) -> None:
    content = saved.read_bytes()
    for end in [0, 1, 7, 8, 9, *range(20, len(content) - 1, 97), len(content) - 1]:
        saved.write_bytes(content[:end])
        with pytest.raises(cp.GraphError):
            cp.Hierarchy.load(saved)


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.safetensors"
    save_file({"weight": np.zeros((3, 3), dtype=np.float32)}, file)
    with pytest.raises(cp.GraphError):
        cp.Hierarchy.load(file)
    for junk in (
        b"",
        b"PK\x03\x04" + bytes(100),
        b"\x80\x04.",
        b"0 1\n1 2\n",
        bytes(range(256)) * 10,
        b"\xff" * 64,
    ):
        file.write_bytes(junk)
        with pytest.raises(cp.GraphError):
            cp.Hierarchy.load(file)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises((FileNotFoundError, cp.GraphError), match="nowhere"):
        cp.Hierarchy.load(tmp_path / "nowhere.safetensors")


def test_a_file_of_another_format_version_is_refused(saved: Path) -> None:
    def from_the_future(_: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
        (name,) = (name for name in metadata if "version" in name)
        metadata[name] = "999"

    resealed(saved, from_the_future)
    with pytest.raises(cp.GraphError, match="999"):
        cp.Hierarchy.load(saved)


def walk(hierarchy: cp.Hierarchy) -> None:
    """Touch everything, so that a bad index anywhere would be followed."""
    for level in range(len(hierarchy)):
        pooling = hierarchy[level]
        pooling.pools.tolist()
        pooling.memberships.tolist()
        pooling.reduce(np.ones(hierarchy.sizes[level]))
        pooling.lift(np.ones(hierarchy.sizes[level + 1]))
        pooling.coarse_weights()
        assert len(hierarchy.graph(level + 1).indptr) == hierarchy.sizes[level + 1] + 1
    for v in range(hierarchy.sizes[-1]):
        hierarchy.receptive_field(len(hierarchy), v)


def test_changed_tensors_are_refused_or_harmless(saved: Path) -> None:
    content = saved.read_bytes()
    names = sorted(load_file(saved))
    draw = random.Random(0)

    def spoil(tensors: dict[str, np.ndarray], _: dict[str, str]) -> None:
        name = draw.choice(names)
        tensor = tensors[name]
        how = draw.randrange(4)
        if how == 0:
            del tensors[name]
        elif how == 1:
            tensors[name] = np.ascontiguousarray(tensor[: len(tensor) // 2])
        elif how == 2:
            tensors[name] = tensor.astype(np.float64)
        elif tensor.size:
            tensor = tensor.copy()
            tensor.reshape(-1)[draw.randrange(tensor.size)] = draw.choice(
                [0, 1, 7, np.iinfo(tensor.dtype).max]
            )
            tensors[name] = tensor

    refused = 0
    for _ in range(400):
        saved.write_bytes(content)
        resealed(saved, spoil)
        try:
            loaded = cp.Hierarchy.load(saved)
            walk(loaded)
        except (cp.GraphError, cp.BudgetExceeded):
            refused += 1
    assert refused > 200  # the others are equal, or another valid hierarchy


def test_flipped_bytes_are_refused_or_harmless(saved: Path) -> None:
    content = saved.read_bytes()
    sizes = cp.Hierarchy.load(saved).sizes
    refused = 0
    draw = random.Random(1)
    for _ in range(2000):
        spoilt = bytearray(content)
        for _ in range(draw.randint(1, 4)):
            spoilt[draw.randrange(len(spoilt))] = draw.randrange(256)
        saved.write_bytes(spoilt)
        try:
            loaded = cp.Hierarchy.load(saved)
            walk(loaded)
        except (cp.GraphError, cp.BudgetExceeded):
            refused += 1
        else:
            assert loaded.sizes == sizes
    assert refused > 1900


def test_a_loaded_hierarchy_is_checked_against_its_graph(saved: Path) -> None:
    hierarchy = cp.clique_hierarchy(path(5).graph())
    hierarchy.save(saved)
    cp.Hierarchy.load(saved).check()
    cp.Hierarchy.load(saved).check(path(5).graph())
    with pytest.raises(cp.GraphError, match="level 0: expected the graph given"):
        cp.Hierarchy.load(saved).check(path(6).graph())

    def other_pool(tensors: dict[str, np.ndarray], _: dict[str, str]) -> None:
        assert tensors["1.members"][:2].tolist() == [0, 1]
        tensors["1.members"][:2] = 0, 3

    resealed(saved, other_pool)
    spoilt = cp.Hierarchy.load(saved)
    with pytest.raises(cp.GraphError, match="level 1, pool 0: expected the nodes 0, 1, got 0, 3"):
        spoilt.check(path(5).graph())


def test_another_graph_between_the_pools_is_found(saved: Path) -> None:
    cp.clique_hierarchy(path(5).graph(), levels=1).save(saved)

    def fewer_edges(tensors: dict[str, np.ndarray], _: dict[str, str]) -> None:
        coarse = cp.Graph.from_edges([(0, 1), (1, 2)], num_nodes=4)
        names = ("classes", "sizes", "indptr", "indices")
        tensors |= {f"1.{name}": array for name, array in zip(names, coarse._factors(), strict=True)}

    resealed(saved, fewer_edges)
    with pytest.raises(cp.GraphError, match=r"level 1: expected .*4 nodes, 5 edges.* got another"):
        cp.Hierarchy.load(saved).check()


@given(sample=graphs(8))
@settings(max_examples=20, deadline=None)
def test_every_hierarchy_passes_its_check(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> None:
    graph = sample.graph()
    for hierarchy in (cp.clique_hierarchy(graph, 2), cp.clique_hierarchies([graph], 2)[0]):
        hierarchy.check(graph)
        file = tmp_path_factory.mktemp("saved") / "h.safetensors"
        hierarchy.save(file)
        cp.Hierarchy.load(file).check(graph)
