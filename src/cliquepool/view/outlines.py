"""The outline of a pool: round, close to its members, and around nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from matplotlib.path import Path

    from cliquepool.view.layout import Points

__all__ = ["outline"]

_CELLS: Final = 90


def outline(members: Points, others: Points, radius: float, node_radius: float) -> Path:
    """Surround `members` at a distance of `radius`, with bites where `others` would be inside.

    The contour of a field: the distance from the convex hull of the members, raised around the others.
    """
    from contourpy import FillType, contour_generator  # noqa: PLC0415 (comes with matplotlib)
    from matplotlib.path import Path  # noqa: PLC0415

    low, high = members.min(0) - 1.6 * radius, members.max(0) + 1.6 * radius
    step = max(float((high - low).max()) / _CELLS, radius / 12)
    xs, ys = (np.arange(low[axis], high[axis] + step, step) for axis in (0, 1))
    grid = np.stack(np.meshgrid(xs, ys), -1)
    field = radius - _distance_from_hull(grid, members)
    reach = 1.35 * node_radius + 0.12 * radius
    near = others[((others > low) & (others < high)).all(1)]
    for other in near:
        # Never so wide as to cut a member off.
        width = min(reach, 0.62 * float(np.sqrt(((members - other) ** 2).sum(1)).min()))
        away = np.sqrt(((grid - other) ** 2).sum(-1))
        field = np.minimum(field, 2.5 * (away - width)) if width > 0 else field
    field = _smooth(field, 8)
    contours: Any = contour_generator(xs, ys, field, fill_type=FillType.OuterCode)
    points, codes = contours.filled(0.0, np.inf)
    if not points:
        return Path(np.zeros((0, 2)))
    return Path(np.concatenate(points), np.concatenate(codes))


def _distance_from_hull(grid: Points, members: Points) -> Points:
    """The distance of every point of the grid from the convex hull of the members; negative inside."""
    corners = _hull(members)
    distance = np.full(grid.shape[:2], np.inf)
    inside = np.full(grid.shape[:2], len(corners) > 2)
    for begin, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = end - begin
        length = max(float(along @ along), 1e-12)
        share = np.clip(((grid - begin) @ along) / length, 0, 1)
        nearest = begin + share[..., None] * along
        distance = np.minimum(distance, np.sqrt(((grid - nearest) ** 2).sum(-1)))
        inside &= along[0] * (grid[..., 1] - begin[1]) - along[1] * (grid[..., 0] - begin[0]) >= 0
    return np.where(inside, -distance, distance)


def _hull(points: Points) -> Points:
    """The corners of the convex hull, counter-clockwise (Andrew's monotone chain)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    if len(ordered) < 3:
        return ordered

    def chain(sequence: Points) -> list[Points]:
        corners: list[Points] = []
        for point in sequence:
            while len(corners) > 1 and _turn(corners[-2], corners[-1], point) <= 1e-12:
                corners.pop()
            corners.append(point)
        return corners[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def _turn(a: Points, b: Points, c: Points) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _smooth(field: Points, times: int) -> Points:
    for _ in range(times):
        padded = np.pad(field, 1, mode="edge")
        field = (
            padded[1:-1, 1:-1] * 4
            + padded[:-2, 1:-1]
            + padded[2:, 1:-1]
            + padded[1:-1, :-2]
            + padded[1:-1, 2:]
        ) / 8
    return field
