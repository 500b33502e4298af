"""Panels of a figure: captions, outlines and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import pytest
from matplotlib.collections import PathCollection

import cliquepool as cp
from cliquepool.view import draw_hierarchy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


KARATE = cp.Graph.from_networkx(nx.karate_club_graph())


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_every_level_is_captioned_and_every_pool_outlined() -> None:
    hierarchy = cp.clique_hierarchy(KARATE)
    figure = draw_hierarchy(hierarchy, title="Karate")
    assert {"level 0", "34 nodes → 21 pools", "level 4", "1 node", "Karate"} <= set(words(figure))
    drawn = [shapes for shapes in figure.axes[0].collections if isinstance(shapes, PathCollection)]
    outlined = [len(shapes.get_paths()) for shapes in drawn]
    assert outlined == [int((pooling.pools.sizes > 1).sum()) for pooling in hierarchy]


def test_labels_are_those_of_the_graph_or_as_given() -> None:
    graph = cp.Graph.from_edges([(7, 8), (8, 9), (7, 9)], compact=True)
    hierarchy = cp.clique_hierarchy(graph)
    assert {"7", "8", "9"} <= set(words(draw_hierarchy(hierarchy)))
    assert {"x", "y", "z", "xyz"} <= set(words(draw_hierarchy(hierarchy, labels=list("xyz"))))
    assert "7" not in words(draw_hierarchy(hierarchy, labels=False))
    with pytest.raises(cp.GraphError, match="labels"):
        draw_hierarchy(hierarchy, labels=["x"])
