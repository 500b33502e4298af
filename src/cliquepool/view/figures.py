"""Pictures of hierarchies, like the first figure of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.errors import GraphError
from cliquepool.view.colours import INK, LINE, MUTED, choose_colours
from cliquepool.view.layout import lay_out, place_pools, push_apart
from cliquepool.view.panels import Panel, draw_panel, node_names, write_labels, write_text
from cliquepool.view.saving import save_figure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cliquepool.hierarchy import Hierarchy
    from cliquepool.pooling import Pooling
    from cliquepool.view.layout import Points

__all__ = ["MOST_NODES", "draw_hierarchy", "expect_drawable"]

MOST_NODES: Final = 1000

# All lengths are inches.
_HEIGHT: Final = 4.0
_GAP: Final = 0.55
_NARROWEST: Final = 1.25
_CAPTION: Final = 0.52
_TITLE: Final = 0.5

_MOST_COLOURED_SINGLES: Final = 12


def draw_hierarchy(
    hierarchy: Hierarchy,
    path: str | PathLike[str] | None = None,
    *,
    positions: npt.ArrayLike | None = None,
    labels: Sequence[Any] | bool | None = None,
    title: str | None = None,
    levels: int | None = None,
    max_nodes: int = MOST_NODES,
    dpi: int = 150,
    ax: Axes | None = None,
) -> Figure:
    """Draw the levels of a hierarchy side by side.

    Every level shows its graph, with pools as coloured outlines. A node of the lowest graph has the colours
    of all its pools; a node of a coarser level has the colour of its pool and is drawn near its members.

    Returns the matplotlib figure; pyplot is not used.

    Parameters
    ----------
    hierarchy : Hierarchy
        The hierarchy to draw.
    path : str or path, optional
        The file to save it in; the format is that of the suffix (png, svg, pdf).
    positions : array of shape (n, 2), optional
        The positions of the nodes of the graph, y upwards. By default a deterministic layout.
    labels : sequence or bool, optional
        Text for the nodes of the graph: one for each, True for `Graph.labels` or their numbers, False for
        none. By default True for graphs of up to 120 nodes. Short labels are written into the nodes; of long
        ones only those of the nodes with most neighbours are written, below them.
    title : str, optional
        A line above the picture.
    levels : int, optional
        The number of poolings to show. By default all.
    max_nodes : int
        A level with more nodes raises GraphError: it would be unreadable.
    dpi : int
        Dots per inch, for png.
    ax : matplotlib Axes, optional
        The axes to draw in: their frame is removed, and lines and text are scaled to fit. By default a new
        figure, as large as the levels need.
    """
    shown = len(hierarchy) if levels is None else min(levels, len(hierarchy))
    sizes = hierarchy.sizes[: shown + 1]
    for size in sizes:
        expect_drawable(size, max_nodes)
    names = node_names(hierarchy.graph(0), labels)
    panels = _panels(hierarchy, shown, positions)

    width = sum(panel.width for panel in panels) + _GAP * len(panels)
    lowest = min(float(panel.points[:, 1].min()) - 2.4 * panel.radius for panel in panels)
    highest = max(float(panel.points[:, 1].max()) + 2.4 * panel.radius for panel in panels)
    highest += _TITLE if title else 0.1
    height = highest - lowest + _CAPTION
    axes = _new_axes(width, height, dpi) if ax is None else ax
    scale = 1.0 if ax is None else _scale_to_fit(ax, width, height)
    axes.set(xlim=(0, width), ylim=(lowest - _CAPTION, highest), aspect="equal")
    axes.set_axis_off()
    _set_in_a_row(panels)
    for panel in panels:
        panel.scale = scale
    for panel, above in zip(panels, [*panels[1:], None], strict=True):
        draw_panel(axes, panel, above, lowest)
    write_labels(axes, panels, names)
    if title:
        write_text(axes, 0.25, highest - 0.2, title, 13 * scale, weight="bold", color=INK, va="top")
    figure = axes.figure.figure  # the outermost one, also of axes in a subfigure
    if path is not None:
        save_figure(figure, path, dpi)
    return figure


def _new_axes(width: float, height: float, dpi: int) -> Axes:
    """Return the axes that fill a new figure of this size."""
    from matplotlib.figure import Figure  # noqa: PLC0415 (slow to import)

    return Figure(figsize=(width, height), dpi=dpi, facecolor="white").add_axes((0, 0, 1, 1))


def _scale_to_fit(axes: Axes, width: float, height: float) -> float:
    """Return the scale of a picture of this size in these axes."""
    room = axes.get_window_extent()
    dots = axes.figure.dpi
    return float(min(room.width / dots / width, room.height / dots / height))


def expect_drawable(num_nodes: int, max_nodes: int = MOST_NODES) -> None:
    """Raise GraphError for a graph of no nodes, or of more than `max_nodes`."""
    if not 1 <= num_nodes <= max_nodes:
        raise GraphError(f"expected levels of 1 to {max_nodes:,} nodes to draw, got one of {num_nodes:,}")


# ---- positions and colours ----


def _panels(hierarchy: Hierarchy, shown: int, positions: npt.ArrayLike | None) -> list[Panel]:
    graph = hierarchy.graph(0)
    world = _bottom_points(hierarchy, shown, positions)
    colours: list[list[str]] = []
    panels: list[Panel] = []
    for level in range(shown + 1):
        graph = hierarchy.graph(level)
        pooling = hierarchy[level] if level < shown else None
        radius = _node_radius(graph.num_nodes)
        shrink = float(np.clip((graph.num_nodes / hierarchy.sizes[0]) ** 0.3, 0.5, 1.3))
        if level > 0:
            world = place_pools(world, hierarchy[level - 1].pools, graph, 3.2 * radius / shrink)
            world -= (world.max(0) + world.min(0)) / 2
        pool_colours = [] if pooling is None else _pool_colours(pooling, world, colours, level)
        if pooling is not None and level == 0:
            colours = [[pool_colours[pool] for pool in pools] for pools in pooling.memberships.tolist()]
        elif level == 0:
            colours = [[MUTED]] * graph.num_nodes
        points = world * shrink
        width = max(float(np.ptp(points[:, 0])) + 4.4 * radius, _NARROWEST)
        panels.append(Panel(level, graph, pooling, points, radius, colours, pool_colours, width))
        colours = [[colour] for colour in pool_colours]
    return panels


def _bottom_points(hierarchy: Hierarchy, shown: int, positions: npt.ArrayLike | None) -> Points:
    """Return the positions of the lowest graph, centred and scaled to the size of a panel."""
    graph = hierarchy.graph(0)
    if positions is None:
        points = lay_out(graph, hierarchy[0].pools if shown else None)
    else:
        points = np.array(positions, dtype=np.float64)
        if points.shape != (graph.num_nodes, 2) or not np.isfinite(points).all():
            raise GraphError(
                f"positions: expected finite numbers of shape ({graph.num_nodes}, 2), got {points.shape}"
            )
    points -= (points.max(0) + points.min(0)) / 2
    extent = np.ptp(points, axis=0)
    # Few nodes need less space than many.
    room = _HEIGHT * float(np.clip((graph.num_nodes / 40) ** 0.3, 0.72, 1.6))
    scale = min(room / max(float(extent[1]), 1e-9), 1.25 * room / max(float(extent[0]), 1e-9))
    if extent.max() > 0:
        points *= min(scale, 1e6)
    return points if positions is not None else push_apart(points, 2.7 * _node_radius(graph.num_nodes))


def _node_radius(number: int) -> float:
    return float(np.clip(0.62 / np.sqrt(number), 0.035, 0.185))


def _pool_colours(pooling: Pooling, points: Points, colours: list[list[str]], level: int) -> list[str]:
    """Choose colours for pools of several nodes; a pool of one node keeps the colour of that."""
    pools = pooling.pools
    if len(pools) == 1:
        return [INK]
    centres = np.add.reduceat(points[pools.members], pools.offsets[:-1], axis=0) / pools.sizes[:, None]
    alone = pools.sizes == 1
    if colours:
        kept = {pool: colours[int(pools[pool][0])][0] for pool in np.flatnonzero(alone).tolist()}
    elif len(pools) > _MOST_COLOURED_SINGLES:
        kept = dict.fromkeys(np.flatnonzero(alone).tolist(), LINE)
    else:
        kept = {}
    return choose_colours(centres, kept, first=4 * level)


def _set_in_a_row(panels: list[Panel]) -> None:
    left = _GAP / 2
    for panel in panels:
        middle = (panel.points[:, 0].max() + panel.points[:, 0].min()) / 2
        panel.points = panel.points + np.array([left + panel.width / 2 - middle, 0])
        left += panel.width + _GAP
