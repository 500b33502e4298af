"""Pictures of dependency diagrams show every level, and refuse levels that are too large."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

import cliquepool as cp
from cliquepool.view import draw_dependencies
from tests.helpers.small_graphs import path

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

H = cp.clique_hierarchy(path(30).graph(), levels=2)


def points_by_colour(figure: Figure) -> dict[str, int]:
    (axes,) = figure.axes
    counts: dict[str, int] = {}
    for collection in axes.collections:
        if isinstance(collection, PathCollection) and len(collection.get_offsets()):
            colour = to_hex(collection.get_facecolor()[0])
            counts[colour] = counts.get(colour, 0) + len(collection.get_offsets())
    return counts


def test_needed_nodes_are_lit(tmp_path: Path) -> None:
    diagram = H.dependencies(2, hops=1).of([13])
    figure = draw_dependencies(diagram, tmp_path / "needs.png", title="one node")
    outputs = sum(len(level.within(0)) for level in diagram.levels)
    counts = points_by_colour(figure)
    assert counts["#e2504f"] == outputs
    assert counts["#f2a33a"] == sum(diagram.sizes) - outputs
    assert counts["#a9b1bb"] == sum(H.sizes) - sum(diagram.sizes)
    assert (tmp_path / "needs.png").read_bytes().startswith(b"\x89PNG")


def test_every_level_has_a_row_with_its_numbers() -> None:
    diagram = H.dependencies(2, hops=0).of([13])
    texts = {text.get_text() for text in draw_dependencies(diagram).axes[0].texts}
    numbers = zip(diagram.sizes, (30, 29, 27), strict=True)
    assert {f"{needed} of {size}" for needed, size in numbers} <= texts
    assert {"level 0", "level 1", "level 2"} <= texts


def test_a_level_with_too_many_nodes_is_refused() -> None:
    with pytest.raises(cp.GraphError, match="expected levels of 1 to 20 nodes to draw, got one of 30"):
        draw_dependencies(H.dependencies(1).of([0]), max_nodes=20)
