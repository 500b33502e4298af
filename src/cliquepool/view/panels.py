"""The panels of a picture, one for each level: pools, edges, nodes, arrows and text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.errors import GraphError
from cliquepool.view.colours import INK, LINE, MUTED, is_dark
from cliquepool.view.outlines import outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from cliquepool.graph import Graph
    from cliquepool.pooling import Pooling
    from cliquepool.view.layout import Points

__all__ = ["Panel", "draw_panel", "node_names", "write_labels", "write_text"]

_MOST_ARROWS: Final = 20
_MOST_LABELLED: Final = 120
_LONGEST_INSIDE: Final = 3  # characters of a label that is written into its node
_MOST_NAMES: Final = 16


@dataclass(slots=True)
class Panel:
    """One level, ready to be drawn."""

    level: int
    graph: Graph
    pooling: Pooling | None  # of the nodes of this level; None at the top
    points: Points
    radius: float
    colours: list[list[str]]  # of each node; several are drawn as a pie chart
    pool_colours: list[str]
    width: float = 0.0
    scale: float = 1.0  # of lines and text, whose sizes are in points

    def caption(self) -> str:
        """Return the numbers of nodes and pools in words."""
        nodes = f"{self.graph.num_nodes:,} node{'' if self.graph.num_nodes == 1 else 's'}"
        if self.pooling is None:
            return nodes
        return f"{nodes} → {len(self.pooling):,} pool{'' if len(self.pooling) == 1 else 's'}"


def draw_panel(axes: Axes, panel: Panel, above: Panel | None, lowest: float) -> None:
    """Draw a level, its caption under `lowest`, and arrows to the level above."""
    if above is not None:
        _draw_arrows(axes, panel, above)
    _draw_pools(axes, panel)
    _draw_edges(axes, panel)
    _draw_nodes(axes, panel)
    _write_caption(axes, panel, lowest)


def write_text(axes: Axes, x: float, y: float, words: str, size: float, **style: Any) -> None:
    """Write text literally: matplotlib would parse dollar signs as formulas."""
    axes.text(x, y, words, fontsize=size, parse_math=False, **style)


# ---- shapes ----


def _draw_pools(axes: Axes, panel: Panel) -> None:
    from matplotlib.collections import PathCollection  # noqa: PLC0415
    from matplotlib.colors import to_rgba  # noqa: PLC0415

    if panel.pooling is None:
        return
    several = [(index, pool) for index, pool in enumerate(panel.pooling.pools) if len(pool) > 1]
    shared = int(panel.pooling.memberships.sizes.max())
    crowd = float(np.clip(3 / shared, 0.2, 1))
    outlines = []
    for order, (_, pool) in enumerate(several):
        inside = np.zeros(panel.graph.num_nodes, dtype=np.bool_)
        inside[pool] = True
        # Different distances keep the outlines of pools that share nodes apart.
        distance = panel.radius * (1.5 + 0.2 * (order % 3))
        outlines.append(outline(panel.points[inside], panel.points[~inside], distance, panel.radius))
    colours = [panel.pool_colours[index] for index, _ in several]
    fill = 0.19 * min(1.0, 3 / shared)
    axes.add_collection(
        PathCollection(
            outlines,
            facecolors=[to_rgba(colour, 0.04 if colour == INK else fill) for colour in colours],
            edgecolors=[to_rgba(colour, 0.45 + 0.5 * crowd) for colour in colours],
            linewidths=panel.scale * (0.7 + 0.9 * crowd),
            joinstyle="round",
            zorder=1,
        ),
        autolim=False,
    )


def _draw_edges(axes: Axes, panel: Panel) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415

    edges = panel.graph.edges()
    alpha = float(np.clip((150 / max(len(edges), 1)) ** 0.5, 0.06, 0.9))
    width = panel.scale * float(np.clip(14 * panel.radius, 0.5, 1.3))
    axes.add_collection(
        LineCollection(list(panel.points[edges]), colors=LINE, linewidths=width, alpha=alpha, zorder=2),
        autolim=False,
    )


def _draw_nodes(axes: Axes, panel: Panel) -> None:
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
        for slot, colour in enumerate(colours):
            slices.append(Wedge(point, panel.radius, 90 + slot * turn, 90 + (slot + 1) * turn))
            fills.append(colour)
    border = panel.scale * float(np.clip(10 * panel.radius, 0.4, 1.4))
    rings = [Circle(point, panel.radius) for point in panel.points.tolist()]
    axes.add_collection(PatchCollection(slices, facecolors=fills, edgecolors="none", zorder=3), autolim=False)
    axes.add_collection(
        PatchCollection(rings, facecolors="none", edgecolors="white", linewidths=border, zorder=3.5),
        autolim=False,
    )


def _draw_arrows(axes: Axes, panel: Panel, above: Panel) -> None:
    """Draw dotted arrows from every node to its pools, unless there are too many to follow."""
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415

    assert panel.pooling is not None
    pools = panel.pooling.pools
    if len(pools.members) > _MOST_ARROWS:
        return
    for index, pool in enumerate(pools):
        for node in pool.tolist():
            axes.add_patch(
                FancyArrowPatch(
                    tuple(panel.points[node]),
                    tuple(above.points[index]),
                    shrinkA=panel.scale * (72 * panel.radius + 1),
                    shrinkB=panel.scale * (72 * above.radius + 2),
                    arrowstyle="-|>",
                    mutation_scale=7 * panel.scale,
                    linestyle=(0, (1, 2.2)),
                    linewidth=0.8 * panel.scale,
                    color=panel.pool_colours[index],
                    alpha=0.75,
                    zorder=0.5,
                )
            )


# ---- text ----


def _write_caption(axes: Axes, panel: Panel, lowest: float) -> None:
    middle = float(panel.points[:, 0].max() + panel.points[:, 0].min()) / 2
    aligned: dict[str, Any] = {"ha": "center", "va": "top"}
    title, about = f"level {panel.level}", panel.caption()
    write_text(axes, middle, lowest - 0.05, title, 9.5 * panel.scale, weight="bold", color=INK, **aligned)
    write_text(axes, middle, lowest - 0.25, about, 8.5 * panel.scale, color=MUTED, **aligned)


def node_names(graph: Graph, labels: Sequence[Any] | bool | None) -> list[str] | None:
    """Return the text for each node of a graph, or None; see `draw_hierarchy` for `labels`."""
    if labels is None:
        labels = graph.num_nodes <= _MOST_LABELLED
    if labels is False:
        return None
    if labels is True:
        labels = range(graph.num_nodes) if graph.labels is None else graph.labels.tolist()
    if len(labels) != graph.num_nodes:
        raise GraphError(f"labels: expected one for each node ({graph.num_nodes}), got {len(labels)}")
    return [str(label) for label in labels]


def write_labels(axes: Axes, panels: list[Panel], names: list[str] | None) -> None:
    """Write short names into the nodes, long ones below some nodes."""
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


def _write_inside(axes: Axes, panel: Panel, names: list[str]) -> None:
    longest = max(2, *map(len, names))
    size = min(72 * panel.radius * 2.1 / longest, 72 * panel.radius * 0.95)
    for point, name, colours in zip(panel.points.tolist(), names, panel.colours, strict=True):
        dark = sum(map(is_dark, colours)) * 2 > len(colours)
        write_text(
            axes,
            point[0],
            point[1],
            name,
            panel.scale * size,
            weight="bold",
            color="white" if dark else INK,
            ha="center",
            va="center_baseline",
            zorder=4,
        )


def _write_beside(axes: Axes, panel: Panel, names: list[str]) -> None:
    """Write the names of the nodes with most neighbours below them, where they do not overlap."""
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
        write_text(
            axes,
            x,
            y,
            names[node],
            6.5 * panel.scale,
            color=INK,
            ha="center",
            va="center",
            zorder=5,
            path_effects=[withStroke(linewidth=2 * panel.scale, foreground="white", alpha=0.85)],
        )
        if len(taken) == _MOST_NAMES:
            return
