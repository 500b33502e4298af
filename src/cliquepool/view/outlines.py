"""The outline of a pool: a rounded contour close to its members that leaves other nodes outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from matplotlib.path import Path

    from cliquepool.view.layout import Points

__all__ = ["outline"]

_CELLS: Final = 90
_BLUR: Final = 2**0.5  # cells


def outline(members: Points, others: Points, radius: float, node_radius: float) -> Path:
    """Return a path around `members` at a distance of `radius`, with bites that leave `others` outside.

    It is the zero contour of a field on a grid: `radius` minus the distance from the convex hull of the
    members, lowered around the others, and blurred.
    """
    from contourpy import FillType, contour_generator  # noqa: PLC0415 (comes with matplotlib)
    from matplotlib.path import Path  # noqa: PLC0415
    from scipy.ndimage import gaussian_filter  # noqa: PLC0415 (slow to import)
    from scipy.spatial.distance import cdist  # noqa: PLC0415 (slow to import)

    low, high = members.min(0) - 1.6 * radius, members.max(0) + 1.6 * radius
    step = max(float((high - low).max()) / _CELLS, radius / 12)
    xs, ys = (np.arange(low[axis], high[axis] + step, step) for axis in (0, 1))
    grid = np.stack(np.meshgrid(xs, ys), -1)
    field = radius - _distance_from_hull(grid, members)
    reach = 1.35 * node_radius + 0.12 * radius
    near = others[((others > low) & (others < high)).all(1)]
    if len(near):
        # A bite must not be so wide that it cuts off a member.
        widths = np.minimum(reach, 0.62 * cdist(near, members).min(1))
        for other, width in zip(near[widths > 0], widths[widths > 0], strict=True):
            field = np.minimum(field, 2.5 * (np.sqrt(((grid - other) ** 2).sum(-1)) - width))
    field = gaussian_filter(field, _BLUR, mode="nearest")
    contours: Any = contour_generator(xs, ys, field, fill_type=FillType.OuterCode)
    points, codes = contours.filled(0.0, np.inf)
    if not points:
        return Path(np.zeros((0, 2)))
    return Path(np.concatenate(points), np.concatenate(codes))


def _distance_from_hull(grid: Points, members: Points) -> Points:
    """Return the distance of every grid point from the convex hull of the members, negative inside."""
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
    """Return the corners of the convex hull, counter-clockwise; the two ends of points on a line."""
    from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415 (slow to import)

    if len(points) > 2:
        try:
            corners: Points = points[ConvexHull(points).vertices]
        except QhullError:  # all on a line, or nearly so
            pass
        else:
            return corners
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    return ordered[[0, -1]] if len(ordered) > 1 else ordered
