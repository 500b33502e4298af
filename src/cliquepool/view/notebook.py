"""HTML of graphs, poolings and hierarchies for notebooks: a table, and a picture of small ones."""

from __future__ import annotations

import html
import io
import re
import warnings
from typing import TYPE_CHECKING, Final

from cliquepool._words import counted
from cliquepool.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cliquepool.graph import Graph
    from cliquepool.pooling import Pooling

__all__ = ["graph_html", "hierarchy_html", "pooling_html"]

# A picture up to this size takes a fraction of a second and is readable.
_MOST_NODES: Final = 60
_MOST_NODES_OF_ALL_LEVELS: Final = 160
_MOST_EDGES: Final = 1500
# The largest degree is computed for up to this many nodes.
_MOST_NODES_COUNTED: Final = 1_000_000
_MOST_ROWS: Final = 30
_MOST_POOLS: Final = 8
_MOST_MEMBERS: Final = 12
_LONGEST_NAME: Final = 24
_HIGHEST_POINTS: Final = 240


def graph_html(graph: Graph) -> str:
    """Return a graph as HTML: its counts, and a picture if it is small. It is not expanded for this."""
    rows = [("nodes", f"{graph.num_nodes:,}"), ("edges", f"{graph.num_edges:,}")]
    if graph._twins is not None:
        rows.append(("twin classes", f"{len(graph._twins.sizes):,}"))
    if 0 < graph.num_nodes <= _MOST_NODES_COUNTED:
        rows.append(("largest degree", f"{int(graph.degrees.max()):,}"))
    labels = _some_labels(graph)
    if labels:
        rows.append(("labels", labels))
    return _page("Graph", _two_columns(rows), _picture(Hierarchy(graph, ())))


def pooling_html(pooling: Pooling) -> str:
    """Return a pooling as HTML: its counts, its first pools, and a picture if it is small."""
    graph = pooling.graph
    rows = [
        ("nodes", f"{graph.num_nodes:,}"),
        ("pools", f"{len(pooling):,}"),
        ("largest pool", f"{pooling.largest:,}"),
    ]
    if _coarse_is_known(pooling):
        rows.append(("edges between pools", f"{pooling.coarse.num_edges:,}"))
    parts = [_two_columns(rows)]
    if 0 < graph.num_nodes <= _MOST_NODES_COUNTED:
        parts.append(_table(("pool", "size", "nodes"), _first_pools(pooling)))
        if len(pooling) > _MOST_POOLS:
            parts.append(f"<p>and {len(pooling) - _MOST_POOLS:,} more</p>")
    return _page("Pooling", "".join(parts), _picture(Hierarchy(graph, (pooling,))))


def hierarchy_html(hierarchy: Hierarchy) -> str:
    """Return a hierarchy as HTML: a table of its levels, and a picture of the small ones."""
    graph = hierarchy.graph(0)
    rows = [("0", f"{graph.num_nodes:,}", f"{graph.num_edges:,}", "")]
    for level, pooling in enumerate(hierarchy[:_MOST_ROWS], start=1):
        edges = f"{pooling.coarse.num_edges:,}" if _coarse_is_known(pooling) else ""
        rows.append((f"{level}", f"{len(pooling):,}", edges, f"{pooling.largest:,}"))
    table = _table(("level", "nodes", "edges", "largest pool"), rows)
    if len(hierarchy) > _MOST_ROWS:
        table += f"<p>and {counted(len(hierarchy) - _MOST_ROWS, 'level')} more</p>"
    return _page("Hierarchy", table, _picture(hierarchy))


# ---- what is cheap to compute ----


def _coarse_is_known(pooling: Pooling) -> bool:
    """Tell whether the coarse graph is known or quickly computed."""
    return "coarse" in vars(pooling) or (_is_small(pooling.graph) and len(pooling) <= _MOST_NODES)


def _is_small(graph: Graph) -> bool:
    return 0 < graph.num_nodes <= _MOST_NODES and graph.num_edges <= _MOST_EDGES


def _some_labels(graph: Graph) -> str:
    if graph.labels is None:
        return ""
    return _listed([_name(graph, node) for node in range(min(graph.num_nodes, _MOST_MEMBERS + 1))])


def _first_pools(pooling: Pooling) -> list[tuple[str, str, str]]:
    rows = []
    for index in range(min(len(pooling), _MOST_POOLS)):
        pool = pooling.pools[index]
        names = [_name(pooling.graph, int(node)) for node in pool[: _MOST_MEMBERS + 1]]
        rows.append((f"{index}", f"{len(pool):,}", _listed(names)))
    return rows


def _name(graph: Graph, node: int) -> str:
    name = str(node if graph.labels is None else graph.labels[node])
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_MEMBERS])
    return f"{shown}, …" if len(names) > _MOST_MEMBERS else shown


# ---- the picture ----


def _picture(hierarchy: Hierarchy) -> str:
    """Return the small levels as SVG; an empty string for a large graph or without matplotlib."""
    levels = _small_levels(hierarchy)
    if levels is None:
        return ""
    try:
        from cliquepool.view.figures import draw_hierarchy  # noqa: PLC0415

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a glyph that the font does not have
            figure = draw_hierarchy(hierarchy, levels=levels, labels=_short_labels(hierarchy.graph(0)))
            file = io.StringIO()
            figure.savefig(file, format="svg", metadata={"Date": None})
    except ImportError:
        return ""
    return _compact(file.getvalue())


def _compact(drawn: str) -> str:
    """Return an SVG file as a part of a page: of limited height, coordinates rounded to one digit."""
    svg = re.sub(r"<!--.*?-->\n?", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r' d="[^"]*"', lambda path: re.sub(r"\.(\d)\d+", r".\1", path[0]).replace("\n", ""), svg)
    width, height = (float(re.findall(rf' {name}="([\d.]+)pt"', svg)[0]) for name in ("width", "height"))
    scale = min(1.0, _HIGHEST_POINTS / height)
    size = f'width="{width * scale:.0f}pt" height="{height * scale:.0f}pt"'
    svg = re.sub(r' (width|height)="[\d.]+pt"', "", svg, count=2)
    return svg.replace("<svg ", f'<svg style="max-width: 100%; height: auto" {size} ', 1)


def _small_levels(hierarchy: Hierarchy) -> int | None:
    """Return the number of poolings that are quickly drawn; None where the graph itself is too large."""
    if not _is_small(hierarchy.graph(0)):
        return None
    drawn = hierarchy.graph(0).num_nodes
    for level, pooling in enumerate(hierarchy):
        drawn += len(pooling)
        known = _coarse_is_known(pooling) and _is_small(pooling.coarse)
        if not known or drawn > _MOST_NODES_OF_ALL_LEVELS:
            return level
    return len(hierarchy)


def _short_labels(graph: Graph) -> list[str] | None:
    return None if graph.labels is None else [_name(graph, node) for node in range(graph.num_nodes)]


# ---- HTML ----


def _page(title: str, *parts: str) -> str:
    return f"<div><strong>{title}</strong>{''.join(parts)}</div>"


def _two_columns(rows: Sequence[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th>{_text(name)}</th><td>{_text(value)}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{_text(one)}</th>" for one in heads)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(words: str) -> str:
    """Escape text: labels may contain markup."""
    return html.escape(words)
