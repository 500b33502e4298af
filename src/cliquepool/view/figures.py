"""Hierarchies as pictures, in the manner of the paper's first figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.errors import GraphError
from cliquepool.view.colours import INK, LINE, MUTED, choose_colours, is_dark
from cliquepool.view.layout import lay_out, place_pools, push_apart
from cliquepool.view.outlines import outline
from cliquepool.view.saving import save_figure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cliquepool.graph import Graph
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

_MOST_ARROWS: Final = 20
_MOST_COLOURED_SINGLES: Final = 12
_MOST_LABELLED: Final = 120
_LONGEST_INSIDE: Final = 3  # characters of a label that is written into its node
_MOST_NAMES: Final = 16


@dataclass(slots=True)
class _Panel:
    """One level, ready to be drawn."""

    level: int
    graph: Graph
    pooling: Pooling | None  # of this level's nodes; None at the top
    points: Points
    radius: float
    colours: list[list[str]]  # of each node: several make a pie
    pool_colours: list[str]
    width: float = 0.0

    def caption(self) -> str:
        nodes = f"{self.graph.num_nodes:,} node{'' if self.graph.num_nodes == 1 else 's'}"
        if self.pooling is None:
            return nodes
        return f"{nodes} → {len(self.pooling):,} pool{'' if len(self.pooling) == 1 else 's'}"


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
) -> Figure:
    """Draw the levels of a hierarchy side by side.

    Every level shows its graph and its pools as coloured outlines. The nodes of the graph have the colours of
    their pools, a node in several pools all of them; a node of a coarser level has the colour of the pool
    that it is, and stands where that pool's members stood.

    Parameters
    ----------
    hierarchy : Hierarchy
        What to draw.
    path : str or path, optional
        Where to save it; the suffix says as what (png, svg, pdf).
    positions : array of shape (n, 2), optional
        Where the nodes of the graph are, y upwards. By default they are laid out, every time the same.
    labels : sequence or bool, optional
        What to write into or beside the nodes of the graph: one for each, True for `Graph.labels` or their
        numbers, False for nothing. By default True for graphs of up to 120 nodes. Of long ones, those of the
        nodes with most neighbours are written.
    title : str, optional
        A line above the picture.
    levels : int, optional
        How many poolings to show. By default all.
    max_nodes : int
        A level with more nodes raises GraphError: nothing could be seen.
    dpi : int
        Dots an inch, for png.

    Returns the matplotlib figure; pyplot is not involved.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 (slow to import)

    shown = len(hierarchy) if levels is None else min(levels, len(hierarchy))
    sizes = hierarchy.sizes[: shown + 1]
    for size in sizes:
        expect_drawable(size, max_nodes)
    names = _names(hierarchy.graph(0), labels)
    panels = _panels(hierarchy, shown, positions)

    width = sum(panel.width for panel in panels) + _GAP * len(panels)
    lowest = min(float(panel.points[:, 1].min()) - 2.4 * panel.radius for panel in panels)
    highest = max(float(panel.points[:, 1].max()) + 2.4 * panel.radius for panel in panels)
    highest += _TITLE if title else 0.1
    height = highest - lowest + _CAPTION
    figure = Figure(figsize=(width, height), dpi=dpi, facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(lowest - _CAPTION, highest), aspect="equal")
    axes.set_axis_off()
    _set_in_a_row(panels)
    for panel, above in zip(panels, [*panels[1:], None], strict=True):
        if above is not None:
            _draw_arrows(axes, panel, above)
        _draw_pools(axes, panel)
        _draw_edges(axes, panel)
        _draw_nodes(axes, panel)
        _write_caption(axes, panel, lowest)
    _write_labels(axes, panels, names)
    if title:
        axes.text(0.25, highest - 0.2, title, fontsize=13, weight="bold", color=INK, va="top")
    if path is not None:
        save_figure(figure, path, dpi)
    return figure


def expect_drawable(num_nodes: int, max_nodes: int = MOST_NODES) -> None:
    """Raise GraphError for a graph of no nodes, or of more than can be seen in a picture."""
    if not 1 <= num_nodes <= max_nodes:
        raise GraphError(f"expected levels of 1 to {max_nodes:,} nodes to draw, got one of {num_nodes:,}")


# ---- where and in which colours ----


def _panels(hierarchy: Hierarchy, shown: int, positions: npt.ArrayLike | None) -> list[_Panel]:
    graph = hierarchy.graph(0)
    world = _bottom_points(hierarchy, shown, positions)
    colours: list[list[str]] = []
    panels: list[_Panel] = []
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
        panels.append(_Panel(level, graph, pooling, points, radius, colours, pool_colours, width))
        colours = [[colour] for colour in pool_colours]
    return panels


def _bottom_points(hierarchy: Hierarchy, shown: int, positions: npt.ArrayLike | None) -> Points:
    """The nodes of the graph, centred, as high as a panel is or a little less wide than two."""
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
    # Few nodes need less room than many.
    room = _HEIGHT * float(np.clip((graph.num_nodes / 40) ** 0.3, 0.72, 1.6))
    scale = min(room / max(float(extent[1]), 1e-9), 1.25 * room / max(float(extent[0]), 1e-9))
    if extent.max() > 0:
        points *= min(scale, 1e6)
    return points if positions is not None else push_apart(points, 2.7 * _node_radius(graph.num_nodes))


def _node_radius(number: int) -> float:
    return float(np.clip(0.62 / np.sqrt(number), 0.035, 0.185))


def _pool_colours(pooling: Pooling, points: Points, colours: list[list[str]], level: int) -> list[str]:
    """New colours for pools of several nodes; a node that stays alone keeps its own."""
    pools = pooling.pools
    if len(pools) == 1:
        return [INK]
    centres = np.add.reduceat(points[pools.members], pools.offsets[:-1], axis=0) / pools.sizes[:, None]
    alone = pools.sizes == 1
    if colours:
        kept = {place: colours[int(pools[place][0])][0] for place in np.flatnonzero(alone).tolist()}
    elif len(pools) > _MOST_COLOURED_SINGLES:
        kept = dict.fromkeys(np.flatnonzero(alone).tolist(), LINE)
    else:
        kept = {}
    return choose_colours(centres, kept, first=4 * level)


def _set_in_a_row(panels: list[_Panel]) -> None:
    left = _GAP / 2
    for panel in panels:
        middle = (panel.points[:, 0].max() + panel.points[:, 0].min()) / 2
        panel.points = panel.points + np.array([left + panel.width / 2 - middle, 0])
        left += panel.width + _GAP


# ---- drawing ----


def _draw_pools(axes: Axes, panel: _Panel) -> None:
    from matplotlib.collections import PathCollection  # noqa: PLC0415
    from matplotlib.colors import to_rgba  # noqa: PLC0415

    if panel.pooling is None:
        return
    several = [(place, pool) for place, pool in enumerate(panel.pooling.pools) if len(pool) > 1]
    shared = int(panel.pooling.memberships.sizes.max())
    crowd = float(np.clip(3 / shared, 0.2, 1))
    outlines = []
    for order, (_, pool) in enumerate(several):
        inside = np.zeros(panel.graph.num_nodes, dtype=np.bool_)
        inside[pool] = True
        # Tied pools that share nodes get outlines at slightly different distances, so that both are seen.
        distance = panel.radius * (1.5 + 0.2 * (order % 3))
        outlines.append(outline(panel.points[inside], panel.points[~inside], distance, panel.radius))
    colours = [panel.pool_colours[place] for place, _ in several]
    fill = 0.19 * min(1.0, 3 / shared)
    axes.add_collection(
        PathCollection(
            outlines,
            facecolors=[to_rgba(colour, 0.04 if colour == INK else fill) for colour in colours],
            edgecolors=[to_rgba(colour, 0.45 + 0.5 * crowd) for colour in colours],
            linewidths=0.7 + 0.9 * crowd,
            joinstyle="round",
            zorder=1,
        ),
        autolim=False,
    )


def _draw_edges(axes: Axes, panel: _Panel) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415

    edges = panel.graph.edges()
    alpha = float(np.clip((150 / max(len(edges), 1)) ** 0.5, 0.06, 0.9))
    width = float(np.clip(14 * panel.radius, 0.5, 1.3))
    axes.add_collection(
        LineCollection(list(panel.points[edges]), colors=LINE, linewidths=width, alpha=alpha, zorder=2),
        autolim=False,
    )


def _draw_nodes(axes: Axes, panel: _Panel) -> None:
    from matplotlib.collections import PatchCollection  # noqa: PLC0415
    from matplotlib.patches import Circle, Patch, Wedge  # noqa: PLC0415

    slices: list[Patch] = []
    fills: list[str] = []
    for point, colours in zip(panel.points.tolist(), panel.colours, strict=True):
        if len(colours) == 1:
            slices.append(Circle(point, panel.radius))
            fills.append(colours[0])
            continue
        turn = 360 / len(colours)
        for place, colour in enumerate(colours):
            slices.append(Wedge(point, panel.radius, 90 + place * turn, 90 + (place + 1) * turn))
            fills.append(colour)
    border = float(np.clip(10 * panel.radius, 0.4, 1.4))
    rings = [Circle(point, panel.radius) for point in panel.points.tolist()]
    axes.add_collection(PatchCollection(slices, facecolors=fills, edgecolors="none", zorder=3), autolim=False)
    axes.add_collection(
        PatchCollection(rings, facecolors="none", edgecolors="white", linewidths=border, zorder=3.5),
        autolim=False,
    )


def _draw_arrows(axes: Axes, panel: _Panel, above: _Panel) -> None:
    """Dotted, from every node to the pools it goes into, where these are few enough to be followed."""
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415

    assert panel.pooling is not None
    pools = panel.pooling.pools
    if len(pools.members) > _MOST_ARROWS:
        return
    for place, pool in enumerate(pools):
        for node in pool.tolist():
            axes.add_patch(
                FancyArrowPatch(
                    tuple(panel.points[node]),
                    tuple(above.points[place]),
                    shrinkA=72 * panel.radius + 1,
                    shrinkB=72 * above.radius + 2,
                    arrowstyle="-|>",
                    mutation_scale=7,
                    linestyle=(0, (1, 2.2)),
                    linewidth=0.8,
                    color=panel.pool_colours[place],
                    alpha=0.75,
                    zorder=0.5,
                )
            )


# ---- words ----


def _write_caption(axes: Axes, panel: _Panel, lowest: float) -> None:
    middle = float(panel.points[:, 0].max() + panel.points[:, 0].min()) / 2
    place: dict[str, Any] = {"ha": "center", "va": "top"}
    axes.text(middle, lowest - 0.05, f"level {panel.level}", fontsize=9.5, weight="bold", color=INK, **place)
    axes.text(middle, lowest - 0.25, panel.caption(), fontsize=8.5, color=MUTED, **place)


def _names(graph: Graph, labels: Sequence[Any] | bool | None) -> list[str] | None:
    if labels is None:
        labels = graph.num_nodes <= _MOST_LABELLED
    if labels is False:
        return None
    if labels is True:
        labels = range(graph.num_nodes) if graph.labels is None else graph.labels.tolist()
    if len(labels) != graph.num_nodes:
        raise GraphError(f"labels: expected one for each node ({graph.num_nodes}), got {len(labels)}")
    return [str(label) for label in labels]


def _write_labels(axes: Axes, panels: list[_Panel], names: list[str] | None) -> None:
    if names is None:
        return
    bottom = panels[0]
    if max(map(len, names)) <= _LONGEST_INSIDE:
        _write_inside(axes, bottom, names)
    else:
        _write_beside(axes, bottom, names)
    if len(panels) > 1 and bottom.pooling is not None and max(map(len, names)) == 1:
        joined = ["".join(names[node] for node in pool) for pool in bottom.pooling.pools.tolist()]
        if max(map(len, joined)) <= 5:
            _write_inside(axes, panels[1], joined)


def _write_inside(axes: Axes, panel: _Panel, names: list[str]) -> None:
    longest = max(2, *map(len, names))
    size = min(72 * panel.radius * 2.1 / longest, 72 * panel.radius * 0.95)
    for point, name, colours in zip(panel.points.tolist(), names, panel.colours, strict=True):
        dark = sum(map(is_dark, colours)) * 2 > len(colours)
        axes.text(
            point[0],
            point[1],
            name,
            fontsize=size,
            weight="bold",
            color="white" if dark else INK,
            ha="center",
            va="center_baseline",
            zorder=4,
            parse_math=False,  # a name may have dollar signs
        )


def _write_beside(axes: Axes, panel: _Panel, names: list[str]) -> None:
    """Write the names of the nodes with most neighbours under them, where they do not meet."""
    from matplotlib.patheffects import withStroke  # noqa: PLC0415

    order = np.argsort(-panel.graph.degrees, kind="stable").tolist()
    taken: list[tuple[float, float, float]] = []
    for node in order:
        x, y = panel.points[node].tolist()
        y -= panel.radius + 0.075
        half = 0.033 * len(names[node])
        if any(abs(x - ox) < half + ohalf and abs(y - oy) < 0.13 for ox, oy, ohalf in taken):
            continue
        taken.append((x, y, half))
        axes.text(
            x,
            y,
            names[node],
            fontsize=6.5,
            color=INK,
            ha="center",
            va="center",
            zorder=5,
            parse_math=False,
            path_effects=[withStroke(linewidth=2, foreground="white", alpha=0.85)],
        )
        if len(taken) == _MOST_NAMES:
            return
