"""Outlines of pools: around their members, and around no other node."""

from __future__ import annotations

import numpy as np
from matplotlib.path import Path as Outline

from cliquepool.view.outlines import outline


def test_an_outline_holds_its_members_and_nobody_else() -> None:
    members = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]])
    others = np.array([[2.0, 1.2], [2.0, -3.0], [4.3, 1.5]])
    shape = outline(members, others, 0.6, 0.3)
    assert shape.contains_points(members).all()
    assert not shape.contains_points(others[1:]).any()
    # Inside the hull: a hole is cut, which counts by the even-odd rule.
    assert sum(part.contains_point(others[0]) for part in parts(shape)) % 2 == 0


def parts(shape: Outline) -> list[Outline]:
    assert shape.codes is not None
    starts = np.flatnonzero(shape.codes == Outline.MOVETO)
    return [Outline(points) for points in np.split(shape.vertices, starts[1:])]


def test_an_outline_of_two_or_of_nodes_in_a_line() -> None:
    for members in (np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])):
        assert outline(members, np.zeros((0, 2)), 0.3, 0.1).contains_points(members).all()
