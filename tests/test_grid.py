"""The clique hierarchy of a grid is that of sliding windows: sizes, members, order, in every dimension."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.nn import clique_pool_schedule, grid_graph
from tests.helpers import oracle

SMALL_SHAPES = [
    *[(n,) for n in range(1, 40)],
    *itertools.product(range(1, 9), repeat=2),
    *itertools.product(range(1, 5), repeat=3),
    *itertools.product((1, 2, 3), repeat=4),
    (3, 40),
    (20, 33),
    (2, 3, 17),
    (32, 32),
]


def windows(sides: tuple[int, ...], window: tuple[int, ...]) -> list[list[int]]:
    """The pixels of each window inside a grid, windows and pixels in row-major order."""
    ids = np.arange(math.prod(sides)).reshape(sides)
    corners = itertools.product(*(range(side - w + 1) for side, w in zip(sides, window, strict=True)))
    return [
        ids[tuple(slice(c, c + w) for c, w in zip(corner, window, strict=True))].ravel().tolist()
        for corner in corners
    ]


def distance_one(shape: tuple[int, ...], connectivity: str) -> list[list[int]]:
    pixels = list(itertools.product(*map(range, shape)))
    together = max if connectivity == "full" else sum
    return [
        [i, j]
        for (i, a), (j, b) in itertools.combinations(enumerate(pixels), 2)
        if together(abs(p - q) for p, q in zip(a, b, strict=True)) == 1
    ]


@pytest.mark.parametrize("connectivity", ["full", "faces"])
@pytest.mark.parametrize("shape", [(1,), (5,), (1, 1), (3, 4), (1, 6), (2, 3, 4), (2, 2, 1, 3)])
def test_pixels_at_distance_one_are_joined(shape: tuple[int, ...], connectivity: str) -> None:
    graph = grid_graph(shape, connectivity)  # type: ignore[arg-type]
    assert graph.num_nodes == math.prod(shape)
    assert graph.edges().tolist() == distance_one(shape, connectivity)


def test_a_length_alone_is_a_chain() -> None:
    assert grid_graph(4).edges().tolist() == grid_graph((4,), "faces").edges().tolist()
    assert grid_graph(np.int64(4)).edges().tolist() == [[0, 1], [1, 2], [2, 3]]
    assert grid_graph([2, 2]).num_edges == 6


def test_a_grid_without_pixels_has_no_nodes() -> None:
    assert grid_graph((3, 0)).num_nodes == 0


@pytest.mark.parametrize("shape", SMALL_SHAPES, ids=lambda shape: "x".join(map(str, shape)))
def test_the_pools_of_a_grid_are_windows(shape: tuple[int, ...]) -> None:
    hierarchy = cp.clique_hierarchy(grid_graph(shape))
    sides = shape
    for number, pooling in enumerate(hierarchy, start=1):
        window = tuple(min(2 ** (number - 1) + 1, side) for side in sides)
        assert pooling.pools.tolist() == windows(sides, window)
        sides = tuple(side - w + 1 for side, w in zip(sides, window, strict=True))
        assert sides == tuple(max(side - 2**number + 1, 1) for side in shape)
    assert sides == (1,) * len(shape)
    assert len(hierarchy) == math.ceil(math.log2(max(shape)))


@settings(max_examples=20)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_the_definition_gives_the_same_windows(shape: list[int]) -> None:
    graph = grid_graph(shape)
    window = tuple(min(2, side) for side in shape)
    found = oracle.pools_of(oracle.neighbours_of(graph))
    assert [sorted(pool) for pool in found] == windows(tuple(shape), window)


@given(st.integers(1, 5), st.integers(1, 40), st.data())
def test_the_receptive_field_of_a_pool_is_a_window_of_a_power_of_two(
    number: int, length: int, data: st.DataObject
) -> None:
    hierarchy = cp.clique_hierarchy(grid_graph(length), levels=number)
    level = len(hierarchy)
    node = data.draw(st.integers(0, hierarchy.sizes[level] - 1))
    field = hierarchy.receptive_field(level, node)
    assert field.tolist() == list(range(node, node + min(2**level, length)))


@pytest.mark.parametrize("length", range(1, 70))
def test_the_schedule_is_what_the_graph_does(length: int) -> None:
    hierarchy = cp.clique_hierarchy(grid_graph(length))
    assert clique_pool_schedule(length) == tuple(pooling.largest for pooling in hierarchy)


def test_the_schedule_of_the_paper() -> None:
    assert clique_pool_schedule(32) == (2, 3, 5, 9, 17)
    assert clique_pool_schedule(33) == (2, 3, 5, 9, 17, 2)
    assert clique_pool_schedule(1) == ()


def test_the_first_pools_of_a_grid_of_faces_are_its_edges() -> None:
    graph = grid_graph((3, 4), "faces")
    assert cp.clique_pool(graph).pools.tolist() == graph.edges().tolist()


def test_a_grid_needs_no_torch() -> None:
    code = (
        "import sys, cliquepool.grid; cliquepool.grid.grid_graph((3, 3)); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("shape", [(), (3, -1), -1, 2.5, (2.0, 3), "ab", (2**16, 2**16)])
def test_what_is_no_shape_is_refused(shape: object) -> None:
    with pytest.raises(cp.GraphError, match=r"shape: expected .* got"):
        grid_graph(shape)  # type: ignore[arg-type]


def test_other_connectivities_and_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"connectivity: expected .full. or .faces., got 'edges'"):
        grid_graph((2, 2), "edges")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="length: expected an integer of at least 1, got 0"):
        clique_pool_schedule(0)
