"""A graph and its pools as SVG, made of classes and attributes alone: pages allow no inline styles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cliquepool.view.html_page import text
from cliquepool.view.layout import lay_out

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cliquepool.graph import Graph
    from cliquepool.ragged import Ragged

    Points = npt.NDArray[np.float64]

__all__ = ["MOST_NODES_DRAWN", "draw_contributions", "draw_graph", "draw_word", "positions_of"]

MOST_NODES_DRAWN: Final = 150

_EDGE: Final = 46.0
_RADIUS: Final = 11.0
_MARGIN: Final = 26.0
_POOL_WIDTH: Final = 34.0
_STRENGTHS: Final = 8


def positions_of(graph: Graph) -> Points:
    """Return where nodes are drawn, wider than high, from (0, 0)."""
    positions = lay_out(graph)[:, ::-1] * _EDGE
    shifted: Points = positions - positions.min(axis=0)
    return shifted.round(1)


def draw_graph(graph: Graph, pools: Ragged, texts: tuple[str, ...], scores: Points) -> str:
    """Return the SVG of a graph: pools as wide strokes below the edges, nodes with their labels.

    The script of the page colours the pools. Strokes of a pool follow its own edges, so that they never cover
    nodes of other pools.
    """
    points = positions_of(graph)
    bands = [_blob(index, members, graph, points) for index, members in enumerate(pools.tolist())]
    parts = [
        f"<g>{''.join(bands)}</g>",
        f'<path id="mark" fill="none" stroke-linecap="round" stroke-width="{_POOL_WIDTH}"/>',
        *_edges_and_nodes(graph, points, texts, scores),
    ]
    return f'<svg viewBox="{_box(points)}" role="img" aria-labelledby="drawing-text">{"".join(parts)}</svg>'


def draw_contributions(
    graph: Graph,
    pools: Ragged,
    texts: tuple[str, ...],
    scores: Points,
    *,
    contributions: Points,
    label: str,
) -> str:
    """Return the SVG of a graph whose pools have the colours of their contributions, without a script.

    Its colours are those of the classes for, against and strength-1 to strength-8.
    """
    points = positions_of(graph)
    largest = max(float(abs(contributions).max(initial=0.0)), 1e-12)
    members = pools.tolist()
    parts = []
    for index in sorted(range(len(members)), key=lambda pool: (abs(contributions[pool]), pool)):
        value = float(contributions[index])
        strength = max(1, round(_STRENGTHS * abs(value) / largest))
        classes = f"blob {'against' if value < 0 else 'for'} strength-{strength}"
        parts.append(_blob(index, members[index], graph, points, classes=classes))
    parts += _edges_and_nodes(graph, points, texts, scores)
    return f'<svg viewBox="{_box(points)}" role="img" aria-label="{text(label)}">{"".join(parts)}</svg>'


def _edges_and_nodes(graph: Graph, points: Points, texts: tuple[str, ...], scores: Points) -> list[str]:
    parts = [_line(points[u], points[v]) for u, v in graph.edges().tolist()]
    for node, (x, y) in enumerate(points.tolist()):
        label = texts[node] or str(node)
        score = f"{scores[node]:+.3f}".replace("-", "−")
        parts.append(
            f'<g class="node" data-node="{node}"><title>{text(f"node {node}, {label}: {score}")}</title>'
            f'<circle cx="{x}" cy="{y}" r="{_RADIUS}"/><text x="{x}" y="{y}">{text(label[:4])}</text></g>'
        )
    return parts


def _box(points: Points) -> str:
    width, height = (points.max(axis=0) + 2 * _MARGIN).round(1).tolist()
    # A small graph is not blown up: 22 rem are about ten bonds.
    return f"{-_MARGIN - max(0, 360 - width) / 2:.1f} {-_MARGIN} {max(360, width):.1f} {height}"


def draw_word(graph: Graph, members: npt.NDArray[np.int32], texts: tuple[str, ...], side: str) -> str:
    """Return a small SVG of a graph with one pool in it; `side` is the class of its colour."""
    points = positions_of(graph)
    inside = set(members.tolist())
    parts = [_blob(0, members.tolist(), graph, points, classes=f"blob {side}")]
    for u, v in graph.edges().tolist():
        parts.append(_line(points[u], points[v], "" if {u, v} <= inside else " outside"))
    for node, (x, y) in enumerate(points.tolist()):
        if node in inside:
            label = text((texts[node] or str(node))[:4])
            parts.append(
                f'<g class="node"><circle cx="{x}" cy="{y}" r="{_RADIUS}"/>'
                f'<text x="{x}" y="{y}">{label}</text></g>'
            )
    # The word and a little around it: all of a large graph would make the labels too small to read.
    low, high = points[members].min(axis=0) - 2 * _MARGIN, points[members].max(axis=0) + 2 * _MARGIN
    (left, top), (width, height) = low.round(1).tolist(), (high - low).round(1).tolist()
    title = text(" ".join(texts[node] or str(node) for node in sorted(inside)))
    return (
        f'<svg viewBox="{left} {top} {width} {height}" role="img" aria-label="{title}">{"".join(parts)}</svg>'
    )


def _blob(index: int, members: list[int], graph: Graph, points: Points, *, classes: str = "blob") -> str:
    inside = set(members)
    strokes = []
    for node in members:
        x, y = points[node].tolist()
        strokes.append(f"M{x} {y}h0")
        neighbours = graph.indices[graph.indptr[node] : graph.indptr[node + 1]].tolist()
        strokes += [
            f"M{x} {y}L{points[other][0]} {points[other][1]}"
            for other in neighbours
            if other > node and other in inside
        ]
    return (
        f'<path class="{classes}" data-pool="{index}" stroke-width="{_POOL_WIDTH}" d="{"".join(strokes)}"/>'
    )


def _line(begin: Points, end: Points, more: str = "") -> str:
    return f'<line class="edge{more}" x1="{begin[0]}" y1="{begin[1]}" x2="{end[0]}" y2="{end[1]}"/>'
