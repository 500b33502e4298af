"""Pictures of dependency diagrams: levels as rows, needed nodes lit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.view.colours import INK, LINE, MUTED
from cliquepool.view.figures import expect_drawable
from cliquepool.view.panels import write_text
from cliquepool.view.saving import save_figure

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cliquepool.hierarchy import Hierarchy
    from cliquepool.scale.dependencies import DependencyDiagram

    Positions = npt.NDArray[np.float64]

__all__ = ["draw_dependencies"]

_MOST_NODES: Final = 400
_WIDTH: Final = 8.0  # inches, as the following
_ROW: Final = 1.25
_MARGIN: Final = 1.3
_LIT: Final = "#e2504f"
_READ: Final = "#f2a33a"


def draw_dependencies(
    diagram: DependencyDiagram,
    path: str | PathLike[str] | None = None,
    *,
    title: str | None = None,
    max_nodes: int = _MOST_NODES,
    dpi: int = 150,
) -> Figure:
    """Draw a dependency diagram: a row for each level, the input at the bottom.

    Nodes whose output is needed are red, those that convolutions read besides are orange, all others grey.
    Lines between rows join a needed pool to its members, arcs within a row join a node to the neighbours that
    a convolution reads.

    Returns the matplotlib figure; with `path` it is saved too, in the format of the suffix (png, svg, pdf).
    Raises GraphError for a level of more than `max_nodes` nodes.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 (slow to import)

    hierarchy = diagram.hierarchy
    for size in hierarchy.sizes[: len(diagram)]:
        expect_drawable(size, max_nodes)
    rows, top_row = _rows(hierarchy, len(diagram)), diagram.top
    height = _ROW * top_row + (1.35 if title else 1.0)
    figure = Figure(figsize=(_WIDTH, height), dpi=dpi, facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, _WIDTH), ylim=(-0.45, height - 0.45), aspect="equal")
    axes.set_axis_off()
    for level, row in enumerate(rows):
        if level > 0:
            _draw_members(axes, diagram, level, rows)
        _draw_arcs(axes, diagram, level, row)
        _draw_row(axes, diagram, level, row)
    if title:
        write_text(axes, 0.15, height - 0.6, title, 12, weight="bold", color=INK, va="top")
    if path is not None:
        save_figure(figure, path, dpi)
    return figure


def _rows(hierarchy: Hierarchy, count: int) -> list[Positions]:
    """Return the horizontal position of the nodes of each level: a pool is near its members."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee  # noqa: PLC0415 (slow to import)

    order = reverse_cuthill_mckee(hierarchy.graph(0).to_scipy().tocsr(), symmetric_mode=True)
    rows = [_spread(np.argsort(order).astype(np.float64))]
    for level in range(1, count):
        pools = hierarchy[level - 1].pools
        middle = np.add.reduceat(rows[-1][pools.members], pools.offsets[:-1]) / pools.sizes
        rows.append(_spread(middle))
    return rows


def _spread(wanted: Positions) -> Positions:
    """Return positions in the order of those wanted, as far apart as the row allows."""
    rank = np.argsort(np.argsort(wanted, kind="stable"), kind="stable")
    width = _WIDTH - _MARGIN - 0.4
    positions: Positions = _MARGIN + width * (rank + 0.5) / len(wanted)
    return positions


def _height(level: int) -> float:
    return _ROW * level


def _draw_members(axes: Axes, diagram: DependencyDiagram, level: int, rows: list[Positions]) -> None:
    """Draw lines from the pools of a level to their members below; those of needed pools are lit."""
    pools = diagram.hierarchy[level - 1].pools
    needed = np.zeros(len(pools), dtype=np.bool_)
    needed[diagram[level]] = True
    ends = np.stack([pools.list_of_member, pools.members], axis=1)
    lit = needed[ends[:, 0]]
    for chosen, colour, width, order in ((~lit, LINE, 0.4, 0.5), (lit, _READ, 0.8, 1.0)):
        lines = [
            ((rows[level][pool], _height(level)), (rows[level - 1][node], _height(level - 1)))
            for pool, node in ends[chosen].tolist()
        ]
        _add_lines(axes, lines, colors=colour, linewidths=width, alpha=0.55, zorder=order)


def _draw_arcs(axes: Axes, diagram: DependencyDiagram, level: int, row: Positions) -> None:
    """Draw an arc from every node that a convolution reads to a node one hop nearer to the outputs."""
    needed = diagram.levels[level]
    hop = np.full(diagram.hierarchy.sizes[level], -1)
    hop[needed.nodes] = needed.hops
    turn = np.linspace(0, np.pi, 25)
    arcs = []
    graph = diagram.hierarchy.graph(level)
    for node in needed.nodes[needed.hops > 0].tolist():
        around = graph.neighbours(node)
        for other in around[hop[around] == hop[node] - 1].tolist():
            middle, half = (row[node] + row[other]) / 2, abs(row[node] - row[other]) / 2
            rise = min(0.42, 0.1 + 0.22 * half)
            arcs.append(
                np.stack([middle + half * np.cos(turn), _height(level) + rise * np.sin(turn)], axis=1)
            )
    _add_lines(axes, arcs, colors=_LIT, linewidths=0.7, alpha=0.6, zorder=1.2)


def _draw_row(axes: Axes, diagram: DependencyDiagram, level: int, row: Positions) -> None:
    """Draw the nodes of a level, with its name and the number of nodes needed at the left."""
    needed = diagram.levels[level]
    heights = np.full(len(row), _height(level))
    size = float(np.clip(2600 / len(row), 5, 90))
    chosen = (
        (np.setdiff1d(np.arange(len(row)), needed.nodes), LINE, 0.6),
        (needed.nodes[needed.hops > 0], _READ, 1.0),
        (needed.within(0), _LIT, 1.0),
    )
    for nodes, colour, alpha in chosen:
        axes.scatter(
            row[nodes],
            heights[nodes],
            s=size,
            c=colour,
            alpha=alpha,
            linewidths=0.4,
            edgecolors="white",
            zorder=3,
        )
    style: dict[str, Any] = {"va": "center", "ha": "left"}
    write_text(axes, 0.15, _height(level) + 0.1, f"level {level}", 9.5, weight="bold", color=INK, **style)
    words = f"{len(needed):,} of {len(row):,}"
    write_text(axes, 0.15, _height(level) - 0.12, words, 8.5, color=MUTED, **style)


def _add_lines(axes: Axes, lines: list[Any], **style: Any) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415 (slow to import)

    axes.add_collection(LineCollection(lines, **style), autolim=False)
